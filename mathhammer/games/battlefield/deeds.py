"""What each action of a plan does: its parts, and the columns that they need. Source: BF-01 to BF-14."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mathhammer.core.errors import InputError
from mathhammer.core.steps import cleared
from mathhammer.games.battlefield.assault import attack_beat, plain_manner
from mathhammer.games.battlefield.break_in import break_in_beat
from mathhammer.games.battlefield.charge import charge_beats
from mathhammer.games.battlefield.conditions import fighter_named
from mathhammer.games.battlefield.lob import TARGET, Lobbed, moved
from mathhammer.games.battlefield.lure import lure_beat
from mathhammer.games.battlefield.melee import disengage_beat, disrupt_beat, help_beat, rally_beat
from mathhammer.games.battlefield.nerve import flank_morale, morale_beat
from mathhammer.games.battlefield.path import Path
from mathhammer.games.battlefield.plan_file import Ordered
from mathhammer.games.battlefield.push import push_beats
from mathhammer.games.battlefield.siege import siege_beats
from mathhammer.games.battlefield.state import Battle, Beat, Fighter, Where, every, inverted
from mathhammer.games.battlefield.swap import Way, swap_beats


@dataclass(frozen=True)
class Doing:
    """One action in the battle as it is seen (with one combination of weapons in hand)."""

    battle: Battle
    ordered: Ordered
    where: Where

    @property
    def action(self) -> Any:
        """The action as it is written."""
        return self.ordered.action

    def one(self, name: str, field: str, *, enemy: bool | None = None) -> Fighter:
        """The fighter that a field names; enemy: of which side it must be. Raises `InputError`."""
        found = fighter_named(self.battle, name, f"{self.ordered.where}: {field}:")
        actor = fighter_named(self.battle, self.action.unit, f"{self.ordered.where}: unit:")
        if enemy is not None and (found.side != actor.side) != enemy:
            side = "an enemy" if enemy else "a friend"
            raise InputError(f"{self.ordered.where}: {field} is {side} of {actor.name}, not {name}")
        if enemy is False and found.name == actor.name:
            raise InputError(f"{self.ordered.where}: {field} is another unit than {name} itself")
        return found

    @property
    def actor(self) -> Fighter:
        """Who acts."""
        return self.one(self.action.unit, "unit")

    @property
    def target(self) -> Fighter:
        """On whom."""
        return self.one(self.action.target, "target", enemy=True)

    def enemy(self, field: str) -> Fighter | None:
        """Another enemy that a field may name."""
        name = getattr(self.action, field)
        return None if name is None else self.one(name, field, enemy=True)

    def behind(self) -> Fighter | None:
        """Who is behind the target, where nothing blocks that cell."""
        unit = self.enemy("behind")
        if unit is not None and self.action.blocked:
            raise InputError(f"{self.ordered.where}: blocked and behind exclude each other (BF-07)")
        return unit


def _attack(do: Doing) -> list[Beat]:
    manner = plain_manner(do.actor, do.battle.rules, flanking=do.action.flanking)
    return [attack_beat(do.battle, do.actor, do.target, manner, where=do.where)]


def _charge(do: Doing) -> list[Beat]:
    action = do.action
    if action.blocked and action.order != "push":
        raise InputError(f"{do.ordered.where}: blocked goes with order = 'push' (BF-07)")
    path = Path(
        cells=action.cells,
        order=action.order,
        zones=action.zones,
        behind=do.behind(),
        ahead=do.enemy("ahead"),
        gap=action.gap,
        blocked=action.blocked,
        flanking=action.flanking,
        once=action.once,
    )
    anew = Beat("", (cleared(do.actor.column("through")),), ())
    return [anew, *charge_beats(do.battle, do.actor, do.target, path, where=do.where)]


def _break_in(do: Doing) -> list[Beat]:
    """By a unit outside of melees: one inside disengages, into another cell if it must."""
    outside = every(inverted(do.battle.inside(do.actor)), do.where)
    return [break_in_beat(do.battle, do.actor, do.target, where=outside)]


def _push(do: Doing) -> list[Beat]:
    blocked: bool = do.action.blocked
    return push_beats(do.battle, do.actor, do.target, do.behind(), blocked=blocked, where=do.where)


def _help(do: Doing) -> list[Beat]:
    friend = do.one(do.action.friend, "friend", enemy=False)
    return [help_beat(do.battle, do.actor, friend, do.action.to, where=do.where)]


def _disengage(do: Doing) -> list[Beat]:
    into = do.enemy("into")
    if into is None:
        return [disengage_beat(do.battle, do.actor, waived=do.action.waived, where=do.where)]
    inside = every(do.battle.inside(do.actor), do.where)
    return [break_in_beat(do.battle, do.actor, into, where=inside)]


def _lure(do: Doing) -> list[Beat]:
    return [lure_beat(do.battle, do.actor, do.target, stay=do.action.stay, where=do.where)]


def _lob(do: Doing) -> list[Beat]:
    beside = {moved(TARGET, place): do.one(name, "beside") for place, name in do.action.beside.items()}
    return Lobbed(do.battle, do.actor, do.target, do.action.second, beside).beats(do.where)


def _besiege(do: Doing) -> list[Beat]:
    answering = [do.one(name, "with", enemy=False) for name in do.action.answering]
    return siege_beats(do.battle, do.actor, do.target, answering, where=do.where)


def _swap(do: Doing) -> list[Beat]:
    if do.actor.unit.spare is None:
        raise InputError(f"{do.ordered.where}: {do.actor.name} has no spare weapon to swap to (BF-12)")
    way = Way(do.action.drop, do.action.quick, do.action.in_melee)
    anew = Beat("", (cleared(do.actor.column("spent")),), ())
    return [anew, *swap_beats(do.battle, do.actor, way, where=do.where)]


def _stands(flank: str) -> Callable[[Doing], list[Beat]]:
    def beats(do: Doing) -> list[Beat]:
        return [morale_beat(do.battle, do.actor, flank_morale(flank, do.battle.rules), where=do.where)]

    return beats


@dataclass(frozen=True)
class Deed:
    """An action: what its parts are made by, and the columns that it needs beside what is always there."""

    beats: Callable[[Doing], list[Beat]]
    columns: tuple[str, ...] = ()


DEEDS: Mapping[str, Deed] = {
    "attack": Deed(_attack),
    "charge": Deed(_charge, ("through", "pushed", "unformed", "shaken", "confused")),
    "break-in": Deed(_break_in),
    "push": Deed(_push, ("pushed", "unformed")),
    "disrupt": Deed(lambda do: [disrupt_beat(do.battle, do.actor, do.target, where=do.where)]),
    "rally": Deed(lambda do: [rally_beat(do.battle, do.actor, where=do.where)]),
    "help": Deed(_help, ("lent", "rally_help")),
    "disengage": Deed(_disengage, ("free", "lent")),
    "lure": Deed(_lure, ("lured",)),
    "lob": Deed(_lob),
    "besiege": Deed(_besiege, ("morale",)),
    "swap": Deed(_swap, ("passed", "swapped", "saved", "spent")),
    "reload": Deed(lambda do: []),
    "flanked": Deed(_stands("flanked"), ("morale",)),
    "surrounded": Deed(_stands("surrounded"), ("morale",)),
}
