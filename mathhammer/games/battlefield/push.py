"""Pushing a unit back a cell. Source: BF-07."""

from __future__ import annotations

from functools import partial

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Mask, Play, always, cleared, put
from mathhammer.games.battlefield.break_in import charge_terms
from mathhammer.games.battlefield.checks import Check, Term, graded, kept, plain_law
from mathhammer.games.battlefield.outnumber import FOUR_TIMES, TWICE, over
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.scenes import Scene, is_set, only, pair, told
from mathhammer.games.battlefield.situations import Push
from mathhammer.games.battlefield.state import (
    Battle,
    Beat,
    Fighter,
    Masked,
    Where,
    every,
    holding,
    noted,
)
from mathhammer.games.battlefield.volleys import mood_terms

PUSHES = ("holds", "pushed", "pushed and broken up")
BLOCKED = ("holds", "holds", "broken up")
INTO = ("holds", "gives way", "gives way, broken up")
SECOND = ("stands behind", "both pushed together")


def push_levels(rules: Rules) -> tuple[int, int]:
    """The margins that push, and that break up the formation. Source: BF-07."""
    beaten = rules.push_beaten_by + (1 if rules.margin_10 == "more" else 0)
    return 0, max(0, beaten)


def push_check(battle: Battle, actor: Fighter, target: Fighter, cells: int, *, into: bool = False) -> Check:
    """The check to push a unit; `into`: into another one. Source: BF-07."""
    rules = battle.rules
    bigger = ((TWICE, rules.push_over_twice), (FOUR_TIMES, rules.push_over_four))
    terms = kept(
        Term(f"attack of {actor.unit.name}", actor.unit.attack),
        *mood_terms(battle, actor),
        *charge_terms(actor.unit, cells, rules),
        Term("training", rules.push_training if actor.unit.training.push else 0),
        over(battle, actor, target, bigger),
        over(battle, target, actor, ((TWICE, rules.push_under_half),)),
        Term("into another unit", rules.push_into_another if into else 0),
        Term(f"defence of {target.unit.name}", target.unit.defence, against=True),
    )
    return Check(f"{actor.name} pushes {target.name}", "BF-07", terms)


def push_beats(
    battle: Battle,
    actor: Fighter,
    target: Fighter,
    behind: Fighter | None = None,
    cells: int = 0,
    *,
    blocked: bool = False,
    where: Where = None,
) -> list[Beat]:
    """The push, and where a unit stands behind, the second check against that one. Source: BF-07."""
    able = every(battle.acts(actor), battle.fights(target), where)
    if behind is not None:
        return _into_another(battle, actor, target, behind, cells, every(able, battle.fights(behind)))
    law = graded(push_levels(battle.rules), battle.rules.natural_check)

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        moved = {} if blocked else _marked(columns, [target], "pushed", outcome >= 1)
        return noted(columns, outcome, moved | _marked(columns, [target], "unformed", outcome == 2))

    words = BLOCKED if blocked else PUSHES
    return [push_check(battle, actor, target, cells).beat(law, update, words, able)]


def _marked(columns: Columns, fighters: list[Fighter], what: str, where: Mask) -> dict[str, Ints]:
    return put(columns, where, {f.column(what): 1 for f in fighters})


def _into_another(
    battle: Battle, actor: Fighter, target: Fighter, behind: Fighter, cells: int, where: Masked
) -> list[Beat]:
    """Two checks; both must succeed, and then both are in one cell, out of formation. Source: BF-07."""
    rules = battle.rules

    def first(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        broken = (outcome == 2) & rules.push_breaks_up_anyway
        marked = _marked(columns, [target], "unformed", broken)
        return noted(columns, outcome, marked | {"pick": (outcome >= 1).astype(np.int32)})

    def second(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        both = _marked(columns, [target, behind], "unformed", outcome == 1)
        return noted(columns, outcome, both | _marked(columns, [target], "pushed", outcome == 1))

    law = graded(push_levels(rules), rules.natural_check)
    one, two = (push_check(battle, actor, hit, cells, into=True) for hit in (target, behind))
    return [
        one.beat(law, first, INTO, where),
        two.beat(plain_law(rules), second, SECOND, holding("pick", 1), cleared("pick")),
    ]


# -- the mode --------------------------------------------------------------------------------------
def push_scene(matchup: Matchup) -> Scene:
    """A push in place. Raises `InputError`. Source: BF-07."""
    situation: Push = matchup.situation
    us, them = pair(matchup)
    behind = only(matchup, "behind")
    if behind and situation.blocked:
        raise InputError("--blocked and --behind: the cell behind is blocked, or a unit stands in it (BF-07)")
    battle = Battle((us, them, *([behind] if behind else [])), matchup.rules)
    beats = push_beats(battle, us, them, behind, blocked=situation.blocked)
    return Scene(battle, battle.start("pushed", "unformed"), beats)


def push(matchup: Matchup) -> Play:
    """The play of a push. Source: BF-07."""
    scene = push_scene(matchup)
    behind = {f"{f.name}.unformed": is_set(f, "unformed") for f in scene.others}
    events = told(scene, "pushed", "unformed") | {"behind.unformed": always(0), **behind}
    return scene.play({}, events | {"holds": partial(holds, scene.fighter("defender"))})


def holds(fighter: Fighter, columns: Columns) -> Mask:
    """Whether it stands, in formation."""
    mask: Mask = (columns[fighter.column("pushed")] == 0) & (columns[fighter.column("unformed")] == 0)
    return mask
