"""What the numbers of a decision say, in one or two honest sentences."""

from __future__ import annotations

from mathhammer.analysis.army import TIE, Army
from mathhammer.analysis.compare import PER_POINTS, SAME, Comparison, Line
from mathhammer.analysis.sweep import Table
from mathhammer.analysis.wanted import Wanted
from mathhammer.core.errors import InputError

MOST_LOOKED_AT = 100  # matchups, for what their sides decide for
CLOSE = 0.005  # chances nearer than half a point in a hundred hardly matter at the table


def chance(p: float) -> str:
    """A chance in a sentence."""
    return f"{100 * p:.1f}%"


def amount(wanted: Wanted, value: float) -> str:
    """A number in a sentence."""
    return chance(value) if wanted.is_chance else f"{value:.2f}"


def gap(wanted: Wanted, value: float) -> str:
    """A difference in a sentence."""
    return f"{100 * value:.1f} percentage points" if wanted.is_chance else f"{value:.2f}"


def aims(table: Table) -> list[str]:
    """What the sides of a sweep decide for, where that is not the number that was asked for first."""
    grid, wanted = table.sweep.grid, table.sweep.wanted[0].name
    found: list[str] = []
    for row in table.done[:MOST_LOOKED_AT]:
        try:
            found.append(grid.mode.aim(grid.question(row.index).situation, wanted))
        except InputError:  # the row was answered elsewhere
            continue
    return [
        f"both sides play for {aim}, not for {wanted}: a stronger unit may have less of that"
        for aim in dict.fromkeys(found)
        if aim
    ]


def comparison_words(comparison: Comparison) -> list[str]:
    """The best and how far it leads; what is best for its points; where another one is better."""
    lines = comparison.lines
    if len(lines) < 2:
        return aims(comparison.table)
    ranked = sorted(range(len(lines)), key=lambda i: lines[i].rank)
    return [
        _lead(comparison, ranked),
        *_for_points(comparison, lines[ranked[0]]),
        *_exceptions(comparison, ranked),
        *(f"{line[0].upper()}{line[1:]}." for line in aims(comparison.table)),
    ]


def _lead(comparison: Comparison, ranked: list[int]) -> str:
    lines, wanted = comparison.lines, comparison.wanted[0]
    best, second = lines[ranked[0]], lines[ranked[1]]
    lead, interval = comparison.between(ranked[0], ranked[1])
    told = f"{best.label} has the highest {_thing(wanted)}, {amount(wanted, best.values[0])}"
    if abs(lead) <= SAME and (interval is None or interval[1] <= SAME):
        equal = sum(line.rank == 1 for line in lines)
        return f"{equal} candidates share the highest {_thing(wanted)}, {amount(wanted, best.values[0])}."
    told += f", {gap(wanted, lead)} above {second.label}"
    if interval is not None and interval[0] <= 0:
        span = f"{gap(wanted, interval[0])} to {gap(wanted, interval[1])}"
        return f"{told}; so few trials cannot tell those two apart (95% interval {span})."
    if wanted.is_chance and lead < CLOSE:
        return f"{told}, which will hardly be felt at the table."
    return told + "."


def _thing(wanted: Wanted) -> str:
    return f"chance of {wanted.name}" if wanted.is_chance else wanted.name


def _it(comparison: Comparison, best: Line) -> str:
    """The best one, which was just named; by name where several share the first rank."""
    return "It" if sum(line.rank == best.rank for line in comparison.lines) == 1 else best.label


def _for_points(comparison: Comparison, best: Line) -> list[str]:
    """Who gives most for its points, where that is another one."""
    costed = [line for line in comparison.lines if line.per_points is not None]
    if len(costed) < 2 or len({line.points for line in costed}) == 1:
        return []
    cheap = max(costed, key=lambda line: line.per_points or 0.0)
    wanted = comparison.wanted[0]
    rate = amount(wanted, cheap.per_points or 0.0)
    if cheap.label == best.label:
        return [f"{_it(comparison, best)} also gives most for its points ({rate} for each {PER_POINTS})."]
    return [
        f"For its points {cheap.label} gives most ({rate} for each {PER_POINTS}); "
        "but a chance does not grow in proportion to points."
    ]


def _exceptions(comparison: Comparison, ranked: list[int]) -> list[str]:
    best, count = comparison.lines[ranked[0]], len(comparison.targets)
    if count < 2 or best.best_at == count:
        return []
    others = [line.label for line in comparison.lines if line.best_at and line is not best]
    where = (
        f"best against {best.best_at} of {count} targets"
        if best.best_at
        else "best against none of the targets alone"
    )
    verb = "does" if len(others) == 1 else "do"
    return [f"{_it(comparison, best)} is {where}; {' and '.join(others[:3])} {verb} better against others."]


# -- armies ----------------------------------------------------------------------------------------
def unspent(army: Army) -> str:
    """What keeps the rest of the budget from being spent; nothing where there is no rest."""
    campaign, rest = army.campaign, army.campaign.budget - army.best.points
    if not rest:
        return ""
    taken = dict(army.best.taken)
    listed = zip(campaign.listed, campaign.most, campaign.costs, strict=True)
    left = [cost for choice, most, cost in listed if taken.get(choice.label, 0) < most]
    return f"{rest:,} point{'s' * (rest > 1)} unspent: {_limit(army, left, rest)}"


def _limit(army: Army, left: list[int], rest: int) -> str:
    """The limit that binds. left: costs of units that are not all taken."""
    campaign, fights = army.campaign, army.best.fights
    if not left:
        return "all that may be taken is taken"
    if min(left) > rest:
        return f"the cheapest unit that is left costs {min(left)}"
    full = sum(len(fight.team) == campaign.largest for fight in fights)
    if full < len(fights) or not full:
        return "nothing left that helps" + (f" teams of at most {campaign.largest} (--team)" if full else "")
    met = "" if full == len(campaign.enemies) else ", and against the others nothing helps"
    if campaign.largest == 1 and campaign.team > 1:
        return f"one unit fights each enemy{met}"
    return f"teams hold at most {campaign.largest} (--team){met}"


def step(difference: float) -> str:
    """How far the value of a list is from that of another one."""
    if abs(difference) < TIE:
        return "tie"
    return f"{difference:+.4f}" if abs(difference) >= 5e-5 else f"{difference:+.0e}"


def missed(army: Army) -> str:
    """Which units are missed least and most; nothing where there is no list without one."""
    if not army.swaps:
        return ""
    least, most = min(army.swaps, key=lambda s: s.loss), max(army.swaps, key=lambda s: s.loss)
    if most.loss < TIE:
        return "No unit is missed: for each another list does as well."
    if least.loss < TIE:
        first = f"{least.without} is not missed (another list does as well)"
    else:
        first = f"{least.without} is missed least ({least.loss:.3f})"
    return first + (f", {most.without} most ({most.loss:.3f})." if most is not least else ".")
