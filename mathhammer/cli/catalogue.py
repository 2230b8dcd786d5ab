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
    from mathhammer.core.rulesets import Ruleset


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
        if len(game.ruleset_files) > 1:
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
    template: Annotated[
        bool, typer.Option("--template", help="Write a file to fill in from your cards.", show_default=False)
    ] = False,
) -> None:
    """Shipped units: list them, search them, and see one whole with its source."""
    record = load(game)
    if template:
        typer.echo((record.folder / "template.toml").read_text(encoding="utf-8"), nl=False)
        return
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


def rules(
    game: Annotated[str, typer.Argument(help="a game, such as kow", autocompletion=_complete_game)],
    words: Annotated[list[str] | None, typer.Argument(help="words of a rule: its name, ID or origin")] = None,
    ruleset: Annotated[
        str | None, typer.Option("--ruleset", "--edition", help="A ruleset of the game.", show_default=False)
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON, one rule a line.", show_default=False)
    ] = False,
) -> None:
    """Every field of a game's ruleset: its value, where that comes from, and what it says."""
    record = load(game)
    chosen = record.ruleset(record.default_ruleset if ruleset is None else ruleset)
    found = [row for row in _rows(record, chosen) if all(_told(row, word) for word in words or [])]
    if not found:
        raise InputError(f"rules {game}: none has {' '.join(words or [])!r}")
    if as_json:
        for row in found:
            typer.echo(json.dumps(row))
        return
    typer.echo(f"{chosen.title}: set one with --rule NAME=VALUE")
    for row in found:
        value = str(row["value"]).lower() if isinstance(row["value"], bool) else row["value"]
        typer.echo(f"{row['rule']} = {value}  ({row['origin']}, {row['id']})")
        typer.echo(f"    {row['note']} It takes {row['takes']}.")


def _rows(record: Game, chosen: Ruleset[Any]) -> list[dict[str, Any]]:
    """All that is known of each field of a ruleset."""
    from mathhammer.core.checks import allowed

    return [
        {
            "rule": name,
            "value": getattr(chosen.values, name),
            "origin": of.origin,
            "id": of.rule,
            "note": of.note,
            "takes": allowed(record.rules, name),
        }
        for name, of in chosen.provenance.items()
    ]


def _told(row: dict[str, Any], word: str) -> bool:
    return word.lower().replace("-", "_") in f"{row['rule']} {row['id']} {row['origin']}".lower().replace(
        "-", "_"
    )


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
    width = max(map(len, table))
    for key, value in table.items():
        if key != "rules" and isinstance(value, dict):
            for name, fields in value.items():
                typer.echo(f"  {key}.{name}: {_pairs(fields) or 'as the others'}")
        else:
            typer.echo(f"  {key:<{width}} {_rules(table) if key == 'rules' else _cell(value)}")


def _show_many(game: Game, found: list[tuple[str, Any]]) -> None:
    from mathhammer.core.checks import written

    skipped = {"name", "source", "rules", "kind"}
    fields = [f for f in written(game.unit) if f not in skipped and any(f in t for _, t in found)]
    last = ["rules"] if any("rules" in table for _, table in found) else []
    rows = [
        [unit_id, *(_cell(raw.get(field)) for field in fields), *([_rules(raw)] if last else [])]
        for unit_id, raw in found
    ]
    left = {i for i, row in enumerate(zip(*rows, strict=True)) if any(c[:1].isalpha() for c in row)}
    write([Grid(["id", *fields, *last], rows, left=frozenset(left), styles={0: "bold"})])


def _cell(value: Any) -> str:
    """A value in a table: lists in words, of tables only their names."""
    if isinstance(value, list | dict):
        return ", ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)


def _pairs(fields: Any) -> str:
    return ", ".join(f"{name} {_cell(value)}" for name, value in fields.items())


def _rules(table: Any) -> str:
    return ", ".join(f"{name}={value}" for name, value in table.get("rules", {}).items())
