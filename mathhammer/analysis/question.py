"""From what a user writes to a question: units, situation and ruleset, checked and frozen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel

from mathhammer.core.checks import checked
from mathhammer.core.errors import InputError, unknown
from mathhammer.core.game import Game, Matchup, Mode, Placed, Role
from mathhammer.core.profiles import Catalogue, Profile, make_unit, parse_changes, plain, read_units
from mathhammer.core.rulesets import Ruleset, user_rules

UnitSpec: TypeAlias = str | Profile | Placed


@dataclass(frozen=True, repr=False)
class Question:
    """Everything that decides an answer, but trials, seed and engine."""

    game: Game
    mode: Mode
    units: Mapping[str, tuple[Placed, ...]]
    situation: BaseModel
    ruleset: Ruleset[Any]
    ruleset_name: str

    def matchup(self, rules: object) -> Matchup:
        """What the mode's function gets, with this view of the rules."""
        return Matchup(self.units, self.situation, rules)

    @cached_property
    def content(self) -> dict[str, Any]:
        """The question as plain data, without names: equal contents have equal answers and streams."""
        return {
            "game": self.game.id,
            "mode": self.mode.name,
            "units": {
                role: [{**placed.unit.content(), **placed.placing} for placed in units]
                for role, units in self.units.items()
            },
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
        """One line: who does what to whom."""
        names = {role: units[0].unit.label() for role, units in self.units.items() if units}
        others = self.units.get("with", ())
        line = self.mode.summary.format(**{**self.situation.model_dump(), **names})
        beside = ", ".join(placed.unit.label() for placed in others)
        return line + (f", with {beside}" if beside else "")


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
    name = ruleset or game.default_ruleset
    values = game.ruleset(name)
    if rules_file:
        values = values.overridden(user_rules(Path(rules_file)), rules_file)
    values = values.overridden(rules or {}, "--rule")
    return Question(
        game=game,
        mode=record,
        units={role.name: _role_units(game, role, units.get(role.name, ()), name) for role in record.roles},
        situation=_situation(record, situation),
        ruleset=values,
        ruleset_name=name,
    )


def _situation(mode: Mode, given: Mapping[str, Any]) -> BaseModel:
    for key in given:
        if key not in mode.situation.model_fields:
            raise unknown(f"{mode.name}: option", key, mode.situation.model_fields)
    try:
        return checked(mode.situation, dict(given), mode.name)
    except InputError as error:
        raise InputError(*(line.replace(f"{mode.name}: ", "", 1) for line in error.lines)) from None


def _role_units(game: Game, role: Role, given: Sequence[UnitSpec], ruleset: str) -> tuple[Placed, ...]:
    if not role.many and len(given) != 1:
        raise InputError(f"{role.name} is missing: give a unit, such as {game.catalogue.ids()[0]}")
    return tuple(_placed(game, role, spec, ruleset) for spec in given)


def _placed(game: Game, role: Role, spec: UnitSpec, ruleset: str) -> Placed:
    if isinstance(spec, Placed):
        return spec
    if isinstance(spec, Profile):
        return Placed(spec)
    name, *words = spec.split("@") if role.many else [spec]
    placing: dict[str, Any] = {}
    for word in words:
        if word not in role.words:
            raise unknown(f"--{role.name} {spec}: word", word, role.words)
        if set(role.words[word]) & set(placing):
            raise InputError(f"--{role.name} {spec}: {word!r} contradicts the word before it")
        placing.update(role.words[word])
    return Placed(find_unit(game, name, ruleset), placing)


@lru_cache(maxsize=512)
def _shipped_unit(game_id: str, ruleset: str, spec: str) -> Profile:
    game = _GAMES[game_id]
    reference, _, changes = spec.partition(",")
    where, table = game.catalogue.raw(reference, game.prefer(ruleset))
    place = reference if changes else where
    return make_unit(game.unit, table, parse_changes(changes) if changes else {}, place)


_GAMES: dict[str, Game] = {}


def find_unit(game: Game, spec: str, ruleset: str | None = None) -> Profile:
    """The unit that `spec` writes: an id, `file.toml` or `file.toml#id`, with changes after commas."""
    ruleset = ruleset or game.default_ruleset
    reference, _, changes = spec.partition(",")
    if not reference.strip():
        raise InputError(f"unit {spec!r}: give a unit's id or a file")
    if ".toml" not in reference:
        _GAMES.setdefault(game.id, game)
        return _shipped_unit(game.id, ruleset, spec)
    where, table = _from_file(game, reference, ruleset)
    return make_unit(game.unit, table, parse_changes(changes) if changes else {}, where)


def _from_file(game: Game, reference: str, ruleset: str) -> tuple[str, Mapping[str, Any]]:
    path, _, unit_id = reference.partition("#")
    entries = read_units(Path(path))
    catalogue = Catalogue(game.unit, entries)
    if unit_id:
        return catalogue.raw(unit_id, game.prefer(ruleset))
    if len(entries) > 1:
        raise InputError(f"{path}: holds {len(entries)} units; name one, such as {path}#{catalogue.ids()[0]}")
    return entries[0]


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
