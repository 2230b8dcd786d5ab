"""A literal referee for Confrontation: The Age of the Rag'Narok: it throws one die at a time.

It is a second witness for the exact engine, so it shares nothing with it. Each function plays one trial.
Source: AOR-01 to AOR-30. Where the page leaves a choice open, the docstring says "Taken:" and what.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, cos, floor, hypot, inf, radians, sin
from random import Random

Rules = Mapping[str, object]

PAGE: dict[str, object] = {
    # AOR-01: (lowest action value - difficulty of the column, score needed); 1 always, 7 never
    "resolution_table": ((6, 1), (4, 2), (2, 3), (-1, 4), (-3, 5), (-5, 6), (-inf, 7)),
    # AOR-02: "chain", "once", "none"
    "bonus_die": "chain",
    # AOR-04: "slowest", "fastest"
    "mixed_movement": "slowest",
    # AOR-05: "failures", "one_die", "all"; "below_mean", "no_success"
    "charge_reroll": "failures",
    "all_again": "below_mean",
    # AOR-07: "floor", "lower_at_border"
    "range_band": "floor",
    # AOR-09: "least_damage", "nearest"
    "volley_order": "least_damage",
    # AOR-10: "all_dice", "original_dice"; "times_successes", "plus_successes", "times_dice"
    "drift_counts": "all_dice",
    "area_growth": "times_successes",
    # AOR-15: "one_die", "full_dice"
    "cry_havoc": "one_die",
    # AOR-20: "swap_roles", "swap_places"
    "kill_them_all": "swap_roles",
    # AOR-21: "at_or_below", "below"; "now", "next"
    "half_strength": "at_or_below",
    # "this_round", "next_activation"
    "fearsome_charge": "this_round",
    "flee_on_fail": "now",
    # AOR-23: "phase_end", "activation"
    "rally_timing": "phase_end",
    "rally_tests_half": False,
    # AOR-24: "usable", "any"
    "nearest_staff": "usable",
    # AOR-28: "total_spent", "base"
    "cancel_cost": "total_spent",
    # AOR-29: "all", "most"
    "category_of": "all",
    # AOR-30: beside "both", the "first" or the "second" side at the start
    "objective_place": "both",
    # the matchup as a sequence: True, False
    "pursue": True,
}

CAVALRY = ("light_cavalry", "heavy_cavalry")


def page(**changes: object) -> dict[str, object]:
    """The page's defaults with some of them changed."""
    unknown = set(changes) - set(PAGE)
    if unknown:
        raise ValueError(f"no such rule: {sorted(unknown)}")
    return {**PAGE, **changes}


# ---------------------------------------------------------------- what stands on the table


@dataclass(frozen=True)
class Profile:
    """One fighter's card. A fighter has Courage or Fear, the other is None.

    Roles: leader, incarnate, commander, familiar, standard, musician, magician, faithful, marksman, crew.
    Categories: infantry, light_cavalry, heavy_cavalry, creature, war_machine, titan.
    The wounds of a war machine are its structure points. Source: AOR-11, AOR-13, AOR-29.
    """

    name: str = "fighter"
    movement: float = 10.0
    attack: int = 4
    attack_dice: int = 1
    strength: int = 4
    defence: int = 4
    resilience: int = 4
    wounds: int = 1
    courage: int | None = None
    fear: int | None = None
    authority: int = 0
    power: int = 0
    ranged_attack: int = 0
    ranged_strength: int = 0
    ranged_dice: int = 0
    perforating: bool = False
    area: float = 0.0
    fervor: int = 0
    energy: int = 0
    radius: float = 1.25
    roles: tuple[str, ...] = ()
    category: str = "infantry"


@dataclass(frozen=True)
class Group:
    """Fighters of one profile; `damage` lies on the first of them already. Source: AOR-11, AOR-13."""

    profile: Profile
    count: int
    damage: int = 0


@dataclass(frozen=True)
class Staff:
    """A war staff: the incarnate's values, and who stands with it. Source: AOR-24."""

    incarnate: Profile
    standard: bool = False
    musician: bool = False
    rout: bool = False


@dataclass(frozen=True)
class Unit:
    """Groups in the order in which they stand: the first are the nearest to the enemy and touch it first.

    `start` is the number at the start of the game (None: as many as now); `staff` the war staff that it may
    use (see `war_staff`). Source: AOR-11, AOR-21, AOR-24.
    """

    groups: tuple[Group, ...]
    name: str = "unit"
    start: int | None = None
    staff: Staff | None = None


@dataclass(frozen=True)
class Estimate:
    """A distance that nobody measured: even between `low` and `high`, or normal with `mean` and `sd`.

    Taken: a normal estimate below 0 is 0. Source: AOR-04.
    """

    low: float | None = None
    high: float | None = None
    mean: float | None = None
    sd: float = 0.0


@dataclass
class Fighter:
    """One fighter on the table and the damage on it. Source: AOR-13."""

    profile: Profile
    damage: int = 0

    @property
    def left(self) -> int:
        """The damage that would remove it."""
        return self.profile.wounds - self.damage


@dataclass
class Standing:
    """A unit as it stands in the course of a trial: who is left, and in what state.

    `immune` is the highest Fear resisted; `feared_charge` that a fearsome unit charged it this round;
    `broken` that it has been in rout at some time.
    """

    unit: Unit
    fighters: list[Fighter]
    start: int
    rout: bool = False
    immune: int | None = None
    feared_charge: bool = False
    broken: bool = False
    lost: int = 0
    rules: Rules = field(default_factory=page)

    @property
    def number(self) -> int:
        """How many are left."""
        return len(self.fighters)

    @property
    def power(self) -> int:
        """The total Power of those left. Source: AOR-05, AOR-30."""
        return sum(fighter.profile.power for fighter in self.fighters)

    @property
    def wounds(self) -> int:
        """All the damage that those left can still take."""
        return sum(fighter.left for fighter in self.fighters)

    @property
    def movement(self) -> float:
        """How far a unit moves: as its slowest, or its fastest, fighter does. Source: AOR-04."""
        of = max if self.rules["mixed_movement"] == "fastest" else min
        return float(of((fighter.profile.movement for fighter in self.fighters), default=0.0))

    @property
    def fear(self) -> int | None:
        """The Fear with which it frightens; never a lent one. Source: AOR-06, AOR-24.

        Taken: the highest among its fighters; one fearsome fighter makes the unit fearsome, in rout too.
        """
        values = [fighter.profile.fear for fighter in self.fighters if fighter.profile.fear is not None]
        return max(values, default=None)

    def all_in(self, *categories: str) -> bool:
        """Whether a unit is of a category: all that are left are, or most were. Source: AOR-29."""
        if self.rules["category_of"] == "most":
            groups = self.unit.groups
            of = sum(group.count for group in groups if group.profile.category in categories)
            return 2 * of > sum(group.count for group in groups)
        return bool(self.fighters) and all(f.profile.category in categories for f in self.fighters)

    def has(self, role: str) -> bool:
        """Whether somebody left has the role."""
        return any(role in fighter.profile.roles for fighter in self.fighters)

    def remove_dead(self) -> int:
        """Take away all whose wounds are full; their number. Source: AOR-13."""
        before = self.number
        self.fighters = [fighter for fighter in self.fighters if fighter.left > 0]
        self.lost += before - self.number
        return before - self.number


