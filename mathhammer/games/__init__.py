"""The games: each is a folder here. Listing them imports no rules."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.core.game import Game


@cache
def cards() -> dict[str, ModuleType]:
    """Game id -> its package, which says its title and modes before anything heavy loads."""
    found = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return {str(module.ID): module for module in found}


@cache
def load(game_id: str) -> Game:
    """A game by id; raises `InputError` with the nearest ids."""
    if game_id not in cards():
        from mathhammer.core.errors import unknown

        raise unknown("game", game_id, cards())
    game: Game = cards()[game_id].load()
    return game
