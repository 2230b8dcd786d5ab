"""The literal referee against the exact engine: whole distributions, and placements by enumeration.

Each comparison is a chi-square over pooled bins with a fixed seed and a false-failure rate of 1e-6. Power
twins reuse the referee's sample against an altered question, and must reject it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import prod
from random import Random
from typing import Any

import pytest

import mathhammer
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.sixes import Sixes, decided_law
from tests.games.confrontation_3.fighters import fearsome, fighter
from tests.literal import confrontation_3 as literal
from tests.oracle import agrees

TRIALS = 6_000
POLICIES = ("when_needed", "always", "never")
WOUND = {word: level for level, word in enumerate(literal.WOUNDS)}
State = tuple[Any, ...]


# -- the same things in the referee's words --------------------------------------------------------
def told(own: Fighter) -> literal.Fighter:
    """The same fighter."""
    return literal.Fighter(
        movement=own.mov,
        initiative=own.ini,
        attack=own.att,
        strength=own.strength,
        defence=own.defence,
        resistance=own.res,
        aim=own.aim,
        courage=own.cou,
        fear=own.fear,
        discipline=own.dis,
        leadership=own.leadership,
    )


def rules_told(rules: dict[str, Any]) -> dict[str, object]:
    """The same rules."""
    names = {
        "double_six": "exceptional_wound",
        "reroll_six": "reroll_six",
        "roll_order": "roll_order",
        "stun_stacks": "stun_stacks",
    }
    words: dict[str, Callable[[Any], tuple[str, object]]] = {
        "contest_ones": lambda value: ("opposed_one_loses", value == "lose"),
        "undefended": lambda value: ("undefended", {"unless_1": "unless_one"}.get(value, value)),
        "charge_token_lasts": lambda value: ("charge_token_lasts", {"fight": "melee"}.get(value, value)),
        "fear_and_charge": lambda value: ("fear_and_charge_add", value == "add_up"),
        "lighter_wound": lambda value: ("lighter_raises", value == "raises"),
        "wounds_on_ini": lambda value: ("penalised", ("ATT", "DEF", "AIM", "damage")),
    }
    return dict(words[key](value) if key in words else (names[key], value) for key, value in rules.items())


def standing(own: Fighter, wound: str = "none", **flags: Any) -> literal.Standing:
    return literal.Standing(told(own), "nothing" if wound == "none" else wound, **flags)


@lru_cache(maxsize=64)
def sampled(name: str) -> Counter[State]:
    """The referee's sample of a case, thrown once for the comparison and its power twin."""
    rng = Random(f"confrontation 3: {name}")
    throw = CASES[name][0]
    return Counter(throw(rng) for _ in range(TRIALS))


def exact(mode: str, *fighters: Fighter, **options: Any) -> mathhammer.Result:
    return mathhammer.exact("c3", mode, *fighters, **options)


def states(result: mathhammer.Result, *names: str) -> dict[State, float]:
    """The joint distribution of some measures and events."""
    columns, p = result._joint(list(names), "exact")
    found: dict[State, float] = {}
    for row, chance in zip(
        zip(*(c.tolist() for c in columns.values()), strict=True), p.tolist(), strict=True
    ):
        found[row] = found.get(row, 0.0) + chance
    return found


# -- cases: the referee's throw, the exact distribution, an altered question ------------------------
Case = tuple[Callable[[Random], State], Callable[[], dict[State, float]], Callable[[], dict[State, float]]]


def one_test_case(difficulty: int, dice: int, policy: str) -> Case:
    rules: dict[str, Any] = {"reroll_six": policy}

    def asked(need: int) -> dict[State, float]:
        options: dict[str, Any] = {"characteristic": "cou", "dice": dice, "rules": rules}
        return states(exact("test", fighter(), difficulty=need, **options), "succeeds")

    return (
        lambda rng: (int(bool(literal.take_test(rng, 5, difficulty, rules, dice)["passed"])),),
        lambda: asked(difficulty),
        lambda: asked(difficulty + 1),
    )


def discipline_case(first: Fighter, second: Fighter, rules: dict[str, Any]) -> Case:
    both = (told(first), told(second))

    def asked(dis: int) -> dict[State, float]:
        better = first.model_copy(update={"dis": (first.dis or 0) + dis})
        return states(exact("discipline", better, second, rules=rules), "attacker.wins")

    return (
        lambda rng: (int(literal.discipline(rng, both, rules_told(rules))["winner"] == 0),),
        lambda: asked(0),
        lambda: asked(1),
    )