def stand(unit: Unit, rules: Rules | None = None) -> Standing:
    """Put a unit on the table, its groups in the order listed. Source: AOR-11."""
    fighters: list[Fighter] = []
    for group in unit.groups:
        fighters += [Fighter(group.profile, group.damage if i == 0 else 0) for i in range(group.count)]
    start = unit.start if unit.start is not None else len(fighters)
    standing = Standing(unit, fighters, start, rules=page() if rules is None else rules)
    standing.remove_dead()
    standing.lost = 0
    return standing


def on_table(unit: Unit | Standing) -> Standing:
    """The unit as it stands; a Unit is put on the table afresh."""
    return stand(unit) if isinstance(unit, Unit) else unit


def touching(side: Standing, contact: int | None) -> list[Fighter]:
    """Those in contact: all that are left, or the first `contact` of them. Source: AOR-11.

    Taken: the places of the dead are filled at once from behind, for both sides, and a fighter that has been
    in contact stays so; hence the first in the list.
    """
    return side.fighters if contact is None else side.fighters[: max(0, contact)]


def draw_distance(rng: Random, distance: float | Estimate) -> float:
    """A known distance, or one drawn from the estimate. Source: AOR-04."""
    if not isinstance(distance, Estimate):
        return float(distance)
    if distance.mean is not None:
        return max(0.0, rng.gauss(distance.mean, distance.sd))
    assert distance.low is not None
    assert distance.high is not None
    return rng.uniform(distance.low, distance.high)


# ---------------------------------------------------------------- dice


def d6(rng: Random) -> int:
    """One die."""
    return 1 + int(rng.random() * 6)


def need(action: int, difficulty: int, rules: Rules) -> int:
    """The score that each die needs: 1 is always, 7 is never. Source: AOR-01."""
    table = rules["resolution_table"]
    assert isinstance(table, (tuple, list))
    for lowest, score in table:
        if action - difficulty >= lowest:
            assert isinstance(score, int)
            return score
    return 7


@dataclass
class Thrown:
    """What a throw of dice gave: the successes, and the failures of first and of bonus dice."""

    successes: int = 0
    failed_first: int = 0
    failed_bonus: int = 0


def throw(rng: Random, dice: int, score: int, bonus: object, again: bool = False) -> Thrown:
    """Throw the dice one after the other; a natural 6 that succeeds adds a die. Source: AOR-01, AOR-02.

    `again`: a die that failed is thrown again once, bonus dice too, and its new 6 adds a die. Source: AOR-05.
    """
    thrown = Thrown()
    waiting = [True] * dice
    while waiting:
        first = waiting.pop()
        face = d6(rng)
        if face < score and again:
            face = d6(rng)
        if face < score:
            if first:
                thrown.failed_first += 1
            else:
                thrown.failed_bonus += 1
            continue
        thrown.successes += 1
        if face == 6 and (bonus == "chain" or (bonus == "once" and first)):
            waiting.append(False)
    return thrown


def mean_successes(dice: int, score: int, bonus: object) -> float:
    """What a throw gives on average. Source: AOR-02."""
    factor = {"none": 1.0, "once": 7 / 6, "chain": 6 / 5}[str(bonus)]
    return dice * (7 - score) / 6 * factor


def throw_attack(rng: Random, dice: int, score: int, rules: Rules, charge: bool) -> Thrown:
    """The attack dice, with the re-roll of a charge. Source: AOR-02, AOR-05.

    Taken: "one_die" is one failed die in each attack test (each group's throw), after its bonus dice; a first
    die is chosen before a bonus die; its 6 adds a die as usual. "all" throws the whole test again, when it
    gave less than its average, or nothing, and the second throw stands.
    """
    bonus, way = rules["bonus_die"], rules["charge_reroll"]
    if charge and way == "failures":
        return throw(rng, dice, score, bonus, again=True)
    thrown = throw(rng, dice, score, bonus)
    if not charge:
        return thrown
    if way == "all":
        nothing = rules["all_again"] == "no_success"
        if thrown.successes < (1 if nothing else mean_successes(dice, score, bonus)):
            return throw(rng, dice, score, bonus)
        return thrown
    assert way == "one_die", way
    if thrown.failed_first:
        thrown.successes += throw(rng, 1, score, bonus).successes
    elif thrown.failed_bonus:
        thrown.successes += throw(rng, 1, score, "chain" if bonus == "chain" else "none").successes
    return thrown


def roll_test(
    rng: Random,
    action: int,
    difficulty: int,
    rules: Rules,
    *,
    dice: int = 1,
    keep_best: bool = False,
    bonus: bool = True,
    reroll: bool = False,
) -> dict[str, object]:
    """One test; with `keep_best` one die is kept, and there are no bonus dice. Source: AOR-01 to AOR-03.

    `bonus` False for Courage, Authority, Fervor, Energy and for Strength against titans; `reroll` is that of
    a charge. Taken: the single die of a tactic has no use for bonus dice, since it asks only pass or fail.
    """
    score = need(action, difficulty, rules)
    if keep_best:
        passed = throw(rng, dice, score, "none").successes > 0
        return {"need": score, "successes": int(passed), "passed": passed}
    way = rules["bonus_die"] if bonus else "none"
    thrown = throw_attack(rng, dice, score, {**rules, "bonus_die": way}, reroll)
    return {"need": score, "successes": thrown.successes, "passed": thrown.successes > 0}


