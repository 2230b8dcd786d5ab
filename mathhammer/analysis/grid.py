"""`Grid`: a product of axes, each point of which is a question, made when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from numbers import Integral
from typing import Any

from pydantic import BaseModel

from mathhammer.analysis.fields import Target, find_target
from mathhammer.analysis.question import SITUATION, Question, UnitSpec, ruled, situated
from mathhammer.analysis.ranges import all_values, parse_values, takes_text, told
from mathhammer.analysis.units import Choice, choices
from mathhammer.core.checks import checked, wrong_field
from mathhammer.core.errors import InputError, gathered, refuse_unknown
from mathhammer.core.game import Game, Mode, Placed, Role
from mathhammer.core.profiles import Profile, overlaid
from mathhammer.core.rulesets import Ruleset

MOST_MATCHUPS = 1_000_000

Changes = tuple[tuple[tuple[str, ...], Any], ...]  # fields by path, with the value that each takes
Over = Mapping[
    str, str | Sequence[Any] | None
]  # what varies: a text such as "6..30", values, or None for all


@dataclass(frozen=True)
class Axis:
    """One thing that varies, and the values that it takes; those of units are `Choice`s.

    In a role that takes many units, whole numbers are how often the given list stands there.
    """

    target: Target
    values: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The name in heads of tables."""
        return self.target.name

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Each value as it is shown."""
        return tuple(value.label if isinstance(value, Choice) else told(value) for value in self.values)

    @cached_property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers, where they are ascending numbers (or texts that are); else None."""
        if self.target.kind == "ruleset" or any(isinstance(value, bool | Choice) for value in self.values):
            return None
        try:
            numbers = tuple(float(value) for value in self.values)
        except (TypeError, ValueError):
            return None
        return numbers if all(a < b for a, b in pairwise(numbers)) else None

    @property
    def numeric(self) -> bool:
        """Whether the values are ascending numbers."""
        return self.numbers is not None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Grid:
    """All combinations of the axes' values, the first axis slowest. It can be sent to other processes.

    fixed: the units of roles that do not vary. rulesets: by name, those that are played.
    """

    game: Game
    mode_name: str
    axes: tuple[Axis, ...]
    fixed: Mapping[str, Choice]
    situation: Mapping[str, Any]
    rulesets: Mapping[str, Ruleset[Any]]
    ruleset: str

    @property
    def mode(self) -> Mode:
        """The mode that is asked about."""
        return self.game.mode(self.mode_name)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(len(axis) for axis in self.axes)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def places(self, index: int) -> tuple[int, ...]:
        """The place on each axis of a matchup."""
        places: list[int] = []
        for size in reversed(self.shape):
            index, place = divmod(index, size)
            places.append(place)
        return tuple(reversed(places))

    def index(self, places: Sequence[int]) -> int:
        """The matchup at these places."""
        index = 0
        for size, place in zip(self.shape, places, strict=True):
            index = index * size + place
        return index

    def labels(self, index: int) -> tuple[str, ...]:
        """The value of each axis, as it is shown."""
        return tuple(axis.labels[place] for axis, place in zip(self.axes, self.places(index), strict=True))

    def name(self, index: int) -> str:
        """A matchup in words: `attacker=knights, facing=flank`."""
        pairs = zip(self.axes, self.labels(index), strict=True)
        return ", ".join(f"{axis.name}={label}" for axis, label in pairs) or "the one matchup"

    def question(self, index: int) -> Question:
        """The question of a matchup. Raises `InputError` where its values do not go together."""
        picked = [
            (axis.target, axis.values[place])
            for axis, place in zip(self.axes, self.places(index), strict=True)
        ]
        ruleset = next((value for target, value in picked if target.kind == "ruleset"), self.ruleset)
        units, situation, rules = gathered(
            lambda: self._units(picked, ruleset),
            lambda: situated(self.mode, {**self.situation, **_of_kind("situation", picked)}),
            lambda: self.rulesets[ruleset].overridden(_of_kind("rule", picked), "--over"),
        )
        return Question(self.game, self.mode, units, situation, rules, ruleset)

    def _units(self, picked: Sequence[tuple[Target, Any]], ruleset: str) -> dict[str, tuple[Placed, ...]]:
        units = {role: choice.units[ruleset] for role, choice in self.fixed.items()}
        for target, value in picked:
            if target.kind == "units":
                many = isinstance(value, int)
                units[target.role] = units[target.role] * value if many else value.units[ruleset]
        for role in {target.role for target, _ in picked if target.kind == "field"}:
            changes = tuple(
                (target.path, value)
                for target, value in picked
                if target.kind == "field" and target.role == role
            )
            units[role] = tuple(_changed(placed, changes, role) for placed in units[role])
        return {role.name: units[role.name] for role in self.mode.roles}

    def points(self, index: int, role: str) -> int | None:
        """What the units of a role cost in points; None where one of them does not say."""
        axes = [axis for axis in self.axes if axis.target == Target("units", role, role)]
        value = axes[0].values[self.places(index)[self.axes.index(axes[0])]] if axes else self.fixed.get(role)
        if isinstance(value, Choice) and value.points is not None:
            return value.points
        costs: list[Any] = [
            getattr(placed.unit, "points", None) for placed in self.question(index).units[role]
        ]
        return None if None in costs else sum(costs)

    @cached_property
    def content(self) -> dict[str, Any]:
        """All that decides the answers, as plain data: equal contents are the same sweep."""
        return {
            "game": self.game.id,
            "mode": self.mode_name,
            "axes": [[axis.name, [_content(value) for value in axis.values]] for axis in self.axes],
            "fixed": {role: _content(choice) for role, choice in self.fixed.items()},
            "situation": dict(self.situation),
            "ruleset": self.ruleset,
            "rules": {name: rules.values.model_dump(mode="json") for name, rules in self.rulesets.items()},
        }

    def heading(self) -> str:
        """One line: the mode, what stays the same, and what varies."""
        fixed = [f"{role} {choice.label}" for role, choice in self.fixed.items() if choice.label]
        said = [f"{name} {told(value)}" for name, value in self.situation.items() if value is not False]
        over = [f"{axis.name} ({len(axis)})" for axis in self.axes]
        return f"{self.game.title} {self.mode_name}: " + "; ".join(
            [", ".join([*fixed, *said])] * bool(fixed or said) + [f"over {' x '.join(over)}"] * bool(over)
        )


