"""Sweeps, comparisons, inverses and armies work in every mode of every game, where they make sense."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

import mathhammer
from mathhammer.analysis.fields import first_role, names, target_role
from mathhammer.games import load
from tests.contract.games import all_samples
from tests.contract.test_contract import label

FIRST = {
    (game, mode): (game, mode, units, options) for game, mode, units, options in reversed(list(all_samples()))
}
SAMPLES = list(FIRST.values())
TWO_SIDED = [
    sample
    for sample in SAMPLES
    if len(sample[2]) == 2 and target_role(load(sample[0]).mode(sample[1])) is not None
]


@pytest.mark.parametrize("sample", SAMPLES, ids=label)
def test_a_sweep_of_one_is_the_single_answer(sample: Any) -> None:
    game, mode, units, options = sample
    table = mathhammer.sweep(game, mode, *units, engine="exact", **options)
    alone = mathhammer.exact(game, mode, *units, **options)
    (row,) = table.done
    for wanted, value in zip(table.sweep.wanted, row.values, strict=True):
        assert value == wanted.read(alone, "exact")[0]


@pytest.mark.parametrize("sample", SAMPLES, ids=label)
def test_simulated_rows_are_single_answers_with_equal_seeds(sample: Any) -> None:
    game, mode, units, options = sample
    asked: dict[str, Any] = {"trials": 500, "seed": 4, "engine": "simulate", **options}
    (row,) = mathhammer.sweep(game, mode, *units, **asked).done
    alone = mathhammer.simulate(game, mode, *units, **asked)
    table = mathhammer.sweep(game, mode, *units, **asked)
    assert [wanted.read(alone, "simulated")[0] for wanted in table.sweep.wanted] == list(row.values)


@pytest.mark.parametrize("sample", SAMPLES, ids=label)
def test_units_vary_in_every_role(sample: Any) -> None:
    game, mode, units, options = sample
    role = first_role(load(game).mode(mode))
    if role is None:
        pytest.skip("a mode without units")
    some = load(game).catalogue.ids()[:3]
    table = mathhammer.sweep(
        game, mode, *units, over={role.name: some}, engine="simulate", trials=20, **options
    )
    assert len(table) == len(some)
    assert {axis.name for axis in table.sweep.grid.axes} == {role.name}


@pytest.mark.parametrize("sample", SAMPLES, ids=label)
def test_every_mode_has_names_that_vary_and_a_main_event(sample: Any) -> None:
    game, mode, _, _ = sample
    record = load(game).mode(mode)
    assert names(load(game), record)
    found = mathhammer.worth(game, mode, *sample[2], engine="simulate", trials=50, **sample[3])
    assert 0 <= found.base.values[0] <= 1


@pytest.mark.parametrize("sample", TWO_SIDED, ids=label)
def test_candidates_are_compared_and_armies_planned(sample: Any) -> None:
    game, mode, (mine, theirs), options = sample
    if any(role.many and options.get(f"{role.name}_") for role in load(game).mode(mode).roles):
        pytest.skip("others are with the first unit")
    record = load(game)
    others = [unit for unit in record.catalogue.ids()[:2] if unit != mine]
    found = mathhammer.compare(game, mode, [mine, *others], [theirs], engine="simulate", trials=50, **options)
    assert len(found.lines) + len(found.table.failed) == 1 + len(others)
    if "points" in record.unit.model_fields:
        asked: dict[str, Any] = {"budget": 10**6, "team": 1, "engine": "simulate", "trials": 200, **options}
        with suppress(mathhammer.InputError):  # points are not known, or nothing is gained
            assert mathhammer.army(game, mode, mine, theirs, **asked).best.fights[0].enemy