def shoot_case(shooter: Fighter, target: Fighter, rules: dict[str, Any], **options: Any) -> Case:
    weapon = literal.Weapon(shooter.weapon_str or 0, shooter.bands or (1, 2, 3))
    shot = literal.Shot(options.get("range", "short"), options.get("moved", False))
    own = standing(
        shooter, options.get("attacker_wound", "none"), stunned=int(options.get("attacker_stunned", False))
    )
    other = standing(target, options.get("defender_wound", "none"))

    def thrown(rng: Random) -> State:
        done = literal.shoot(rng, own, other, weapon, shot, rules_told(rules))
        return int(bool(done["hit"])), WOUND[str(done["wound"])], int(bool(done["stunned"]))

    def asked(more: int) -> dict[State, float]:
        stronger = shooter.model_copy(update={"weapon_str": (shooter.weapon_str or 0) + more})
        result = exact("shoot", stronger, target, rules=rules, **options)
        return states(result, "hits", "defender.wound", "stunned")

    return thrown, lambda: asked(0), lambda: asked(1)


def fear_case(attacker: Fighter, target: Fighter, **options: Any) -> Case:
    own, other = standing(attacker), standing(target, afraid=options.get("defender_afraid", False))
    charge = options.get("contact") == "charge"

    def thrown(rng: Random) -> State:
        done = literal.fear_at_contact(rng, own, other, {}, options.get("activated", False), charge)
        return tuple(
            int(bool(done[k]))
            for k in ("contact", "attacker_back", "target_runs", "attacker_afraid", "target_afraid")
        )

    def asked(more: int) -> dict[State, float]:
        one, two = (f.model_copy(update={"cou": f.cou and f.cou - more}) for f in (attacker, target))
        names = ("fights", "cancelled", "flees", "attacker.afraid", "defender.afraid")
        return states(exact("fear", one, two, **options), *names)

    return thrown, lambda: asked(0), lambda: asked(1)


def dice_of(split: str) -> int:
    """Attack dice of a written split."""
    return int(split.split("/")[0])


def duel_case(
    attacker: Fighter, target: Fighter, rules: dict[str, Any], *, best: bool = False, **options: Any
) -> Case:
    """Both by fixed habits (every defence die spent at once), or by the referee's own best play."""
    flags = {
        "attacker": {
            "charged": options.get("charged") == "attacker",
            "afraid": options.get("attacker_afraid", False),
        },
        "defender": {
            "charged": options.get("charged") == "defender",
            "afraid": options.get("defender_afraid", False),
        },
    }
    own = standing(attacker, options.get("attacker_wound", "none"), **flags["attacker"])
    other = standing(
        target,
        options.get("defender_wound", "none"),
        stunned=int(options.get("defender_stunned", False)),
        **flags["defender"],
    )
    contact = options.get("contact", "made")
    placing: Any = (dice_of(options.get("split", "1/1")), dice_of(options.get("enemy_split", "1/1")))
    defending: Any = (literal.always_defends, literal.always_defends)
    if best:
        solver = literal.Solver(rules_told(rules))
        placing, defending = (solver.placing, solver.placing), (solver.defending, solver.defending)

    def thrown(rng: Random) -> State:
        done: Any = literal.duel(
            rng,
            own,
            other,
            placing,
            defending,
            rules_told(rules),
            rounds=options.get("rounds", 1),
            charge=contact == "charge",
            distance=float(options["distance"]) if "distance" in options else None,
            contact=contact != "made",
            activated=options.get("activated", False),
        )
        first = int(bool(done["rounds"]) and done["rounds"][0]["first"] == 0)
        stunned = done["rounds"][0]["stunned"] if options.get("rounds", 1) == 1 and done["rounds"] else None
        shaken = tuple(int(s[0] > 0) for s in stunned) if stunned else ()
        wounds = tuple(WOUND[w] for w in done["wounds"])
        return (int(bool(done["contact"])), first, *wounds, *alive_only(shaken, wounds))

    def asked(more: int) -> dict[State, float]:
        stronger = attacker.model_copy(update={"strength": attacker.strength + more})
        play = {} if best else {"play": "simple"}
        result = exact("duel", stronger, target, rules=rules, **play, **options)
        names = ["fights", "attacker.initiative", "attacker.wound", "defender.wound"]
        one_round = options.get("rounds", 1) == 1
        seen = states(result, *names, *(["attacker.stunned", "defender.stunned"] if one_round else []))
        found: dict[State, float] = {}
        for state, p in seen.items():
            shaken = alive_only(state[4:], state[2:4]) if state[0] and one_round else ()
            found[(*state[:4], *shaken)] = found.get((*state[:4], *shaken), 0.0) + p
        return found

    return thrown, lambda: asked(0), lambda: asked(1)


