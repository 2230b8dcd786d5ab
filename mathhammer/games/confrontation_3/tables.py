"""Tables of a melee: each split with the best answer to it, what own splits cost, and how both end up.

Source: C3-3.7, C3-3.8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Floats
from mathhammer.games.confrontation_3.contact import ATTACKER, DEFENDER, rally_chance
from mathhammer.games.confrontation_3.decisions import Follower, Moment
from mathhammer.games.confrontation_3.duel import duel_blows, duel_fight
from mathhammer.games.confrontation_3.exchange import END, LONE, SEVERAL, Kinds
from mathhammer.games.confrontation_3.fray import fray_fight
from mathhammer.games.confrontation_3.placement import Split, Wanted, written
from mathhammer.games.confrontation_3.plan import Fight, Placing, Round, planned
from mathhammer.games.confrontation_3.situations import Duel, Fights
from mathhammer.games.confrontation_3.wounding import by_level
from mathhammer.games.confrontation_3.wounds import LEVELS

Rows = list[dict[str, Any]]
State = tuple[int, ...]
HEADS = {  # as events name the sides
    **{name: f"chance {name}" for name in (*LEVELS, "attacker killed", "die is spent")},
    **{f"defender {name}": f"chance {name}" for name in LEVELS},
    "enemy killed": "chance defender killed",
    "enemy has initiative": "defender has initiative",
}
AFRAID = "placement_when_the_enemy_is_afraid"
CONDITIONAL = ("by_initiative", "placement", "cost_of_fixed_splits", "defence_dice")


def duel_tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, Rows]:
    """The placement of the first round, when dice are spent, what fixed splits cost, the wounds of both."""
    fight = duel_fight(matchup)
    never = isinstance(matchup.situation, Duel) and duel_blows(matchup).chance == 0
    tables = {} if never else placement_tables(matchup, fight)
    if tables:
        tables["defence_dice"] = defence_rows(fight, fight.start)
    return {**tables, "wounds_of_both": joint_rows(pmfs["outcome"])}


def duel_captions(matchup: Matchup) -> dict[str, str]:
    """How tables are read: when those of the first placement hold, and whose wounds are where."""
    return {**_conditions(matchup), "wounds_of_both": "the attacker's down, the defender's across"}


def _conditions(matchup: Matchup) -> dict[str, str]:
    """When the tables of the first placement hold, where it is not sure that the duel comes to it."""
    if not isinstance(matchup.situation, Duel) or matchup.situation.contact == "made":
        return {}
    blows = duel_blows(matchup)
    if not blows.afraid or (matchup.situation.defender_afraid and matchup.situation.activated):
        return dict.fromkeys(CONDITIONAL, f"if they come to blows ({_percent(blows.chance)})")
    calm = "has recovered" if matchup.situation.defender_afraid else "is not newly afraid"
    holds = f"if they come to blows and the defender {calm} ({_percent(blows.calm)})"
    afraid = f"if they come to blows ({_percent(blows.afraid)})"
    return {**dict.fromkeys(CONDITIONAL, holds), AFRAID: afraid}


def _percent(chance: float) -> str:
    return f"{100 * chance:.1f}%"


def fray_tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, Rows]:
    """The placement of the first round, the cost of fixed splits, and each fighter's wounds."""
    names = [placed.unit.label() for role in matchup.units.values() for placed in role]
    measures = ["attacker.wound", "defender.wound", "second.wound", "third.wound", "fourth.wound"]
    fighters = [{"fighter": name, **by_level(pmfs[m])} for name, m in zip(names, measures, strict=False)]
    return {**placement_tables(matchup, fray_fight(matchup)), "fighters": fighters}


def fear_tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, Rows]:
    """Of each who may be afraid: how likely he is, and to recover if he is. Source: C3-2.18."""
    afraid = {who: pmfs[f"{who}.afraid"].get(1, 0.0) for who in (ATTACKER, DEFENDER)}
    recovers = {
        who: rally_chance(matchup.unit(who), who, matchup.rules) for who, chance in afraid.items() if chance
    }
    rows: Rows = [
        {"who": who, "chance afraid": afraid[who], "chance to recover if afraid": chance}
        for who, chance in recovers.items()
    ]
    return {"recovery": rows} if rows else {}


def joint_rows(pmf: Mapping[int, float]) -> Rows:
    """The joint distribution of both wounds: a row for each of the attacker's."""
    return [
        {
            "attacker": name,
            **{f"defender {other}": pmf.get(5 * own + j, 0.0) for j, other in enumerate(LEVELS)},
        }
        for own, name in enumerate(LEVELS)
    ]


# -- placement -------------------------------------------------------------------------------------
def placement_tables(matchup: Matchup, fight: Fight) -> dict[str, Rows]:
    """What each split of the loser is worth, and what fixed splits cost; nothing for simple play."""
    situation: Fights = matchup.situation
    if situation.play == "simple":
        return {}
    state = fight.start
    tables = {"by_initiative": initiative_rows(fight, state)}
    for afraid in fight.afraid:
        name = "placement" if afraid == fight.afraid[0] else AFRAID
        tables[name] = placement_rows(fight, planned(fight)[1, afraid], state)
    if situation.split or situation.enemy_split:
        tables["cost_of_fixed_splits"] = cost_rows(fight, state)
    return tables


def first_round(fight: Fight) -> Round:
    """The first round, with the least fear that it may begin with."""
    return planned(fight)[1, fight.afraid[0]]


