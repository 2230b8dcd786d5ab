"""From what a user writes to a question: units, situation and ruleset, checked and frozen."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from string import Formatter
from typing import Any, TypeAlias

from pydantic import BaseModel

from mathhammer.core.checks import checked, shown
from mathhammer.core.errors import InputError, gathered, refuse_unknown
from mathhammer.core.find import find_unit as find_unit
from mathhammer.core.game import Game, Matchup, Mode, Placed, Role
from mathhammer.core.profiles import Profile, plain
from mathhammer.core.rulesets import Ruleset, user_rules

UnitSpec: TypeAlias = str | Profile | Placed


def _again(game: Game, mode: str, *rest: Any) -> Question:
    return Question(game, game.mode(mode), *rest)


SITUATION = "situation"  # what errors of options start with; the command line spells it as --option


@dataclass(frozen=True, repr=False)
class Question:
    """Everything that decides an answer, but trials, seed and engine."""

    game: Game
    mode: Mode
    units: Mapping[str, tuple[Placed, ...]]
    situation: BaseModel
    ruleset: Ruleset[Any]
    ruleset_name: str

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with the mode's name in place of its functions."""
        return _again, (
            self.game,
            self.mode.name,
            self.units,
            self.situation,
            self.ruleset,
            self.ruleset_name,
        )

    def matchup(self, rules: object) -> Matchup:
        """What the mode's function gets, with this view of the rules."""
        return Matchup(self.units, self.situation, rules)

    @cached_property
    def content(self) -> dict[str, Any]:
        """The question as plain data, without names: equal contents have equal answers and streams."""
        return {
            "game": self.game.id,
            "mode": self.mode.name,
            "units": {role: [placed.content() for placed in units] for role, units in self.units.items()},
            "situation": self.situation.model_dump(mode="json"),
            "rules": self.ruleset.values.model_dump(mode="json"),
        }

    def entropy(self, seed: int) -> list[int]:
        """Seeds of the run's streams: the user's seed and the hash of the content."""
        text = json.dumps(self.content, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).digest()
        return [seed, *(int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4))]

    def __repr__(self) -> str:
        return f"Question({self.game.id} {self.mode.name}: {self.heading()})"

    def heading(self) -> str:
        """One line: who does what to whom, and what else was said of the situation."""
        names = {role: _bracketed(units[0].unit) for role, units in self.units.items() if units}
        told = self.situation.model_dump()
        line = self.mode.summary.format(**{name: _Told(value) for name, value in told.items()}, **names)
        for role in (role for role in self.mode.roles if role.many and self.units.get(role.name)):
            labels = [_placed_label(placed, role) for placed in self.units[role.name]]
            line += f", {(role.heading or role.name + ' {}').format(', '.join(labels))}"
        said = [_said(name, told[name]) for name in told if self._is_worth_saying(name, told[name])]
        return f"{line} ({', '.join(said)})" if said else line

    def _is_worth_saying(self, name: str, value: object) -> bool:
        """Whether an option differs from its default and the summary does not name it."""
        default = type(self.situation).model_fields[name].default
        named = {field for _, field, _, _ in Formatter().parse(self.mode.summary)}
        return value != default and name not in named


class _Told:
    """A value in a heading: '{order:words}' without hyphens, '{rounds:round}' counted, as in '1 round'."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __format__(self, spec: str) -> str:
        if spec == "words":
            return str(self.value).replace("-", " ")
        return f"{self.value} {spec}{'s' * (self.value != 1)}" if spec else str(self.value)


def _bracketed(unit: Profile, words: Sequence[str] = ()) -> str:
    """A unit's label with what was changed in it and with more words."""
    told = [*unit.changes(), *words]
    return f"{unit.label()} ({', '.join(told)})" if told else unit.label()


def _said(name: str, value: object) -> str:
    words = name.replace("_", " ")
    return words if value is True else f"{words} {value}"


def _placed_label(placed: Placed, role: Role) -> str:
    """The unit with the words that place it; one of several choices is said also where it is the default."""
    words = [
        word
        for word, fields in role.words.items()
        if all(_is_said(role, placed, key, value) for key, value in fields.items())
    ]
    return _bracketed(placed.unit, words)


def _is_said(role: Role, placed: Placed, key: str, value: object) -> bool:
    choice = isinstance(value, str) or sum(key in fields for fields in role.words.values()) > 1
    return placed.placing.get(key) == value and (choice or value != role.defaults.get(key))


