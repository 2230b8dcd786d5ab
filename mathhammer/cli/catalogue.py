"""`mathhammer games` and `mathhammer units`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mathhammer.cli.layout import Grid, write
from mathhammer.core.errors import InputError, nearest
from mathhammer.games import cards, load

if TYPE_CHECKING:
    from mathhammer.core.game import Game


def games(
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.", show_default=False)] = False,
) -> None:
    """The games, their modes and rulesets."""
    if as_json:
        rows = [
            {"game": card, "title": module.TITLE, "about": module.ABOUT, "modes": module.MODES}
            | {"rulesets": list(load(card).ruleset_files)}
            for card, module in cards().items()
        ]
        typer.echo(json.dumps(rows, indent=1))
        return
    for card, module in cards().items():
        game = load(card)
        typer.echo(f"{card}  {module.TITLE}: {module.ABOUT}")
        for mode, about in module.MODES.items():
            typer.echo(f"  {card} {mode:<10} {about}")
        names = ", ".join(game.ruleset_files)
        typer.echo(f"  --{game.ruleset_option} {names} (default {game.default_ruleset})")
        typer.echo(f"  {len(game.catalogue.ids())} units: mathhammer units {card}")


def _complete_game(incomplete: str) -> list[str]:
    return [card for card in cards() if card.startswith(incomplete)]


def units(
    game: Annotated[str, typer.Argument(help="a game, such as kow", autocompletion=_complete_game)],
    words: Annotated[
        list[str] | None, typer.Argument(help="words that the unit has: name, size, rule, field=value")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON, one unit a line.", show_default=False)
    ] = False,
) -> None:
    """Shipped units: list them, search them, and see one whole with its source."""
    record = load(game)
    found = [entry for entry in record.catalogue.tables() if _has(entry, words or [])]
    if not found:
        near = _nearest("-".join(words or []).lower(), record.catalogue.ids())
        hint = f"; nearest: {', '.join(near)}" if near else ""
        raise InputError(f"units {game}: none has {' '.join(words or [])!r}{hint}")
    if as_json:
        for unit_id, (_, table) in ((i, record.catalogue.raw(i, {})) for i, _ in found):
            typer.echo(json.dumps({"id": unit_id, **table}))
    elif len(found) == 1:
        _show_one(found[0][0], found[0][1])
    else:
        _show_many(record, found)


def _nearest(given: str, ids: list[str]) -> list[str]:
    """Ids that are like the word, or that have a part like it."""
    parts = {part: None for unit_id in ids for part in unit_id.split("-")}
    like = nearest(given, [*ids, *parts])
    return [unit_id for unit_id in ids if unit_id in like or set(unit_id.split("-")) & set(like)][:5]


def _has(entry: tuple[str, Any], words: list[str]) -> bool:
    """Whether every word is in the id, name, size, a rule's name, or is `field=value` of the unit."""
    unit_id, table = entry
    rules = table.get("rules", {})
    hay = (
        " ".join([unit_id, str(table["name"]), str(table.get("size", "")), *rules]).lower().replace("_", " ")
    )
    pairs = {f"{key}={value}".lower() for key, value in {**table, **rules}.items()}
    return all(
        word.lower() in pairs if "=" in word else word.lower().replace("_", " ") in hay for word in words
    )


def _show_one(unit_id: str, table: Any) -> None:
    typer.echo(unit_id)
    for key, value in table.items():
        typer.echo(f"  {key:<8} {_rules(table) if key == 'rules' else value}")


def _show_many(game: Game, found: list[tuple[str, Any]]) -> None:
    skipped = {"name", "source", "rules", "kind"}
    fields = [f for f in game.unit.model_fields if f not in skipped and any(f in t for _, t in found)]
    rows = [[unit_id, *(str(raw.get(field, "-")) for field in fields), _rules(raw)] for unit_id, raw in found]
    write([Grid(["id", *fields, "rules"], rows, left=frozenset({0, len(fields) + 1}), styles={0: "bold"})])


def _rules(table: Any) -> str:
    return ", ".join(f"{name}={value}" for name, value in table.get("rules", {}).items())