def _of_kind(kind: str, picked: Sequence[tuple[Target, Any]]) -> dict[str, Any]:
    return {target.path[0]: value for target, value in picked if target.kind == kind}


def _content(value: Any) -> Any:
    if not isinstance(value, Choice):
        return value
    units = {
        name: [{**placed.unit.content(), **placed.placing} for placed in listed]
        for name, listed in value.units.items()
    }
    return {"label": value.label, "units": units}


@lru_cache(maxsize=4096)
def _changed_unit(unit: Profile, changes: Changes, where: str) -> Profile:
    return checked(type(unit), overlaid(unit.model_dump(), _nested(changes)), where)


def _nested(changes: Iterable[tuple[Sequence[str], Any]]) -> dict[str, Any]:
    """Changes by path as tables in tables."""
    nested: dict[str, Any] = {}
    for path, value in changes:
        inner = nested
        for part in path[:-1]:
            inner = inner.setdefault(part, {})
        inner[path[-1]] = value
    return nested


def _changed(placed: Placed, changes: Changes, role: str) -> Placed:
    return Placed(_changed_unit(placed.unit, changes, role), placed.placing)


# -- from what a user writes -----------------------------------------------------------------------
def make_grid(
    game: Game,
    mode: str,
    units: Mapping[str, str | Sequence[UnitSpec]],
    situation: Mapping[str, Any],
    over: Over,
    *,
    ruleset: str | None = None,
    rules_file: str | None = None,
    rules: Mapping[str, Any] | None = None,
) -> Grid:
    """A checked grid. units: by role, a text such as `knights,zombie-2` or `*`, or a list of units.

    A single role with several units is an axis; so is each entry of `over`. Raises `InputError` with a line
    for each wrong thing; values that only fail together with others fail when their matchup is asked.
    """
    record = game.mode(mode)
    name = game.default_ruleset if ruleset is None else ruleset
    game.ruleset(name)
    named = _named(game, record, over)
    played = _played(game, named, name)
    filled, varied, rulesets, _ = gathered(
        lambda: _filled(game, record, units, named, played),
        lambda: gathered(*(lambda t=t, v=v: _axis(game, record, t, v, played) for t, v in named.items())),
        lambda: {each: ruled(game, game.ruleset(each), each, rules_file, rules or {}) for each in played},
        lambda: refuse_situation(record, situation, _situations(named)),
    )
    fixed = {role: listed[0] for role, listed in filled.items() if len(listed) == 1}
    listed = [
        Axis(Target("units", role, role), several) for role, several in filled.items() if len(several) > 1
    ]
    grid = Grid(game, mode, (*listed, *varied), fixed, dict(situation), rulesets, played[0])
    _refuse_size(grid)
    gathered(*(lambda axis=axis: _refuse_values(grid, axis) for axis in grid.axes))
    return grid


