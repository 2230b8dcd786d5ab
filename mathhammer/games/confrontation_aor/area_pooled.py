"""Area weapons where all damage is one sum, laid on those covered so as to kill most. Source: AOR-09."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Ints, Pmf
from mathhammer.core.steps import Action, Columns, Mask, Step
from mathhammer.games.confrontation_aor.blast import Places, Shot
from mathhammer.games.confrontation_aor.layout import depths
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.throws import score
from mathhammer.kernels.pools import Bonus, pool, successes

Losses = tuple[float, list[Floats]]  # a case's chance, and the losses of each group, independent in that case


def pooled_steps(shot: Shot, places: Places, rules: Rules, away: float) -> list[Action]:
    """The damage of all covered fighters of a side is one sum, laid on those covered so as to kill most.

    Source: AOR-09, AOR-10.
    """
    steps: list[Action] = []
    for friends in (False, True):
        kinds = [
            i for i, k in enumerate(shot.formation.kinds) if (k.group is None) == friends and not k.titan
        ]
        if kinds:
            steps.append(_pooled_step(shot, places, kinds, rules, friends, away))
    return steps


def pooled_pmf(shot: Shot, counts: Sequence[int], tests: int, rules: Rules) -> Pmf:
    """The sum of damage of so many covered fighters of each kind, up to all that they can take."""
    dice: dict[int, int] = {}
    most = 0
    for kind, count in zip(shot.formation.kinds, counts, strict=True):
        if not kind.titan:
            needed = score(shot.weapon.ranged_strength - kind.resilience, rules)
            dice[needed] = dice.get(needed, 0) + count * tests
            most += count * kind.left
    return damage_sum(tuple(sorted(dice.items())), most, rules.bonus_die)


@lru_cache(maxsize=1024)
def damage_sum(dice: tuple[tuple[int, int], ...], most: int, bonus: Bonus) -> Pmf:
    """Successes of so many dice of each score needed, at most `most`."""
    total = Pmf.point(0)
    for needed, number in dice:
        total = (total + pool(successes(needed, bonus=bonus)).row(number)).capped(most)
    return total


def _pooled_step(
    shot: Shot, places: Places, kinds: Sequence[int], rules: Rules, friends: bool, away: float
) -> Step:
    """The damage of those kinds together, and how many fall."""
    counts = np.zeros_like(places.counts)
    counts[:, kinds] = places.counts[:, kinds]
    rows = [
        pooled_pmf(shot, row, tests, rules)
        for row, tests in zip(counts.tolist(), places.tests.tolist(), strict=True)
    ]
    killed = _killed(shot, counts)
    others = None if friends or places.covers is None else _others(shot, places.covers, killed.shape[1], away)

    def suffer(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        kills = killed[columns["place"], outcome]
        noted = {} if others is None else {"others": others[columns["place"], outcome]}
        return {"friends_lost": kills} if friends else {"kills": kills, "damage": outcome, **noted}

    name = "friends: damage in all" if friends else "damage in all"
    return Step(name, Law.of(rows), "place", suffer, _some_of(counts), rule="AOR-09")


def _some_of(counts: Ints) -> Callable[[Columns], Mask]:
    """Rows where the place has any of those counted."""
    there: Mask = counts.sum(axis=1) > 0
    return lambda columns: there[columns["place"]]


def _killed(shot: Shot, counts: Ints) -> Ints:
    """How many fall by the sum of damage, the least wounds left first: (places, damage)."""
    lefts = np.array([kind.left for kind in shot.formation.kinds])
    killed = np.zeros((len(counts), 1 + int((counts @ lefts).max())), dtype=np.int32)
    for row, count in zip(killed, counts, strict=True):
        ends = np.cumsum(np.sort(np.repeat(lefts, count)))
        row[:] = np.searchsorted(ends, np.arange(len(row)), side="right")
    return killed


def _others(shot: Shot, covers: Ints, width: int, away: float) -> Ints:
    """How many fall who are no creatures, by the sum of damage below `width`: (places, damage)."""
    others = np.zeros((len(covers), width), dtype=np.int32)
    for row, covered in zip(others, covers, strict=True):
        victims = _victims(shot, np.flatnonzero(covered).tolist(), False, away)
        kinds = [shot.formation.kinds[kind] for kind in shot.formation.kind[victims]]
        ends = np.cumsum([kind.left for kind in kinds])
        fallen = np.cumsum([0, *(kind.category != "creature" for kind in kinds)])
        row[:] = fallen[np.searchsorted(ends, np.arange(width), side="right")]
    return others


# -- who falls, fighter by fighter ---------------------------------------------------------------
def _sets(shot: Shot) -> Iterator[tuple[float, list[int], int]]:
    """Each different set of covered bases and number of tests, with its chance."""
    tests = np.broadcast_to(shot.tests[:, None, None, None], (*shot.covers.shape[:3], 1))
    rows = np.concatenate([tests, shot.covers], axis=-1).reshape(-1, 1 + shot.covers.shape[-1])
    different, at = np.unique(rows, axis=0, return_inverse=True)
    weights = np.bincount(at.reshape(-1), shot.chances.ravel())
    for weight, row in zip(weights.tolist(), different, strict=True):
        if weight > 0:
            yield float(weight), np.flatnonzero(row[1:]).tolist(), int(row[0])


def _victims(shot: Shot, covered: list[int], friends: bool, away: float) -> list[int]:
    """Covered bases of a side as they fall: least wounds left first, then the nearest. Source: AOR-09."""
    kinds, depth = [shot.formation.kinds[kind] for kind in shot.formation.kind], depths(shot.formation, away)
    able = [i for i in covered if (kinds[i].group is None) == friends and not kinds[i].titan]
    return sorted(able, key=lambda i: (kinds[i].left, round(float(depth[i]), 6), i))


def _pooled(
    shot: Shot, rules: Rules, friends: bool, away: float
) -> Iterator[tuple[float, list[int], Floats]]:
    """Each set's chance, its bases as they fall, and the chance that each of them does, given the set."""
    known: dict[tuple[int, ...], Floats] = {}
    for weight, covered, tests in _sets(shot):
        victims = _victims(shot, covered, friends, away)
        counts = np.bincount(shot.formation.kind[victims], minlength=len(shot.formation.kinds)).tolist()
        key = (tests, *counts)
        if key not in known:
            damage = pooled_pmf(shot, counts, tests, rules)
            lefts = [shot.formation.kinds[kind].left for kind in shot.formation.kind[victims]]
            known[key] = np.array([damage.at_least(int(end)) for end in np.cumsum(lefts)])
        yield weight, victims, known[key]


