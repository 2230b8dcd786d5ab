"""From what a user writes to a `Grid`: units by role, and what varies over which values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any

from mathhammer.analysis.fields import Target, find_target, model_of, units_of
from mathhammer.analysis.grid import Axis, Grid
from mathhammer.analysis.question import UnitSpec, missing, ruled, ruleset_named
from mathhammer.analysis.ranges import all_values, parse_values, takes_text
from mathhammer.analysis.refusals import refuse_situation, refuse_size, refuse_values
from mathhammer.analysis.units import Choice, choices
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.game import Game, Mode, Placed, Role
from mathhammer.core.profiles import Profile

Values = str | Iterable[Any] | None  # a text such as "6..30", values, or None for all
Over = Mapping[str, Values]
Written = Over | str | Iterable[str]  # also as on the command line: "at=6..30", or several such texts


def over_of(given: object, *, bare: bool = False) -> Over:
    """What varies, by name. bare: a name alone, in a text, stands for all its values. Raises `InputError`."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return given
    texts = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    over: dict[str, Values] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in str(text).partition("="))
        if not isinstance(text, str) or not name or (equals and not values) or not (equals or bare):
            raise InputError(f"--over {text!r}: write field=values, such as at=6..30")
        if name in over:
            raise InputError(f"--over: {name} is given twice")
        over[name] = values if equals else None
    return over


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
    written = _written(game, game.mode(mode), over, ruleset)
    filled, varied, rulesets, _ = gathered(
        lambda: written.filled(units),
        lambda: gathered(*(partial(written.axis, target) for target in written.over)),
        lambda: {name: ruled(game, name, rules_file, rules) for name in written.played},
        lambda: refuse_situation(written.mode, situation, written.options()),
    )
    fixed = {role: listed[0] for role, listed in filled.items() if len(listed) == 1}
    listed = [Axis(units_of(role), several) for role, several in filled.items() if len(several) > 1]
    grid = Grid(game, mode, (*listed, *varied), fixed, dict(situation), rulesets, written.played[0])
    all_of = [target for target, values in written.over.items() if _is_all(values)]
    grid = replace(
        grid, axes=tuple(_able(grid, axis) if axis.target in all_of else axis for axis in grid.axes)
    )
    refuse_size(grid)
    gathered(*(partial(refuse_values, grid, axis) for axis in grid.axes))
    return grid


def _is_all(values: Values) -> bool:
    return values is None or (isinstance(values, str) and values.strip() == "*")


def _able(grid: Grid, axis: Axis) -> Axis:
    """All values of a field without those that its unit as a whole refuses, such as no fighters at all."""
    if axis.target.kind != "field" or axis.target.role not in grid.fixed:
        return axis
    values = tuple(value for value in axis.values if grid.takes(axis.target, value))
    return replace(axis, values=values) if values else axis


@dataclass(frozen=True)
class _Written:
    """What varies, by what its name means, and the names of the rulesets that are played."""

    game: Game
    mode: Mode
    over: Mapping[Target, Values]
    played: Sequence[str]

    def options(self) -> list[str]:
        """Options that vary."""
        return [target.path[0] for target in self.over if target.kind == "situation"]

    # -- units -----------------------------------------------------------------------------------
    def filled(self, units: Mapping[str, str | Sequence[UnitSpec]]) -> dict[str, tuple[Choice, ...]]:
        """The units given for each role that `over` does not give; one list for a role that takes many."""
        left = [
            role for role in self.mode.roles if units_of(role.name) not in self.over or self._copied(role)
        ]
        found = gathered(*(partial(self._fill, role, units.get(role.name)) for role in left))
        return dict(zip([role.name for role in left], found, strict=True))

    def _copied(self, role: Role) -> bool:
        """Whether `over` says how often the units given for a role stand there."""
        return role.many and _are_counts(self.over[units_of(role.name)])

    def _fill(self, role: Role, given: Any) -> tuple[Choice, ...]:
        if role.many:
            return (self._together(choices(self.game, role, given or [], self.played)),)
        return self._choices(role, given)

    def _together(self, listed: Sequence[Choice]) -> Choice:
        """Several units that fill a role at once."""
        units = {
            name: tuple(placed for choice in listed for placed in choice.units[name]) for name in self.played
        }
        return Choice(" + ".join(choice.label for choice in listed), units)

    def _choices(self, role: Role, given: Any) -> tuple[Choice, ...]:
        if not given:
            raise missing(self.game, role)
        return choices(self.game, role, given, self.played)

    # -- axes ------------------------------------------------------------------------------------
    def axis(self, target: Target) -> Axis:
        """One axis from what was given for it."""
        given = self.over[target]
        if target.kind == "ruleset":
            return Axis(target, tuple(self.played))
        if target.kind == "units":
            role = next(role for role in self.mode.roles if role.name == target.role)
            if not self._copied(role):
                return Axis(target, self._choices(role, "*" if given is None else given))
        return Axis(target, tuple(self._values(target, given)))

    def _values(self, target: Target, given: Values) -> list[Any]:
        where = f"--over {target.name}"
        if given is None or _is_all(given):
            return all_values(model_of(self.game, self.mode, target), target.path, target.name)
        if isinstance(given, str):
            return parse_values(given, where, as_text=self._takes_text(target))
        return list(given)

    def _takes_text(self, target: Target) -> bool:
        return target.kind != "units" and takes_text(model_of(self.game, self.mode, target), target.path)


def _written(game: Game, mode: Mode, over: Over, ruleset: str | None) -> _Written:
    name = ruleset_named(game, ruleset)
    named = _named(game, mode, over)
    return _Written(game, mode, named, _played(game, named, name))


def _named(game: Game, mode: Mode, over: Over) -> dict[Target, Values]:
    """What varies, by what its name means."""
    targets = gathered(*(partial(find_target, game, mode, str(name)) for name in over))
    twice = next((target for i, target in enumerate(targets) if target in targets[:i]), None)
    if twice is not None:
        raise InputError(f"--over: {twice.name} is given twice")
    values = gathered(*(partial(_listed, *pair) for pair in zip(targets, over.values(), strict=True)))
    return dict(zip(targets, values, strict=True))


def _listed(target: Target, given: object) -> Values:
    """Values as a text or a list. Raises `InputError` for what is neither, or empty."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, Profile | Placed):
        return [given]
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise InputError(f"--over {target.name}: give values, such as [3, 4] or '6..30', not {given!r}")
    values = [int(value) if _is_whole(value) else value for value in given]
    if not values:
        raise InputError(f"--over {target.name}: no values are given")
    return values


def _played(game: Game, named: Mapping[Target, Values], name: str) -> list[str]:
    """The rulesets that are played, by name."""
    given = next((value for target, value in named.items() if target.kind == "ruleset"), [name])
    if given is None or given == "*":
        return list(game.ruleset_files)
    values = parse_values(given, game.ruleset_option) if isinstance(given, str) else given
    played = [str(value) for value in values]
    gathered(*(partial(game.ruleset, each) for each in played))
    return played


def _are_counts(given: object) -> bool:
    """Whether the values given for a role that takes many are numbers of copies."""
    if isinstance(given, str):
        return all(part.strip().replace("..", "").isdecimal() for part in given.split(","))
    return isinstance(given, Sequence) and all(isinstance(value, int) for value in given)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