def _named(game: Game, mode: Mode, over: Over) -> dict[Target, str | Sequence[Any] | None]:
    """What varies, by what its name means."""
    targets = gathered(*(lambda name=name: find_target(game, mode, name) for name in over))
    twice = next((target for i, target in enumerate(targets) if target in targets[:i]), None)
    if twice is not None:
        raise InputError(f"--over: {twice.name} is given twice")
    return dict(zip(targets, over.values(), strict=True))


def _situations(named: Iterable[Target]) -> list[str]:
    """Options that vary."""
    return [target.path[0] for target in named if target.kind == "situation"]


def _played(game: Game, named: Mapping[Target, str | Sequence[Any] | None], name: str) -> list[str]:
    """The rulesets that are played, by name."""
    given = next((value for target, value in named.items() if target.kind == "ruleset"), [name])
    if given is None or given == "*":
        return list(game.ruleset_files)
    values = parse_values(given, game.ruleset_option) if isinstance(given, str) else given
    played = [str(value) for value in values]
    gathered(*(lambda each=each: game.ruleset(each) for each in played))
    return played


def _filled(
    game: Game,
    mode: Mode,
    units: Mapping[str, str | Sequence[UnitSpec]],
    named: Mapping[Target, str | Sequence[Any] | None],
    played: Sequence[str],
) -> dict[str, tuple[Choice, ...]]:
    """The units given for each role that `--over` does not give; one list for a role that takes many."""
    left = [role for role in mode.roles if _is_given(role, named)]
    attempts = (lambda role=role: _fill(game, role, units.get(role.name), played) for role in left)
    return dict(zip([role.name for role in left], gathered(*attempts), strict=True))


def _is_given(role: Role, named: Mapping[Target, str | Sequence[Any] | None]) -> bool:
    """Whether a role's units do not come from `--over` (numbers of copies are copies of those given)."""
    target = Target("units", role.name, role.name)
    return target not in named or (role.many and _counts(named[target]))


def _fill(game: Game, role: Role, given: Any, played: Sequence[str]) -> tuple[Choice, ...]:
    if role.many:
        return (_together(choices(game, role, given or [], played), played),)
    return _choices(game, role, given, played)


def _choices(game: Game, role: Role, given: Any, played: Sequence[str]) -> tuple[Choice, ...]:
    if not given:
        raise InputError(f"{role.name} is missing: give a unit, such as {game.catalogue.ids()[0]}")
    return choices(game, role, given, played)


def _together(listed: Sequence[Choice], played: Sequence[str]) -> Choice:
    """Several units that fill a role at once."""
    units = {name: tuple(placed for choice in listed for placed in choice.units[name]) for name in played}
    return Choice(" + ".join(choice.label for choice in listed), units)