# ---------------------------------------------------------------- the strike


def groups_of(fighters: Sequence[Fighter]) -> list[tuple[Profile, int]]:
    """Fighters of the same profile are one group, in the order of their first. Source: AOR-11."""
    groups: dict[Profile, int] = {}
    for fighter in fighters:
        groups[card(fighter)] = groups.get(card(fighter), 0) + 1
    return list(groups.items())


def card(fighter: Fighter) -> Profile:
    """A fighter's characteristics alone: leader, standard and musician share the unit's. Source: AOR-11."""
    return replace(fighter.profile, name="", roles=())


def allocate(
    fighters: Sequence[Fighter], damage: int, cap: int | None = None, order: object = "least_damage"
) -> int:
    """Put the damage on so as to kill most, the nearest first among equals. Source: AOR-09, AOR-12.

    The one with the least left dies first, so a wounded one before a fresh one. What cannot kill stays as a
    wound on the next; what is left over when all are dead is lost. Taken: once the cap on kills is reached,
    the rest still wounds the next fighter, down to one wound left, and what is more is lost. In the order
    "nearest" a group's wounded one comes first, then as they are listed.
    """
    kills = 0
    places = {id(f): [card(one) for one in fighters].index(card(f)) for f in fighters}
    by_least = order == "least_damage"
    keys = {id(f): (f.left,) if by_least else (places[id(f)], f.left) for f in fighters}
    for fighter in sorted((f for f in fighters if f.left > 0), key=lambda f: keys[id(f)]):
        if damage <= 0:
            break
        if cap is not None and kills >= cap:
            fighter.damage += min(damage, fighter.left - 1)
            break
        spent = min(damage, fighter.left)
        fighter.damage += spent
        damage -= spent
        kills += fighter.left <= 0
    return kills


def strength_tests(rng: Random, tests: int, strength: int, target: Profile, rules: Rules) -> int:
    """One die per hit, Strength against Resilience; the damage. Source: AOR-08, AOR-12, AOR-29.

    Ordinary attacks cause no Strength tests on a titan.
    """
    if target.category == "titan":
        return 0
    return throw(rng, tests, need(strength, target.resilience, rules), rules["bonus_die"]).successes


def blows(
    rng: Random,
    attacker: Standing,
    strikers: Sequence[Fighter],
    defenders: Sequence[Fighter],
    rules: Rules,
    *,
    charge: bool,
    one_die: bool = False,
) -> dict[str, int]:
    """Each group of strikers fights one combat; the dead stay in place until `remove_dead`.

    Source: AOR-05, AOR-11, AOR-12, AOR-22. Taken: each striking group sets all its dice against one group of
    defenders, the first listed with somebody left in contact; its damage does not spill into other groups.
    `one_die`: the free attack of Cry Havoc.
    """
    total = {"dice": 0, "hits": 0, "tests": 0, "damage": 0, "kills": 0}
    for profile, count in groups_of(strikers):
        alive = [fighter for fighter in defenders if fighter.left > 0]
        if not alive:
            break
        target = card(alive[0])
        foes = [fighter for fighter in alive if card(fighter) == target]
        dice = count * (1 if one_die else profile.attack_dice)
        attack = 0 if attacker.rout else profile.attack
        hits = throw_attack(rng, dice, need(attack, target.defence, rules), rules, charge).successes
        heavy = charge and profile.category == "heavy_cavalry"
        strength = profile.strength + (attack if heavy else 0)
        damage = strength_tests(rng, hits, strength, target, rules)
        total["dice"] += dice
        total["hits"] += hits
        total["tests"] += 0 if target.category == "titan" else hits
        total["damage"] += damage
        total["kills"] += allocate(foes, damage)
    return total


def strike(
    rng: Random,
    attacker: Unit | Standing,
    defender: Unit | Standing,
    rules: Rules,
    *,
    contact: tuple[int | None, int | None] = (None, None),
    charge: bool = False,
    cry_havoc: bool = False,
) -> dict[str, object]:
    """The active unit strikes with those in contact at those in contact. Source: AOR-11 to AOR-13, AOR-15.

    `contact` is (attackers, defenders) that may touch. `cry_havoc`: try that tactic. Taken: it is tried
    first, its free attacks strike before the ordinary ones and at the same defenders in contact (nobody steps
    up in between), with the charge's re-roll and Strength, and the dice of both are added up.
    """
    side, enemy = on_table(attacker), on_table(defender)
    strikers, foes = list(touching(side, contact[0])), list(touching(enemy, contact[1]))
    called = cry_havoc and not side.rout and bool(strikers) and bool(foes)
    passed = called and bool(tactic(rng, side, "cry_havoc", rules, engaged=True)["passed"])
    total = {"dice": 0, "hits": 0, "tests": 0, "damage": 0, "kills": 0}
    if passed:
        one = rules["cry_havoc"] == "one_die"
        total = blows(rng, side, strikers, foes, rules, charge=charge, one_die=one)
    ordinary = blows(rng, side, strikers, foes, rules, charge=charge)
    enemy.remove_dead()
    result: dict[str, object] = {name: total[name] + ordinary[name] for name in total}
    result["cry_havoc"] = passed
    result["left"] = enemy.number
    result["wounds_left"] = enemy.wounds
    return result


# ---------------------------------------------------------------- tactics


def best(side: Standing, name: str) -> int:
    """The best value of a characteristic among those left; Authority may be lent. Source: AOR-15, AOR-24."""
    if side.rout and name in ("authority", "attack"):
        return 0
    values = [int(getattr(fighter.profile, name)) for fighter in side.fighters]
    if name == "authority" and side.unit.staff is not None and not side.unit.staff.rout:
        values.append(side.unit.staff.incarnate.authority)
    return max(values, default=0)


TACTICS: dict[str, tuple[tuple[str, ...], int]] = {
    "cry_havoc": (("attack",), 6),
    "fall_back": (("strength",), 6),
    "lightning_strike": (("authority",), 6),
    "i_have_the_power": (("fervor", "energy"), 3),
    "get_a_move_on": (("authority",), 4),
    "kill_them_all": (("strength",), 6),
}


