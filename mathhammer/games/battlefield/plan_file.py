"""Reading a plan: units and actions of a TOML file, each checked, each mistake with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from mathhammer.core.checks import checked
from mathhammer.core.errors import InputError, gathered, unknown
from mathhammer.core.files import shown_path
from mathhammer.core.profiles import Frozen
from mathhammer.games.battlefield.situations import Cells, Direction

MOST_UNITS, MOST_ACTIONS, MOST_ROUNDS = 12, 60, 20
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,29}", re.ASCII)


class Entry(Frozen):
    """A unit of the plan: its name there, its side, what it is, and how it starts."""

    id: str = Field(description="its name in this plan")
    side: Literal["ours", "theirs"]
    unit: str = Field(description="a shipped unit or file.toml#id, with changes after commas")
    melee: Annotated[int, Field(ge=0, le=12)] = Field(default=0, description="the melee it starts in")
    confused: bool = False
    unformed: bool = Field(default=False, description="out of formation")


class Action(Frozen):
    """What every action has."""

    do: str
    unit: str
    round: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] | None = None
    condition: str | None = Field(default=None, alias="if")


class Targeted(Action):
    """An action on another unit."""

    target: str


class AttackAction(Targeted):
    """An attack. Source: BF-01, BF-15."""

    flanking: bool = False


class ChargeAction(Targeted):
    """A charge. Source: BF-02, BF-08."""

    cells: Annotated[int, Field(ge=1, le=40)]
    order: Literal["attack", "break-in", "push", "attack-break-in", "break-through"] = "attack"
    zones: Annotated[int, Field(ge=0, le=10)] = 0
    gap: Cells = 0
    behind: str | None = None
    ahead: str | None = None
    blocked: bool = False
    flanking: bool = False
    once: bool = False


class PushAction(Targeted):
    """A push. Source: BF-07."""

    behind: str | None = None
    blocked: bool = False


class HelpAction(Action):
    """Help for a friend's next try. Source: BF-05, BF-06."""

    friend: str
    to: Literal["rally", "disengage"]


class DisengageAction(Action):
    """Leaving a melee. Source: BF-06."""

    waived: bool = False
    into: str | None = None


class LureAction(Targeted):
    """A lure. Source: BF-10."""

    stay: bool = False


class LobAction(Targeted):
    """Lobbed fire. Source: BF-11."""

    second: Direction | None = None
    beside: dict[Direction, str] = Field(default={})


class BesiegeAction(Targeted):
    """A siege. Source: BF-13."""

    answering: list[str] = Field(alias="with")


class SwapAction(Action):
    """A swap of weapons. Source: BF-12."""

    drop: bool = False
    quick: bool = False
    in_melee: bool = False


# What may be done, and how many actions of a turn it takes.
KINDS: Mapping[str, tuple[type[Action], int]] = {
    "attack": (AttackAction, 1),
    "charge": (ChargeAction, 2),
    "break-in": (Targeted, 1),
    "push": (PushAction, 1),
    "disrupt": (Targeted, 1),
    "rally": (Action, 1),
    "help": (HelpAction, 1),
    "disengage": (DisengageAction, 1),
    "lure": (LureAction, 1),
    "lob": (LobAction, 1),
    "besiege": (BesiegeAction, 1),
    "swap": (SwapAction, 2),
    "reload": (Action, 1),
    "flanked": (Action, 0),
    "surrounded": (Action, 0),
}


@dataclass(frozen=True)
class Ordered:
    """An action with its round and where it stands in the file."""

    action: Any
    round: int
    where: str


@dataclass(frozen=True)
class PlanFile:
    """A plan as it is written, checked."""

    entries: Sequence[Entry]
    actions: Sequence[Ordered]
    places: Sequence[str]