def alive_only(stunned: Sequence[int], wounds: Sequence[int]) -> tuple[int, ...]:
    """Who is stunned, the killed left out: the two witnesses keep their stuns differently."""
    return tuple(int(s and w < 4) for s, w in zip(stunned, wounds, strict=False))


def fray_case(lone: Fighter, enemies: list[Fighter], rules: dict[str, Any], **options: Any) -> Case:
    """One against several by fixed habits, over one or more rounds."""
    splits = options["enemy_split"].split(",")
    own = standing(lone, options.get("attacker_wound", "none"))
    others = [standing(e) for e in enemies]
    others[0] = standing(
        enemies[0], options.get("defender_wound", "none"), afraid=options.get("defender_afraid", False)
    )

    def thrown(rng: Random) -> State:
        done: Any = literal.fray(
            rng,
            own,
            others,
            (dice_of(options["split"]), [dice_of(split) for split in splits]),
            (literal.always_defends, literal.always_defends),
            rules_told(rules),
            rounds=options.get("rounds", 1),
            named=(None, None if "named" not in options else options["named"] - 1),
        )
        (mine,), theirs = done["wounds"]
        return (int(done["rounds"][0]["first"] == 0), WOUND[mine], *(WOUND[w] for w in theirs))

    def asked(more: int) -> dict[State, float]:
        stronger = lone.model_copy(update={"strength": lone.strength + more})
        result = exact("fray", stronger, enemies[0], with_=enemies[1:], rules=rules, play="simple", **options)
        names = ["defender.wound", "second.wound", "third.wound", "fourth.wound"][: len(enemies)]
        return states(result, "attacker.initiative", "attacker.wound", *names)

    return thrown, lambda: asked(0), lambda: asked(1)


