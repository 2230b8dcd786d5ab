"""The charge and what follows: break through, gale, riding on. Source: BF-02, BF-08, BF-09, BF-17."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, Play, always, put
from mathhammer.games.battlefield.assault import STRUCK, Manner, attack_beat, flanking_terms
from mathhammer.games.battlefield.break_in import (
    Orders,
    break_in_beat,
    charge_attack,
    charge_terms,
    exposed_terms,
    formation_terms,
    joined,
    long_arms,
    met_terms,
)
from mathhammer.games.battlefield.checks import Check, Term, kept, opposed_law, plain_law
from mathhammer.games.battlefield.nerve import flank_beats, nerve_beat
from mathhammer.games.battlefield.path import (
    BESIDE,
    Path,
    cells_to_ahead,
    counted,
    follows_up,
    reach,
    refuse_path,
    speed,
)
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.push import push_beats
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.scenes import Scene, battle_of, damage, only, pair, told
from mathhammer.games.battlefield.situations import Charge
from mathhammer.games.battlefield.state import (
    Battle,
    Beat,
    Fighter,
    Masked,
    Where,
    every,
    holding,
    inverted,
    is_open,
    noted,
)
from mathhammer.games.battlefield.volleys import Blow, mood_terms

THROUGH = ("held", "through")
RIDES = ("passes by", "in melee")


# -- checks ----------------------------------------------------------------------------------------
def break_through_check(battle: Battle, actor: Fighter, target: Fighter, cells: int) -> Check:
    """The check to break through. Source: BF-08."""
    rules, own, enemy = battle.rules, actor.unit, target.unit
    orders: Orders = {"dense": rules.break_through_dense, "shield-and-spear": rules.break_through_shields}
    terms = kept(
        Term(f"attack of {own.name}", own.attack),
        *mood_terms(battle, actor),
        *charge_terms(own, cells, rules),
        Term("training", rules.break_through_training if own.training.break_through else 0),
        Term("break through", rules.break_through_base, against=True),
        *met_terms(own, enemy, rules),
        *mood_terms(battle, target, against=True),
        *formation_terms(battle, target, orders),
        *long_arms(own, enemy, rules.break_through_spears, rules.break_through_pikes),
    )
    return Check(f"{actor.name} breaks through {target.name}", "BF-08", terms)


def gale_check(battle: Battle, actor: Fighter, target: Fighter) -> Check:
    """The test of the unit that was broken through. Source: BF-09."""
    rules = battle.rules
    terms = kept(
        Term(f"command of {target.unit.name}", target.unit.command),
        Term(f"soldiers of {target.unit.name}", target.unit.soldiers),
        Term("gale", rules.gale_base, against=True),
        Term(f"attack of {actor.unit.name}", actor.unit.attack, against=True),
        *(replace(term, against=True) for term in charge_terms(actor.unit, 1, rules, per_cell=False)),
        *mood_terms(battle, actor, against=True),
    )
    return Check(f"{target.name} after the gale", "BF-09", terms)


def ride_on_check(battle: Battle, actor: Fighter, target: Fighter) -> Check:
    """The opposed check to catch an enemy ahead. Source: BF-08."""
    terms = kept(
        Term(f"attack of {actor.unit.name}", actor.unit.attack),
        *mood_terms(battle, actor),
        *charge_terms(actor.unit, 1, battle.rules, per_cell=False),
        *met_terms(actor.unit, target.unit, battle.rules),
        *mood_terms(battle, target, against=True),
    )
    return Check(f"{actor.name} rides on into {target.name}", "BF-08", terms, opposed=True)


# -- beats -----------------------------------------------------------------------------------------
def charge_manner(actor: Fighter, target: Fighter, rules: Rules, *, flanking: bool = False) -> Manner:
    """The three attacks of a charge. Source: BF-02."""
    unit = actor.unit
    bonus = (Term("charging", charge_attack(unit, rules)), *flanking_terms(flanking, unit, rules))
    lances = unit.cavalry and unit.weapon == "lance"
    factor = Fraction(rules.lance_factor if lances else 1)
    return Manner(
        Blow(rules.charge_rolls, factor, bonus=kept(*bonus), rule="BF-02"),
        exposed=exposed_terms(unit, target.unit, rules),
    )


def charge_beats(
    battle: Battle, actor: Fighter, target: Fighter, path: Path, *, where: Where = None
) -> list[Beat]:
    """A charge and all that its order lets follow. Raises `InputError`. Source: BF-02, BF-03, BF-07."""
    refuse_path(actor.unit, path, battle.rules)
    ready = every(inverted(battle.inside(actor)), where)
    if path.order == "break-in":
        return [break_in_beat(battle, actor, target, path.cells, where=ready)]
    if path.order == "push":
        return push_beats(battle, actor, target, path.behind, path.cells, blocked=path.blocked, where=ready)
    manner = charge_manner(actor, target, battle.rules, flanking=path.flanking)
    label = f"{actor.name} charges {target.name}"
    attack = attack_beat(battle, actor, target, manner, label=label, where=ready)
    if path.order == "attack-break-in":
        return [attack, break_in_beat(battle, actor, target, path.cells, where=ready)]
    if path.order == "break-through":
        return [attack, *through_beats(battle, actor, target, path, ready)]
    return [attack]


def through_beats(battle: Battle, actor: Fighter, target: Fighter, path: Path, where: Where) -> list[Beat]:
    """Break through, gale, the unit behind or ahead; the break-in of a failure. Source: BF-08."""
    held = every(is_through(actor, 0), where)
    beats = way_free_beats(battle, actor, target, 1, held)
    beats.append(break_through_beat(battle, actor, target, path.cells, 1, held))
    if actor.unit.training.gale:
        beats.append(gale_beat(battle, actor, target, every(is_through(actor, 1), where)))
    beats.append(break_in_beat(battle, actor, target, path.cells, where=held))
    if path.behind is not None:
        beats += behind_beats(battle, actor, target, path.behind, path, where)
    if path.ahead is not None:
        beats += ahead_beats(battle, actor, path.ahead, path, where)
    return beats


def is_through(actor: Fighter, times: int) -> Masked:
    """States in which it has broken through so many units."""
    return holding(actor.column("through"), times)


def break_through_beat(
    battle: Battle, actor: Fighter, target: Fighter, cells: int, times: int, where: Where
) -> Beat:
    """One try to break through, the first or the second. Source: BF-08."""
    column = actor.column("through")

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return noted(columns, outcome, put(columns, outcome == 1, {column: times}))

    check = break_through_check(battle, actor, target, cells)
    able = every(battle.acts(actor), battle.fights(target), where)
    return check.beat(plain_law(battle.rules), update, THROUGH, able)


def way_free_beats(battle: Battle, actor: Fighter, target: Fighter, times: int, where: Where) -> list[Beat]:
    """Right after an attack that destroyed the unit: nobody is there to be broken through. Source: BF-08."""
    if not battle.rules.fallen_clear_way:
        return []
    column = actor.column("through")

    def ride(columns: Columns) -> dict[str, Ints]:
        return {**put(columns, is_open(columns), {column: times}), "last": columns["open"]}

    label = f"{actor.name} rides over {target.name}"
    fell = every(battle.acts(actor), holding("last", 1 + STRUCK.index("destroyed")), where)
    return [Beat(label, (Change(label, ride),), ("the way is free",), fell)]


def gale_beat(battle: Battle, actor: Fighter, target: Fighter, where: Where) -> Beat:
    """What riding through does to a unit's nerve. Source: BF-09."""
    check, confused_from = gale_check(battle, actor, target), battle.rules.gale_confused_by + 1
    return nerve_beat(battle, actor, target, check, confused_from, where)


