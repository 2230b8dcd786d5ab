"""The charge and what follows: break through, gale, riding on. Source: BF-02, BF-08, BF-09, BF-17."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Update, put
from mathhammer.games.battlefield.assault import Manner, attack_beat, flanking_terms
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
from mathhammer.games.battlefield.checks import Check, Term, kept, nerve_law, opposed_law, plain_law
from mathhammer.games.battlefield.melee import confusion
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.push import Behind, push_beats
from mathhammer.games.battlefield.ruleset import Rules
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
NERVE = ("confused", "shaken", "steady")
RIDES = ("passes by", "in melee")
ORDERS = ("attack", "break-in", "push", "attack-break-in", "break-through")


@dataclass(frozen=True)
class Path:
    """The way of a charge: cells charged, cells in enemies' zones, who is behind, who is ahead, how far."""

    cells: int
    order: str = "attack"
    zones: int = 0
    behind: Fighter | None = None
    ahead: Fighter | None = None
    gap: int = 0
    push_behind: Behind = "free"
    flanking: bool = False
    once: bool = False  # no second break through


# -- movement --------------------------------------------------------------------------------------
def speed(unit: Unit, rules: Rules) -> int:
    """Cells of one move action. Source: BF-17."""
    if unit.move is not None:
        return unit.move
    if unit.mount != "none":
        return rules.move_light if unit.mount == "light" else rules.move_heavy
    slow = unit.heavy_armour or unit.weapon == "heavy-crossbow"
    return rules.move_slow if slow else rules.move_foot


def reach(unit: Unit, zones: int, rules: Rules) -> int:
    """Cells that a charge may cover: twice the move, less what zones cost. Source: BF-02, BF-17."""
    far = 2 * speed(unit, rules)
    return far - zones * (rules.zone_cost - 1) if zones else far


def refuse_path(unit: Unit, path: Path, rules: Rules) -> None:
    """Raise `InputError` with a line for each thing that the rules do not let this charge do."""
    lines = [*_who_charges(unit, path), *_how_far(unit, path, rules), *_who_follows(unit, path, rules)]
    if lines:
        raise InputError(*lines)


def _who_charges(unit: Unit, path: Path) -> Iterator[str]:
    if unit.ranged:
        yield f"{unit.name} cannot charge with a {unit.weapon}: only melee weapons charge (BF-02)"
    if path.order == "break-through" and not unit.cavalry:
        yield f"--order break-through is for cavalry: {unit.name} on foot cannot ride through (BF-08)"
    if path.order == "attack-break-in" and not unit.cavalry:
        yield f"--order attack-break-in is for cavalry: {unit.name} on foot breaks in instead (BF-02)"
    if path.zones and not (unit.cavalry and unit.training.fast_riding):
        yield f"--zones is 0, not {path.zones}: only cavalry with training.fast_riding passes them (BF-17)"


def _how_far(unit: Unit, path: Path, rules: Rules) -> Iterator[str]:
    far = reach(unit, path.zones, rules)
    if path.cells > far:
        yield f"--cells is at most {far} for {unit.name}, twice its move less zones, not {path.cells} (BF-17)"
    elif path.order == "break-through" and path.cells + rules.through_cells > far:
        yield (
            f"--cells is at most {far - rules.through_cells} to break through, not {path.cells}: "
            f"the way through takes {rules.through_cells} of {far} cells (BF-08)"
        )


def _who_follows(unit: Unit, path: Path, rules: Rules) -> Iterator[str]:
    if path.order != "break-through" and (path.ahead is not None or path.behind is not None):
        yield f"--ahead, and --behind without a push, go with --order break-through, not {path.order} (BF-08)"
        return
    if path.ahead is None:
        return
    if path.behind is not None and not follows_up(unit, path, BESIDE, rules):
        yield (
            "--ahead beyond --behind needs a second break through: heavy cavalry with training.follow_up, "
            "and cells left (BF-08)"
        )
    elif cells_to_ahead(path, rules) > reach(unit, path.zones, rules):
        yield (
            f"--ahead is met after {cells_to_ahead(path, rules)} cells, but {unit.name} has "
            f"{reach(unit, path.zones, rules)} (BF-08)"
        )


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
    bonus = (Term("charging", charge_attack(unit, rules)), *flanking_terms(flanking, rules))
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
        return push_beats(battle, actor, target, path.push_behind, path.cells, where=ready)
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
    beats = [break_through_beat(battle, actor, target, path.cells, 1, held)]
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
    step = check.step(plain_law(battle.rules), update, is_open, THROUGH)
    return Beat(check.name, (step,), THROUGH, every(battle.acts(actor), battle.fights(target), where))


def gale_beat(battle: Battle, actor: Fighter, target: Fighter, where: Where) -> Beat:
    """What riding through does to a unit's nerve. Source: BF-09."""
    check = gale_check(battle, actor, target)
    law = nerve_law(battle.rules.gale_confused_by + 1, battle.rules)
    step = check.step(law, nerve_update(battle, actor, target), is_open, NERVE)
    return Beat(check.name, (step,), NERVE, every(battle.fights(target), where))


def nerve_update(battle: Battle, actor: Fighter, target: Fighter) -> Update:
    """Marks a test of nerve: 0 confused (by the actor), 1 shaken. Source: BF-09, BF-13."""
    shaken, confused = target.column("shaken"), target.column("confused")
    value = confusion(battle, actor)

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        marked = put(columns, outcome == 1, {shaken: 1}) | put(columns, outcome == 0, {confused: value})
        return noted(columns, outcome, marked)

    return update


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
    beats.append(break_through_beat(battle, actor, target, cells, 2, once))
    if actor.unit.training.gale:
        beats.append(gale_beat(battle, actor, target, twice))
    return beats


BESIDE = 1  # cells from the cell before the target to its own, beside the unit behind


def counted(path: Path, further: int, rules: Rules) -> int:
    """Cells that count in a check after a break through, so many cells further on. Source: BF-08."""
    if rules.follow_up_cells == "since":
        return further
    return path.cells + (further if rules.follow_up_cells == "all" else 0)


def follows_up(unit: Unit, path: Path, further: int, rules: Rules) -> bool:
    """Whether it breaks through once more, so many cells further on: trained, mounted. Source: BF-08."""
    if path.once or not unit.training.follow_up or unit.mount != "heavy":
        return False
    return path.cells + further + rules.through_cells <= reach(unit, path.zones, rules)


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
    check = ride_on_check(battle, actor, ahead)

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return noted(columns, outcome, joined(battle, actor, ahead, columns, outcome == 1))

    step = check.step(opposed_law(rules), update, is_open, RIDES)
    able = every(battle.acts(actor), battle.fights(ahead), free)
    return [Beat(check.name, (step,), RIDES, able)]


def cells_to_ahead(path: Path, rules: Rules) -> int:
    """Cells ridden until the enemy ahead is met. Source: BF-08."""
    return path.cells + rules.through_cells + (0 if path.behind is None else BESIDE) + path.gap
