"""A battle as a tree: every way that its parts may come out, with the chance of each, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mathhammer.core.ensemble import Ensemble, Exact
from mathhammer.core.errors import ExactLimitError
from mathhammer.core.steps import Step
from mathhammer.games.battlefield.state import Beat

INDENT = "  "
EXACT_ROWS = 250_000  # states at once: of many steps each, more would take minutes
UNITS_ROWS = 1_000_000  # without their branches, for what becomes of each unit


@dataclass(frozen=True)
class Node:
    """One way that a part came out: where in the tree, which part, in what words, with what chance."""

    parent: int
    depth: int
    label: str
    word: str
    p: float


ROOT = Node(-1, 0, "", "", 1.0)


def played(
    start: Mapping[str, int], beats: Sequence[Beat], most: int | None = None
) -> Iterator[tuple[Beat, Ensemble]]:
    """The exact states after each part. Raises `ExactLimitError` where there are more than `most`."""
    ensemble = Ensemble.start(start, Exact())
    for beat in beats:
        ensemble = after(beat, ensemble, EXACT_ROWS if most is None else most)
        yield beat, ensemble


def after(beat: Beat, ensemble: Ensemble, most: int) -> Ensemble:
    """The exact states after one part. Raises `ExactLimitError` where there are more than `most`."""
    for action in beat.actions:
        if isinstance(action, Step):
            ensemble, rest = ensemble.advance(action, Exact(), most)
            if rest is not None:
                raise ExactLimitError(f"the branches pass {most:,} states at once")
        else:
            ensemble = ensemble.changed(action)
    return ensemble


def ended(start: Mapping[str, int], beats: Sequence[Beat]) -> Ensemble:
    """The exact states at the end. Raises `ExactLimitError` where there are too many."""
    whole = Beat("", tuple(action for beat in beats for action in beat.actions), ())
    ((_, states),) = played(start, [whole])
    return states


def tree(start: Mapping[str, int], beats: Sequence[Beat]) -> list[Node]:
    """All branches, the root first; a part that does not take place in a state makes none there."""
    nodes = [ROOT]
    for beat, ensemble in played({**start, "branch": 0}, beats):
        grow(nodes, beat, ensemble)
    return nodes


def pruned_tree(
    start: Mapping[str, int], beats: Sequence[Beat], most: int = EXACT_ROWS
) -> tuple[list[Node], dict[int, float]]:
    """As `tree`; where there are more than `most` states, the rarest branches are not followed further.

    These stay in the tree as they were; by number, the chance of what is no longer followed of each.
    """
    nodes, given_up = [ROOT], dict[int, float]()
    ensemble = Ensemble.start({**start, "branch": 0}, Exact())
    for beat in beats:
        following = None
        while following is None:
            try:
                following = after(beat, ensemble, most)
            except ExactLimitError:
                ensemble = _without_rarest(ensemble, given_up)
        grow(nodes, beat, following)
        ensemble = following
    return nodes, given_up


def _without_rarest(ensemble: Ensemble, given_up: dict[int, float]) -> Ensemble:
    """All but the rarest quarter of the branches. Raises `ExactLimitError` where there is only one."""
    branches = ensemble.columns["branch"]
    chances = np.bincount(branches, ensemble.weights)
    ranked = np.argsort(-chances, kind="stable")[: np.count_nonzero(chances)]
    if len(ranked) == 1:
        raise ExactLimitError("one branch alone has too many states to be drawn")
    rarest = ranked[-max(1, len(ranked) // 4) :]
    given_up.update(zip(rarest.tolist(), chances[rarest].tolist(), strict=True))
    return ensemble.part(~np.isin(branches, rarest))


def grow(nodes: list[Node], beat: Beat, ensemble: Ensemble) -> None:
    """New branches for a part that was just played; each state's `branch` is brought up to date."""
    last = ensemble.columns["last"]
    if not beat.words or (beat.quiet and len(np.unique(last[last > 0])) < 2):
        return
    width = len(beat.words) + 1
    codes = ensemble.columns["branch"].astype(np.int64) * width + last
    seen, index = np.unique(codes, return_inverse=True)
    weights = np.bincount(index.ravel(), ensemble.weights)
    renamed = np.zeros(len(seen), dtype=np.int32)
    for i, (code, weight) in enumerate(zip(seen.tolist(), weights.tolist(), strict=True)):
        branch, outcome = divmod(code, width)
        renamed[i] = branch
        if outcome:
            renamed[i] = len(nodes)
            nodes.append(Node(branch, nodes[branch].depth + 1, beat.label, beat.words[outcome - 1], weight))
    ensemble.columns["branch"] = renamed[index.ravel()]


def branch_rows(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """The tree as rows, depth first: what is done, how it comes out, how likely then and in all."""
    rows: list[dict[str, Any]] = []
    for number in in_order(nodes):
        node = nodes[number]
        then = node.p / nodes[node.parent].p
        rows.append(
            {"action": INDENT * (node.depth - 1) + node.label, "outcome": node.word}
            | {"chance then": round(then, 12), "chance": node.p}
        )
    return rows


def in_order(nodes: Sequence[Node]) -> list[int]:
    """The numbers of all nodes but the root, each after its parent, branches together."""
    children: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        children.setdefault(node.parent, []).append(number)
    order, waiting = [], list(reversed(children.get(0, [])))
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(children.get(order[-1], []))
    return order