def may_call(
    side: Standing, name: str, *, engaged: bool, running: bool = False, charged: bool = False
) -> bool:
    """Whether the condition of the tactic holds. Source: AOR-15 to AOR-20, AOR-22."""
    if side.rout or not side.fighters:
        return False
    if name in ("cry_havoc", "fall_back"):
        return engaged
    if name == "lightning_strike":
        return not engaged and any(fighter.profile.ranged_dice > 0 for fighter in side.fighters)
    if name == "i_have_the_power":
        return side.has("faithful") or side.has("magician")
    if name == "get_a_move_on":
        return not engaged and running
    return charged and min(fighter.profile.strength for fighter in side.fighters) >= 7


def tactic(
    rng: Random,
    unit: Unit | Standing,
    name: str,
    rules: Rules,
    *,
    engaged: bool = False,
    running: bool = False,
    charged: bool = False,
) -> dict[str, object]:
    """Call one tactic: the condition, then one die with the unit's best value. Source: AOR-15 to AOR-20.

    One tactic per unit and round, a failed one counts: the caller keeps the count. Taken: a charge gives no
    re-roll of this test. `move`: the cm that Get a Move On adds to a run.
    """
    side = on_table(unit)
    if not may_call(side, name, engaged=engaged, running=running, charged=charged):
        return {"called": False, "passed": False, "move": 0}
    characteristics, difficulty = TACTICS[name]
    value = max(best(side, characteristic) for characteristic in characteristics)
    passed = throw(rng, 1, need(value, difficulty, rules), "none").successes > 0
    return {"called": True, "passed": passed, "move": 10 if passed and name == "get_a_move_on" else 0}


# ---------------------------------------------------------------- morale


def war_staff(staffs: Sequence[tuple[Staff, bool, float]], nearest: object = "usable") -> Staff | None:
    """The war staff that a unit may use, of (staff, the unit sees its standard, cm to it). Source: AOR-24.

    Of two the nearer among those whose conditions the unit meets, or, by "any", the nearer if it does.
    """
    usable = []
    for staff, sees, distance in staffs:
        if nearest == "any" and distance > min(far for _, _, far in staffs):
            continue
        if staff.rout or not (staff.standard or staff.musician):
            continue
        if (sees or not staff.standard) and (distance <= 30 or not staff.musician):
            usable.append((distance, staff))
    return min(usable, key=lambda pair: pair[0])[1] if usable else None


def morale(side: Standing) -> int:
    """The action value of a Courage test: the best Courage or Fear in the unit, or a lent one.

    Source: AOR-06, AOR-21, AOR-23, AOR-24. Taken: the best also in the test against Fear.
    """
    profiles = [fighter.profile for fighter in side.fighters]
    if side.unit.staff is not None and not side.unit.staff.rout:
        profiles.append(side.unit.staff.incarnate)
    values = [value for p in profiles for value in (p.courage, p.fear) if value is not None]
    return max(values, default=0)


def courage_passed(rng: Random, side: Standing, difficulty: int, rules: Rules) -> bool:
    """One die, two in the commander's unit; no bonus dice. Source: AOR-02, AOR-03, AOR-25.

    Taken: the two dice also in the test against Fear and in the rally.
    """
    dice = 2 if side.has("commander") else 1
    return throw(rng, dice, need(morale(side), difficulty, rules), "none").successes > 0


def fear_test(rng: Random, active: Standing, target: Standing, rules: Rules) -> dict[str, object]:
    """Who tests against whose Fear in an assault, and whether it stands. Source: AOR-06.

    The loser is in rout; the winner is immune to that Fear and lower. A unit in rout never tests (AOR-21).
    """
    mine = -1 if active.fear is None else active.fear
    theirs = -1 if target.fear is None else target.fear
    none: dict[str, object] = {"tester": None, "passed": True}
    if mine == theirs:
        return none
    tester, name = (target, "target") if mine > theirs else (active, "active")
    fear = max(mine, theirs)
    if tester.rout or (tester.immune is not None and tester.immune >= fear):
        return none
    passed = courage_passed(rng, tester, fear, rules)
    if passed:
        tester.immune = fear if tester.immune is None else max(tester.immune, fear)
    else:
        tester.rout = tester.broken = True
    return {"tester": name, "passed": passed}


def at_half(side: Standing, rules: Rules) -> bool:
    """Whether the unit has fallen to half of its starting number. Source: AOR-21."""
    if rules["half_strength"] == "below":
        return 2 * side.number < side.start
    return 2 * side.number <= side.start


def courage(
    rng: Random,
    unit: Unit | Standing,
    rules: Rules,
    *,
    enemy: Unit | Standing | None = None,
    engaged: bool = False,
    feared_charge: bool | None = None,
) -> dict[str, object]:
    """The Courage test at activation of a valiant unit at half. Source: AOR-21, AOR-29.

    Failing, it is in rout; whether it flees now is the caller's (`flee_on_fail`). Taken: "charged by a
    fearsome unit" means in this same round, whether still engaged or not.
    """
    side = on_table(unit)
    if side.rout or not side.fighters or side.all_in("creature") or not at_half(side, rules):
        return {"tested": False, "passed": True, "difficulty": 0}
    difficulty = 1
    if engaged and enemy is not None and on_table(enemy).power > side.power:
        difficulty += 2
    if side.feared_charge if feared_charge is None else feared_charge:
        difficulty += 2
    passed = courage_passed(rng, side, difficulty, rules)
    side.rout = not passed
    side.broken = side.broken or side.rout
    return {"tested": True, "passed": passed, "difficulty": difficulty}


def rally(
    rng: Random,
    unit: Unit | Standing,
    rules: Rules,
    *,
    enemy: Unit | Standing | None = None,
    engaged: bool = False,
) -> dict[str, object]:
    """The test of a unit in rout to be valiant again; it makes immune to no Fear. Source: AOR-06, AOR-23."""
    side = on_table(unit)
    difficulty = 1
    if engaged and enemy is not None:
        foe = on_table(enemy)
        difficulty += 2 * (foe.power > side.power) + 2 * (foe.fear is not None)
    passed = bool(side.fighters) and courage_passed(rng, side, difficulty, rules)
    side.rout = not passed
    return {"passed": passed, "difficulty": difficulty}