def ask(
    game: Game,
    mode: str,
    units: Mapping[str, Sequence[UnitSpec]],
    situation: Mapping[str, Any],
    *,
    ruleset: str | None = None,
    rules_file: str | None = None,
    rules: Mapping[str, Any] | None = None,
) -> Question:
    """A checked question. Raises `InputError` with a line for each wrong thing.

    Precedence of rules: shipped ruleset < `rules_file` < `rules`.
    """
    record = game.mode(mode)
    name = ruleset_named(game, ruleset)
    found, checked_situation, values = gathered(
        lambda: _units(game, record, units, name),
        lambda: situated(record, situation),
        lambda: ruled(game, name, rules_file, rules),
    )
    return Question(game, record, found, checked_situation, values, name)


def _units(
    game: Game, mode: Mode, given: Mapping[str, Sequence[UnitSpec]], ruleset: str
) -> dict[str, tuple[Placed, ...]]:
    attempts = [partial(_role_units, game, role, given.get(role.name, ()), ruleset) for role in mode.roles]
    return dict(zip([role.name for role in mode.roles], gathered(*attempts), strict=True))


def ruleset_named(game: Game, ruleset: str | None) -> str:
    """The name of the ruleset that is played. Raises `InputError`."""
    name = game.default_ruleset if ruleset is None else ruleset
    game.ruleset(name)
    return name


def ruled(game: Game, name: str, rules_file: str | None, rules: Mapping[str, Any] | None) -> Ruleset[Any]:
    """A shipped ruleset with the rules of a file and single ones laid over it."""
    shipped = game.ruleset(name)
    if rules_file is not None:
        own = user_rules(Path(str(rules_file)), game.ruleset_option, name)
        shipped = shipped.overridden(own, str(rules_file))
    return shipped.overridden(rules or {}, "--rule")


def situated(mode: Mode, given: Mapping[str, Any]) -> BaseModel:
    """A mode's options, checked. Raises `InputError`."""
    fields = mode.situation.model_fields
    refuse_unknown(f"{mode.name}: option", [key for key in given if key not in fields], fields)
    return checked(mode.situation, dict(given), SITUATION)


def _role_units(game: Game, role: Role, given: Sequence[UnitSpec], ruleset: str) -> tuple[Placed, ...]:
    if not role.many and len(given) != 1:
        raise missing(game, role)
    return tuple(placed_unit(game, role, spec, ruleset) for spec in given)


def missing(game: Game, role: Role, what: str = "a unit") -> InputError:
    """An error for a role that nothing was given for."""
    return InputError(f"{role.name} is missing: give {what}, such as {game.catalogue.ids()[0]}")


def placed_unit(game: Game, role: Role, spec: UnitSpec, ruleset: str) -> Placed:
    """A unit as it is written, with the words that place it in its role. Raises `InputError`."""
    if isinstance(spec, Placed):
        return Placed(spec.unit, {**role.defaults, **spec.placing})
    if isinstance(spec, game.unit):  # checked again: a copy with changes is not checked by itself
        return Placed(checked(game.unit, spec.model_dump(), role.name), role.defaults)
    if not isinstance(spec, str):
        raise InputError(f"{role.name} is a unit's id, a file.toml or a {game.title} unit, not {shown(spec)}")
    if not role.many:
        return Placed(find_unit(game, spec, ruleset), role.defaults)
    option = f"--{role.name.replace('_', '-')}"
    name, *words = spec.split("@")
    placing = _placing(words, role, f"{option} {spec}")
    if re.search(r":\d+$", name, re.ASCII):
        raise InputError(f"{option} {spec}: copies are given by repeating {option}")
    return Placed(find_unit(game, name, ruleset), {**role.defaults, **placing})


def _placing(words: Sequence[str], role: Role, what: str) -> dict[str, Any]:
    """The fields that words after '@' set. Raises `InputError` naming `what`."""
    placing: dict[str, Any] = {}
    for word in words:
        if word not in role.words:
            raise InputError(f"{what}: {_wrong_word(word, role)}")
        if set(role.words[word]) & set(placing):
            raise InputError(f"{what}: {word!r} contradicts the word before it")
        placing.update(role.words[word])
    return placing


def _wrong_word(word: str, role: Role) -> str:
    """What is wrong with a word after '@'."""
    several = [part.strip() for part in word.split(",")]
    if len(several) > 1 and set(several) <= set(role.words):
        return f"several words are given as @{'@'.join(several)}"
    return f"{word!r} is none of {', '.join(role.words)}"


def parse_rules(settings: Sequence[str]) -> dict[str, Any]:
    """`--rule key=value` settings as fields."""
    rules: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise InputError(f"--rule {setting!r}: write key=value")
        if key.strip() in rules:
            raise InputError(f"--rule: {key.strip()} is set twice")
        rules[key.strip()] = plain(value.strip())
    return rules
