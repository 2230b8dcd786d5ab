"""Footnotes: what was taken of the table, and what an answer leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mathhammer.core.game import Matchup
from mathhammer.games.confrontation_aor import mystics
from mathhammer.games.confrontation_aor.assault import sides
from mathhammer.games.confrontation_aor.blast import area_groups, weapon_of
from mathhammer.games.confrontation_aor.side import Side
from mathhammer.games.confrontation_aor.situations import Area, Assault, Fight, Mystic, Shoot, Touching
from mathhammer.games.confrontation_aor.staff import staff_of
from mathhammer.games.confrontation_aor.tactics import TACTICS, most_value
from mathhammer.games.confrontation_aor.throws import NEVER, score


def notes(matchup: Matchup, ruleset: str) -> list[str]:
    """Footnotes on the situation as it was taken, then on units that are only examples."""
    situation, lines = matchup.situation, []
    if isinstance(situation, Mystic):
        lines += mystics.notes(matchup)
    if isinstance(situation, Touching):
        lines += [*_contact(matchup, situation), *_useless_tactics(*sides(matchup), matchup)]
    if isinstance(situation, Assault):
        lines += _resisted(matchup, situation)
    if isinstance(situation, Fight):
        lines += _course(situation)
    if isinstance(situation, Shoot | Area) and situation.distance == "0":
        lines.append("the distance was taken to be 0 cm, range band 0: --distance says otherwise (AOR-07)")
    if isinstance(situation, Shoot):
        lines += _volley(matchup)
    if isinstance(situation, Area):
        lines += _weapons(matchup)
    return [*lines, *_titans(matchup), *_examples(matchup)]


def _contact(matchup: Matchup, situation: Touching) -> Iterator[str]:
    """Who counts as in contact. Source: AOR-11."""
    both = sides(matchup)
    yield from _fewer(both, situation)
    free = [side for side in both if side.contact is None]
    if free:
        who = f"{free[0].name}s" if len(free) == 1 else "fighters"
        option = "--defender-contact" if free[0].name == "defender" else "--contact"
        yield f"all {who} count as in contact; {option}, or --files of both fronts, say otherwise"
    told = situation.contact, situation.defender_contact
    counted = [
        f"{min(side.contact, side.unit.number)} of {side.unit.number} {side.name}s"
        for side, known in zip(both, told, strict=True)
        if side.contact is not None and known is None
    ]
    if counted:
        yield f"as many touch as the fronts allow: {', '.join(counted)} (AOR-11)"


def _fewer(both: Sequence[Side], situation: Touching) -> Iterator[str]:
    """More in contact than there are. Source: AOR-11."""
    for side, option in zip(both, ("contact", "defender_contact"), strict=True):
        told, number = getattr(situation, option), side.unit.number
        if told is not None and told > number:
            called = option.replace("_", "-")
            yield f"--{called} {told}: all of {side.unit.label()} touch, who are only {number} (AOR-11)"


def _course(situation: Fight) -> Iterator[str]:
    """How a fight goes on."""
    yield "the attacker is activated first in every round"
    if situation.distance != "0":
        yield "a side out of reach comes nearer by twice its Movement, unless --waits says that it stays"


def _resisted(matchup: Matchup, situation: Assault) -> Iterator[str]:
    """Fear that was resisted, of somebody who has none. Source: AOR-06."""
    for option, value, role in (
        ("resisted", situation.resisted, "attacker"),
        ("attacker-resisted", situation.attacker_resisted, "defender"),
    ):
        unit = matchup.unit(role)
        if value is not None and unit.fear_value is None:
            yield f"--{option} changes nothing: {unit.label()} has no Fear (AOR-06)"


def _useless_tactics(own: Side, enemy: Side, matchup: Matchup) -> Iterator[str]:
    """Tactics whose test can never pass. Source: AOR-15 to AOR-20."""
    options = (own, "tactic"), (enemy, "defender_tactic")
    for side, option in options:
        name = getattr(matchup.situation, option, "none")
        if name != "none":
            tactic, value = TACTICS[name], most_value(side, TACTICS[name].characteristic)
            if score(value - tactic.difficulty, matchup.rules) == NEVER:
                best = f"{tactic.characteristic.capitalize()} {value}"
                yield (
                    f"{name} never passes: {side.unit.label()} has {best} against {tactic.difficulty} "
                    f"({tactic.rule})"
                )


def _volley(matchup: Matchup) -> Iterator[str]:
    """A run that never ends in a shot. Source: AOR-17."""
    own, enemy = matchup.unit("attacker"), matchup.unit("defender")
    shooter = Side("attacker", own, staff=staff_of(matchup, "attacker_staff"))
    yield from _useless_tactics(shooter, Side("defender", enemy), matchup)


def _weapons(matchup: Matchup) -> Iterator[str]:
    """Area weapons of the unit whose shots are other questions. Source: AOR-07, AOR-10."""
    groups, shot = area_groups(matchup.unit("attacker")), weapon_of(matchup.unit("attacker"), matchup.rules)
    others = [group.name for group in groups if group.card != shot.card]
    if others:
        yield f"{', '.join(others)}: area weapons of another profile shoot alone, here {shot.name} (AOR-07)"
    number = sum(group.count for group in groups if group.card == shot.card)
    if shot.count < number:
        yield f"one shot of {number} is told: each {shot.name} has a template of its own (AOR-10)"


def _titans(matchup: Matchup) -> Iterator[str]:
    """What no ordinary attack does. Source: AOR-29."""
    if isinstance(matchup.situation, Touching | Shoot | Area) and any(
        group.category == "titan" for group in matchup.unit("defender").fighters
    ):
        yield "a titan suffers no Strength tests of ordinary attacks (AOR-29): aor test --kind titan"


def _examples(matchup: Matchup) -> Iterator[str]:
    """Units that are only examples."""
    units = [placed.unit for role in matchup.units.values() for placed in role]
    examples = dict.fromkeys(u.label() for u in units if u.source.lower().startswith("illustrative"))
    if examples:
        are = "is an illustrative unit" if len(examples) == 1 else "are illustrative units"
        yield f"{', '.join(examples)} {are}: no complete official profile is public"