def leave_contact(side: Standing, contact: int | None) -> int:
    """The members in contact are lost, except cavalry and titans; their number. Source: AOR-14, AOR-22.

    Taken: the ability is each fighter's own, and saves it in flight too, even where all are in contact.
    """
    for fighter in touching(side, contact):
        if fighter.profile.category not in (*CAVALRY, "titan"):
            fighter.damage = fighter.profile.wounds
    return side.remove_dead()


def flight(
    unit: Unit | Standing,
    *,
    engaged: bool = False,
    contact: int | None = None,
    edge: float = inf,
    enemy_ahead: float = inf,
) -> dict[str, object]:
    """A unit in rout flees 2 x Movement to the nearest edge. Source: AOR-14, AOR-22.

    `edge` and `enemy_ahead`: cm to the edge, and to another enemy on the way. Taken: it leaves the table when
    it would go further than `edge`, so that exactly `edge` keeps it on; another enemy is touched at exactly
    `enemy_ahead`. The losses of contact come first.
    """
    side = on_table(unit)
    lost = leave_contact(side, contact) if engaged else 0
    moved = 2 * side.movement
    if side.fighters and (moved > edge + 1e-9 or moved >= enemy_ahead - 1e-9):
        lost += side.number
        side.lost += side.number
        side.fighters = []
    return {"lost": lost, "moved": moved, "destroyed": not side.fighters}


def disengage(
    rng: Random,
    unit: Unit | Standing,
    rules: Rules,
    *,
    contact: int | None = None,
    fall_back: bool = False,
    leave_anyway: bool = False,
) -> dict[str, object]:
    """A valiant unit leaves contact, or tries to Fall Back. Source: AOR-14, AOR-16.

    Taken: where Fall Back fails, the unit stays, unless `leave_anyway`. The morale test due after the losses
    is that of AOR-21, when they have brought the unit to half (one already at half has tested at the start of
    the activation), with no +2 for an engagement that is over.
    """
    side = on_table(unit)
    was_half = at_half(side, rules)
    passed = fall_back and bool(tactic(rng, side, "fall_back", rules, engaged=True)["passed"])
    if fall_back and not passed and not leave_anyway:
        return {"fall_back": False, "away": False, "lost": 0, "rout": side.rout, "left": side.number}
    lost = 0 if passed else leave_contact(side, contact)
    if not was_half:
        courage(rng, side, rules)
    return {"fall_back": passed, "away": True, "lost": lost, "rout": side.rout, "left": side.number}


# ---------------------------------------------------------------- assault


def charges(active: Standing, target: Standing, engaged: bool) -> bool:
    """Whether an assault that succeeded is a charge. Source: AOR-05."""
    return not engaged and (active.all_in(*CAVALRY) or active.power > target.power)


def assault(
    rng: Random,
    attacker: Unit | Standing,
    defender: Unit | Standing,
    rules: Rules,
    *,
    distance: float | Estimate = 0.0,
    engaged: bool = False,
    contact: tuple[int | None, int | None] = (None, None),
    charge: bool | None = None,
    tactic_called: str | None = None,
) -> dict[str, object]:
    """One activation: reach, Fear, charge or not, tactic, strike, losses. Source: AOR-04 to AOR-06, AOR-11 to
    AOR-15, AOR-20.

    `engaged`: the unit already touches its target (no reach to test, never a charge). `charge`: None by the
    rules, or given. `tactic_called`: "cry_havoc" or "kill_them_all". `gap` is what lies between the units
    afterwards. Taken: an assault that does not reach brings no test against Fear; an attacker that fails
    against Fear has not moved; Power is compared after the test against Fear, and rout does not lower it; a
    target in rout is struck at once. With roles swapped (Kill Them All) the defender strikes first, without
    re-roll, and then the charger with those left; places swapped change nothing here.
    """
    side, enemy = on_table(attacker), on_table(defender)
    far = 0.0 if engaged else draw_distance(rng, distance)
    result: dict[str, object] = {
        "distance": far,
        "reached": True,
        "gap": far,
        "fear": None,
        "fear_passed": True,
        "charge": False,
        "tactic": False,
        "dice": 0,
        "hits": 0,
        "tests": 0,
        "damage": 0,
        "kills": 0,
        "own_losses": 0,
        "engaged": engaged,
        "attacker_rout": side.rout,
        "defender_rout": enemy.rout,
    }
    if side.rout or far > 2 * side.movement + 1e-9:
        result["reached"] = False
        result["gap"] = far if side.rout else far - 2 * side.movement
        return result
    feared = fear_test(rng, side, enemy, rules)
    result.update(fear=feared["tester"], fear_passed=feared["passed"])
    result.update(attacker_rout=side.rout, defender_rout=enemy.rout)
    if side.rout:
        return result
    charging = charges(side, enemy, engaged) if charge is None else charge
    enemy.feared_charge = enemy.feared_charge or (charging and side.fear is not None)
    result.update(charge=charging, engaged=True, gap=0.0)
    if tactic_called == "kill_them_all":
        called = tactic(rng, side, "kill_them_all", rules, engaged=True, charged=charging)
        result["tactic"] = called["passed"]
        if called["passed"] and rules["kill_them_all"] == "swap_roles":
            back = strike(rng, enemy, side, rules, contact=(contact[1], contact[0]))
            result["own_losses"] = back["kills"]
    struck = strike(
        rng,
        side,
        enemy,
        rules,
        contact=contact,
        charge=charging,
        cry_havoc=tactic_called == "cry_havoc",
    )
    if tactic_called == "cry_havoc":
        result["tactic"] = struck["cry_havoc"]
    result.update({name: struck[name] for name in ("dice", "hits", "tests", "damage", "kills")})
    return result


# ---------------------------------------------------------------- shooting


def range_band(distance: float, rules: Rules) -> int:
    """cm / 10, rounded down; at the border the higher or the lower band. Source: AOR-07."""
    if rules["range_band"] == "lower_at_border":
        return max(0, ceil(distance / 10) - 1)
    return floor(distance / 10)


