"""One shot: the AIM test by range, then the wound. Source: C3-2.5, C3-3.16 to C3-3.18."""

from __future__ import annotations

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Columns, Play, Step
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules
from mathhammer.games.confrontation_3.setup import state_of
from mathhammer.games.confrontation_3.situations import Shoot
from mathhammer.games.confrontation_3.sixes import success_law
from mathhammer.games.confrontation_3.wounding import LEVEL_EVENTS, at_least
from mathhammer.games.confrontation_3.wounds import RESULTS, STUNNED, States, damage_law, damage_of, states_of
from mathhammer.kernels.estimates import length

BANDS = ("short", "medium", "long", "out of range")
OUT = 3


def shoot(matchup: Matchup) -> Play:
    """The play of one shot. Raises `InputError` for a fighter who cannot shoot. Source: C3-2.5."""
    situation: Shoot = matchup.situation
    refuse_shot(matchup.unit("attacker"))
    states = states_of(matchup.rules, 1)
    start = state_of(states, situation.defender_wound, situation.defender_stunned)
    return Play(
        start={"band": 0, "hit": 0, "state": start, "stunned": int(situation.defender_stunned)},
        actions=[*aim_steps(matchup), wound_step(matchup, states)],
        measures={"defender.wound": lambda c: states.wound(c["state"])},
        events={
            "reaches": lambda c: c["band"] != OUT,
            "hits": "hit",
            "stunned": "stunned",
            **{event: at_least(states, "state", level) for event, level in LEVEL_EVENTS.items()},
        },
    )


def aim_steps(matchup: Matchup) -> list[Step]:
    """The range band, and the test. Source: C3-2.5."""
    situation: Shoot = matchup.situation
    rules: Rules = matchup.rules
    shooter = matchup.unit("attacker")
    bands, test = band_pmf(shooter, situation), success_law(rules.reroll_six, 1, "all")
    needs = {band: difficulty(band, situation, rules) - aim(shooter, situation, rules) for band, _ in bands}
    hits = Law(("c3 shot", test, tuple(needs.items())), lambda band: test.row(needs[band]))
    words = ("misses", "hits")
    return [
        Step("range", Law.constant(bands), 0, "band", rule="C3-2.5", words=BANDS),
        Step("aim", hits, "band", "hit", where=lambda c: c["band"] != OUT, rule="C3-2.5", words=words),
    ]


def wound_step(matchup: Matchup, states: States) -> Step:
    """The damage roll of a hit. Source: C3-3.16 to C3-3.18."""
    situation: Shoot = matchup.situation
    rules: Rules = matchup.rules
    after, hurt = states.after(), state_of(states, situation.attacker_wound, situation.attacker_stunned)
    weaker = int(states.penalty()[hurt]) if hurt and rules.wounds_on_shots else 0
    strength = weapon_strength(matchup.unit("attacker")) - weaker + situation.damage_mod

    def wounded(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        stunned = columns["stunned"] | ((outcome == STUNNED) & (columns["hit"] == 1))
        return {"state": after[columns["state"], outcome], "stunned": stunned.astype("int32")}

    return Step(
        "wound",
        damage_law(damage_of(rules)),
        strength - matchup.unit("defender").res,
        wounded,
        where=lambda c: c["hit"] == 1,
        rule="C3-3.17",
        words=RESULTS,
    )


def refuse_shot(shooter: Fighter) -> None:
    """Who cannot shoot at all. Source: C3-2.5."""
    if shooter.aim is None:
        raise InputError(f"attacker: {shooter.label()} has no aim ('-'), so he cannot shoot (C3-2.5)")
    weapon_strength(shooter)


def weapon_strength(shooter: Fighter) -> int:
    """The strength of the weapon, not of the fighter. Raises `InputError`. Source: C3-2.5, C3-3.17."""
    if shooter.weapon_str is None:
        raise InputError(
            f"attacker: {shooter.label()} has no weapon to shoot with; set it with weapon_str=5 (C3-2.5)"
        )
    return shooter.weapon_str


def aim(shooter: Fighter, situation: Shoot, rules: Rules) -> int:
    """AIM less what stun and wounds take. Source: C3-2.5, C3-3.18."""
    value = shooter.aim or 0
    if situation.attacker_stunned:
        value -= rules.stun_penalty
    if situation.attacker_wound != "none" and rules.wounds_on_aim:
        value -= getattr(rules, f"{situation.attacker_wound}_penalty")
    return value


def difficulty(band: int, situation: Shoot, rules: Rules) -> int:
    """What d6 + AIM must reach. Source: C3-2.5."""
    if band == OUT:
        return 0
    total: int = getattr(rules, f"shooting_{BANDS[band]}") + situation.modifier
    for name in ("moved", "cover", "size", "height"):
        if getattr(situation, name):
            total += getattr(rules, f"shooting_{name}")
    return total


def band_pmf(shooter: Fighter, situation: Shoot) -> Pmf:
    """The range band: told, or from the distance. Raises `InputError`. Source: C3-2.5."""
    if situation.distance is None:
        return Pmf.point(BANDS.index(situation.range or "short"))
    limits = shooter.bands
    if limits is None:
        raise InputError(
            f"attacker: {shooter.label()} has no ranges; set ranges=10-20-30, or give --range (C3-2.5)"
        )
    return length(situation.distance, "--distance", "up").map(lambda d: sum(d > limit for limit in limits))