STRONG = fighter(att=5, str=10, res=7)
LIGHT: dict[str, Any] = {"str": 4, "def": 0}  # who is hit often, and lightly
ARCHER = fighter(aim=3, weapon_str=7, ranges="20-35-45")
CASES: dict[str, Case] = {
    **{
        f"test of {need}, {dice} dice, {policy}": one_test_case(need, dice, policy)
        for need, dice in ((8, 1), (10, 1), (9, 2), (10, 3))
        for policy in POLICIES
    },
    "test of 14, 2 dice, a six needed": one_test_case(14, 2, "when_needed"),
    "test of 14, 2 dice, always": one_test_case(14, 2, "always"),
    **{
        f"discipline, {policy}": discipline_case(fighter(dis=4), fighter(dis=3), {"reroll_six": policy})
        for policy in POLICIES
    },
    "discipline, a leader": discipline_case(fighter(dis=2, leadership=True), fighter(dis=3), {}),
    "discipline, ones are plain": discipline_case(fighter(dis=4), fighter(dis=3), {"contest_ones": "plain"}),
    "two leaders, always": discipline_case(
        fighter(leadership=True), fighter(leadership=True, dis=4), {"reroll_six": "always"}
    ),
    "a shot": shoot_case(ARCHER, fighter(), {}, range="medium", moved=True),
    "a shot by a hurt shooter": shoot_case(
        ARCHER, fighter(), {"reroll_six": "always"}, attacker_wound="light", attacker_stunned=True
    ),
    "a shot at a hurt target": shoot_case(
        ARCHER, fighter(), {"double_six": "serious"}, defender_wound="serious"
    ),
    "the attacker's fear": fear_case(fighter(cou=4), fearsome(8)),
    "the target's fear": fear_case(fearsome(8), fighter(cou=4)),
    "the target's fear, activated": fear_case(fearsome(8), fighter(cou=4), activated=True),
    "charged while afraid": fear_case(fighter(), fighter(), contact="charge", defender_afraid=True),
    **{f"duel, {policy}": duel_case(STRONG, fighter(), {"reroll_six": policy}) for policy in POLICIES},
    "duel, the attacker's die first": duel_case(STRONG, fighter(), {"roll_order": "attack_first"}),
    "duel, two attacks each": duel_case(STRONG, fighter(), {}, split="2/0", enemy_split="2/0"),
    "duel, all defence": duel_case(STRONG, fighter(), {}, split="2/0", enemy_split="0/2"),
    "duel, undefended always hit": duel_case(STRONG, fighter(), {"undefended": "always"}, split="2/0"),
    "duel, double 6 by the table": duel_case(STRONG, fighter(), {"double_six": "table"}),
    "duel, hurt before": duel_case(
        STRONG, fighter(), {}, attacker_wound="light", defender_wound="serious", defender_stunned=True
    ),
    "duel, ini unhurt": duel_case(
        STRONG, fighter(), {"wounds_on_ini": False}, attacker_wound="serious", rounds=2
    ),
    "duel, three rounds": duel_case(STRONG, fighter(ini=4), {}, rounds=3),
    "duel, stuns add up": duel_case(
        fighter(str=4), fighter(str=4), {"stun_stacks": True}, rounds=2, split="2/0"
    ),
    "duel, a charge and fear": duel_case(
        fearsome(8, str=9), fighter(cou=3), {}, contact="charge", activated=True, rounds=2
    ),
    "duel, the token stays": duel_case(
        STRONG, fighter(), {"charge_token_lasts": "fight"}, contact="charge", rounds=2, distance="18"
    ),
    "duel, afraid and charged": duel_case(
        STRONG,
        fighter(),
        {"fear_and_charge": "worse"},
        charged="defender",
        defender_afraid=True,
        enemy_split="1/1",
    ),
    "duel, afraid and not yet activated": duel_case(
        STRONG, fighter(cou=2), {}, contact="engage", defender_afraid=True, enemy_split="1/1"
    ),
    "duel, lighter wounds are nothing": duel_case(
        fighter(**{**LIGHT, "res": 8}), fighter(**LIGHT), {"lighter_wound": "nothing"}, split="2/0"
    ),
    "duel, the attacker may go back": duel_case(fighter(cou=4), fearsome(8), {}, contact="engage"),
    "duel, best play": duel_case(STRONG, fighter(ini=4), {}, best=True),
    "duel, best play, hurt": duel_case(
        STRONG, fighter(), {"reroll_six": "always"}, best=True, attacker_wound="light", defender_stunned=True
    ),
    "duel, best play, afraid": duel_case(STRONG, fighter(), {}, best=True, defender_afraid=True),
    "fray of two": fray_case(STRONG, [fighter(), fighter(ini=5)], {}, split="2/1", enemy_split="1/1,2/0"),
    "fray of two, two rounds": fray_case(
        STRONG,
        [fighter(), fighter(att=6)],
        {"reroll_six": "always"},
        split="3/0",
        enemy_split="1/1,0/2",
        rounds=2,
        attacker_wound="light",
    ),
    "fray of three": fray_case(
        STRONG,
        [fighter(), fighter(res=4), fighter(ini=6)],
        {},
        split="2/2",
        enemy_split="1/1,1/1,2/0",
        named=2,
    ),
    "fray of three, one afraid, two rounds": fray_case(
        STRONG,
        [fighter(cou=3), fighter(), fighter()],
        {},
        split="3/1",
        enemy_split="1/1,1/1,1/1",
        rounds=2,
        defender_afraid=True,
    ),
    "fray of four": fray_case(
        STRONG,
        [fighter(), fighter(), fighter(), fighter(res=3)],
        {},
        split="4/1",
        enemy_split="1/1,1/1,2/0,1/1",
    ),
}
CERTAIN = {"charged while afraid"}  # nothing to tell apart: no power twin


@pytest.mark.parametrize("name", CASES)
def test_the_referee_agrees(name: str) -> None:
    assert agrees(sampled(name), CASES[name][1]())


@pytest.mark.parametrize("name", [name for name in CASES if name not in CERTAIN])
def test_an_altered_question_is_told_from_the_referees_sample(name: str) -> None:
    """One point more: of strength, of the weapon, of difficulty, of discipline, of courage less."""
    assert not agrees(sampled(name), CASES[name][2]())