def shoot(
    rng: Random,
    shooter: Unit | Standing,
    target: Unit | Standing,
    rules: Rules,
    *,
    distance: float | Estimate = 0.0,
    interference: bool = False,
    seeing: int | None = None,
    engaged: bool = False,
    target_engaged: bool = False,
) -> dict[str, object]:
    """Each profile of marksmen shoots one volley, in the order listed. Source: AOR-07 to AOR-09, AOR-22.

    `seeing`: how many marksmen see the target (the first listed). A weapon with an area is left to `area`.
    Taken: the marksmen are those with ranged dice; a volley tests against the Resilience of the nearest
    fighter left (the first listed), and its damage goes over the whole unit; an engaged shooter is not free.
    """
    side, enemy = on_table(shooter), on_table(target)
    volleys: list[dict[str, int]] = []
    total = {"dice": 0, "hits": 0, "damage": 0, "kills": 0}
    if not (engaged or target_engaged or side.rout):
        difficulty = range_band(draw_distance(rng, distance), rules) + (2 if interference else 0)
        marksmen = [f for f in side.fighters if f.profile.ranged_dice > 0]
        for profile, count in groups_of(marksmen if seeing is None else marksmen[:seeing]):
            if profile.area > 0 or not enemy.fighters:
                continue
            foe = enemy.fighters[0].profile
            dice = count * profile.ranged_dice
            score = need(profile.ranged_attack, difficulty, rules)
            hits = throw(rng, dice, score, rules["bonus_die"]).successes
            damage = strength_tests(rng, hits, profile.ranged_strength, foe, rules)
            mortal = [f for f in enemy.fighters if f.profile.category != "titan"]
            kills = allocate(mortal, damage, None if profile.perforating else count, rules["volley_order"])
            enemy.remove_dead()
            volleys.append({"dice": dice, "hits": hits, "damage": damage, "kills": kills})
    for volley in volleys:
        for name in total:
            total[name] += volley[name]
    return {**total, "volleys": volleys, "left": enemy.number, "wounds_left": enemy.wounds}


# ---------------------------------------------------------------- area weapons and places


@dataclass(frozen=True)
class Placed:
    """A fighter at a place: the shooter looks along +y, and +x is to its right. Source: AOR-10."""

    profile: Profile
    x: float = 0.0
    y: float = 0.0
    damage: int = 0
    friend: bool = False


def layout(profile: Profile, files: int, ranks: int, spacing: float = 0.0) -> list[Placed]:
    """Rows and ranks in base contact, or with `spacing` cm between bases; front rank first, left to right.

    Source: AOR-10. Taken: the ranks stand straight behind each other.
    """
    step = 2 * profile.radius + spacing
    return [Placed(profile, step * file, step * rank) for rank in range(ranks) for file in range(files)]


def can_touch(side: Sequence[Placed], enemy: Sequence[Placed]) -> tuple[int, int]:
    """How many of each side are in base contact with somebody of the other. Source: AOR-11."""

    def touches(a: Placed, b: Placed) -> bool:
        return hypot(a.x - b.x, a.y - b.y) <= a.profile.radius + b.profile.radius + 1e-9

    mine = sum(1 for a in side if any(touches(a, b) for b in enemy))
    theirs = sum(1 for b in enemy if any(touches(a, b) for a in side))
    return mine, theirs


def area(
    rng: Random,
    weapon: Profile,
    fighters: Sequence[Placed],
    aim: int,
    rules: Rules,
    *,
    marksmen: int = 1,
    distance: float = 0.0,
    interference: bool = False,
    difficulty: int | None = None,
    away: float = 0.0,
) -> dict[str, object]:
    """One shot of an area weapon, centred on `fighters[aim]`. Source: AOR-01, AOR-02, AOR-08, AOR-10.

    `away`: the bearing straight away from the shooter, in degrees clockwise from +y. `difficulty` replaces
    the band and the interference. `fighters` may hold friends, who are hit as well. Taken: all dice of the
    marksmen of one profile make one template; "times_dice" counts the first dice only; a template that does
    not grow (no success) is never cut to 10; titans under it take no test; a bonus die of a fighter's
    Strength test falls on the same fighter, and what exceeds its wounds is lost.
    """
    if difficulty is None:
        difficulty = range_band(distance, rules) + (2 if interference else 0)
    dice = marksmen * weapon.ranged_dice
    score = need(weapon.ranged_attack, difficulty, rules)
    damage = [fighter.damage for fighter in fighters]
    result: dict[str, object] = {
        "lost": score == 7,
        "successes": 0,
        "failures": dice,
        "direction": 0,
        "drift": 0,
        "radius": 0.0,
        "tests": 0,
        "covered": [],
        "kills": 0,
        "friends_killed": 0,
        "dead": [],
        "damage": damage,
    }
    if score == 7:
        return result
    thrown = throw(rng, dice, score, rules["bonus_die"])
    failures = thrown.failed_first
    if rules["drift_counts"] == "all_dice":
        failures += thrown.failed_bonus
    x, y, direction = fighters[aim].x, fighters[aim].y, 0
    if failures >= 1:
        direction = d6(rng)
        bearing = radians(away + 60 * (direction - 1))
        x, y = x + failures * sin(bearing), y + failures * cos(bearing)
    reach, tests = weapon.area, 1
    if thrown.successes >= 1:
        if rules["area_growth"] == "plus_successes":
            reach += thrown.successes
        else:
            reach *= dice if rules["area_growth"] == "times_dice" else thrown.successes
        if reach > 10:
            reach, tests = 10.0, 2
    covered = [
        i
        for i, fighter in enumerate(fighters)
        if hypot(fighter.x - x, fighter.y - y) < reach + fighter.profile.radius - 1e-9
    ]
    dead = []
    for i in covered:
        profile = fighters[i].profile
        if damage[i] >= profile.wounds:
            continue
        suffered = strength_tests(rng, tests, weapon.ranged_strength, profile, rules)
        damage[i] = min(profile.wounds, damage[i] + suffered)
        if damage[i] >= profile.wounds:
            dead.append(i)
    friends = sum(1 for i in dead if fighters[i].friend)
    result.update(successes=thrown.successes, failures=failures, direction=direction, drift=failures)
    result.update(radius=reach, tests=tests, covered=covered, dead=dead, damage=damage)
    result.update(kills=len(dead) - friends, friends_killed=friends)
    return result


# ---------------------------------------------------------------- mystics, titans, command


def mana(
    rng: Random, energies: Sequence[int], *, rounds: int = 1, pool: int = 0, spend: int = 0
) -> dict[str, object]:
    """The mana of a unit's magicians over the rounds; each spends up to `spend` after it. Source: AOR-26.

    Taken: the cap of 30 is applied when all magicians of the unit have rolled; `pools` are before spending.
    """
    pools: list[int] = []
    for _ in range(rounds):
        for energy in energies:
            pool += energy * sum(1 for _ in range(energy) if d6(rng) >= 4)
        pool = min(30, pool)
        pools.append(pool)
        pool -= min(pool, spend)
    return {"pools": pools, "pool": pool}


