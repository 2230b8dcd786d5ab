"""Damage that no rule reads before the end: only how often each blow fell is kept, and drawn at the end.

The joint state of a side is one number, which counts the blows of each kind in mixed radix. Where a unit may
be destroyed, or its number of soldiers decides a check, its damage is drawn at once instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mathhammer.core.ensemble import Ensemble
from mathhammer.core.errors import ExactLimitError
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Change, Columns, Step

if TYPE_CHECKING:
    from mathhammer.games.battlefield.checks import Check
    from mathhammer.games.battlefield.state import Battle, Fighter, Masked

NEVER = 1e-15  # losses rarer than this in the worst case are taken not to happen
MOST_CODES = 2**30


@dataclass
class Source:
    """One kind of blow on one unit, and how often it may fall."""

    target: str
    side: int
    pmf: Pmf
    uses: int = 0


@dataclass
class Ledger:
    """The blows noted so far, by what they do to whom."""

    sources: list[Source] = field(default_factory=list)

    def note(self, check: Check, law: Law, target: Fighter, where: Masked) -> Change:
        """The change that notes a blow in the states where it falls."""
        lead = check.lead
        number = self._source(target, law.row(lead if isinstance(lead, int) else 0))
        column = due(target.side)

        def add(columns: Columns) -> dict[str, Ints]:
            return {column: (columns[column] + self.weight(number) * where(columns)).astype(np.int32)}

        return Change(check.name, add)

    def _source(self, target: Fighter, pmf: Pmf) -> int:
        for number, source in enumerate(self.sources):
            if source.target == target.name and source.pmf == pmf:
                source.uses += 1
                return number
        self.sources.append(Source(target.name, target.side, pmf, 1))
        return len(self.sources) - 1

    def repeat(self, times: int) -> None:
        """All blows noted so far may fall so many times."""
        for source in self.sources:
            source.uses *= times

    def weight(self, number: int) -> int:
        """What one more blow of a kind adds to the number of its side."""
        weight = 1
        for source in self.sources[:number]:
            weight *= source.uses + 1 if source.side == self.sources[number].side else 1
        return weight

    def fits(self) -> bool:
        """Whether the numbers of both sides fit their columns."""
        sizes = [1, 1]
        for source in self.sources:
            sizes[source.side] *= source.uses + 1
        return max(sizes) < MOST_CODES

    def counts(self, side: int, code: int) -> Iterator[tuple[Source, int]]:
        """How often each kind of blow fell, from the side's number."""
        for source in self.sources:
            if source.side == side:
                code, count = divmod(code, source.uses + 1)
                yield source, count

    def worst(self, target: str) -> Pmf:
        """The damage of a unit when all blows on it fall."""
        total = Pmf.point(0)
        for source in self.sources:
            if source.target == target:
                total = total + source.pmf.times(source.uses)
        return total

    def damage(self, side: int, code: int, target: str | None = None) -> Pmf:
        """Damage of a side (or of one unit of it) given the side's number."""
        total = Pmf.point(0)
        for source, count in self.counts(side, code):
            if target in (None, source.target):
                total = total + source.pmf.times(count)
        return total

    def settling(self, side: int) -> list[Step]:
        """The step that draws all damage of a side that was only noted."""
        if not any(source.side == side for source in self.sources):
            return []
        key = ("ledger", side, tuple((s.target, s.pmf, s.uses) for s in self.sources))
        law = Law(key, lambda code: self.damage(side, code))

        def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
            return {settled(side): columns[settled(side)] + outcome, due(side): np.zeros_like(outcome)}

        return [Step(f"damage of side {side + 1}", law, due(side), update, rule="BF-01")]


def due(side: int) -> str:
    """The column of a side's blows."""
    return f"due.{side}"


def settled(side: int) -> str:
    """The column of a side's damage that was drawn at the end."""
    return f"settled.{side}"


def most(pmf: Pmf) -> int:
    """The most damage that is not rarer than NEVER."""
    tails = np.cumsum(pmf.probs[::-1])[::-1]
    return pmf.offset + int(np.flatnonzero(tails > NEVER)[-1])


ALWAYS = 2**30  # the number of an action that never comes


def to_track(battle: Battle, end_of: Callable[[], Ensemble]) -> dict[str, int]:
    """Units whose damage must be marked at once, and the last action that reads it, found by a trial.

    In the trial all blows were only noted. Up to the first unit that is destroyed it is the battle itself:
    where nobody reaches his end in it, nobody does in the battle. end_of: its exact states at the end.
    """
    if not battle.ledger.fits():
        return dict.fromkeys((fighter.name for fighter in battle.fighters), ALWAYS)
    asked = _latest(battle.readings, battle.drawn)
    worst = _read(battle, {f.name: most(battle.ledger.worst(f.name)) for f in battle.fighters})
    if not asked and not worst and not battle.deals:
        return {}
    try:
        end = end_of()
    except ExactLimitError:  # then nothing is known, and everything counts
        return dict.fromkeys((fighter.name for fighter in battle.fighters), ALWAYS)
    if not asked and not _read(battle, _losses(battle, end, worst=False)):
        return {}
    return _latest(asked, _read(battle, _losses(battle, end, worst=True)))


def _latest(*found: Mapping[str, int]) -> dict[str, int]:
    """Each name with the latest of its times."""
    names = {name for times in found for name in times}
    return {name: max(times.get(name, -1) for times in found) for name in names}


def _losses(battle: Battle, end: Ensemble, *, worst: bool) -> dict[str, int]:
    """The most damage on each unit in the trial; worst: if all blows on it fall."""
    losses: dict[str, int] = {}
    for fighter in battle.fighters:
        noted = battle.ledger.worst(fighter.name) if worst else _mixed(battle, fighter, end)
        losses[fighter.name] = most(noted) + int(end.columns[fighter.column("damage")].max())
    return losses


def _mixed(battle: Battle, fighter: Fighter, end: Ensemble) -> Pmf:
    """The distribution of the noted damage on a unit."""
    codes, index = np.unique(end.columns[due(fighter.side)], return_inverse=True)
    weights = np.bincount(index.ravel(), end.weights)
    parts = zip((weights / weights.sum()).tolist(), codes.tolist(), strict=True)
    return Pmf.mixture((p, battle.ledger.damage(fighter.side, code, fighter.name)) for p, code in parts)


def _read(battle: Battle, losses: Mapping[str, int]) -> dict[str, int]:
    """Units that such losses may destroy, or bring over a ratio that counts, and until when it does."""
    read = {f.name: ALWAYS for f in battle.fighters if losses[f.name] >= battle.end(f)}
    for (a, b, bounds), last in battle.compared.items():
        if _changes(battle, a, b, bounds, losses):
            read = _latest(read, {a: last, b: last})
    return read


def _changes(battle: Battle, a: str, b: str, bounds: tuple[Fraction, ...], losses: Mapping[str, int]) -> bool:
    """Whether losses may bring a's soldiers to b's over one of these ratios."""
    by_name = {fighter.name: fighter for fighter in battle.fighters}
    cost = battle.rules.soldiers_per_damage

    def left(name: str, lost: int) -> int:
        return max(0, by_name[name].unit.number - lost * battle.grain * cost // battle.scale)

    few, many = left(a, losses[a]), left(a, 0)
    least, whole = left(b, losses[b]), left(b, 0)
    ends = [(few, whole), (many, least)]
    return len({tuple((x > bound * y, x < bound * y) for bound in bounds) for x, y in ends}) > 1
