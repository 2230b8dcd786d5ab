"""Volleys: ranged tests by profile of marksmen, Strength tests, losses. Source: AOR-07 to AOR-09, AOR-17."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law, stacked
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Action, Change, Columns, Mask, Play, Step, always
from mathhammer.games.confrontation_aor.contact import far_pmf
from mathhammer.games.confrontation_aor.losses import allocated
from mathhammer.games.confrontation_aor.morale import at_half
from mathhammer.games.confrontation_aor.profile import Fighters, alike
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Side, refuse_crewless
from mathhammer.games.confrontation_aor.situations import Shoot
from mathhammer.games.confrontation_aor.staff import staff_of
from mathhammer.games.confrontation_aor.tactics import tactic_step
from mathhammer.games.confrontation_aor.throws import attack_law, score, strength_law, words


@dataclass(frozen=True)
class Volley:
    """Marksmen of one profile that see the target."""

    marksmen: Fighters
    seeing: int

    @property
    def dice(self) -> int:
        """Ranged dice of all of them."""
        return self.seeing * self.marksmen.ranged_dice

    @property
    def most_kills(self) -> int | None:
        """Fighters that it may remove; None for no limit. Source: AOR-09."""
        return None if self.marksmen.perforating else self.seeing


def shoot(matchup: Matchup) -> Play:
    """The play of one activation's shooting. Raises `InputError` where nobody may shoot."""
    situation: Shoot = matchup.situation
    rules: Rules = matchup.rules
    own = Side("attacker", matchup.unit("attacker"), staff=staff_of(matchup, "attacker_staff"))
    enemy = Side("defender", matchup.unit("defender"))
    listed = volleys(own, situation)
    bands = band_pmf(situation.distance, rules)
    runs = situation.tactic == "lightning-strike"
    actions: list[Action] = [Step("range band", Law.constant(bands), 0, "band", rule="AOR-07")]
    if runs:
        actions.append(tactic_step(own, "lightning-strike", own.there, rules))
    for volley in listed:
        actions += volley_steps(volley, enemy, bands, situation, rules)
    half = at_half(enemy, rules)
    return Play(
        start={**enemy.start, "band": 0, "target": 0, **own.start, "attacker.tactic": int(not runs)},
        actions=actions,
        measures=enemy.toll,
        events={
            "destroyed": lambda columns: ~enemy.there(columns),
            "at_half": lambda columns: half(columns),
            "tactic": "attacker.tactic" if runs else always(0),
        },
    )


def volleys(own: Side, situation: Shoot) -> list[Volley]:
    """The volleys, a profile each, in the order of the groups. Raises `InputError`. Source: AOR-07."""
    refuse_crewless(own.unit)
    if situation.engaged:
        raise InputError(f"--engaged: {own.unit.label()} is not free, so that it cannot shoot (AOR-07)")
    if situation.target_engaged:
        raise InputError("--target-engaged: an engaged unit may not be shot at (AOR-07)")
    able = [group for group in own.groups if group.shoots and group.area is None]
    if not able:
        area = any(group.area for group in own.groups)
        why = (
            "its weapon has an area of effect: ask aor area"
            if area
            else "ranged is missing: it has no marksman"
        )
        raise InputError(f"{own.unit.label()}: {why} (AOR-07)")
    most = sum(group.count for group in able)
    room = most if situation.seeing is None else situation.seeing
    if room > most:
        raise InputError(f"--seeing is at most the {most} marksmen, not {room} (AOR-07)")
    seeing = []
    for group in able:
        seeing.append(min(room, group.count))
        room -= seeing[-1]
    found = [_volley([able[i] for i in places], sum(seeing[i] for i in places)) for places in alike(able)]
    return [volley for volley in found if volley.seeing]


def _volley(groups: Sequence[Fighters], seeing: int) -> Volley:
    """The volley of the groups of one profile."""
    return Volley(replace(groups[0], name="+".join(group.name for group in groups)), seeing)