def faith(unit: Unit | Standing) -> int:
    """The faith points of a unit in this round. Source: AOR-27. Taken: none without a faithful."""
    side = on_table(unit)
    if not side.has("faithful"):
        return 0
    return side.number + sum(f.profile.fervor for f in side.fighters if "faithful" in f.profile.roles)


def ritual(
    rng: Random,
    value: int,
    difficulty: int,
    cost: int,
    rules: Rules,
    *,
    exaltation: int = 0,
    pool: int | None = None,
    enemy_pool: int = 0,
    enemy_cancels: bool = True,
) -> dict[str, object]:
    """A communion (Fervor, faith) or a ritual (Energy, mana). Source: AOR-02, AOR-03, AOR-28.

    `value` is the incarnate's Fervor or Energy; `difficulty` the printed one, or the target's best value of a
    characteristic. `enemy_pool`: the points of an enemy unit in sight with a faithful or a magician; 0 for no
    such unit. Taken: the enemy cancels whenever it can pay, if `enemy_cancels`; one enemy unit must
    pay all. A unit in rout neither casts nor cancels (AOR-22): the caller leaves it out.
    """
    spent = cost + exaltation
    result: dict[str, object] = {"cast": False, "cancelled": False, "passed": False, "spent": 0}
    result.update(pool=pool, enemy_pool=enemy_pool)
    if pool is not None and pool < spent:
        return result
    price = spent if rules["cancel_cost"] == "total_spent" else cost
    cancelled = enemy_cancels and enemy_pool > 0 and enemy_pool >= price
    result.update(cast=True, cancelled=cancelled, spent=spent)
    result.update(pool=None if pool is None else pool - spent)
    if cancelled:
        result["enemy_pool"] = enemy_pool - price
        return result
    result["passed"] = roll_test(rng, value, difficulty, rules, dice=1 + exaltation, keep_best=True)["passed"]
    return result


communion = ritual


def mystic_attack(
    rng: Random, tests: int, strength: int, target: Unit | Standing, rules: Rules, *, cards: int = 0
) -> dict[str, object]:
    """Strength tests by a mystic effect or an ability, on titans too. Source: AOR-08, AOR-09, AOR-29.

    No bonus dice against titans; the owner of a titan gives up `cards` ability cards, each cancels one test.
    Taken: before the test is thrown; as in a volley, the first listed fighter's Resilience counts for all.
    """
    side = on_table(target)
    if not side.fighters:
        return {"tests": 0, "damage": 0, "kills": 0, "wounds_left": 0}
    profile = side.fighters[0].profile
    titan = profile.category == "titan"
    tests = max(0, tests - cards) if titan else tests
    bonus = "none" if titan else rules["bonus_die"]
    damage = throw(rng, tests, need(strength, profile.resilience, rules), bonus).successes
    kills = allocate(side.fighters, damage)
    side.remove_dead()
    return {"tests": tests, "damage": damage, "kills": kills, "wounds_left": side.wounds}


def authority(
    rng: Random, first: int, second: int, *, first_rout: bool = False, second_rout: bool = False
) -> dict[str, object]:
    """Both commanders roll d6 + Authority until one is higher. Source: AOR-25."""
    rolls = 0
    while True:
        rolls += 1
        mine = d6(rng) + (0 if first_rout else first)
        theirs = d6(rng) + (0 if second_rout else second)
        if mine != theirs:
            return {"winner": "first" if mine > theirs else "second", "rolls": rolls}


def controls(first_power: int, second_power: int) -> str | None:
    """Who controls an objective, by the Power beside it and not in rout. Source: AOR-30."""
    if max(first_power, second_power) < 10 or first_power == second_power:
        return None
    return "first" if first_power > second_power else "second"


# ---------------------------------------------------------------- the fight


@dataclass
class Side:
    """One side of a fight on a line: its place, its edge, and how many of it may touch.

    `away` from the objective: it has fled, left contact, or not come there yet.
    """

    standing: Standing
    place: float
    home: float
    forward: int
    contact: int | None
    tactic: str | None
    away: bool = False
    routed_now: bool = False


@dataclass
class Field:
    """The line on which two sides fight; `broken` once somebody has fled."""

    sides: tuple[Side, Side]
    rules: Rules
    pursue: bool
    engaged: bool
    charge: bool | None
    broken: bool = False
    assaults: int = 0
    events: list[tuple[int, str]] = field(default_factory=list)

    @property
    def gap(self) -> float:
        """The cm between the sides."""
        return abs(self.sides[1].place - self.sides[0].place)


def flee(ground: Field, index: int) -> None:
    """The side flees from the other towards its own edge. Source: AOR-22.

    Taken: its nearest edge is behind it, straight away from the other side; where the place says it has gone
    2 x Movement of those that got away.
    """
    me = ground.sides[index]
    gone = flight(
        me.standing,
        engaged=ground.engaged,
        contact=me.contact,
        edge=abs(me.home - me.place),
    )
    moved = gone["moved"]
    assert isinstance(moved, float)
    me.place -= me.forward * moved
    me.away = True
    ground.engaged = False
    ground.broken = True
    ground.events.append((index, "flight"))


def come_to_blows(rng: Random, ground: Field, index: int) -> None:
    """A valiant side strikes the one it touches, or assaults the one apart. Source: AOR-04 to AOR-12."""
    me, other = ground.sides[index], ground.sides[1 - index]
    if not other.standing.fighters:
        return
    contact = (me.contact, other.contact)
    if ground.engaged:
        havoc = me.tactic == "cry_havoc"
        strike(rng, me.standing, other.standing, ground.rules, contact=contact, cry_havoc=havoc)
        ground.events.append((index, "strike"))
        return
    if ground.broken and not ground.pursue:
        return
    forced = ground.charge if ground.assaults == 0 else None
    done = assault(
        rng,
        me.standing,
        other.standing,
        ground.rules,
        distance=ground.gap,
        contact=contact,
        charge=forced,
        tactic_called=me.tactic,
    )
    gap = done["gap"]
    assert isinstance(gap, float)
    me.place = other.place - me.forward * gap
    if not done["reached"]:
        ground.events.append((index, "approach"))
        return
    ground.assaults += 1
    ground.engaged = bool(done["engaged"])
    if ground.engaged:
        me.away = other.away = False
    ground.events.append((index, "charge" if done["charge"] else "assault"))


