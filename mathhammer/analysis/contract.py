"""The JSON contract: one answer as plain data. Keys are added, never renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.analysis.statistics import mean, mean_error, sd, wilson
from mathhammer.core.version import VERSION

if TYPE_CHECKING:
    from mathhammer.analysis.result import Result, Source


def contract(result: Result) -> dict[str, Any]:
    """A result as the JSON object of the interface."""
    question = result.question
    return {
        "game": question.game.id,
        "mode": question.mode.name,
        "units": {role.name: _units(result, role.name, role.many) for role in question.mode.roles},
        "situation": question.situation.model_dump(mode="json"),
        "ruleset": _ruleset(result),
        "trials": result.trials if result.simulated else None,
        "seed": result.seed if result.simulated else None,
        "measures": {name: _measure(result, name, None) for name in result.measures},
        "events": {name: _event(result, name, None) for name in result.events},
        "by_round": by_round(result),
        "tables": result.tables | ({"stages": result.stages()} if _stages(result) else {}),
        "captions": result.captions,
        "assumptions": result.assumptions,
        "notes": result.notes,
        "cut": result.cut,
        "version": VERSION,
    }


def _stages(result: Result) -> bool:
    witness = result.exact or result.simulated
    return bool(witness and witness.stages)


def _units(result: Result, role: str, many: bool) -> Any:
    placed = [{**p.unit.model_dump(mode="json"), **p.placing} for p in result.question.units[role]]
    return placed if many else placed[0]


def _ruleset(result: Result) -> dict[str, Any]:
    question = result.question
    values = question.ruleset.values
    return {
        "name": question.ruleset_name,
        "title": question.ruleset.title,
        "read": {key: getattr(values, key) for key in question.ruleset.provenance if key in result.read},
    }


def by_round(result: Result) -> list[dict[str, Any]]:
    """Measures and events at the end of each round (none for modes of one round)."""
    return [
        {
            "round": mark + 1,
            "measures": {name: _measure(result, name, mark) for name in result.measures},
            "events": {name: _event(result, name, mark) for name in result.events},
        }
        for mark in range(result.rounds)
    ]


def _pmf(result: Result, name: str, source: Source, mark: int | None) -> dict[int, float]:
    witness = getattr(result, source)
    pmf: dict[int, float] = witness.pmf(name) if mark is None else witness.at_round(mark, name)
    return pmf


def _measure(result: Result, name: str, mark: int | None) -> dict[str, Any]:
    record = next(m for m in result.question.mode.measures if m.name == name)
    told: dict[str, Any] = {"side": record.side, "unit": record.unit}
    for source in result.sources:
        pmf = _pmf(result, name, source, mark)
        told[source] = {"mean": mean(pmf)}
        if source == "simulated":
            told[source]["mean_se"] = mean_error(pmf, result.trials)
        told[source] |= {"sd": sd(pmf), "pmf": [[value, p] for value, p in pmf.items()]}
    return told


def _event(result: Result, name: str, mark: int | None) -> dict[str, Any]:
    record = next(e for e in result.question.mode.events if e.name == name)
    told: dict[str, Any] = {"side": record.side}
    for source in result.sources:
        p = _pmf(result, name, source, mark).get(1, 0.0)
        told[source] = {"p": p}
        if source == "simulated":
            told[source]["low"], told[source]["high"] = wilson(p, result.trials)
    return told
