"""`mystic`: mana or faith over rounds, then a ritual or communion. Source: AOR-03, AOR-18, AOR-26 to AOR-28.

A round begins with the points of a control phase. In each round but the last the unit spends some on other
effects; in the last it calls the ritual or communion.

I Have the Power: it is called once, in the last round before the ritual. Where the test passes, the points of
the control phase that would come after the ritual come at once, on top of what the unit has (up to the cap);
where it fails they come in that control phase as usual, too late. So it is worth one income more. Faith
is counted anew each round, and may be taken to be counted anew then too, so that nothing is won.

What needs the table (sight, Fear my powers, effects) is left out: the enemy cancels whenever he can pay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf, binomial
from mathhammer.core.steps import Action, Change, Columns, Mark, Mask, Play, Step, put
from mathhammer.games.confrontation_aor.profile import Fighters, Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.situations import Mystic
from mathhammer.games.confrontation_aor.tactics import TACTICS
from mathhammer.games.confrontation_aor.throws import single

WORDS = ("fails", "passes")
MOST_EXALTATION = 100
RITUAL, COMMUNION = "ritual", "communion"
OF = {RITUAL: ("magician", "energy"), COMMUNION: ("faithful", "fervor")}  # role and characteristic


@dataclass(frozen=True)
class Source:
    """Where a unit's points come from.

    points: their name. value: the caller's in the rite's test. best: the best among its mystics.
    income: points of one control phase. most: what a unit can hold (None: any). keeps: unspent points stay.
    """

    rite: str
    points: str
    rule: str
    value: int
    best: int
    income: Pmf
    most: int | None
    keeps: bool


# -- the points ------------------------------------------------------------------------------------
def source_of(unit: Unit, situation: Mystic, rules: Rules) -> Source:
    """The points and values behind a rite. Raises `InputError` where the unit has no such mystics."""
    rite = situation.rite or _only_rite(unit)
    mystics = mystics_of(unit, rite)
    if not mystics:
        role, characteristic = OF[rite]
        raise InputError(
            f"--rite {rite}: {unit.label()} has no group with {characteristic} and the role {role} "
            f"({_rule(rite)})"
        )
    value, best = _value(_callers(mystics), rite), _value(mystics, rite)
    if rite == RITUAL:
        return Source(rite, "mana", "AOR-26", value, best, mana(mystics, rules), rules.mana_cap, True)
    return Source(rite, "faith", "AOR-27", value, best, Pmf.point(faith(unit)), None, False)


def mystics_of(unit: Unit, rite: str) -> list[Fighters]:
    """The unit's magicians for a ritual, its faithful for a communion."""
    role, characteristic = OF[rite]
    return [g for g in unit.fighters if role in g.roles and getattr(g, characteristic) is not None]


def _rule(rite: str) -> str:
    return "AOR-26" if rite == RITUAL else "AOR-27"


def _only_rite(unit: Unit) -> str:
    """The rite that the unit's mystics have. Raises `InputError` for none, and for both."""
    found = [rite for rite in OF if mystics_of(unit, rite)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"--rite: {unit.label()} has magicians and faithful: say ritual or communion")
    raise InputError(
        f"{unit.label()} has no mystics: no group with energy and the role magician (AOR-26), "
        "nor with fervor and the role faithful (AOR-27)"
    )


def _callers(mystics: Sequence[Fighters]) -> Sequence[Fighters]:
    """The incarnates among the mystics; all of them where none is marked as one (`notes` says so)."""
    return [group for group in mystics if "incarnate" in group.roles] or mystics


def _value(mystics: Sequence[Fighters], rite: str) -> int:
    values: list[int] = [getattr(group, OF[rite][1]) for group in mystics]
    return max(values)


def mana(magicians: Sequence[Fighters], rules: Rules) -> Pmf:
    """Mana of one control phase, what passes the cap counted as the cap.

    Each magician: as many dice as its Energy, as many points for each 4 or more. Source: AOR-26.
    """
    total = Pmf.point(0)
    for group in magicians:
        energy = group.energy or 0
        one = Pmf.of({energy * fours: chance for fours, chance in binomial(energy, 1 / 2)})
        for _ in range(group.count):
            total = (total + one).capped(rules.mana_cap)
    return total