def band_pmf(distance: str, rules: Rules) -> Pmf:
    """The range band of a distance that is known or guessed. Source: AOR-07."""
    if rules.range_band == "lower_at_border":
        return far_pmf(distance, "up", "AOR-07").map(lambda cm: max(0, (cm - 1) // 10))
    return far_pmf(distance, "down", "AOR-07").map(lambda cm: cm // 10)


def volley_steps(volley: Volley, enemy: Side, bands: Pmf, situation: Shoot, rules: Rules) -> list[Action]:
    """Ranged tests against the band, Strength tests against the nearest, losses. Source: AOR-07 to AOR-09."""
    resilient = _resilience(enemy, rules)
    actions: list[Action] = [Change("the nearest of the defender", resilient)]
    hits, key = _hits_law(volley, bands, situation, rules)
    who = volley.marksmen.name
    values = sorted({group.resilience for group in enemy.groups if group.category != "titan"})
    most = sum(group.count * group.wounds for group in enemy.groups)
    for value in values:

        def where(columns: Columns, value: int = value) -> Mask:
            able: Mask = (columns["target"] == value) & (columns["attacker.tactic"] == 1)
            return able & enemy.there(columns)

        difference = volley.marksmen.ranged_strength - value
        told = f"{who}: hits{_on(volley, bands, situation, rules)}"
        actions += [
            Step(told, hits, key, told, where, rule="AOR-07", passing=True),
            Step(
                f"{who}: damage on {words(score(difference, rules))}",
                strength_law(difference, most, rules),
                told,
                _suffers(enemy, volley.most_kills, rules),
                where,
                rule="AOR-08",
            ),
        ]
    return actions


def _on(volley: Volley, bands: Pmf, situation: Shoot, rules: Rules) -> str:
    if len(bands.probs) > 1:
        return ""
    difference = volley.marksmen.ranged or 0
    return f" on {words(score(difference - difficulty(bands.offset, situation, rules), rules))}"


def difficulty(band: int, situation: Shoot, rules: Rules) -> int:
    """Difficulty of a ranged test in a range band. Source: AOR-07."""
    return band + (rules.interference if situation.interference else 0)


def _hits_law(
    volley: Volley, bands: Pmf, situation: Shoot, rules: Rules
) -> tuple[Law, int | Callable[[Columns], Ints]]:
    """Hits of the volley, by band where that is guessed."""
    value = volley.marksmen.ranged or 0
    laws = [
        attack_law(value - difficulty(band, situation, rules), False, rules)
        for band in range(bands.offset, bands.last + 1)
    ]
    if len(laws) == 1:
        return laws[0], volley.dice
    stride, first = volley.dice + 1, bands.offset
    return stacked(laws, stride), lambda columns: ((columns["band"] - first) * stride + volley.dice).astype(
        np.int32
    )


def _resilience(enemy: Side, rules: Rules) -> Callable[[Columns], dict[str, Ints]]:
    """The Resilience that the volley tests against. Source: AOR-08."""

    def note(columns: Columns) -> dict[str, Ints]:
        found = np.full(len(columns[enemy.rout]), -1, dtype=np.int32)
        for group, left in zip(enemy.groups, enemy.alive(columns), strict=True):
            if group.category == "titan":
                continue
            better = found < 0
            if rules.volley_resilience == "lowest":
                better = better | (group.resilience < found)
            found = np.where((left > 0) & better, group.resilience, found).astype(np.int32)
        return {"target": found}

    return note


def _suffers(enemy: Side, most_kills: int | None, rules: Rules) -> Callable[[Columns, Ints], dict[str, Ints]]:
    rest, nearest = rules.cap_rest == "wounds", _nearest_first(enemy, rules)
    return lambda columns, outcome: allocated(enemy, columns, outcome, most_kills, rest, nearest=nearest)


def _nearest_first(enemy: Side, rules: Rules) -> bool:
    """Whether the nearest die first, where others may need less damage. Source: AOR-09."""
    mortal = [group for group in enemy.groups if group.category != "titan"]
    differ = len({group.wounds for group in mortal}) > 1 or any(group.damage for group in mortal[1:])
    return differ and rules.volley_order == "nearest"