def first_placing(round_: Round) -> Placing:
    """Its placement, everybody alive."""
    return next(iter(round_.placings.values()))


def initiative_rows(fight: Fight, state: State) -> Rows:
    """What the fight is worth by who wins the first initiative, and before it is rolled."""
    round_ = first_round(fight)
    chance = float(round_.chance[state])
    names = side_names(state)
    parts = ((names[0], chance, round_.worth[LONE]), (names[1], 1 - chance, round_.worth[SEVERAL]))
    whole = ("either", 1.0, round_.start)
    return [
        {"initiative": name, "chance": p, **told(fight, worth, state)}
        for name, p, worth in (*parts, whole)
        if p > 0
    ]


def side_names(state: State) -> tuple[str, str]:
    """How tables call the sides: as events do."""
    return (ATTACKER, DEFENDER) if len(state) == 2 else (ATTACKER, "enemies")


def told(fight: Fight, worth: Floats, state: State) -> dict[str, float]:
    """The channels of a value in a state, by name: of several enemies, how many are killed."""
    value, killed, *counted = (float(channel[state]) for channel in worth)
    kills = counted[0] if counted else fight.objective.kills(value, killed)
    theirs = "enemy killed" if len(state) == 2 else "enemies killed"
    return {"value": value, "attacker killed": killed, theirs: kills}


def placement_rows(fight: Fight, round_: Round, state: State) -> Rows:
    """For both outcomes of the initiative: each split of the loser, the best answer, and what comes of it."""
    chance = float(round_.chance[state])
    rows: Rows = []
    for winner, p in ((LONE, chance), (SEVERAL, 1 - chance)):
        if p > 0:
            rows += _rows(fight, round_, winner, p, state)
    return rows


def _rows(fight: Fight, round_: Round, winner: int, chance: float, state: State) -> Rows:
    placing = first_placing(round_)
    placed, options = placing.placed[winner], placing.options
    lone, several = [written(dice) for dice in options.lone], [_all(split) for split in options.several]
    losers, winners = (several, lone) if winner == LONE else (lone, several)
    chosen = int((placed.several if winner == LONE else placed.lone)[state])
    names = side_names(state)
    listed = _arrangements(options.several, round_.kinds) if winner == LONE else range(len(losers))
    return [
        {
            "initiative": f"{names[winner]} ({100 * chance:.1f}%)",
            "places first": f"{names[1 - winner]} {losers[i]}",
            "best answer": f"{names[winner]} {winners[int(answer[state])]}",
            **told(fight, worth, state),
            "choice": "best" if i == chosen else "",
        }
        for i, (worth, answer) in enumerate(placed.answers)
        if i in listed
    ]


def _arrangements(several: list[Split], kinds: Kinds) -> set[int]:
    """The first of the splits that differ only in which of some enemies alike in everything places what."""
    first: dict[tuple[Any, ...], int] = {}
    for i, split in enumerate(several):
        first.setdefault(tuple(sorted(zip(kinds, split, strict=True))), i)
    return set(first.values())


def _all(split: Split) -> str:
    return " ".join(written(dice) for dice in split)


def defence_rows(fight: Fight, state: State) -> Rows:
    """Each attack of best play that a die can be spent against: how likely it is, how often one is spent.

    Of a duel's first round. Source: C3-3.10.
    """
    round_, names = first_round(fight), side_names(state)
    chance = float(round_.chance[state])
    rows: Rows = []
    for winner, p in ((LONE, chance), (SEVERAL, 1 - chance)):
        moments = list(_moments(fight, round_, winner, state)) if p > 0 else []
        for attack, side in sorted({(moment.attack, moment.side) for moment in moments}):
            met = [moment for moment in moments if (moment.attack, moment.side) == (attack, side)]
            asked = sum(float(moment.chances.sum()) for moment in met)
            spent = sum(float((moment.chances * moment.spends).sum()) for moment in met)
            won = {"initiative": f"{names[winner]} ({100 * p:.1f}%)"}
            rows.append(
                {**won, "attack": attack, "by": names[side], "chance": asked, "die is spent": spent / asked}
            )
    return rows


def _moments(fight: Fight, round_: Round, winner: int, state: State) -> Iterator[Moment]:
    """The moments of choice once both have placed their dice by best play."""
    placing = first_placing(round_)
    placed = placing.placed[winner]
    root = placing.nodes[winner][int(placed.lone[state])][int(placed.several[state])]
    if root != END:
        yield from Follower(fight, round_).moments(root, (state[0], state[1]))


# -- the cost of splits that are not the best ------------------------------------------------------
def cost_rows(fight: Fight, state: State) -> Rows:
    """The value of best play, of the splits that the user fixes, and the difference to the attacker."""
    free = replace(fight, wanted=Wanted())
    parts: Sequence[tuple[str, Fight]] = (("best play", free), ("as fixed", fight))
    rows: list[dict[str, Any]] = [{"play": name, **values(each, state)} for name, each in parts]
    cost = {name: rows[0][name] - rows[1][name] for name in rows[0] if name != "play"}
    return [*rows, {"play": "difference", **cost}]


def values(fight: Fight, state: State) -> dict[str, float]:
    """The value to the attacker before the initiative, and after each outcome of it."""
    round_ = first_round(fight)
    return {
        "value": _value(round_.start, state),
        "attacker has initiative": _value(round_.worth[LONE], state),
        "enemy has initiative": _value(round_.worth[SEVERAL], state),
    }


def _value(worth: Floats, state: State) -> float:
    return float(worth[0][state])