def read_plan(path: str, text: str) -> PlanFile:
    """The plan that a file holds. Raises `InputError` with a line for each mistake, which names its line."""
    data = tomllib.loads(text)
    lines = Lines(Path(path), text)
    strange = [key for key in data if key not in ("title", "units", "actions")]
    if strange:
        raise InputError(*(f"{path}: {key!r} is none of title, units, actions" for key in strange))
    tables = {name: _tables(path, data, name) for name in ("units", "actions")}
    most = {"units": MOST_UNITS, "actions": MOST_ACTIONS}
    for name, found in tables.items():
        if len(found) > most[name]:
            raise InputError(f"{path}: has {len(found)} {name}; at most {most[name]} are run")
    entries, actions = gathered(
        lambda: gathered(*(_entry(lines, n, table) for n, table in enumerate(tables["units"]))),
        lambda: gathered(*(_action(lines, n, table) for n, table in enumerate(tables["actions"]))),
    )
    places = [lines.of("units", number) for number in range(len(entries))]
    _refuse_names(entries, places)
    return PlanFile(entries, list(_rounds(lines, actions)), places)


def _tables(path: str, data: Mapping[str, Any], name: str) -> list[Any]:
    """The list of tables of a name. Raises `InputError`."""
    tables = data.get(name)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{path}: {name} is a list of tables, written [[{name}]]")
    return tables


class Lines:
    """Where the tables of a file stand."""

    def __init__(self, path: Path, text: str) -> None:
        self.name = shown_path(path)
        self.text = text.splitlines()
        self.heads = {
            name: [n for n, line in enumerate(self.text) if re.match(rf"\s*\[\[\s*{name}\s*\]\]", line)]
            for name in ("units", "actions")
        }

    def of(self, name: str, number: int, key: str = "") -> str:
        """'plan.toml line 12' of a table (from 0) or a key in it; 'plan.toml: actions[3]' if unknown."""
        heads = self.heads[name]
        if number >= len(heads):
            return f"{self.name}: {name}[{number + 1}]"
        at = heads[number]
        block = self.text[at + 1 : heads[number + 1] if number + 1 < len(heads) else None]
        keyed = [n for n, line in enumerate(block, start=at + 1) if re.match(rf"\s*{key}\s*=", line)]
        return f"{self.name} line {(keyed[0] if key and keyed else at) + 1}"


def _entry(lines: Lines, number: int, table: Mapping[str, Any]) -> Any:
    return lambda: checked(Entry, table, lines.of("units", number))


def _action(lines: Lines, number: int, table: Mapping[str, Any]) -> Any:
    """One action by its kind. Raises `InputError` for unknown ones, with the line."""

    def read() -> Action:
        where = lines.of("actions", number, "do")
        kind = table.get("do")
        if kind is None:
            raise InputError(f"{where}: do is missing (one of {', '.join(KINDS)})")
        if kind not in KINDS:
            raise unknown(f"{where}: action", str(kind), KINDS)
        return checked(KINDS[kind][0], table, lines.of("actions", number))

    return read


def _rounds(lines: Lines, actions: Sequence[Action]) -> Iterator[Ordered]:
    """Each action with its round: as written, else that of the action before. Raises `InputError`."""
    now = 1
    for number, action in enumerate(actions):
        where = lines.of("actions", number)
        told = action.round if action.round is not None else now
        if told < now:
            raise InputError(f"{where}: round is at least {now}, that of the action before, not {told}")
        now = told
        yield Ordered(action, now, where)


def _refuse_names(entries: Sequence[Entry], places: Sequence[str]) -> None:
    """Raise `InputError` for names that are none, or there twice, and for plans without two sides."""
    wrong = []
    for number, (entry, place) in enumerate(zip(entries, places, strict=True)):
        if not _ID.fullmatch(entry.id):
            wrong.append(f"{place}: id is a word of letters, digits, - and _, not {entry.id!r}")
        if entry.id in [other.id for other in entries[:number]]:
            wrong.append(f"{place}: the id {entry.id!r} is there twice")
    if {entry.side for entry in entries} != {"ours", "theirs"}:
        wrong.append(f"{places[0]}: a plan has units of both sides, ours and theirs")
    if wrong:
        raise InputError(*wrong)
