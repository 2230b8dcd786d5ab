"""Finding a unit by what a user writes: an id, a file, an id in a file, with changes after commas."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from mathhammer.core.errors import InputError, UnknownError
from mathhammer.core.game import Game
from mathhammer.core.profiles import Catalogue, Profile, make_unit, parse_changes, read_units


@lru_cache(maxsize=512)
def _shipped_unit(game_id: str, ruleset: str, spec: str) -> Profile:
    game = _GAMES[game_id]
    reference, _, changes = spec.partition(",")
    hint = f"mathhammer units {game_id} lists them"
    where, table = game.catalogue.raw(reference, game.prefer(ruleset), hint=hint)
    place = reference if changes else where
    return make_unit(game.unit, table, parse_changes(changes) if changes else {}, place)


_GAMES: dict[str, Game] = {}


def find_unit(game: Game, spec: str, ruleset: str | None = None) -> Profile:
    """The unit that `spec` writes: an id, `file.toml` or `file.toml#id`, with changes after commas."""
    ruleset = game.default_ruleset if ruleset is None else ruleset
    reference, _, changes = spec.partition(",")
    if not reference.strip():
        raise InputError(f"unit {spec!r}: give a unit's id or a file")
    if ".toml" not in reference.lower():
        return _shipped(game, ruleset, spec, reference)
    where, table = _from_file(game, reference, ruleset)
    return make_unit(game.unit, table, parse_changes(changes) if changes else {}, where)


def _shipped(game: Game, ruleset: str, spec: str, reference: str) -> Profile:
    _GAMES.setdefault(game.id, game)
    try:
        return _shipped_unit(game.id, ruleset, spec)
    except UnknownError:
        if not os.path.exists(reference):  # False for impossible names too
            raise
        found = "a folder" if os.path.isdir(reference) else "a file of another kind"
        told = f"unit {reference!r} is {found}; give a unit's id, file.toml or file.toml#id"
        raise InputError(told) from None


def _from_file(game: Game, reference: str, ruleset: str) -> tuple[str, Mapping[str, Any]]:
    path, _, unit_id = reference.partition("#")
    entries = read_units(Path(path))
    catalogue = Catalogue(game.unit, entries)
    if unit_id:
        return catalogue.raw(unit_id, game.prefer(ruleset), where=f"{path}: ")
    if len(entries) > 1:
        raise InputError(f"{path}: holds {len(entries)} units; name one, such as {path}#{catalogue.ids()[0]}")
    return entries[0]
