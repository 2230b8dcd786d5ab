"""Steps and plays: which steps fuse, what they record, what is read of a state."""

from __future__ import annotations

import numpy as np
import pytest

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Action, Change, Columns, Mark, Mask, Play, Step, fused
from mathhammer.kernels.pools import pool, successes

HITS, HARM = pool(successes(3)), pool(successes(4))
TEN = Law.constant(Pmf.point(10))


def _some(columns: Columns) -> Mask:
    some: Mask = columns["left"] > 0
    return some


dice = Step("dice", TEN, 0, "dice", rule="T-01", passing=True)
hits = Step("hits", HITS, "dice", "hits", rule="T-02", passing=True)
harm = Step("harm", HARM, "hits", "harm", rule="T-03", words=("none", "some"))


def steps(actions: list[Action]) -> list[Step]:
    """The steps of fused actions."""
    return [action for action in fused(actions) if isinstance(action, Step)]


def test_passing_steps_become_one_law() -> None:
    (whole,) = steps([dice, hits, harm])
    assert dict(whole.law.row(0)) == pytest.approx(dict(Pmf(0, [2 / 3, 1 / 3]).times(10)), abs=1e-12)
    assert (whole.name, whole.key, whole.update, whole.rule) == ("harm", 0, "harm", "T-03")


def test_a_fused_step_records_each_stage_by_its_own_law() -> None:
    (whole,) = steps([dice, hits, harm])
    assert [(stage.name, stage.rule, stage.words) for stage in whole.stages] == [
        ("dice", "T-01", ()),
        ("hits", "T-02", ()),
        ("harm", "T-03", ("none", "some")),
    ]
    assert [stage.law.row(0).mean for stage in whole.stages] == pytest.approx([10, 20 / 3, 10 / 3])


def test_a_fused_step_keeps_where_it_applies_and_what_is_stated_elsewhere() -> None:
    before = Step("hits", HITS, 10, "hits", _some, otherwise=3, passing=True)
    (whole,) = steps([before, Step("harm", HARM, "hits", "harm", _some, otherwise=8)])
    assert (whole.where, whole.otherwise) == (_some, 8)


def _doubled(columns: Columns, outcome: Ints) -> dict[str, Ints]:
    return {"hits": 2 * outcome}


@pytest.mark.parametrize(
    "actions",
    [
        [Step("hits", HITS, 10, "hits"), harm],
        [hits, Step("harm", HARM, "left", "harm")],
        [hits, Step("harm", HARM, lambda columns: columns["hits"], "harm")],
        [Step("hits", HITS, 10, "hits", _some, passing=True), harm],
        [hits, Step("harm", HARM, "hits", "harm", _some)],
        [hits, Change("none", lambda columns: {}), harm],
        [hits, Mark(1), harm],
        [Step("hits", HITS, 10, _doubled, passing=True), harm],
    ],
    ids=["kept", "other key", "function", "mask before", "mask after", "change", "mark", "other update"],
)
def test_what_cannot_be_one_law_stays_two(actions: list[Action]) -> None:
    """A step that is not passing, that the next does not read as it is, or applies to other rows."""
    assert len(steps(actions)) == 2
    assert len(fused(actions)) == len(actions)


def test_stages_know_their_round() -> None:
    actions: list[Action] = [harm, Mark(1), dice, hits, harm, Mark(2), harm]
    assert [[stage.round for stage in step.stages] for step in steps(actions)] == [[1], [2, 2, 2], [3]]


def test_fusing_leaves_the_play_as_it_is() -> None:
    actions: list[Action] = [dice, hits, harm]
    fused(actions)
    assert actions == [dice, hits, harm]
    assert not any(step.stages for step in (dice, hits, harm))


def test_a_play_reads_columns_and_functions_of_them() -> None:
    play = Play(
        start={"left": 0, "lost": 0},
        actions=[],
        measures={"left": "left", "all": lambda columns: columns["left"] + columns["lost"]},
        events={"some": _some},
    )
    read = play.read({"left": np.array([0, 2], dtype=np.int32), "lost": np.array([1, 1], dtype=np.int32)})
    assert {name: values.tolist() for name, values in read.items()} == {
        "left": [0, 2],
        "all": [1, 3],
        "some": [0, 1],
    }
    assert {values.dtype for values in read.values()} == {np.dtype(np.int32)}
