"""`needs` on the terminal: what does it, what just does not, and the worth of a step of each field."""

from __future__ import annotations

from mathhammer.analysis.fields import first_role
from mathhammer.analysis.needs import Need, Needs
from mathhammer.analysis.sweep import Table, reasons
from mathhammer.analysis.words import chance, gap
from mathhammer.analysis.worth import Step, Worth
from mathhammer.cli.layout import Block, Grid, Line
from mathhammer.cli.render import bar, percent
from mathhammer.cli.tables import footnotes, source_line

MOST_LISTED = 12
MOST_REASONS = 3
MOST_STEPS = 30


def needs_blocks(found: Needs) -> list[Block]:
    """The whole answer."""
    sweep = found.sweep
    table = Table(sweep, list(found.rows))
    asked = f"{sweep.wanted[0].name} at {chance(found.chance)} or more"
    return [
        Line(sweep.grid.heading(), "bold"),
        source_line(table),
        Line(f"\n{asked}", "bold"),
        *([_grid(found)] if found.others else [Line(line) for line in _sentences(found, found.answers[0])]),
        *map(Line, _failures(table)),
        *footnotes(table, failures=False),
    ]


def _failures(table: Table) -> list[str]:
    told = reasons(table.failed)
    more = f"; and {len(told) - MOST_REASONS} more reasons" if len(told) > MOST_REASONS else ""
    return [f"some values cannot be asked: {'; '.join(told[:MOST_REASONS])}{more}"] if told else []


def _grid(found: Needs) -> Grid:
    name, event = found.axis.name, found.sweep.wanted[0].name
    heads = [*(axis.name for axis in found.others), name, event, "one less gives", "best", f"{event} there"]
    rows = [
        [
            *need.labels,
            _kind(need),
            "-" if need.kind == "none" else percent(need.chance),
            "" if need.beyond is None else percent(need.beyond[1]),
            need.best[0],
            percent(need.best[1]),
        ]
        for need in found.answers
    ]
    left = frozenset([*(i for i, axis in enumerate(found.others) if not axis.numeric), len(found.others)])
    heads[len(found.others) + 2] = "next value gives"
    return Grid(heads, rows, left=left, styles={len(found.others): "bold"})


def _kind(need: Need) -> str:
    if need.kind == "none":
        return "none does it"
    if need.kind == "all":
        return f"all ({need.value} too)"
    return f"{need.kind} {need.value}" if need.kind != "only" else f"only {_listed(need)}"


def _listed(need: Need) -> str:
    more = len(need.doing) - MOST_LISTED
    return ", ".join(need.doing[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _sentences(found: Needs, need: Need) -> list[str]:
    """One answer in words."""
    name, event = found.axis.name, found.sweep.wanted[0].name
    does = "does" if len(need.doing) == 1 else "do"
    lines = {
        "none": [f"no value of {name} that was asked does it; {need.best[0]} gives {chance(need.best[1])}"],
        "all": [f"every value of {name} that was asked does it; {need.value} gives {chance(need.chance)}"],
        "only": [f"of {name} {_kind(need)} {does} it: {need.value} gives {chance(need.chance)}"],
    }.get(need.kind, [f"{name} of {_kind(need)}: {need.value} gives {chance(need.chance)}"])
    if found.axis.target.kind == "units" and need.doing and not found.axis.numeric:
        cost = f" ({need.points:g} points)" if need.points is not None else ""
        lines = [f"the cheapest that does it is {need.value}{cost}: {event} {chance(need.chance)}"]
        lines += [f"all that do it, the cheapest first: {_listed(need)}"] if len(need.doing) > 1 else []
    elif (
        need.kind in ("at least", "at most")
        and need.points
        and found.axis.numeric
        and found.axis.target.kind == "units"
    ):
        lines[0] += f", for {need.points:g} points"
    if need.beyond is not None:
        lines.append(f"{need.beyond[0]} gives {chance(need.beyond[1])} only")
    if need.kind == "only" and found.axis.numeric:
        lines.append("the chance does not go one way only, so every value was tried")
    return lines


def worth_blocks(found: Worth) -> list[Block]:
    """The steps that help, by whose they are, the most first."""
    table = Table(found.sweep, [found.base])
    base = f"{found.wanted.name} now: {percent(found.base.values[0])}"
    blocks: list[Block] = [
        Line(found.sweep.grid.heading(), "bold"),
        source_line(table),
        Line(f"\n{base}", "bold"),
    ]
    for group in dict.fromkeys(step.group for step in found.steps):
        blocks += [
            Line(
                f"\none step of a field of {group}" if group != "options" else "\none step of an option",
                "bold",
            )
        ]
        blocks.append(_steps(found, group))
    if not found.steps:
        blocks.append(Line("no single step of a field changes it for the better"))
    return [*blocks, *_worth_words(found), *footnotes(table)]


def _steps(found: Worth, group: str) -> Grid:
    steps = [step for step in found.steps if step.group == group][:MOST_STEPS]
    worth, cost = any(step.worth is not None for step in steps), any(step.cost is not None for step in steps)
    top = max(step.gain for step in steps)
    heads = [
        "field",
        "step",
        found.wanted.name,
        "gain",
        *(["worth"] * worth),
        *(["for each point"] * cost),
        "",
    ]
    rows = [
        [
            step.name,
            f"{step.was} to {step.now}",
            percent(step.chance),
            f"+{100 * step.gain:.2f}",
            *([_worth(found, step)] * worth),
            *([f"+{100 * step.per_point:.3f}" if step.per_point is not None else "-"] * cost),
            bar(step.gain / top),
        ]
        for step in steps
    ]
    return Grid(
        heads, rows, left=frozenset({0, 1, len(heads) - 1}), styles={0: "bold", len(heads) - 1: "cyan"}
    )


def _own(found: Worth, step: Step) -> bool:
    role = first_role(found.sweep.grid.mode)
    return role is not None and step.group == role.name


def _worth(found: Worth, step: Step) -> str:
    if step.worth is not None:
        return f"{step.worth:.1f} points"
    return "weaker" if step.weakens and _own(found, step) else "-"


def _worth_words(found: Worth) -> list[Block]:
    own = [step for step in found.steps if step.worth is not None]
    if not own:
        return []
    best = own[0]
    weaker = any(step.weakens and _own(found, step) for step in found.steps)
    of = "of the steps that strengthen it, " if weaker else ""
    return [
        Line(f"\n{of}{best.name} from {best.was} to {best.now} adds most: {gap(found.wanted, best.gain)}"),
        Line("worth: the points that so much chance costs at the rate that the unit pays for its own now."),
    ]