def faith(unit: Unit) -> int:
    """Faith of a round: the Fervor of all its faithful, and its number. Source: AOR-27."""
    faithful = mystics_of(unit, COMMUNION)
    return unit.number + sum(group.count * (group.fervor or 0) for group in faithful)


def notes(matchup: Matchup) -> list[str]:
    """A footnote where no incarnate is marked among those who would call. Source: AOR-28."""
    unit = matchup.unit("attacker")
    source = source_of(unit, matchup.situation, matchup.rules)
    if any("incarnate" in group.roles for group in mystics_of(unit, source.rite)):
        return []
    who = OF[source.rite][0]
    return [
        f"{unit.label()}: only an incarnate calls a {source.rite}; no {who} has that role, the best one calls"
    ]


# -- the play --------------------------------------------------------------------------------------
def mystic(matchup: Matchup) -> Play:
    """The play of the rounds and of the rite. Raises `InputError` for what can never be."""
    situation: Mystic = matchup.situation
    rules: Rules = matchup.rules
    source = source_of(matchup.unit("attacker"), situation, rules)
    _refuse(source, situation, matchup.unit("attacker").label(), rules)
    cancels = may_cancel(situation, situation.exaltation, rules)
    actions: list[Action] = []
    for round_ in range(1, situation.rounds + 1):
        actions.append(_income_step(source, situation.spend))
        if round_ == situation.rounds:
            actions += _power_steps(source, situation, rules)
            actions += _rite_steps(source, situation, cancels, rules)
        actions.append(Mark(round_))
    return Play(
        start={"pool": situation.pool, "left": situation.pool, "power": 0, "cast": 0, "succeeds": 0},
        actions=actions,
        measures={"pool": "pool", "left": "left"},
        events={
            "cast": "cast",
            "cancelled": lambda c: (c["cast"] == 1) & cancels,
            "succeeds": "succeeds",
            "power": "power",
        },
    )


def may_cancel(situation: Mystic, exaltation: int, rules: Rules) -> bool:
    """Whether the enemy has the points that cancelling takes. Source: AOR-28."""
    if situation.enemy_pool == 0:
        return False
    spent = exaltation if rules.cancel_cost == "total_spent" else 0
    return situation.enemy_pool >= situation.cost + spent


def _income_step(source: Source, spend: int) -> Step:
    """The points of a control phase; then what is spent on other effects. Source: AOR-26, AOR-27."""

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        kept = columns["left"] if source.keeps else np.zeros_like(outcome)
        pool = _held(source, kept + outcome)
        return {"pool": pool, "left": np.maximum(pool - spend, 0).astype(np.int32)}

    return Step(source.points, Law.constant(source.income), 0, update, rule=source.rule)


def _held(source: Source, points: Ints) -> Ints:
    """What a unit holds of so many points. Source: AOR-26."""
    return (points if source.most is None else np.minimum(points, source.most)).astype(np.int32)


def _power_steps(source: Source, situation: Mystic, rules: Rules) -> list[Action]:
    """The test of I Have the Power, and the points that it brings. Source: AOR-18."""
    if situation.tactic == "none":
        return []
    tactic = TACTICS[situation.tactic]

    adds = _adds(source, rules)

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        pool = outcome + (columns["pool"] if adds else 0)
        return put(columns, columns["power"] == 1, {"pool": _held(source, pool)})

    return [
        Step(
            tactic.name,
            single(1, rules.resolution_table),
            source.best - tactic.difficulty,
            "power",
            rule=tactic.rule,
            words=WORDS,
        ),
        Step(
            f"{source.points} at once",
            Law.constant(source.income),
            0,
            update,
            lambda columns: columns["power"] == 1,
            rule=tactic.rule,
        ),
    ]


def _adds(source: Source, rules: Rules) -> bool:
    """Whether points that come at once come on top of those that are there. Source: AOR-18, AOR-27."""
    return source.keeps or rules.faith_at_once == "added"