def may_act(own: Standing) -> bool:
    """Whether a side is activated: while anybody is left, with an enemy or without. Source: AOR-21."""
    return bool(own.fighters)


def activate(rng: Random, ground: Field, index: int) -> None:
    """One activation: rally or flight in rout, else Courage at half, else blows. Source: AOR-21 to AOR-23."""
    me, other = ground.sides[index], ground.sides[1 - index]
    mine, rules = me.standing, ground.rules
    machine = any(fighter.profile.category == "war_machine" for fighter in mine.fighters)
    if machine and not mine.has("crew"):
        return
    if mine.rout:
        at_once = rules["rally_timing"] == "activation"
        if not at_once or not rally(rng, mine, rules, enemy=other.standing, engaged=ground.engaged)["passed"]:
            forget_charge(mine, rules)
            flee(ground, index)
            return
        if not rules["rally_tests_half"]:
            forget_charge(mine, rules)
            come_to_blows(rng, ground, index)
            return
    stands = courage(rng, mine, rules, enemy=other.standing, engaged=ground.engaged)["passed"]
    forget_charge(mine, rules)
    if not stands:
        me.routed_now = True
        if rules["flee_on_fail"] == "now":
            flee(ground, index)
        return
    come_to_blows(rng, ground, index)


def forget_charge(side: Standing, rules: Rules) -> None:
    """A fearsome charge is remembered until the end of the round, or the next activation. Source: AOR-21."""
    side.feared_charge = side.feared_charge and rules["fearsome_charge"] == "this_round"


def end_of_round(rng: Random, ground: Field, objective: bool) -> dict[str, object]:
    """Both sides in rout may rally; then the control phase looks at the objective. Source: AOR-23, AOR-30."""
    first, second = ground.sides
    for me, other in ((first, second), (second, first)):
        if me.standing.rout and me.standing.fighters and ground.rules["rally_timing"] == "phase_end":
            rally(rng, me.standing, ground.rules, enemy=other.standing, engaged=ground.engaged)
        if ground.rules["fearsome_charge"] == "this_round":
            me.standing.feared_charge = False
    powers = [
        0 if side.standing.rout or (side.away and not ground.engaged) else side.standing.power
        for side in ground.sides
    ]
    return {
        "losses": (first.standing.lost, second.standing.lost),
        "left": (first.standing.number, second.standing.number),
        "wounds_left": (first.standing.wounds, second.standing.wounds),
        "power_left": (first.standing.power, second.standing.power),
        "destroyed": (not first.standing.fighters, not second.standing.fighters),
        "rout": tuple(bool(side.standing.rout and side.standing.fighters) for side in ground.sides),
        "routed": (first.routed_now, second.routed_now),
        "away": (first.away, second.away),
        "engaged": ground.engaged,
        "gap": ground.gap,
        "holds": controls(powers[0], powers[1]) if objective else None,
    }


def fight(
    rng: Random,
    first: Unit | Standing,
    second: Unit | Standing,
    rules: Rules,
    *,
    rounds: int = 1,
    distance: float | Estimate = 0.0,
    engaged: bool = False,
    contact: tuple[int | None, int | None] = (None, None),
    edge: tuple[float, float] = (inf, inf),
    objective: bool = False,
    pursue: bool | None = None,
    charge: bool | None = None,
    tactics: tuple[str | None, str | None] = (None, None),
) -> dict[str, object]:
    """Alternating activations, the first side's and then the second's. Source: AOR-01 to AOR-30.

    `distance` between the sides at the start (an estimate is drawn once); `engaged`: they touch already, with
    no assault behind them; `contact`: how many of (first, second) may touch; `edge`: cm behind each side to
    the edge; `objective`: the fight is for one; `pursue`: None as the rules say; `charge`: None by the rules,
    or given for the first assault that succeeds; `tactics`: what (first, second) call whenever they may.

    Taken, in this order. An activation: a side without anybody left, or a war machine without crew, does
    nothing. Without an enemy it still tests at half, and flees in rout, from nobody too (with
    `rally_timing` "activation" it first tests, and where it rallies it acts, without a test for half).
    Valiant and at half it takes the Courage test; failing, it flees at once ("now") or its activation ends
    in place ("next"). Engaged, it strikes where it stands: no new assault, so no Fear and no charge. Apart,
    it assaults: reach, Fear, charge, tactic, strike; out of reach it goes 2 x Movement nearer. Both sides do
    so, also the second before any contact and a side that has fled and rallied; with `pursue` False nobody
    assaults any more once a side has fled. There is no shooting, no willing disengagement and no magic in a
    fight. Going forward takes a side away from its edge by as much. After both activations: rally (first,
    then second), then the charge by a fearsome unit is forgotten, then the objective: both are beside it,
    except a side in rout and one that is away and has not touched since. The rounds go on in name when a
    side is destroyed, and the other only tests at half, rallies or flees; a side that is alone holds the
    objective if its Power is 10.
    """
    one, two = on_table(first), on_table(second)
    far = 0.0 if engaged else draw_distance(rng, distance)
    place = rules["objective_place"]
    ground = Field(
        sides=(
            Side(one, 0.0, -edge[0], 1, contact[0], tactics[0], away=place == "second"),
            Side(two, far, far + edge[1], -1, contact[1], tactics[1], away=place == "first"),
        ),
        rules=rules,
        pursue=bool(rules["pursue"]) if pursue is None else pursue,
        engaged=engaged,
        charge=charge,
    )
    played: list[dict[str, object]] = []
    for _ in range(rounds):
        for side in ground.sides:
            side.routed_now = False
        for index in (0, 1):
            if may_act((one, two)[index]):
                before = (one.rout, two.rout)
                activate(rng, ground, index)
                ground.sides[0].routed_now |= one.rout and not before[0]
                ground.sides[1].routed_now |= two.rout and not before[1]
                if not (one.fighters and two.fighters):
                    ground.engaged = False
        played.append(end_of_round(rng, ground, objective))
    return {"rounds": played, **played[-1], "events": ground.events} if played else {"rounds": []}