# -- placements, by enumeration --------------------------------------------------------------------
PAIRS = (
    (fighter(), fighter()),
    (STRONG, fighter(**{"ini": 5, "def": 6})),
    (fighter(att=2, res=4), fighter(att=7, str=5)),
)
OBJECTIVES = {"net": "difference", "kill": "kill", "wounds": "wounds"}


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("pair", range(len(PAIRS)))
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"reroll_six": "always"},
        {"reroll_six": "never", "undefended": "always"},
        {"roll_order": "attack_first"},
        {"stun_stacks": True, "double_six": "table"},
    ],
    ids=lambda rules: "-".join(map(str, rules.values())) or "shipped",
)
def test_placements_are_those_that_the_referee_enumerates(
    rules: dict[str, Any], pair: int, objective: str
) -> None:
    """Every split of the loser, the best answer to it, and what both come to, to 1e-9; both initiatives."""
    one, other = PAIRS[pair]
    hurt: dict[str, Any] = {"attacker_wound": "light", "defender_stunned": True} if pair == 1 else {}
    result = exact("placement", one, other, objective=objective, rules=rules, **hurt)
    rows = result.tables["placement"]
    own = standing(one, hurt.get("attacker_wound", "none"))
    enemy = standing(other, stunned=int(hurt.get("defender_stunned", False)))
    begun = 1 if hurt and objective == "wounds" else 0  # the attacker's light wound, which the referee counts
    for loser, name in ((1, "attacker"), (0, "defender")):
        want: Any = literal.best_placement(own, enemy, loser, rules_told(rules), OBJECTIVES[objective])
        mine = [row for row in rows if row["initiative"].startswith(name)]
        assert len(mine) == len(want["by_loser_attack"])
        for row, expected in zip(mine, want["by_loser_attack"], strict=True):
            assert row["value"] == pytest.approx(expected["value"] + begun, abs=1e-9)
            answer = int(row["best answer"].split()[1][0])
            assert answer == expected["reply_attack"] or is_tie(mine, row)
        best = next(row for row in mine if row["choice"])
        assert best["value"] == pytest.approx(want["value"] + begun, abs=1e-9)


def is_tie(rows: list[dict[str, Any]], row: dict[str, Any]) -> bool:
    """An answer that is as good as another to its side; here only where nobody can do anything."""
    return bool(abs(row["value"]) < 1e-9)


