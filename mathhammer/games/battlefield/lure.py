"""Luring a unit out of its cell. Source: BF-10."""

from __future__ import annotations

from fractions import Fraction

from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Play, put
from mathhammer.games.battlefield.break_in import joined
from mathhammer.games.battlefield.checks import Check, Term, kept, opposed_law
from mathhammer.games.battlefield.outnumber import FOUR_TIMES, TWICE, over
from mathhammer.games.battlefield.scenes import Scene, battle_of, pair, told
from mathhammer.games.battlefield.situations import Lure
from mathhammer.games.battlefield.state import Battle, Beat, Fighter, Where, every, holding, is_open, noted
from mathhammer.games.battlefield.volleys import counter

LURES = ("sees through it", "lured")


def lure_check(battle: Battle, actor: Fighter, target: Fighter) -> Check:
    """Bluff against sense motive with command + soldiers. Source: BF-10."""
    rules, own, enemy = battle.rules, actor.unit, target.unit
    smaller: tuple[tuple[Fraction, int], ...] = (
        (TWICE, rules.lure_under_half),
        (FOUR_TIMES, rules.lure_under_quarter),
    )
    terms = kept(
        Term(f"bluff of {own.name}", own.bluff),
        Term("ranged weapons", rules.lure_ranged if own.ranged else 0),
        Term("training", rules.lure_training if own.training.lure else 0),
        over(battle, target, actor, smaller),
        Term(f"sense motive of {enemy.name}", enemy.sense_motive, against=True),
        Term(f"command of {enemy.name}", enemy.command, against=True),
        Term(f"soldiers of {enemy.name}", enemy.soldiers, against=True),
        over(battle, actor, target, smaller, against=True),
    )
    return Check(f"{actor.name} lures {target.name}", "BF-10", terms, opposed=True)


def lure_beat(
    battle: Battle,
    actor: Fighter,
    target: Fighter,
    *,
    stay: bool = False,
    where: Where = None,
) -> Beat:
    """The target takes our cell (and is in melee with us if we stay), or strikes a counter. Source: BF-10."""
    column = target.column("lured")

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        met = joined(battle, actor, target, columns, outcome == 1) if stay else {}
        return noted(columns, outcome, met | put(columns, outcome == 1, {column: 1}))

    back = counter(battle, target, actor, every(is_open, holding("last", 1)))
    able = every(battle.acts(actor), battle.fights(target), where)
    return lure_check(battle, actor, target).beat(opposed_law(battle.rules), update, LURES, able, *back)


# -- the mode --------------------------------------------------------------------------------------
def lure_scene(matchup: Matchup) -> Scene:
    """A lure. Source: BF-10."""
    situation: Lure = matchup.situation
    us, them = pair(matchup)
    battle = battle_of(matchup.rules, [us, them])
    start = battle.start("melee", "lured")
    return Scene(battle, start, [lure_beat(battle, us, them, stay=situation.stay)])


def lure(matchup: Matchup) -> Play:
    """The play of a lure. Source: BF-10."""
    scene = lure_scene(matchup)
    return scene.play(told(scene, "attacker.damage"), told(scene, "lured", "melee", "attacker.destroyed"))