def behind_beats(
    battle: Battle,
    actor: Fighter,
    target: Fighter,
    behind: Fighter,
    path: Path,
    where: Where,
) -> list[Beat]:
    """The unit behind: a second break through by those trained, and a break-in. Source: BF-08."""
    once = every(is_through(actor, 1), where)
    cells = counted(path, BESIDE, battle.rules)
    beats: list[Beat] = []
    if follows_up(actor.unit, path, BESIDE, battle.rules):
        beats = second_beats(battle, actor, behind, cells, where)
    return [*beats, break_in_beat(battle, actor, behind, cells, where=once, instead=target)]


def second_beats(battle: Battle, actor: Fighter, target: Fighter, cells: int, where: Where) -> list[Beat]:
    """A second break through, with its gale. Source: BF-08, BF-09."""
    once, twice = (every(is_through(actor, times), where) for times in (1, 2))
    beats: list[Beat] = []
    if battle.rules.follow_up_attacks:
        manner = charge_manner(actor, target, battle.rules)
        beats.append(attack_beat(battle, actor, target, manner, where=once))
        beats += way_free_beats(battle, actor, target, 2, once)
    beats.append(break_through_beat(battle, actor, target, cells, 2, once))
    if actor.unit.training.gale:
        beats.append(gale_beat(battle, actor, target, twice))
    return beats


