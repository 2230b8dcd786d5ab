"""A literal referee for Confrontation 3: it throws one die at a time, as the rule page says.

It is a second witness for the exact engine, so it shares nothing with it.
Source: C3-0.1 to C3-3.18.

Where the page names a choice, the choice is a field of the `Rules` mapping, and `DEFAULTS` holds the page's
default. Where the page leaves a choice open beyond its fields, the docstring of the function says "Taken:".
Not played, as the page gives no rules for them: sustained defence, counter-attack, shooting while charging,
pursuit, disengaging.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from random import Random

Rules = Mapping[str, object]
Trial = dict[str, object]


# ---------------------------------------------------------------- what stands on the table


@dataclass(frozen=True)
class Fighter:
    """The card of a fighter; None is "-". He has Courage or Fear, not both. Source: the head of the page."""

    movement: float = 10
    initiative: int = 3
    attack: int = 3
    strength: int = 3
    defence: int = 3
    resistance: int = 5
    aim: int | None = None
    courage: int | None = None
    fear: int | None = None
    discipline: int | None = None
    leadership: bool = False

    def __post_init__(self) -> None:
        """Courage and Fear exclude each other."""
        if self.courage is not None and self.fear is not None:
            raise ValueError("a fighter has Courage or Fear, not both")


@dataclass(frozen=True)
class Standing:
    """A fighter as he stands now. `wound` is one of WOUNDS, `stunned` counts the stuns that bite.

    `attack` and `defence` are the combat dice that he still has on each side.
    """

    fighter: Fighter
    wound: str = "nothing"
    stunned: int = 0
    charged: bool = False
    afraid: bool = False
    attack: int = 0
    defence: int = 0

    @property
    def killed(self) -> bool:
        """He is out of the fight."""
        return self.wound == "killed"


Side = tuple[Standing, ...]
Sides = tuple[Side, Side]


@dataclass(frozen=True)
class Weapon:
    """A weapon that shoots: its own strength and the ends of its three range bands. Source: C3-2.5."""

    strength: int
    ranges: tuple[float, float, float] = (20, 35, 45)


@dataclass(frozen=True)
class Shot:
    """How a shot is taken; None is what has no modifier. Source: C3-2.5."""

    band: str = "short"
    moved: bool = False
    size: str | None = None
    height: str | None = None
    cover: str | None = None


@dataclass(frozen=True)
class Guess:
    """A distance that nobody measured: evenly from `low` to `high`, or a normal one. Source: C3-2.6."""

    low: float = 0
    high: float = 0
    mean: float | None = None
    sd: float = 0


@dataclass(frozen=True)
class Moment:
    """One attack is declared and its die is taken off; the defender speaks now. Source: C3-3.10, C3-3.15.

    `side` attacks with its fighter number `attacker` the fighter number `target` of the other side.
    """

    side: int
    attacker: int
    target: int
    sides: Sides


# Says whether the defender spends a defence die; asked only if he has one.
Defending = Callable[[Moment], bool]

# Asked with (side, both sides, attack dice of the enemy or None when placing first); answers with the attack
# dice of each fighter of the side, in the listed order. All other dice are defence dice.
PlacingCall = Callable[[int, Sides, tuple[int, ...] | None], Sequence[int]]
Placing = int | Sequence[int] | PlacingCall

# Index = the level of a lasting wound and what it takes off, except for the last.
WOUNDS = ("nothing", "light", "serious", "critical", "killed")
OTHER = (1, 0)


def always_defends(moment: Moment) -> bool:
    """Spend a die against every attack while there is one."""
    return True


def never_defends(moment: Moment) -> bool:
    """Keep every defence die."""
    return False


# ---------------------------------------------------------------- the ruleset


def placeholder_table(location: int, severity: int) -> str:
    """The placeholder for the missing table of wounds. Source: C3-3.18."""
    x = severity + location - 1
    for end, result in ((0, "nothing"), (3, "stunned"), (6, "light"), (9, "serious"), (12, "critical")):
        if x <= end:
            return result
    return "killed"


DEFAULTS: dict[str, object] = {
    # C3-0.1 the open six: "when_needed", "always", "never"; "together", "attack_first"
    "reroll_six": "when_needed",
    "roll_order": "together",
    # C3-0.2 in initiative and discipline a 1 loses to anything else
    "opposed_one_loses": True,
    # C3-2.5 shooting; a modifier is a number, or one number for each word
    "range_difficulty": {"short": 4, "medium": 7, "long": 10},
    "moved_difficulty": 1,
    "size_modifier": 0,
    "height_modifier": 0,
    "cover_modifier": 0,
    # C3-2.9 "round", or "melee": as long as the same fighters stay in contact
    "charge_token_lasts": "round",
    # C3-2.12 who is afraid already tests like any other at contact, or not at all
    "afraid_again": True,
    # C3-2.17 an afraid target runs when a charge is declared, or only when it reaches him
    "runs_when_declared": True,
    # C3-2.16 fear and charge add up, or else count once
    "fear_and_charge_add": True,
    # C3-3.10 an attack that nobody parries: "unless_one" or "always" hits
    "undefended": "unless_one",
    # C3-3.17, C3-3.18 wounds; the double 6 is a result, or "table" for what the table says
    "exceptional_wound": "killed",
    "wound_table": placeholder_table,
    "lighter_raises": True,
    "stun_stacks": False,
    "penalised": ("INI", "ATT", "DEF", "AIM", "damage"),
}


def setting(rules: Rules, name: str) -> object:
    """What the ruleset says, or else what the page says."""
    return rules.get(name, DEFAULTS[name])


def one_of(rules: Rules, name: str, *words: str) -> str:
    """A setting that is one of these words."""
    word = setting(rules, name)
    if word not in words:
        raise ValueError(f"{name} is one of {words}, not {word!r}")
    return str(word)


def way_with_sixes(rules: Rules) -> str:
    """When a 6 is rolled on. Source: C3-0.1."""
    return one_of(rules, "reroll_six", "when_needed", "always", "never")


def number(value: object) -> int:
    """A whole number of the ruleset."""
    if not isinstance(value, int):
        raise ValueError(f"not a number: {value!r}")
    return value


# ---------------------------------------------------------------- dice


def d6(rng: Random) -> int:
    """One die."""
    return rng.randint(1, 6)


@dataclass
class Throw:
    """A characteristic and the die on it: the total so far, and the last face of the die that is kept."""

    total: int
    last: int

    @property
    def live(self) -> bool:
        """The last face is a 6, so that the die may be rolled on."""
        return self.last == 6

    @property
    def one(self) -> bool:
        """A natural 1, on the first or on a later roll."""
        return self.last == 1

    def roll_on(self, rng: Random) -> None:
        """Roll the 6 again and add. Source: C3-0.1."""
        self.last = d6(rng)
        self.total += self.last


def throw(rng: Random, characteristic: int, dice: int = 1) -> Throw:
    """Throw the dice and keep the highest. Source: C3-0.2, C3-1.5.

    So the kept die shows 1 only if all do.
    Taken: several dice always keep the highest; of several sixes only one is rolled on, and it is the kept
    die, so a 1 on it fails whatever the other dice show.
    """
    if dice < 1:
        raise ValueError("a test needs a die")
    face = max(d6(rng) for _ in range(dice))
    return Throw(characteristic + face, face)


def take_test(rng: Random, characteristic: int, difficulty: int, rules: Rules, dice: int = 1) -> Trial:
    """One test against a difficulty. Source: C3-0.1, C3-0.2.

    Taken: under "when_needed" he rolls on while the test fails, however far the difficulty still is.
    """
    way = way_with_sixes(rules)
    thrown = throw(rng, characteristic, dice)
    while thrown.live and (way == "always" or (way == "when_needed" and thrown.total < difficulty)):
        thrown.roll_on(rng)
    return {"passed": not thrown.one and thrown.total >= difficulty, "total": thrown.total, "one": thrown.one}


# ---------------------------------------------------------------- opposed rolls


def ahead(throws: Sequence[Throw], rules: Rules) -> int | None:
    """The side that wins an opposed roll as the dice lie; None is a tie. Source: C3-0.2, C3-3.6."""
    first, second = throws
    if setting(rules, "opposed_one_loses") and (first.one or second.one):
        return None if first.one and second.one else int(first.one)
    if first.total == second.total:
        return None
    return int(second.total > first.total)


def opposed(rng: Random, numbers: Sequence[int], dice: Sequence[int], rules: Rules) -> Trial:
    """Both throw until one wins; equal or both 1: throw again. Source: C3-0.1 to C3-0.3, C3-1.4, C3-3.6.

    Of two live sixes the lower total is rolled on first. Taken: both throw together whatever `roll_order`
    says, as nobody attacks; at a tie under "when_needed" nobody rolls his 6 on, both throw afresh; without
    `opposed_one_loses` only the totals count, and a rolled-on 1 adds 1.
    """
    way = way_with_sixes(rules)
    times = 0
    while True:
        times += 1
        throws = [throw(rng, n, k) for n, k in zip(numbers, dice, strict=True)]
        while True:
            winner = ahead(throws, rules)
            if way == "always":
                rolling = [t for t in throws if t.live]
            elif way == "when_needed" and winner is not None:
                rolling = [t for t in (throws[OTHER[winner]],) if t.live]
            else:
                rolling = []
            if not rolling:
                break
            min(rolling, key=lambda t: t.total).roll_on(rng)
        if winner is not None:
            return {"winner": winner, "throws": times}


def discipline(rng: Random, fighters: Sequence[Fighter], rules: Rules) -> Trial:
    """The Discipline roll of two commanders. Source: C3-1.4, C3-1.5, C3-2.1.

    Taken: a commander with DIS "-" cannot roll, a clear error.
    """
    numbers = []
    for fighter in fighters:
        if fighter.discipline is None:
            raise ValueError("a fighter with DIS - cannot take a Discipline roll")
        numbers.append(fighter.discipline)
    return opposed(rng, numbers, [2 if f.leadership else 1 for f in fighters], rules)


def initiative(
    rng: Random, sides: Sides, rules: Rules, named: tuple[int | None, int | None] = (None, None)
) -> Trial:
    """One named fighter of each side rolls, with +1 for each fighter that his side has more. Source: C3-3.6.

    Taken: the best INI is the best after all penalties, and of equals the first in the list; the killed do
    not count; only a named fighter's own penalties matter.
    """
    living = [sum(1 for s in side if not s.killed) for side in sides]
    numbers = []
    for side, name in zip(sides, named, strict=True):
        if name is None:
            best = max(characteristic(s, "INI", rules) for s in side if not s.killed)
        elif side[name].killed:
            raise ValueError("the named fighter is killed")
        else:
            best = characteristic(side[name], "INI", rules)
        numbers.append(best)
    more = [max(0, living[0] - living[1]), max(0, living[1] - living[0])]
    return opposed(rng, [n + m for n, m in zip(numbers, more, strict=True)], (1, 1), rules)


# ---------------------------------------------------------------- to hit


@cache
def parry_chance(need: int) -> Fraction:
    """The chance of a lone die, not a 1, to reach `need`, rolling on as needed. Source: C3-0.1, C3-0.2."""
    if need > 6:
        return parry_chance(need - 6) / 6
    return Fraction(sum(1 for face in range(2, 7) if face >= need), 6)


@cache
def chance_rolling_on(lead: int) -> Fraction:
    """The chance to hit of an attacker who throws at this lead over DEF, and then plays his best."""
    chance = sum((1 - parry_chance(lead + face) for face in range(2, 6)), Fraction(0))
    return (chance + best_chance(lead + 6)) / 6


@cache
def best_chance(lead: int) -> Fraction:
    """The better of stopping and rolling on with a 6 at this lead. At 5/6 rolling on cannot be better."""
    stop = 1 - parry_chance(lead)
    return stop if stop >= Fraction(5, 6) else max(stop, chance_rolling_on(lead))


def rolls_blind(lead: int) -> bool:
    """With "attack_first": whether the attacker rolls his 6 on before he has seen the defence die."""
    return best_chance(lead) > 1 - parry_chance(lead)


def beats(attack: Throw, defence: Throw) -> bool:
    """The attack hits as the dice lie; a tie is parried. Source: C3-0.2, C3-3.10."""
    if attack.one:
        return False
    return defence.one or attack.total > defence.total


def opposed_hit(
    rng: Random,
    attack: int,
    defence: int | None,
    rules: Rules,
    attacker_sixes: str | None = None,
    defender_sixes: str | None = None,
) -> Trial:
    """One attack, DEF None without a defence die. Source: C3-0.1 to C3-0.3, C3-3.10.

    ATT and DEF are those after penalties. `attacker_sixes` and `defender_sixes` stand in for
    `reroll_six` on one side.
    Of two sixes to roll on the lower total goes first; taken: at equal totals the attacker's.
    Taken: with "always" an undefended 6 is rolled on too, and a 1 on it misses; with "attack_first" the
    attacker has finished before the defence die falls, and under "when_needed" he rolls a 6 on if that makes
    a hit likelier against a defender who rolls on as needed, and not if it is equal.
    """
    attacker = attacker_sixes or way_with_sixes(rules)
    defender = defender_sixes or way_with_sixes(rules)
    order = one_of(rules, "roll_order", "together", "attack_first")
    mine = throw(rng, attack)
    if defence is None:
        while mine.live and attacker == "always":
            mine.roll_on(rng)
        sure = one_of(rules, "undefended", "unless_one", "always") == "always"
        return {"hit": sure or not mine.one, "attack": mine.total, "defence": None}
    if order == "attack_first":
        while mine.live and (
            attacker == "always" or (attacker == "when_needed" and rolls_blind(mine.total - defence))
        ):
            mine.roll_on(rng)
        attacker = "never"
    his = throw(rng, defence)
    while True:
        hit = beats(mine, his)
        rolling = []
        if mine.live and (attacker == "always" or (attacker == "when_needed" and not hit)):
            rolling.append(mine)
        if his.live and (defender == "always" or (defender == "when_needed" and hit)):
            rolling.append(his)
        if not rolling:
            return {"hit": hit, "attack": mine.total, "defence": his.total}
        min(rolling, key=lambda t: t.total).roll_on(rng)


# ---------------------------------------------------------------- penalties


def penalty(standing: Standing, roll: str, rules: Rules) -> int:
    """What comes off a roll: INI, ATT, DEF, AIM or damage. Source: C3-2.9, C3-2.16, C3-3.18.

    Taken: the stun and the wound come off the same rolls, all those in `penalised`, and so off the damage
    roll of a shot too; charge and fear come off INI, ATT and DEF only; no penalty touches Courage or DIS.
    """
    fear_and_charge = int(standing.charged) + int(standing.afraid)
    if not setting(rules, "fear_and_charge_add"):
        fear_and_charge = min(1, fear_and_charge)
    taken = fear_and_charge if roll in ("INI", "ATT", "DEF") else 0
    penalised = setting(rules, "penalised")
    assert isinstance(penalised, (tuple, list, set, frozenset)), penalised
    if roll in penalised:
        taken += WOUNDS.index(standing.wound) + standing.stunned
    return taken


def characteristic(standing: Standing, roll: str, rules: Rules) -> int:
    """INI, ATT, DEF or AIM after penalties; the natural faces of the die stay what they are."""
    fighter = standing.fighter
    if roll == "AIM":
        if fighter.aim is None:
            raise ValueError("a fighter with AIM - cannot shoot")
        return fighter.aim - penalty(standing, roll, rules)
    printed = {"INI": fighter.initiative, "ATT": fighter.attack, "DEF": fighter.defence}[roll]
    return printed - penalty(standing, roll, rules)


# ---------------------------------------------------------------- damage and wounds


def damage(rng: Random, strength: int, resistance: int, modifier: int = 0) -> Trial:
    """Two dice: the higher makes the severity, the lower is the location. Source: C3-3.17."""
    first, second = d6(rng), d6(rng)
    return {
        "severity": max(first, second) + strength + modifier - resistance,
        "location": min(first, second),
        "exceptional": first == second == 6,
    }


def table_result(location: int, severity: int, rules: Rules) -> str:
    """What the table of wounds says. Source: C3-3.18.

    The table is a function of (location, severity), or a mapping location -> severity -> result.
    Taken: a severity beyond the ends of a row counts as the end of the row.
    """
    table = setting(rules, "wound_table")
    if callable(table):
        return str(table(location, severity))
    assert isinstance(table, Mapping), "the table of wounds is a function or a mapping"
    row = table[location]
    return str(row[min(max(severity, min(row)), max(row))])


def damage_result(location: int, severity: int, exceptional: bool, rules: Rules) -> str:
    """nothing, stunned, light, serious, critical or killed. Source: C3-3.17, C3-3.18.

    With `exceptional_wound` "table" the double 6 is read from the table at location 6.
    """
    special = setting(rules, "exceptional_wound")
    if exceptional and special != "table":
        return str(special)
    return table_result(location, severity, rules)


def hurt(standing: Standing, result: str, rules: Rules) -> Standing:
    """A heavier wound replaces; an equal or lighter one raises the present one by a level. Source: C3-3.18.

    Stunned is no wound: it neither replaces nor raises.
    """
    if result == "nothing" or standing.killed:
        return standing
    if result == "stunned":
        stunned = standing.stunned + 1 if setting(rules, "stun_stacks") else 1
        return replace(standing, stunned=stunned)
    present, new = WOUNDS.index(standing.wound), WOUNDS.index(result)
    if new <= present and not setting(rules, "lighter_raises"):
        return standing
    return replace(standing, wound=WOUNDS[new if new > present else present + 1])


def wound(
    rng: Random,
    target: Standing,
    strength: int,
    rules: Rules,
    modifier: int = 0,
    resistance: int | None = None,
) -> Trial:
    """Roll the damage of one hit and put it on the target. Source: C3-3.17, C3-3.18."""
    against = target.fighter.resistance if resistance is None else resistance
    rolled = damage(rng, strength, against, modifier)
    result = damage_result(
        number(rolled["location"]), number(rolled["severity"]), bool(rolled["exceptional"]), rules
    )
    after = hurt(target, result, rules)
    return {
        **rolled,
        "result": result,
        "wound": after.wound,
        "stunned": after.stunned,
        "killed": after.killed,
    }


def after_wound(target: Standing, trial: Trial) -> Standing:
    """The target with the wound and the stun of this trial on him."""
    return replace(target, wound=str(trial["wound"]), stunned=number(trial["stunned"]))


# ---------------------------------------------------------------- shooting


def range_band(weapon: Weapon, distance: float) -> str:
    """The band in which a target stands. Source: C3-2.5.

    Taken: the end of a band belongs to it; beyond the last one cannot shoot, a clear error.
    """
    for band, end in zip(("short", "medium", "long"), weapon.ranges, strict=True):
        if distance <= end:
            return band
    raise ValueError("the target is out of range")


def circumstance(rules: Rules, name: str, word: str | None) -> int:
    """A size, height or cover modifier: 0 without the word, else the number, or the number of the word."""
    if word is None:
        return 0
    value = setting(rules, name)
    return number(value[word] if isinstance(value, Mapping) else value)


def shot_difficulty(shot: Shot, rules: Rules) -> int:
    """The difficulty of a shot. Source: C3-2.5. Taken: the modifiers raise the difficulty."""
    bands = setting(rules, "range_difficulty")
    assert isinstance(bands, Mapping), bands
    difficulty = number(bands[shot.band])
    if shot.moved:
        difficulty += number(setting(rules, "moved_difficulty"))
    difficulty += circumstance(rules, "size_modifier", shot.size)
    difficulty += circumstance(rules, "height_modifier", shot.height)
    return difficulty + circumstance(rules, "cover_modifier", shot.cover)


def shoot(
    rng: Random, shooter: Standing, target: Standing, weapon: Weapon, shot: Shot, rules: Rules, dice: int = 1
) -> Trial:
    """One shot; a hit does damage with the strength of the weapon. Source: C3-2.5, C3-3.17.

    Taken: a stunned or wounded shooter takes his penalty off the damage roll too.
    """
    difficulty = shot_difficulty(shot, rules)
    hit = take_test(rng, characteristic(shooter, "AIM", rules), difficulty, rules, dice)["passed"]
    done: Trial = {"result": "nothing", "wound": target.wound, "stunned": target.stunned}
    done["killed"] = target.killed
    if hit:
        done = wound(rng, target, weapon.strength, rules, -penalty(shooter, "damage", rules))
    return {**done, "difficulty": difficulty, "hit": hit}


# ---------------------------------------------------------------- engaging, fear


def engage(
    rng: Random,
    movement: float,
    distance: float | Guess,
    charge: bool = False,
    in_sight: bool = True,
) -> Trial:
    """Whether the engagement or charge reaches: 2 x MOV. Source: C3-2.6, C3-2.7, C3-2.8.

    Taken: the distance is the way to a place with more than half a base edge in contact; a range is even and
    continuous; a normal guess is not cut at 0, for a distance below 0 is reached in any case.
    """
    if charge and not in_sight:
        raise ValueError("a charge needs the target in sight")
    if isinstance(distance, Guess):
        true = rng.uniform(distance.low, distance.high)
        if distance.mean is not None:
            true = rng.gauss(distance.mean, distance.sd)
    else:
        true = distance
    return {"reached": true <= 2 * movement, "distance": true, "charge": charge}


def courage(fighter: Fighter) -> int:
    """Courage, or Fear used as Courage. Source: C3-2.11. Taken: also in the test that ends being afraid."""
    value = fighter.courage if fighter.fear is None else fighter.fear
    if value is None:
        raise ValueError("a fighter without Courage and Fear cannot take a Courage test")
    return value


def who_tests(attacker: Fighter, target: Fighter) -> str | None:
    """The side with less Fear, or with Courage against Fear; nobody if equal. Source: C3-2.10."""
    one, other = attacker.fear, target.fear
    if one is None and other is None:
        return None
    if other is None or (one is not None and one > other):
        return "target"
    return "attacker" if one is None or one < other else None


def fear_at_contact(
    rng: Random,
    attacker: Standing,
    target: Standing,
    rules: Rules,
    activated: bool = False,
    charge: bool = False,
    engaged: bool = False,
) -> Trial:
    """What fear does when the bases meet. Source: C3-2.10 to C3-2.17.

    `activated` and `engaged` are of the target: it has acted this round, it is in another melee.
    Taken: an afraid target that is charged runs before the bases meet, so nobody tests; if it must first
    disengage, that is not modelled, a clear error; who runs or goes back is not charged; a fighter that is
    afraid already tests like any other, and holding does not end his being afraid.
    """
    done: Trial = {
        "tester": None,
        "passed": None,
        "contact": True,
        "attacker_back": False,
        "target_runs": False,
        "attacker_afraid": attacker.afraid,
        "target_afraid": target.afraid,
    }
    if charge and target.afraid:
        if engaged:
            raise ValueError("how to disengage is not modelled")
        return {**done, "contact": False, "target_runs": True}
    tester = who_tests(attacker.fighter, target.fighter)
    if tester is None:
        return done
    already = target.afraid if tester == "target" else attacker.afraid
    if already and not setting(rules, "afraid_again"):
        return done
    brave, terrible = attacker.fighter, target.fighter
    if tester == "target":
        brave, terrible = terrible, brave
    assert terrible.fear is not None
    done["tester"] = tester
    done["passed"] = take_test(rng, courage(brave), terrible.fear, rules)["passed"]
    if done["passed"]:
        return done
    done[f"{tester}_afraid"] = True
    if tester == "attacker":
        done["contact"], done["attacker_back"] = False, True
    elif not activated:
        if engaged:
            raise ValueError("how to disengage is not modelled")
        done["contact"], done["target_runs"] = False, True
    return done


def takes_heart(rng: Random, standing: Standing, rules: Rules) -> Trial:
    """The Courage test of difficulty 6 of an afraid fighter at his activation. Source: C3-2.18."""
    passed = bool(take_test(rng, courage(standing.fighter), 6, rules)["passed"])
    return {"passed": passed, "afraid": not passed}


# ---------------------------------------------------------------- one round of melee


def combat_dice(sides: Sides, side: int, index: int) -> int:
    """One for himself and one for each enemy in the fray. Source: C3-3.4, C3-3.5."""
    if sides[side][index].killed:
        return 0
    return 1 + sum(1 for enemy in sides[OTHER[side]] if not enemy.killed)


def most_attack_dice(standing: Standing, dice: int) -> int:
    """All of them, but no more than defence dice if he is afraid. Source: C3-2.16."""
    return dice // 2 if standing.afraid else dice


def place(side: int, sides: Sides, placing: Placing, seen: tuple[int, ...] | None) -> Side:
    """Put the dice of one side into attack and defence. Source: C3-3.7, C3-3.8.

    Each fighter has his own dice and uses no other's. Taken: a given split with more attack dice than the
    fighter has, or may place as he is afraid, is cut to what he may place.
    """
    if isinstance(placing, int):
        asked: Sequence[int] = [placing] * len(sides[side])
    elif isinstance(placing, Sequence):
        asked = placing
    else:
        asked = placing(side, sides, seen)
    placed = []
    for index, (standing, wanted) in enumerate(zip(sides[side], asked, strict=True)):
        if wanted < 0:
            raise ValueError("fewer than no attack dice")
        dice = combat_dice(sides, side, index)
        attack = min(wanted, most_attack_dice(standing, dice))
        placed.append(replace(standing, attack=attack, defence=dice - attack))
    return tuple(placed)


def pair_up(side: int, mine: Side, theirs: Side) -> Sides:
    """Both sides in their order, from the view of one of them."""
    return (mine, theirs) if side == 0 else (theirs, mine)


def with_fighter(sides: Sides, side: int, index: int, standing: Standing) -> Sides:
    """The sides with one fighter changed."""
    changed = (*sides[side][:index], standing, *sides[side][index + 1 :])
    return pair_up(side, changed, sides[OTHER[side]])


def attack_once(
    rng: Random, sides: Sides, side: int, attacker: int, target: int, defending: Defending, rules: Rules
) -> Sides:
    """One attack die against one defence die at most, and the wound at once. Source: C3-3.10 to C3-3.18.

    The defender speaks before the attack roll.
    """
    striker = sides[side][attacker]
    striker = replace(striker, attack=striker.attack - 1)
    sides = with_fighter(sides, side, attacker, striker)
    struck = sides[OTHER[side]][target]
    defence = None
    if struck.defence > 0 and defending(Moment(side, attacker, target, sides)):
        struck = replace(struck, defence=struck.defence - 1)
        defence = characteristic(struck, "DEF", rules)
    if opposed_hit(rng, characteristic(striker, "ATT", rules), defence, rules)["hit"]:
        done = wound(rng, struck, striker.fighter.strength, rules, -penalty(striker, "damage", rules))
        struck = after_wound(struck, done)
    return with_fighter(sides, OTHER[side], target, struck)


def attack_all(rng: Random, sides: Sides, side: int, defending: Defending, rules: Rules) -> Sides:
    """Each fighter attacks each enemy once while his dice last. Source: C3-3.11 to C3-3.14.

    Taken: fighters and enemies in the listed order, in every turn from the head of the list; the killed are
    left out.
    """
    for attacker in range(len(sides[side])):
        for target in range(len(sides[OTHER[side]])):
            striker = sides[side][attacker]
            if striker.killed or striker.attack == 0 or sides[OTHER[side]][target].killed:
                continue
            sides = attack_once(rng, sides, side, attacker, target, defending, rules)
    return sides


def can_attack(sides: Sides, side: int) -> bool:
    """The side has a living fighter with an attack die."""
    return any(s.attack > 0 and not s.killed for s in sides[side])


def beaten(side: Side) -> bool:
    """All fighters of the side are killed."""
    return all(s.killed for s in side)


def melee_round(
    rng: Random,
    sides: Sides,
    placing: tuple[Placing, Placing],
    defending: tuple[Defending, Defending],
    rules: Rules,
    named: tuple[int | None, int | None] = (None, None),
    first: int | None = None,
) -> tuple[Sides, Trial]:
    """Initiative, placing, exchanges until no attack dice are left. Source: C3-3.4 to C3-3.15.

    `first` is the side that won the initiative, instead of a roll. A side without attack dice is passed over.
    """
    winner = first if first is not None else number(initiative(rng, sides, rules, named)["winner"])
    loser = OTHER[winner]
    lost = place(loser, sides, placing[loser], None)
    sides = pair_up(loser, lost, sides[winner])
    won = place(winner, sides, placing[winner], tuple(s.attack for s in lost))
    sides = pair_up(winner, won, lost)
    done: Trial = {
        "first": winner,
        "attack_dice": tuple(tuple(s.attack for s in side) for side in sides),
        "defence_dice": tuple(tuple(s.defence for s in side) for side in sides),
    }
    turn = winner
    while not beaten(sides[0]) and not beaten(sides[1]) and (can_attack(sides, 0) or can_attack(sides, 1)):
        sides = attack_all(rng, sides, turn, defending[OTHER[turn]], rules)
        turn = OTHER[turn]
    done["wounds"] = tuple(tuple(s.wound for s in side) for side in sides)
    done["stunned"] = tuple(tuple(s.stunned for s in side) for side in sides)
    done["killed"] = tuple(tuple(s.killed for s in side) for side in sides)
    return sides, done


def end_of_round(sides: Sides, rules: Rules) -> Sides:
    """Stuns, charge tokens and dice left over go; wounds and fear stay. Source: C3-2.9, C3-3.18."""
    stays = one_of(rules, "charge_token_lasts", "round", "melee") == "melee"

    def end(side: Side) -> Side:
        return tuple(replace(s, stunned=0, charged=s.charged and stays, attack=0, defence=0) for s in side)

    return end(sides[0]), end(sides[1])


def activate_afraid(rng: Random, sides: Sides, rules: Rules) -> Sides:
    """All living afraid fighters try to take heart. Source: C3-2.18."""
    for side in (0, 1):
        for index, standing in enumerate(sides[side]):
            if standing.afraid and not standing.killed:
                afraid = bool(takes_heart(rng, standing, rules)["afraid"])
                sides = with_fighter(sides, side, index, replace(standing, afraid=afraid))
    return sides


# ---------------------------------------------------------------- frays and duels


def fray(
    rng: Random,
    one: Standing,
    enemies: Sequence[Standing],
    placing: tuple[Placing, Placing],
    defending: tuple[Defending, Defending],
    rules: Rules,
    rounds: int = 1,
    named: tuple[int | None, int | None] = (None, None),
    first: int | None = None,
    takes_heart_between: bool = True,
) -> Trial:
    """One fighter (side 0) against one or several (side 1). Source: C3-3.1 to C3-3.18.

    Who is charged or afraid is already on the fighters. `first` is the winner of the first initiative.
    Taken: before each later round every afraid fighter is activated and tests, unless
    `takes_heart_between` is false; a named fighter who is killed is followed by the best of the rest; nobody
    leaves the fray or comes.
    """
    if not enemies:
        raise ValueError("a fray needs an enemy")
    sides: Sides = ((one,), tuple(enemies))
    played: list[Trial] = []
    for nth in range(rounds):
        if beaten(sides[0]) or beaten(sides[1]):
            break
        if nth > 0 and takes_heart_between:
            sides = activate_afraid(rng, sides, rules)
        names = tuple(
            None if n is None or side[n].killed else n for n, side in zip(named, sides, strict=True)
        )
        won = first if nth == 0 else None
        sides, done = melee_round(rng, sides, placing, defending, rules, (names[0], names[1]), won)
        played.append(done)
        sides = end_of_round(sides, rules)
    return {
        "rounds": played,
        "wounds": tuple(tuple(s.wound for s in side) for side in sides),
        "killed": tuple(tuple(s.killed for s in side) for side in sides),
        "afraid": tuple(tuple(s.afraid for s in side) for side in sides),
    }


def duel(
    rng: Random,
    attacker: Standing,
    target: Standing,
    placing: tuple[Placing, Placing],
    defending: tuple[Defending, Defending],
    rules: Rules,
    rounds: int = 1,
    charge: bool = False,
    distance: float | Guess | None = None,
    contact: bool = True,
    activated: bool = False,
    first: int | None = None,
    takes_heart_between: bool = True,
) -> Trial:
    """One engages one: reach, fear at contact, charge token, and rounds of melee. Source: C3-2.6 to C3-3.18.

    The attacker is side 0. `distance` None is in reach. `contact` true is the moment of contact, with its
    tests of fear; false is a melee that goes on, with whatever tokens the fighters bring.
    Taken: fear is tested once, at contact; without contact no round is fought; an afraid target that was not
    activated before contact is activated before the melee, and tests to take heart.
    """
    done: Trial = {"reached": True, "fear": None, "contact": True}
    if charge and target.afraid and setting(rules, "runs_when_declared"):
        done["contact"] = False
    elif distance is not None and not engage(rng, attacker.fighter.movement, distance, charge)["reached"]:
        done["reached"] = done["contact"] = False
    elif contact:
        fear = fear_at_contact(rng, attacker, target, rules, activated, charge)
        attacker = replace(attacker, afraid=bool(fear["attacker_afraid"]))
        target = replace(target, afraid=bool(fear["target_afraid"]))
        if fear["contact"] and target.afraid and not activated:
            target = replace(target, afraid=bool(takes_heart(rng, target, rules)["afraid"]))
        done["fear"], done["contact"] = fear, fear["contact"]
        if fear["contact"] and charge:
            target = replace(target, charged=True)
    fought = rounds if done["contact"] else 0
    end = fray(
        rng,
        attacker,
        (target,),
        placing,
        defending,
        rules,
        fought,
        first=first,
        takes_heart_between=takes_heart_between,
    )
    for name in ("wounds", "killed", "afraid"):
        pair = end[name]
        assert isinstance(pair, tuple)
        done[name] = (pair[0][0], pair[1][0])
    done["rounds"] = end["rounds"]
    return done


# ---------------------------------------------------------------- exact chances, by counting dice

DEEPEST = 40
EQUAL = 1e-12


@cache
def open_die() -> tuple[tuple[int, bool, float], ...]:
    """Every end of a die whose sixes are always rolled on: (sum, ended on a 1, chance). Source: C3-0.1."""
    ends = []
    for sixes in range(DEEPEST):
        for face in range(1, 6):
            ends.append((6 * sixes + face, face == 1, 6.0 ** -(sixes + 1)))
    return tuple(ends)


@cache
def settled(lead: int, attacker_live: bool, defender_live: bool, deep: int = 0) -> float:
    """The chance of a hit when the losing side rolls its live 6 on, and so on. Source: C3-0.1, C3-0.2."""
    hit = lead > 0
    if deep == DEEPEST or not (defender_live if hit else attacker_live):
        return float(hit)
    chance = float(hit)  # of a 1: the side that rolls on has lost
    for face in range(2, 7):
        if hit:
            chance += settled(lead - face, attacker_live, face == 6, deep + 1)
        else:
            chance += settled(lead + face, face == 6, defender_live, deep + 1)
    return chance / 6


@cache
def hit_chance_by(lead: int, way: str, order: str) -> float:
    """The chance of a hit against a defence die at this ATT - DEF. Source: C3-0.1 to C3-0.3, C3-3.10."""
    if way == "when_needed" and order == "attack_first":
        return float(chance_rolling_on(lead))
    chance = 0.0
    if way == "always":
        for mine, my_one, p in open_die():
            for his, his_one, q in open_die():
                if not my_one and (his_one or lead + mine > his):
                    chance += p * q
        return chance
    for mine in range(2, 7):
        chance += 1 / 36  # the defender's 1
        for his in range(2, 7):
            if way == "never":
                chance += float(lead + mine > his) / 36
            else:
                chance += settled(lead + mine - his, mine == 6, his == 6) / 36
    return chance


def hit_chance(attack: int, defence: int | None, rules: Rules) -> float:
    """The exact chance of `opposed_hit`. Source: C3-0.1 to C3-0.3, C3-3.10."""
    way = way_with_sixes(rules)
    if defence is None:
        if one_of(rules, "undefended", "unless_one", "always") == "always":
            return 1.0
        return 0.8 if way == "always" else 5 / 6
    return hit_chance_by(attack - defence, way, one_of(rules, "roll_order", "together", "attack_first"))


def damage_chances(strength: int, resistance: int, modifier: int, rules: Rules) -> dict[str, float]:
    """The exact chance of each result of a hit, from all 36 throws. Source: C3-3.17, C3-3.18."""
    chances: dict[str, float] = {}
    for first in range(1, 7):
        for second in range(1, 7):
            severity = max(first, second) + strength + modifier - resistance
            result = damage_result(min(first, second), severity, first == second == 6, rules)
            chances[result] = chances.get(result, 0.0) + 1 / 36
    return chances


# ---------------------------------------------------------------- the best placement

Pair = tuple[Standing, Standing]
Endings = dict[tuple[str, str], float]
OBJECTIVES = ("difference", "kill", "survive", "wounds", "wounds_inflicted")


def worth(endings: Endings, objective: str, side: int) -> float:
    """What the endings (wounds of both fighters -> chance) are worth to one side.

    "difference" is P(enemy killed) - P(own fighter killed); "kill" and "survive" are one chance each.
    Taken: "wounds" is the expected level of the enemy's wound (light 1 to killed 4) less that of one's own;
    "wounds_inflicted" is the first part alone. The level at the start is not taken off.
    """
    value = 0.0
    for ending, chance in endings.items():
        mine, his = WOUNDS.index(ending[side]), WOUNDS.index(ending[OTHER[side]])
        if objective == "difference":
            value += chance * (float(his == 4) - float(mine == 4))
        elif objective == "kill":
            value += chance * float(his == 4)
        elif objective == "survive":
            value += chance * float(mine < 4)
        elif objective == "wounds":
            value += chance * (his - mine)
        elif objective == "wounds_inflicted":
            value += chance * his
        else:
            raise ValueError(f"objective is one of {OBJECTIVES}, not {objective!r}")
    return value


class Solver:
    """Best play of one round of one against one, by plain recursion over everything that can happen.

    The objective is that of the side `view`. Taken: with `enemy` "opposes" the other side wants the contrary;
    with "same" it follows the same objective for itself. What is equal, within EQUAL, to the side that
    chooses goes to what is worse for the enemy, then to the first: the defence die kept, the fewest attack
    dice. Wounds after the round are not thought of.
    """

    def __init__(self, rules: Rules, objective: str = "difference", view: int = 0, enemy: str = "opposes"):
        if enemy not in ("opposes", "same"):
            raise ValueError(f"enemy is opposes or same, not {enemy!r}")
        self.rules = rules
        self.objective = objective
        self.view = view
        self.enemy = enemy
        self.memo: dict[tuple[Pair, int], tuple[Endings, bool]] = {}

    def value(self, endings: Endings, side: int) -> float:
        """What the endings are worth to the side."""
        if side == self.view or self.enemy == "same":
            return worth(endings, self.objective, side)
        return -worth(endings, self.objective, self.view)

    def choose(self, choices: Sequence[Endings], side: int) -> int:
        """The number of the best choice for the side."""
        best = 0
        for n in range(1, len(choices)):
            gain = self.value(choices[n], side) - self.value(choices[best], side)
            harm = self.value(choices[best], OTHER[side]) - self.value(choices[n], OTHER[side])
            if gain > EQUAL or (gain > -EQUAL and harm > EQUAL):
                best = n
        return best

    def play(self, pair: Pair, turn: int) -> Endings:
        """How the exchanges end when it is the turn of this side. Source: C3-3.9 to C3-3.15."""
        if pair[0].killed or pair[1].killed or (pair[0].attack == 0 and pair[1].attack == 0):
            return {(pair[0].wound, pair[1].wound): 1.0}
        if pair[turn].attack == 0:
            turn = OTHER[turn]
        return self.answer(pair, turn)[0]

    def answer(self, pair: Pair, turn: int) -> tuple[Endings, bool]:
        """The attack of this side with the best answer to it, and whether the answer is a defence die."""
        key = (pair, turn)
        if key not in self.memo:
            choices = [self.attack(pair, turn, False)]
            if pair[OTHER[turn]].defence > 0:
                choices.append(self.attack(pair, turn, True))
            best = self.choose(choices, OTHER[turn])
            self.memo[key] = choices[best], best == 1
        return self.memo[key]

    def attack(self, pair: Pair, turn: int, defended: bool) -> Endings:
        """All that one attack can do. Source: C3-3.10 to C3-3.18."""
        striker = replace(pair[turn], attack=pair[turn].attack - 1)
        struck, defence = pair[OTHER[turn]], None
        if defended:
            struck = replace(struck, defence=struck.defence - 1)
            defence = characteristic(struck, "DEF", self.rules)
        hit = hit_chance(characteristic(striker, "ATT", self.rules), defence, self.rules)
        lost = penalty(striker, "damage", self.rules)
        results = damage_chances(striker.fighter.strength, struck.fighter.resistance, -lost, self.rules)
        outcomes = [(1 - hit, struck)]
        outcomes += [(hit * p, hurt(struck, result, self.rules)) for result, p in results.items()]
        endings: Endings = {}
        for chance, after in outcomes:
            now = (striker, after) if turn == 0 else (after, striker)
            for ending, p in self.play(now, OTHER[turn]).items():
                endings[ending] = endings.get(ending, 0.0) + chance * p
        return endings

    def splits(self, standing: Standing, dice: int) -> list[Standing]:
        """All that the fighter may place, from no attack dice up. Source: C3-2.16, C3-3.7."""
        most = most_attack_dice(standing, dice)
        return [replace(standing, attack=n, defence=dice - n) for n in range(most + 1)]

    def reply(self, placed: Standing, other: Standing, dice: int, loser: int) -> tuple[Endings, int]:
        """The winner's best answer to a placement that he has seen. Source: C3-3.8."""
        choices = []
        for won in self.splits(other, dice):
            pair = (placed, won) if loser == 0 else (won, placed)
            choices.append(self.play(pair, OTHER[loser]))
        best = self.choose(choices, OTHER[loser])
        return choices[best], best

    def commit(self, pair: Pair, dice: Sequence[int], loser: int) -> tuple[list[tuple[Endings, int]], int]:
        """Every placement of the loser with the best answer, and the number of the best. Source: C3-3.7."""
        winner = OTHER[loser]
        replies = [
            self.reply(placed, pair[winner], dice[winner], loser)
            for placed in self.splits(pair[loser], dice[loser])
        ]
        return replies, self.choose([endings for endings, _ in replies], loser)

    def placing(self, side: int, sides: Sides, seen: tuple[int, ...] | None) -> tuple[int]:
        """Best play as the `placing` of a `duel`."""
        (one,), (two,) = sides
        if seen is None:
            return (self.commit((one, two), (2, 2), side)[1],)
        other, mine = sides[OTHER[side]][0], sides[side][0]
        return (self.reply(other, mine, 2, OTHER[side])[1],)

    def defending(self, moment: Moment) -> bool:
        """Best play as the `defending` of a `duel`."""
        (one,), (two,) = moment.sides
        pair = (one, two)
        striker = replace(pair[moment.side], attack=pair[moment.side].attack + 1)
        pair = (striker, two) if moment.side == 0 else (one, striker)
        return self.answer(pair, moment.side)[1]


def best_placement(
    first: Standing,
    second: Standing,
    loser: int,
    rules: Rules,
    objective: str = "difference",
    view: int = 0,
    enemy: str = "opposes",
    dice: tuple[int, int] = (2, 2),
) -> Trial:
    """The loser commits a split, the winner answers, each defender decides. Source: C3-3.7 to C3-3.15.

    `loser` is the side that lost the initiative, `view` the side whose objective it is. Only for one against
    one and one round; for the choices taken see `Solver` and `worth`. All "value" are of the side `view`.
    """
    solver = Solver(rules, objective, view, enemy)
    replies, best = solver.commit((first, second), dice, loser)
    rows: list[Trial] = [
        {"loser_attack": n, "reply_attack": reply, "value": worth(endings, objective, view)}
        for n, (endings, reply) in enumerate(replies)
    ]
    endings = replies[best][0]
    return {
        **rows[best],
        "by_loser_attack": rows,
        "killed": tuple(sum(p for end, p in endings.items() if end[s] == "killed") for s in (0, 1)),
        "endings": endings,
    }