def _counts(given: object) -> bool:
    """Whether the values given for a role that takes many are numbers of copies."""
    if isinstance(given, str):
        return all(part.strip().replace("..", "").isdecimal() for part in given.split(","))
    return isinstance(given, Sequence) and all(isinstance(value, int) for value in given)


def _axis(
    game: Game, mode: Mode, target: Target, given: str | Sequence[Any] | None, played: Sequence[str]
) -> Axis:
    """One axis from what was given for it."""
    if target.kind == "ruleset":
        return Axis(target, tuple(played))
    if target.kind == "units":
        role = next(role for role in mode.roles if role.name == target.role)
        if role.many and _counts(given):
            return Axis(target, tuple(_values(given, target, game.unit)))
        return Axis(target, _choices(game, role, "*" if given is None else given, played))
    return Axis(target, tuple(_values(given, target, _model(game, mode, target))))


def _model(game: Game, mode: Mode, target: Target) -> type[BaseModel]:
    return {"field": game.unit, "situation": mode.situation, "rule": game.rules}[target.kind]


def _values(given: str | Sequence[Any] | None, target: Target, model: type[BaseModel]) -> list[Any]:
    if given is None or (isinstance(given, str) and given.strip() == "*"):
        return all_values(model, target.path, target.name)
    if isinstance(given, str):
        as_text = target.kind != "units" and takes_text(model, target.path)
        return parse_values(given, f"--over {target.name}", as_text=as_text)
    values = [
        int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value
        for value in given
    ]
    if not values:
        raise InputError(f"--over {target.name}: no values are given")
    return values


def _refuse_size(grid: Grid) -> None:
    if len(grid) > MOST_MATCHUPS:
        sizes = " x ".join(f"{axis.name} {len(axis):,}" for axis in grid.axes)
        raise InputError(f"{sizes} are {len(grid):,} matchups; at most {MOST_MATCHUPS:,} are run")


def refuse_situation(mode: Mode, given: Mapping[str, Any], varied: Iterable[str] = ()) -> None:
    """Options that are wrong by themselves, or missing though nothing varies them. Raises `InputError`."""
    fields = mode.situation.model_fields
    known = {name: value for name, value in given.items() if name in fields}
    missing = [name for name, info in fields.items() if info.is_required() and name not in {*known, *varied}]
    gathered(
        lambda: refuse_unknown(
            f"{mode.name}: option", [name for name in given if name not in fields], fields
        ),
        lambda: _refuse(
            [wrong_field(mode.situation, known, [name], SITUATION) for name in [*known, *missing]]
        ),
    )


def _refuse(lines: Iterable[str | None]) -> None:
    """Raise the lines there are, at most three."""
    told = [line for line in lines if line is not None]
    if told:
        raise InputError(*told[:3])


def _refuse_values(grid: Grid, axis: Axis) -> None:
    """Values that are wrong by themselves."""
    target = axis.target
    if target.kind in ("units", "ruleset"):
        return
    model = _model(grid.game, grid.mode, target)
    base = _base(grid, target)
    lines = [
        wrong_field(
            model, overlaid(base, _nested(((target.path, value),))), target.path, f"--over {axis.name}"
        )
        for value in axis.values
    ]
    _refuse(lines)


def _base(grid: Grid, target: Target) -> dict[str, Any]:
    """What a value is laid over: a unit of the role, the options, or the rules."""
    if target.kind == "situation":
        return dict(grid.situation)
    if target.kind == "rule":
        return dict(grid.rulesets[grid.ruleset].values.model_dump())
    listed = [
        axis.values[0] for axis in grid.axes if axis.target == Target("units", target.role, target.role)
    ]
    choice = next((value for value in listed if isinstance(value, Choice)), grid.fixed.get(target.role))
    units = choice.units[grid.ruleset] if choice else ()
    if not units:
        raise InputError(f"--over {target.name}: there is no unit in {target.role}")
    return dict(units[0].unit.model_dump())