# -- frays, by plain recursion over the referee's dice ----------------------------------------------
class Recursion:
    """Best play of a fray once the dice are placed: whom to attack, when to spend a die, state by state.

    It counts with the referee's chances, and shares nothing with the solver but the question.
    """

    def __init__(self, rules: dict[str, Any], best_order: bool, later: Recursion | None = None) -> None:
        """later: the next round."""
        self.rules, self.best_order, self.later = rules_told(rules), best_order, later
        self.begin = lru_cache(maxsize=None)(self._begin)
        self.play = lru_cache(maxsize=None)(self._play)
        self.damage = lru_cache(maxsize=None)(self._damage)

    def _damage(self, strength: int, resistance: int, off: int) -> dict[str, float]:
        return literal.damage_chances(strength, resistance, -off, self.rules)

    def _play(
        self, lone: literal.Standing, enemies: tuple[literal.Standing, ...], side: int, done: frozenset[int]
    ) -> float:
        """Enemies killed less P(the lone one is killed)."""
        alive = [i for i, e in enumerate(enemies) if not e.killed]
        theirs = [i for i in alive if enemies[i].attack]
        if lone.killed or not alive or not (lone.attack or theirs):
            over = lone.killed or not alive or not self.later
            killed = len(enemies) - len(alive) - float(lone.killed)
            return killed if over else self._next(lone, enemies)
        able = [i for i in (theirs if side else alive if lone.attack else []) if i not in done]
        if not able:
            return float(self.play(lone, enemies, 1 - side, frozenset()))
        if side:
            values = [self._attack(lone, enemies, i, side, done) for i in able]
            return min(values) if self.best_order else values[0]
        return max(self._attack(lone, enemies, i, side, done) for i in able)

    def _next(self, lone: literal.Standing, enemies: tuple[literal.Standing, ...]) -> float:
        """The next round, once stuns and tokens are gone and the afraid have tested."""
        assert self.later
        total = 0.0
        everyone = [replace(s, stunned=0, charged=False, attack=0, defence=0) for s in (lone, *enemies)]
        chances = [recovering(s) if s.afraid and not s.killed else 0.0 for s in everyone]
        for calm in product((False, True), repeat=len(everyone)):
            p = prod(c if flag else 1 - c for c, flag in zip(chances, calm, strict=True))
            after = [replace(s, afraid=s.afraid and not flag) for s, flag in zip(everyone, calm, strict=True)]
            total += p * self.later.begin(after[0], tuple(after[1:])) if p else 0.0
        return total

    def _begin(self, lone: literal.Standing, enemies: tuple[literal.Standing, ...]) -> float:
        """A round: initiative, then the loser's best placement against the best answer."""
        ini = [literal.characteristic(s, "INI", self.rules) for s in (lone, *enemies) if not s.killed]
        first = decided_law(Sixes(), "again").row(ini[0] - max(ini[1:]) - len(ini) + 2)[1]
        return first * self.placed(lone, enemies, 0) + (1 - first) * self.placed(lone, enemies, 1)

    def placed(self, lone: literal.Standing, enemies: tuple[literal.Standing, ...], first: int) -> float:
        """The best placement of both when this side has the initiative."""
        own = places(lone, 1 + sum(not e.killed for e in enemies))
        theirs = list(product(*(places(e, 0 if e.killed else 2) for e in enemies)))
        worth = [[float(self.play(one, other, first, frozenset())) for other in theirs] for one in own]
        if first:
            return max(min(row) for row in worth)
        return min(max(row[j] for row in worth) for j in range(len(theirs)))

    def _attack(
        self,
        lone: literal.Standing,
        enemies: tuple[literal.Standing, ...],
        i: int,
        side: int,
        done: frozenset[int],
    ) -> float:
        struck = lone if side else enemies[i]
        values = [
            self._struck(lone, enemies, i, side, done, spent)
            for spent in ([False, True] if struck.defence else [False])
        ]
        return max(values) if side else min(values)

    def _struck(
        self,
        lone: literal.Standing,
        enemies: tuple[literal.Standing, ...],
        i: int,
        side: int,
        done: frozenset[int],
        spent: bool,
    ) -> float:
        striker, struck = (enemies[i], lone) if side else (lone, enemies[i])
        striker = replace(striker, attack=striker.attack - 1)
        struck = replace(struck, defence=struck.defence - spent)
        against = literal.characteristic(struck, "DEF", self.rules) if spent else None
        hit = literal.hit_chance(literal.characteristic(striker, "ATT", self.rules), against, self.rules)
        off = literal.penalty(striker, "damage", self.rules)
        results = self.damage(striker.fighter.strength, struck.fighter.resistance, off)
        ends = [(1 - hit, struck)]
        ends += [(hit * p, literal.hurt(struck, result, self.rules)) for result, p in results.items()]
        total = 0.0
        for chance, after in ends:
            one, enemy = (after, striker) if side else (striker, after)
            others = (*enemies[:i], enemy, *enemies[i + 1 :])
            total += chance * self.play(one, others, side, done | {i})
        return total


def recovering(own: literal.Standing) -> float:
    """P(an afraid one recovers): COU 2 or more, so that no six need be rolled again."""
    need = 6 - literal.courage(own.fighter)
    return sum(face >= need for face in range(2, 7)) / 6


def places(own: literal.Standing, dice: int) -> list[literal.Standing]:
    """Every way to place his dice."""
    most = dice // 2 if own.afraid else dice
    return [replace(own, attack=n, defence=dice - n) for n in range(most + 1)]


FIGHTS: list[tuple[list[Fighter], dict[str, Any], list[dict[str, Any]]]] = [
    ([STRONG, fighter(ini=4)], {"rounds": 2}, [{}, {}]),
    ([STRONG, fighter(ini=4)], {"rounds": 3, "initiative": "attacker"}, [{}, {}]),
    ([STRONG, fighter(cou=3)], {"rounds": 2, "defender_afraid": True}, [{}, {"afraid": True}]),
    (
        [fighter(cou=2), STRONG],
        {"rounds": 2, "attacker_afraid": True, "charged": "defender", "attacker_wound": "light"},
        [{"afraid": True, "wound": "light"}, {"charged": True}],
    ),
    ([STRONG, fighter(), fighter(att=6)], {"defender_wound": "light"}, [{}, {"wound": "light"}, {}]),
]


