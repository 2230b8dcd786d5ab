"""Finds the games and their samples; what a fifth game needs is its two folders."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from mathhammer.games import cards


def package(game_id: str) -> str:
    """The folder name of a game's package."""
    return cards()[game_id].__name__.rpartition(".")[2]


def samples(game_id: str) -> Any:
    """The module of a game's sample questions, `tests/games/<package>/samples.py`."""
    return import_module(f"tests.games.{package(game_id)}.samples")


def all_samples() -> Iterator[Any]:
    """Every sample question of every game, as (game, mode, units, options)."""
    for game_id in cards():
        for mode, units, options in samples(game_id).SAMPLES:
            yield game_id, mode, units, options
