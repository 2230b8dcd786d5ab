"""Mystics: mana and faith over rounds, the ritual, exaltation, an enemy who cancels, I Have the Power.

Comparisons with the referee have fixed seeds and a false-failure rate of 1e-6; their twins must be rejected.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mathhammer
from mathhammer.core.engine import Engine
from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup, Placed
from mathhammer.core.profiles import make_unit, read_units
from mathhammer.core.rulesets import load_ruleset, recording
from mathhammer.core.tally import Tally
from mathhammer.games import confrontation_aor
from mathhammer.games.confrontation_aor import mystics, situations
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from tests.games.confrontation_aor.units import referees, unit
from tests.literal import confrontation_aor as literal
from tests.oracle import agrees

TRIALS = 20_000
FOLDER = Path(confrontation_aor.__file__).parent
SHIPPED = load_ruleset(Rules, FOLDER / "rulesets" / "default.toml").values


def magicians(*energies: int, **fields: Any) -> Unit:
    """An incarnate magician, and further magicians, each with an Energy."""
    roles = [["magician", "incarnate"], *[["magician"]] * (len(energies) - 1)]
    groups = {
        f"m{i}": {"energy": e, "roles": r} for i, (e, r) in enumerate(zip(energies, roles, strict=True))
    }
    return unit(count=4, groups=groups, **fields)


def faithful(*fervors: int, count: int = 6) -> Unit:
    groups = {f"f{i}": {"fervor": fervor, "roles": ["faithful"]} for i, fervor in enumerate(fervors)}
    return unit(count=count, groups=groups)


def asked(own: Unit, changes: dict[str, Any] | None = None, **options: Any) -> Matchup:
    rules = Rules.model_validate({**SHIPPED.model_dump(), **(changes or {})})
    return Matchup({"attacker": (Placed(own),)}, situations.Mystic(**options), rules)


def answer(own: Unit, changes: dict[str, Any] | None = None, **options: Any) -> Tally:
    return Engine(mystics.mystic(asked(own, changes, **options))).exact()


def pmf(tally: Tally, name: str) -> dict[int, float]:
    return {value: float(weight) for value, weight in tally.at_end(name).items() if weight}


def chance(tally: Tally, event: str) -> float:
    return float(tally.at_end(event).get(1, 0.0))


def mean(found: dict[int, float]) -> float:
    return sum(value * p for value, p in found.items())


def rows(own: Unit, changes: dict[str, Any] | None = None, **options: Any) -> dict[str, list[dict[str, Any]]]:
    matchup = asked(own, changes, **options)
    return mystics.tables(matchup, {"pool": pmf(Engine(mystics.mystic(matchup)).exact(), "pool")})


# -- AOR-26: mana ----------------------------------------------------------------------------------
@pytest.mark.rule("AOR-26")
def test_energy_3_gives_0_3_6_or_9_points() -> None:
    """The page: 1/8, 3/8, 3/8, 1/8."""
    found = pmf(answer(magicians(3), rounds=1), "pool")
    assert found == pytest.approx({0: 1 / 8, 3: 3 / 8, 6: 3 / 8, 9: 1 / 8})


@pytest.mark.rule("AOR-26")
@pytest.mark.parametrize("energy", range(1, 8))
def test_mean_mana_is_half_the_square_of_energy(energy: int) -> None:
    """Before the cap, which is out of the way here."""
    found = pmf(answer(magicians(energy), {"mana_cap": 300}, rounds=1), "pool")
    assert mean(found) == pytest.approx(energy**2 / 2)
    assert max(found) == energy**2


@pytest.mark.rule("AOR-26")
def test_the_cap_comes_after_all_magicians_have_rolled_and_points_carry_over() -> None:
    """Two magicians of Energy 2 (0, 2 or 4 points each), two rounds, cap 5: by all rolls."""
    found = pmf(answer(magicians(2, 2), {"mana_cap": 5}, rounds=2, cost=0), "pool")
    one = {0: Fraction(1, 4), 2: Fraction(1, 2), 4: Fraction(1, 4)}
    expected: dict[int, Fraction] = {}
    for rolls in product(one, repeat=4):
        held = min(5, min(5, rolls[0] + rolls[1]) + rolls[2] + rolls[3])
        p = one[rolls[0]] * one[rolls[1]] * one[rolls[2]] * one[rolls[3]]
        expected[held] = expected.get(held, Fraction(0)) + p
    assert found == pytest.approx({k: float(p) for k, p in expected.items()})


@pytest.mark.rule("AOR-26")
def test_spending_leaves_less_and_never_less_than_nothing() -> None:
    """Energy 1 gives 0 or 1 point a round; 1 is spent in the first of two rounds."""
    tally = answer(magicians(1), rounds=2, spend=1, pool=2, cost=0)
    assert pmf(tally, "pool") == pytest.approx({1: 1 / 4, 2: 1 / 2, 3: 1 / 4})
    assert dict(tally.at_round(0, "left")) == pytest.approx({1: 1 / 2, 2: 1 / 2})
    assert pmf(answer(magicians(1), rounds=2, spend=9, cost=0), "pool") == pytest.approx({0: 1 / 2, 1: 1 / 2})


@pytest.mark.rule("AOR-26")
def test_the_pool_of_each_round_is_what_it_is_before_spending() -> None:
    tally = answer(magicians(3), rounds=3, spend=2)
    assert dict(tally.at_round(0, "pool")) == pytest.approx({0: 1 / 8, 3: 3 / 8, 6: 3 / 8, 9: 1 / 8})
    assert dict(tally.at_round(0, "left")) == pytest.approx({0: 1 / 8, 1: 3 / 8, 4: 3 / 8, 7: 1 / 8})


def mana_sample(seed: int, energies: list[int], **options: Any) -> Counter[int]:
    rng = Random(seed)
    found: Counter[int] = Counter()
    for _ in range(TRIALS):
        pools = literal.mana(rng, energies, **options)["pools"]
        assert isinstance(pools, list)
        found[pools[-1]] += 1
    return found


@pytest.mark.rule("AOR-26")
@pytest.mark.parametrize(
    ("energies", "options"),
    [
        ([3], {"rounds": 4}),
        ([4, 2, 2], {"rounds": 2, "spend": 7}),
        ([3, 1], {"rounds": 6, "spend": 4, "pool": 11}),
        ([5], {"rounds": 3, "pool": 30, "spend": 12}),
    ],
)
def test_the_referee_counts_the_same_mana(energies: list[int], options: dict[str, Any]) -> None:
    sample = mana_sample(26, energies, **options)
    assert agrees(sample, pmf(answer(magicians(*energies), **options), "pool"))
    other = {**options, "spend": options.get("spend", 0) + 1}
    assert not agrees(sample, pmf(answer(magicians(*energies), **other), "pool"))


# -- AOR-27: faith ---------------------------------------------------------------------------------
@pytest.mark.rule("AOR-27")
def test_faith_is_the_fervor_of_the_faithful_and_the_number_of_the_unit() -> None:
    """Fervor 5 and two of 2, in a unit of 6 and these 3: 5 + 2 + 2 + 9."""
    own = faithful(5, 2, 2)
    assert mystics.faith(own) == 18 == literal.faith(referees(own))
    assert pmf(answer(own), "pool") == {18: 1.0}


@pytest.mark.rule("AOR-27")
def test_unspent_faith_is_lost_and_counted_anew() -> None:
    tally = answer(faithful(4), rounds=5)
    assert [dict(tally.at_round(mark, "pool")) for mark in range(5)] == [{11: 1.0}] * 5


@pytest.mark.rule("AOR-27")
def test_fervor_without_the_role_gives_nothing_and_members_count_once() -> None:
    own = unit(count=3, fervor=4, groups={"prophet": {"count": 2, "fervor": 3, "roles": ["faithful"]}})
    assert mystics.faith(own) == 3 + 2 + 2 * 3 == literal.faith(referees(own))


# -- AOR-28: the rite ------------------------------------------------------------------------------
@pytest.mark.rule("AOR-28")
@pytest.mark.rule("AOR-03")
@pytest.mark.parametrize("exaltation", [0, 1, 2, 5])
def test_each_exaltation_point_is_one_more_die(exaltation: int) -> None:
    """Fervor 4 against 6 needs a 5: the best of 1 + n dice fails with (2/3)^(1+n)."""
    tally = answer(faithful(4), cost=5, difficulty=6, exaltation=exaltation)
    assert chance(tally, "cast") == 1
    assert chance(tally, "succeeds") == pytest.approx(1 - (2 / 3) ** (1 + exaltation))
    assert pmf(tally, "left") == {11 - 5 - exaltation: 1.0}


@pytest.mark.rule("AOR-28")
def test_a_ritual_is_cast_where_the_pool_has_cost_and_exaltation() -> None:
    """Energy 3 in one round: 6 or more with 1/2; the test on 4+ with two dice passes 3 in 4."""
    tally = answer(magicians(3), rounds=1, cost=5, exaltation=1, difficulty=3)
    assert chance(tally, "cast") == pytest.approx(1 / 2)
    assert chance(tally, "succeeds") == pytest.approx(3 / 8)
    assert pmf(tally, "left") == pytest.approx({0: 1 / 8 + 3 / 8, 3: 3 / 8 + 1 / 8})


@pytest.mark.rule("AOR-28")
@pytest.mark.parametrize(
    ("cancel_cost", "enemy_pool", "cancelled"),
    [
        ("total_spent", 7, True),
        ("total_spent", 6, False),
        ("base", 5, True),
        ("base", 4, False),
        ("base", 0, False),
    ],
)
def test_the_enemy_cancels_where_he_can_pay(cancel_cost: str, enemy_pool: int, cancelled: bool) -> None:
    """Cost 5 and 2 for exaltation; what was paid is lost all the same."""
    options = {"cost": 5, "exaltation": 2, "enemy_pool": enemy_pool}
    tally = answer(faithful(4), {"cancel_cost": cancel_cost}, **options)
    assert chance(tally, "cancelled") == cancelled
    assert chance(tally, "succeeds") == (0 if cancelled else pytest.approx(7 / 8))
    assert pmf(tally, "left") == {4: 1.0}


@pytest.mark.rule("AOR-28")
def test_what_is_not_cast_cannot_be_cancelled() -> None:
    tally = answer(magicians(3), rounds=1, cost=6, enemy_pool=30)
    assert chance(tally, "cancelled") == chance(tally, "cast") == pytest.approx(1 / 2)


@pytest.mark.rule("AOR-28")
def test_the_incarnate_calls_and_not_the_best_of_the_others() -> None:
    """The incarnate's Energy is 2, a pupil's 6: the test against 4 is on 5+ (2 - 4 is -2)."""
    own = magicians(2, 6)
    assert chance(answer(own, rounds=1, pool=30, cost=1, difficulty=4), "succeeds") == pytest.approx(1 / 3)
    assert mystics.notes(asked(own)) == []
    band = unit(count=4, groups={"pupils": {"count": 2, "energy": 6, "roles": ["magician"]}})
    assert chance(answer(band, rounds=1, pool=30, cost=1, difficulty=4), "succeeds") == pytest.approx(2 / 3)
    assert "only an incarnate calls a ritual" in mystics.notes(asked(band))[0]


@pytest.mark.rule("AOR-28")
@pytest.mark.parametrize("cancel_cost", ["total_spent", "base"])
@pytest.mark.parametrize("enemy_pool", [0, 6])
def test_the_referee_performs_the_ritual(cancel_cost: str, enemy_pool: int) -> None:
    """Mana of three rounds, then the ritual with what the pool has: the whole of cast, left and success."""
    rng, page = Random(28), literal.page(cancel_cost=cancel_cost)
    sample: Counter[tuple[Any, ...]] = Counter()
    for _ in range(TRIALS):
        pool = literal.mana(rng, [3, 2], rounds=2, spend=3)["pools"]
        assert isinstance(pool, list)
        done = literal.ritual(rng, 3, 5, 5, page, exaltation=2, pool=pool[-1], enemy_pool=enemy_pool)
        sample[done["cast"], done["cancelled"], done["passed"], done["pool"]] += 1
    options = {"rounds": 2, "spend": 3, "cost": 5, "exaltation": 2, "enemy_pool": enemy_pool}

    def exact(difficulty: int) -> dict[tuple[Any, ...], float]:
        tally = answer(magicians(3, 2), {"cancel_cost": cancel_cost}, difficulty=difficulty, **options)
        return joint(tally, "cast", "cancelled", "succeeds", "left")

    assert agrees(sample, exact(5))
    if not (cancel_cost == "base" and enemy_pool):  # cancelled always: the difficulty does not show
        assert not agrees(sample, exact(7))
    altered = answer(magicians(3, 2), {"cancel_cost": cancel_cost}, difficulty=5, **{**options, "spend": 4})
    assert not agrees(sample, joint(altered, "cast", "cancelled", "succeeds", "left"))


def joint(tally: Tally, *names: str) -> dict[tuple[Any, ...], float]:
    """Chance of each combination of some measures and events."""
    assert tally.joint
    states = tally.joint.settle()
    assert states
    found: dict[tuple[Any, ...], float] = {}
    columns = [states.columns[name].tolist() for name in names]
    for *values, weight in zip(*columns, states.weights.tolist(), strict=True):
        found[tuple(values)] = found.get(tuple(values), 0.0) + weight
    return found


# -- AOR-18: I Have the Power ----------------------------------------------------------------------
@pytest.mark.rule("AOR-18")
def test_the_tactic_brings_one_income_more_where_its_test_passes() -> None:
    """Energy 3 against 3 passes 1 in 2: then as after two control phases, else as after one."""
    own = magicians(3)
    one, two = (pmf(answer(own, rounds=n, cost=0), "pool") for n in (1, 2))
    tally = answer(own, rounds=1, cost=0, tactic="i-have-the-power")
    assert chance(tally, "power") == pytest.approx(1 / 2)
    mixed = {k: (one.get(k, 0) + two.get(k, 0)) / 2 for k in {*one, *two}}
    assert pmf(tally, "pool") == pytest.approx(mixed)


@pytest.mark.rule("AOR-18")
def test_the_tactic_tests_the_best_value_in_the_unit() -> None:
    """Incarnate 2, pupil 5: 5 against 3 is on 3+."""
    tally = answer(magicians(2, 5), rounds=1, tactic="i-have-the-power")
    assert chance(tally, "power") == pytest.approx(2 / 3)
    assert chance(answer(faithful(8), tactic="i-have-the-power"), "power") == pytest.approx(5 / 6)


@pytest.mark.rule("AOR-18")
def test_faith_collected_at_once_comes_on_top() -> None:
    """Fervor 4 and 7 members: 11, or 22 where the test (4 against 3, on 4+) passes."""
    assert pmf(answer(faithful(4), tactic="i-have-the-power"), "pool") == {11: 0.5, 22: 0.5}


@pytest.mark.rule("AOR-18")
def test_faith_may_be_counted_anew_where_it_is_collected_at_once() -> None:
    """Nothing is won then, and no more than one income is ever there."""
    options: dict[str, Any] = {"tactic": "i-have-the-power", "rules": {"faith_at_once": "anew"}}
    told = mathhammer.exact("aor", "mystic", faithful(4), **options)
    assert told.pmf("pool") == {11: 1.0}
    assert "faith_at_once" in [line["key"] for line in told.assumptions]
    with pytest.raises(InputError, match=r"more than 11 \(AOR-27\)"):
        mathhammer.exact("aor", "mystic", faithful(4), cost=12, **options)
    mana = mathhammer.exact("aor", "mystic", magicians(4), tactic="i-have-the-power")
    assert "faith_at_once" not in [line["key"] for line in mana.assumptions]


@pytest.mark.rule("AOR-18")
def test_mana_collected_at_once_stops_at_the_cap() -> None:
    tally = answer(magicians(6), rounds=1, pool=30, tactic="i-have-the-power")
    assert pmf(tally, "pool") == {30: 1.0}


@pytest.mark.rule("AOR-18")
def test_the_referee_collects_at_once() -> None:
    rng, page = Random(18), literal.page()
    sample: Counter[int] = Counter()
    for _ in range(TRIALS):
        power = literal.roll_test(rng, 4, 3, page, bonus=False)["passed"]
        pools = literal.mana(rng, [4, 1], rounds=3 if power else 2)["pools"]
        assert isinstance(pools, list)
        sample[pools[-1]] += 1
    own = magicians(4, 1)
    assert agrees(sample, pmf(answer(own, rounds=2, tactic="i-have-the-power"), "pool"))
    assert not agrees(sample, pmf(answer(own, rounds=2), "pool"))
    assert not agrees(sample, pmf(answer(own, rounds=3), "pool"))


@settings(max_examples=25)
@given(
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 6),
    st.integers(0, 12),
    st.integers(0, 6),
    st.integers(0, 3),
)
def test_what_helps_never_hurts(
    energy: int, rounds: int, difficulty: int, cost: int, spend: int, exaltation: int
) -> None:
    """The tactic, one more round, less spent, a lower difficulty: never a lower chance of success."""
    options = {
        "rounds": rounds,
        "cost": cost,
        "spend": spend,
        "difficulty": difficulty,
        "exaltation": exaltation,
    }
    own = magicians(energy)
    base = chance(answer(own, None, **options), "succeeds")
    for better in (
        {"tactic": "i-have-the-power"},
        {"rounds": rounds + 1} if spend == 0 else {},
        {"spend": max(0, spend - 1)},
        {"difficulty": max(0, difficulty - 1)},
    ):
        changed: dict[str, Any] = {**options, **better}
        assert chance(answer(own, None, **changed), "succeeds") >= base - 1e-12


# -- the tables ------------------------------------------------------------------------------------
@pytest.mark.rule("AOR-28")
def test_the_fewest_points_for_nine_in_ten() -> None:
    """On 4+ four dice pass 15 in 16: three points are the fewest for 0.9."""
    told = rows(faithful(4), cost=5, difficulty=4, wanted=0.9)
    assert told["fewest"][0]["fewest points"] == 3
    assert [row["points"] for row in told["exaltation"] if "fewest" in row["this"]] == [3]
    assert [row["chance"] for row in told["exaltation"]] == pytest.approx(
        [1 - 2.0 ** -(1 + n) for n in range(7)]
    )
    assert rows(faithful(4), cost=5, difficulty=4, wanted=0.94)["fewest"][0]["fewest points"] == 4
    best = told["fewest"][0]
    assert (best["best points"], best["chance"]) == (6, pytest.approx(127 / 128))


@pytest.mark.rule("AOR-28")
def test_where_no_number_of_points_is_enough_the_table_says_so() -> None:
    """Energy 3, one round: 6 points or more come 1 time in 2."""
    told = rows(magicians(3), rounds=1, cost=6, difficulty=3)
    assert told["fewest"] == [
        {"wanted": 0.9, "fewest points": None, "best points": 0, "chance": pytest.approx(1 / 4)}
    ]


@pytest.mark.rule("AOR-28")
def test_exaltation_can_outbid_the_enemy() -> None:
    """He has 7 for a cost of 5: with three points he can no longer pay; by the base cost he always can."""
    told = rows(faithful(4), cost=5, enemy_pool=7)["exaltation"]
    assert [row["not cancelled"] for row in told[:4]] == [0, 0, 0, 1]
    base = rows(faithful(4), {"cancel_cost": "base"}, cost=5, enemy_pool=7)
    assert base["fewest"][0]["chance"] == 0


@settings(max_examples=20)
@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 9), st.integers(0, 8), st.sampled_from([0, 5, 8]))
def test_each_row_of_the_table_is_the_answer_for_its_points(
    energy: int, rounds: int, cost: int, difficulty: int, enemy_pool: int
) -> None:
    options: dict[str, Any] = {
        "rounds": rounds,
        "cost": cost,
        "difficulty": difficulty,
        "enemy_pool": enemy_pool,
    }
    own = magicians(energy)
    for row in rows(own, None, **options)["exaltation"][:6]:
        tally = answer(own, None, exaltation=row["points"], **options)
        assert row["chance"] == pytest.approx(chance(tally, "succeeds"), abs=1e-12)
        assert row["pool has it"] == pytest.approx(chance(tally, "cast"), abs=1e-12)
        assert row["dice"] == 1 + row["points"] == row["total cost"] - cost + 1


def test_the_asked_points_are_in_the_table_even_past_the_pool() -> None:
    told = rows(magicians(2), rounds=1, cost=3, exaltation=9)["exaltation"]
    assert "asked" in told[9]["this"]
    assert told[9]["chance"] == 0


# -- what can never be -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("own", "options", "words"),
    [
        (unit(), {}, "has no mystics: no group with energy and the role magician"),
        (unit(energy=3), {}, "has no mystics"),
        (faithful(3), {"rite": "ritual"}, r"rite ritual: Unit has no group with energy .*AOR-26"),
        (
            magicians(3),
            {"rite": "communion"},
            r"rite communion: .* fervor and the role faithful \(AOR-27\)",
        ),
        (magicians(3), {"cost": 25, "exaltation": 6}, r"are 31 mana points together, .* than 30 \(AOR-26\)"),
        (magicians(0), {"cost": 1}, r"never has more than 0 \(AOR-26\)"),
        (faithful(4), {"cost": 12}, r"are 12 faith points together, .* more than 11 \(AOR-27\)"),
        (faithful(4), {"cost": 23, "tactic": "i-have-the-power"}, r"more than 22 \(AOR-27\)"),
        (magicians(3), {"pool": 31}, r"pool: a unit holds 30 mana points at most \(AOR-26\), not 31"),
        (magicians(3), {"enemy_pool": 40}, r"enemy_pool: a unit holds 30 mana points"),
        (faithful(4), {"pool": 3}, r"pool: faith is counted anew each round"),
        (faithful(4), {"spend": 3}, r"spend: faith is counted anew each round"),
    ],
)
def test_what_can_never_be_is_refused_in_one_line(own: Unit, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        mystics.mystic(asked(own, None, **options))
    assert len(caught.value.lines) == 1


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        mystics.mystic(asked(magicians(3), pool=40, enemy_pool=50, cost=60))
    assert len(caught.value.lines) == 3


def test_a_unit_with_both_is_asked_which() -> None:
    groups = {
        "witch": {"energy": 3, "roles": ["magician", "incarnate"]},
        "priest": {"fervor": 2, "roles": ["faithful"]},
    }
    own = unit(count=2, groups=groups)
    with pytest.raises(InputError, match="say ritual or communion"):
        mystics.mystic(asked(own))
    assert pmf(answer(own, rite="communion", cost=1), "pool") == {6: 1.0}
    assert max(pmf(answer(own, rite="ritual", rounds=1, cost=1), "pool")) == 9


def test_only_the_rules_that_matter_are_read() -> None:
    def read(own: Unit, **options: Any) -> set[str]:
        view, names = recording(SHIPPED)
        mystics.mystic(Matchup({"attacker": (Placed(own),)}, situations.Mystic(**options), view))
        return names

    assert read(faithful(4)) == {"resolution_table"}
    assert read(faithful(4), enemy_pool=9) == {"resolution_table", "cancel_cost"}
    assert read(magicians(3)) == {"resolution_table", "mana_cap"}


@pytest.mark.parametrize("name", ["Magicians", "Faithful Band"])
def test_the_shipped_mystics_have_an_answer(name: str) -> None:
    tables = dict(read_units(FOLDER / "units" / "illustrative.toml"))
    raw = next(table for table in tables.values() if table["name"] == name)
    tally = answer(make_unit(Unit, raw, {}, name), exaltation=1)
    assert 0 < chance(tally, "succeeds") <= chance(tally, "cast") <= 1


@pytest.mark.rule("AOR-28")
def test_the_table_of_exaltation_tells_every_hurdle_and_ends_where_no_point_helps() -> None:
    """11 points of faith pay a cost of 5 and up to 6 more dice of 4+; a test that cannot fail needs none."""
    told = rows(faithful(4), cost=5, difficulty=4, exaltation=1, wanted=0.9)["exaltation"]
    marks = {row["points"]: row["this"] for row in told}
    assert marks == {0: "", 1: "asked", 2: "", 3: "fewest", 4: "", 5: "", 6: "best"}
    assert told[3] == {
        "points": 3,
        "dice": 4,
        "total cost": 8,
        "pool has it": 1,
        "not cancelled": 1,
        "test passes": pytest.approx(15 / 16),
        "chance": pytest.approx(15 / 16),
        "this": "fewest",
    }
    sure = rows(faithful(4), cost=5, difficulty=4, wanted=0.9, changes={"resolution_table": "0:1"})
    assert [row["this"] for row in sure["exaltation"]] == ["asked, fewest, best"]


@pytest.mark.rule("AOR-27")
def test_a_fervor_of_nothing_adds_nothing() -> None:
    assert mystics.faith(faithful(4)) - mystics.faith(faithful(0)) == 4