@pytest.mark.parametrize("number", range(len(FIGHTS)))
def test_fights_of_several_rounds_are_worth_what_plain_recursion_says(number: int) -> None:
    """Wounds, fear and the worth of later rounds decide how dice are placed in earlier ones."""
    fighters, options, began = FIGHTS[number]
    rounds = None
    for _ in range(options.get("rounds", 1)):
        rounds = Recursion({}, True, rounds)
    assert rounds
    lone, *enemies = (standing(f, **state) for f, state in zip(fighters, began, strict=True))
    first = options.get("initiative")
    want = rounds.placed(lone, tuple(enemies), 0) if first else rounds.begin(lone, tuple(enemies))
    result = exact("fray", fighters[0], fighters[1], with_=fighters[2:], **options)
    assert result.mean("kills") - result.probability("attacker.killed") == pytest.approx(want, abs=1e-9)


FRAYS = [
    ("2/1", "1/1,1/1", {}, False),
    ("3/0", "2/0,0/2", {"reroll_six": "always"}, False),
    ("1/2", "2/0,1/1", {}, True),
    ("2/1", "2/0,1/1", {"reroll_six": "never"}, True),
]


@pytest.mark.parametrize(("split", "enemy_split", "rules", "best_order"), FRAYS)
@pytest.mark.parametrize("first", [0, 1])
def test_frays_are_worth_what_plain_recursion_says(
    split: str, enemy_split: str, rules: dict[str, Any], best_order: bool, first: int
) -> None:
    lone, enemies = fighter(att=5, str=9), (fighter(), fighter(att=6, res=4, str=8))
    placed = [split, *enemy_split.split(",")]
    own, *others = (
        standing(f, attack=int(s[0]), defence=int(s[2]))
        for f, s in zip((lone, *enemies), placed, strict=True)
    )
    result = exact(
        "fray",
        lone,
        enemies[0],
        with_=[enemies[1]],
        split=split,
        enemy_split=enemy_split,
        rules=rules,
        listed_order=not best_order,
        initiative=("attacker", "defender")[first],
    )
    want = Recursion(rules, best_order).play(own, tuple(others), first, frozenset())
    assert result.mean("kills") - result.probability("attacker.killed") == pytest.approx(want, abs=1e-9)


# -- when a die is spent ---------------------------------------------------------------------------
PLACES = [("2/0", "1/1"), ("1/1", "1/1"), ("1/1", "0/2"), ("2/0", "0/2")]


@pytest.mark.parametrize("rules", [{}, {"undefended": "always"}, {"reroll_six": "never"}])
@pytest.mark.parametrize("places", PLACES, ids=" against ".join)
def test_the_first_die_is_spent_where_the_referee_spends_it(
    places: tuple[str, str], rules: dict[str, Any]
) -> None:
    solver = literal.Solver(rules_told(rules))
    for att, strength in product((1, 4, 9), (0, 6, 12)):
        attacker = fighter(att=att, str=strength)
        fixed: dict[str, Any] = {"split": places[0], "enemy_split": places[1], "initiative": "attacker"}
        result = exact("placement", attacker, fighter(), rules=rules, **fixed)
        row = result.tables["defence_dice"][0]
        pair = tuple(
            standing(f, attack=int(s[0]), defence=int(s[2]))
            for f, s in zip((attacker, fighter()), places, strict=True)
        )
        assert (row["attack"], row["by"], row["chance"]) == (1, "attacker", 1.0)
        assert row["die is spent"] == solver.answer((pair[0], pair[1]), 0)[1]


def test_a_later_attack_is_as_likely_as_both_are_alive() -> None:
    """1/1 against 1/1: the second attack comes unless the first has killed."""
    fixed: dict[str, Any] = {"split": "1/1", "enemy_split": "1/1", "initiative": "attacker"}
    result = mathhammer.exact("c3", "placement", STRONG, fighter(), explain=True, **fixed)
    first, second = result.tables["defence_dice"]
    killed = result.probability("defender.killed")
    assert (first["by"], second["by"]) == ("attacker", "defender")
    assert second["chance"] == pytest.approx(1 - killed, abs=1e-12)
    stages = {stage["stage"]: stage["share"] for stage in result.stages()}
    assert stages["attack 2"] == pytest.approx(second["chance"], abs=1e-12)