def pooled_chances(shot: Shot, rules: Rules, away: float) -> Floats:
    """Each base's chance to fall, shape (bases,)."""
    total = np.zeros(len(shot.formation.kind))
    for friends in (False, True):
        for weight, victims, chances in _pooled(shot, rules, friends, away):
            total[victims] += weight * chances
    return total


def pooled_losses(shot: Shot, rules: Rules, away: float) -> Iterator[Losses]:
    """One case for each number of fallen: who they are follows from the order. What is left: nobody falls."""
    rest = 1.0
    for weight, victims, chances in _pooled(shot, rules, False, away):
        exactly = -np.diff([1.0, *chances, 0.0])[1:]  # that the first 1, 2, .. of them fall
        for fallen, chance in enumerate(exactly.tolist(), start=1):
            rest -= weight * chance
            yield (
                weight * chance,
                [_point(shot, victims[:fallen], group) for group in range(shot.formation.groups)],
            )
    yield rest, [_point(shot, [], group) for group in range(shot.formation.groups)]


def _point(shot: Shot, fallen: Sequence[int], group: int) -> Floats:
    cells = np.zeros(shot.formation.size(group) + 1)
    cells[sum(shot.formation.kinds[shot.formation.kind[i]].group == group for i in fallen)] = 1.0
    return cells