def _rite_steps(source: Source, situation: Mystic, cancels: bool, rules: Rules) -> list[Action]:
    """The whole pool pays cost and exaltation if it can; then the test, where not cancelled. Source: AOR-28.

    What is left is counted from the pool again: in this round nothing is spent on other effects.
    """
    price = situation.cost + situation.exaltation

    def pay(columns: Columns) -> dict[str, Ints]:
        cast = columns["pool"] >= price
        left = columns["pool"] - np.where(cast, price, 0)
        return {"cast": cast.astype(np.int32), "left": left.astype(np.int32)}

    def goes_on(columns: Columns) -> Mask:
        cast: Mask = columns["cast"] == 1
        return cast & (not cancels)

    return [
        Change("pays", pay),
        Step(
            f"{source.rite}: the best of {1 + situation.exaltation}",
            single(1 + situation.exaltation, rules.resolution_table),
            source.value - situation.difficulty,
            "succeeds",
            goes_on,
            rule="AOR-28",
            words=WORDS,
        ),
    ]


# -- what can never be -----------------------------------------------------------------------------
def _refuse(source: Source, situation: Mystic, label: str, rules: Rules) -> None:
    """Raises `InputError` with a line for each thing that can never be."""
    lines = _of_mana(source, situation) if source.keeps else _of_faith(situation)
    price, most = situation.cost + situation.exaltation, _most_ever(source, situation, rules)
    if price > most:
        lines.append(
            f"--cost and --exaltation are {price} {source.points} points together, "
            f"but {label} never has more than {most} ({source.rule})"
        )
    if lines:
        raise InputError(*lines)


def _most_ever(source: Source, situation: Mystic, rules: Rules) -> int:
    """The most points that the unit can ever hold, however many rounds there are."""
    if source.most is not None:
        return source.most if source.income.last else situation.pool
    twice = situation.tactic != "none" and _adds(source, rules)
    return source.income.last * (1 + twice)


def _of_mana(source: Source, situation: Mystic) -> list[str]:
    """Pools above the cap. Source: AOR-26."""
    told = {"pool": situation.pool, "enemy-pool": situation.enemy_pool}
    return [
        f"--{name}: a unit holds {source.most} mana points at most (AOR-26), not {points}"
        for name, points in told.items()
        if source.most is not None and points > source.most
    ]


def _of_faith(situation: Mystic) -> list[str]:
    """Options about points that last from round to round. Source: AOR-27."""
    told = {"pool": situation.pool, "spend": situation.spend}
    return [
        f"--{name}: faith is counted anew each round and what is left of it is lost (AOR-27), so it is 0"
        for name, points in told.items()
        if points
    ]


# -- tables ----------------------------------------------------------------------------------------
def tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, list[dict[str, Any]]]:
    """`exaltation`: what each number of further points does. `fewest`: the fewest for the chance wanted.

    Rows end where no further point can help any more. Source: AOR-28.
    """
    situation: Mystic = matchup.situation
    rules: Rules = matchup.rules
    source = source_of(matchup.unit("attacker"), situation, rules)
    spare = min(MOST_EXALTATION, max(pmfs["pool"]) - situation.cost)
    most = max(spare, situation.exaltation)
    rows = [exaltation_row(source, situation, points, pmfs["pool"], rules) for points in range(most + 1)]
    chances = [row["chance"] for row in rows]
    best = max(range(len(rows)), key=lambda points: round(chances[points], 9))
    fewest = next((points for points, chance in enumerate(chances) if chance >= situation.wanted), None)
    for row in rows:
        row["this"] = _mark(row["points"], situation.exaltation, fewest, best)
    shown = max(best, situation.exaltation, fewest or 0) + 1
    summary = {"wanted": situation.wanted, "fewest points": fewest, "best points": best}
    return {"exaltation": rows[:shown], "fewest": [{**summary, "chance": chances[best]}]}


def exaltation_row(
    source: Source, situation: Mystic, points: int, pool: dict[int, float], rules: Rules
) -> dict[str, Any]:
    """One number of exaltation points: dice, cost, and the chances of each hurdle. Source: AOR-28."""
    price = situation.cost + points
    has = min(1.0, sum(chance for held, chance in pool.items() if held >= price))
    stands = 0.0 if may_cancel(situation, points, rules) else 1.0
    test = single(1 + points, rules.resolution_table).row(source.value - situation.difficulty)[1]
    return {
        "points": points,
        "dice": 1 + points,
        "total cost": price,
        "pool has it": has,
        "not cancelled": stands,
        "test passes": test,
        "chance": has * stands * test,
    }


def _mark(points: int, asked: int, fewest: int | None, best: int) -> str:
    """What is told beside a row."""
    told = {"asked": points == asked, "fewest": points == fewest, "best": points == best}
    return ", ".join(word for word, holds in told.items() if holds)