def ahead_beats(battle: Battle, actor: Fighter, ahead: Fighter, path: Path, where: Where) -> list[Beat]:
    """Riding on after the last break through, into an enemy ahead. Source: BF-08.

    Those who break through once more do so instead of the check to enter melee; failing it they break in.
    """
    rules, times = battle.rules, 1 if path.behind is None else 2
    further = cells_to_ahead(path, rules) - path.cells
    cells = counted(path, further, rules)
    free = every(is_through(actor, times), where)
    breaks_in = break_in_beat(battle, actor, ahead, cells, where=free)
    if path.behind is None and follows_up(actor.unit, path, further, rules):
        return [*second_beats(battle, actor, ahead, cells, where), breaks_in]
    if rules.ride_on_check == "break_in":
        return [breaks_in]

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return noted(columns, outcome, joined(battle, actor, ahead, columns, outcome == 1))

    able = every(battle.acts(actor), battle.fights(ahead), free)
    return [ride_on_check(battle, actor, ahead).beat(opposed_law(rules), update, RIDES, able)]


# -- the mode --------------------------------------------------------------------------------------
def charge_scene(matchup: Matchup) -> Scene:
    """A charge and what follows. Raises `InputError`. Source: BF-02, BF-03, BF-07 to BF-09."""
    situation: Charge = matchup.situation
    us, them = pair(matchup)
    behind, ahead = (only(matchup, role) for role in ("behind", "ahead"))
    fighters = [us, them, *(fighter for fighter in (behind, ahead) if fighter)]
    battle = battle_of(
        matchup.rules, fighters, nerves=us.unit.training.gale, morales=situation.flank != "none"
    )
    path = path_of(us.unit, situation, behind, ahead, matchup.rules)
    start = battle.start("melee", "through", "shaken", "confused", "unformed", "pushed", "morale")
    beats = [*charge_beats(battle, us, them, path), *flank_beats(battle, them, situation.flank)]
    return Scene(battle, start, beats)


def path_of(
    unit: Unit, situation: Charge, behind: Fighter | None, ahead: Fighter | None, rules: Rules
) -> Path:
    """The way of the charge, as the situation says. Raises `InputError`."""
    if situation.blocked and (situation.order != "push" or behind):
        raise InputError("--blocked goes with --order push, without --behind (BF-07)")
    if situation.gap and ahead is None:
        raise InputError("--gap goes with --ahead: it is the way to that unit (BF-08)")
    return Path(
        cells=cells_of(unit, situation, rules),
        order=situation.order,
        zones=situation.zones,
        behind=behind,
        ahead=ahead,
        gap=situation.gap,
        blocked=situation.blocked,
        flanking=situation.flank != "none",
        once=situation.once,
    )


def cells_of(unit: Unit, situation: Charge, rules: Rules) -> int:
    """The cells charged: as told, else one move, or what leaves room to break through."""
    if situation.cells is not None:
        return situation.cells
    room = reach(unit, situation.zones, rules)
    if situation.order == "break-through":
        room -= rules.through_cells
    return max(1, min(speed(unit, rules), room))


def charge(matchup: Matchup) -> Play:
    """The play of a charge. Source: BF-02, BF-03, BF-07 to BF-09."""
    scene = charge_scene(matchup)
    battle, us, them = scene.battle, scene.fighter("attacker"), scene.fighter("defender")
    met = {f"{f.name}.melee": every(battle.beside(f, us), battle.fights(us)) for f in scene.others}
    return scene.play(
        {
            **told(scene, "damage", "attacker.damage"),
            "others.damage": damage(*scene.others),
            **told(scene, "morale"),
        },
        {
            **told(scene, "destroyed", "rout"),
            "break_through": every(inverted(is_through(us, 0)), inverted(partial(battle.destroyed, them))),
            "second_break_through": is_through(us, 2),
            **told(scene, "melee"),
            "behind.melee": met.get("behind.melee", always(0)),
            "ahead.melee": met.get("ahead.melee", always(0)),
            **told(scene, "pushed", "unformed", "shaken", "confused"),
            "repelled": partial(repelled, battle, us, them),
            **told(scene, "attacker.destroyed"),
        },
    )


def repelled(battle: Battle, us: Fighter, them: Fighter, columns: Columns) -> Mask:
    """Nothing came of it: the target stands where it stood, and the charger before it, outside a melee."""
    moved_on = (columns[us.column("through")] > 0) | (columns[them.column("pushed")] > 0)
    gone = battle.destroyed(them, columns) | battle.destroyed(us, columns) | battle.routed(them, columns)
    mask: Mask = ~(moved_on | gone | battle.inside(us)(columns))
    return mask
