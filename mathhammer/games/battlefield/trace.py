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
    population, limit = Exact(), EXACT_ROWS if most is None else most
    ensemble = Ensemble.start(start, population)
    for beat in beats:
        for action in beat.actions:
            if isinstance(action, Step):
                ensemble, rest = ensemble.advance(action, population, limit)
                if rest is not None:
                    raise ExactLimitError(f"the branches pass {limit:,} states at once")
            else:
                ensemble = ensemble.changed(action)
        yield beat, ensemble


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
