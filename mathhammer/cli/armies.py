"""A planned army on the terminal: the list, who takes on whom, how many fall, other lists, swaps."""

from __future__ import annotations

from collections.abc import Sequence

from mathhammer.analysis.army import Army, Plan
from mathhammer.analysis.words import chance, missed, step, unspent
from mathhammer.cli.layout import Block, Grid, Line, folded
from mathhammer.cli.render import bar, percent
from mathhammer.cli.tables import footnotes, source_line

WIDTH = 100
FRAME = (
    "Each team fights the one enemy named, once; fights are independent; of a team the dearest unit goes "
    "first and the others are with it."
)


def army_blocks(army: Army) -> list[Block]:
    """The whole answer."""
    return [
        Line(army.table.sweep.grid.heading(), "bold"),
        source_line(army.table),
        Line(f"\nbest list: {_taken(army.best.taken)}", "bold"),
        Line(f"{army.best.points:,} of {army.campaign.budget:,} points; {_value(army, army.best)}"),
        *map(Line, filter(None, [unspent(army)])),
        Line(""),
        _fights(army),
        *_numbers(army),
        *_others(army),
        *_swaps(army),
        Line(""),
        *map(Line, folded(" ".join([*_words(army), FRAME]), WIDTH, indent="")),
        *footnotes(army.table),
    ]


def _taken(taken: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{count} {name}" for name, count in taken) or "nothing"


def _value(army: Army, plan: Plan) -> str:
    event, goal = army.wanted.name, army.campaign.goal
    if goal == "worst":
        return f"the least chance of {event} against any enemy is {chance(plan.value)}"
    told = f"expected number of enemies with {event}: {plan.pmf.mean:.3f} of {len(army.campaign.enemies)}"
    weighted = goal == "weight" and len(set(army.campaign.weights)) > 1
    return told + (f", weight {plan.value:.3f} of {sum(army.campaign.weights):g}" if weighted else "")


def _fights(army: Army) -> Grid:
    weighted = len(set(army.campaign.weights)) > 1
    by_enemy = {fight.enemy: fight for fight in army.best.fights}
    rows = []
    for enemy, weight in zip(army.campaign.enemies, army.campaign.weights, strict=True):
        fight = by_enemy.get(enemy.label)
        told = (
            ["nobody", "-", "0%"]
            if fight is None
            else [" + ".join(fight.team), str(fight.points), percent(fight.chance)]
        )
        rows.append([enemy.label, *([f"{weight:g}"] * weighted), *told])
    heads = ["enemy", *(["weight"] * weighted), "taken on by", "points", army.wanted.name]
    return Grid(heads, rows, left=frozenset({0, 1 + weighted}), styles={0: "bold"})


def _numbers(army: Army) -> list[Block]:
    pmf = army.best.pmf
    numbers = range(len(army.campaign.enemies) + 1)
    top = max(pmf[n] for n in numbers)
    rows = [[str(n), percent(pmf[n]), percent(min(1.0, pmf.at_least(n))), bar(pmf[n] / top)] for n in numbers]
    title = Line(f"\nhow many enemies: {army.wanted.name}", "bold")
    return [title, Grid(["number", "chance", "at least", ""], rows, left=frozenset({3}), styles={3: "cyan"})]


def _others(army: Army) -> list[Block]:
    if not army.alternatives:
        return []
    rows = [
        [
            str(i),
            f"{plan.value:.4f}",
            step(plan.value - army.best.value),
            f"{plan.points:,}",
            _taken(plan.taken),
        ]
        for i, plan in enumerate(army.alternatives, start=2)
    ]
    heads = ["", "value", "to the best", "points", "list"]
    return [Line("\nthe best other lists", "bold"), Grid(heads, rows, left=frozenset({0, 4}))]


def _swaps(army: Army) -> list[Block]:
    if not army.swaps:
        return []
    rows = [
        [
            swap.without,
            step(-swap.loss),
            f"{swap.plan.points - army.best.points:+,}",
            _taken(swap.instead),
            _taken(swap.plan.taken),
        ]
        for swap in sorted(army.swaps, key=lambda swap: swap.loss)
    ]
    heads = ["one less of", "value", "points", "new", "the list then"]
    return [
        Line("\nthe price of each swap", "bold"),
        Grid(heads, rows, left=frozenset({0, 3, 4}), styles={0: "bold"}),
    ]


def _words(army: Army) -> list[str]:
    """What the plan leaves undone, and which of its units is easiest to miss."""
    met = {fight.enemy for fight in army.best.fights}
    alone = [enemy.label for enemy in army.campaign.enemies if enemy.label not in met]
    told = [f"Nobody takes on {', '.join(alone)}."] if alone else []
    return [*told, *filter(None, [missed(army)])]
