"""Relations that must hold whatever the numbers are, each with the condition under which it is true."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mathhammer
from mathhammer.core import ensemble
from mathhammer.games.battlefield import brawl, ledger, scenes, trace
from mathhammer.games.battlefield.ledger import ALWAYS
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.state import Battle
from tests.games.battlefield.samples import DATA
from tests.games.battlefield.units import asked, unit

WEAPONS = st.sampled_from(["blade", "spear", "pike", "lance", "halberd"])


def units(**fixed: Any) -> st.SearchStrategy[Unit]:
    """Units with a melee weapon in any formation, mounted or not."""
    return st.builds(
        lambda attack, defence, command, number, weapon, mount, formation: unit(
            **{
                "attack": attack,
                "defence": defence,
                "command": command,
                "number": number,
                "weapon": weapon,
                "mount": mount,
                "formation": formation,
                **fixed,
            }
        ),
        st.integers(0, 12),
        st.integers(8, 20),
        st.integers(0, 8),
        st.integers(5, 400),
        WEAPONS,
        st.sampled_from(["none", "light", "heavy"]),
        st.sampled_from(["none", "loose", "dense", "shield-and-spear"]),
    )


def stronger(own: Unit, **more: int) -> Unit:
    return own.model_copy(update={name: getattr(own, name) + by for name, by in more.items()})


CHECKS = {
    "break-in": {"cells": 2},
    "break-through": {"cells": 2},
    "disrupt": {},
    "disengage": {},
    "push": {},
    "attack": {},
}


@settings(max_examples=40, deadline=None)
@given(units(mount="heavy"), units(), st.sampled_from(sorted(CHECKS)))
def test_more_attack_never_lowers_the_chance_and_more_of_the_enemys_never_raises_it(
    own: Unit, enemy: Unit, kind: str
) -> None:
    """True of every single check that attack goes into."""
    options: dict[str, Any] = {"kind": kind, **CHECKS[kind]}
    base = asked("check", own, enemy, **options).probability("success")
    assert asked("check", stronger(own, attack=1), enemy, **options).probability("success") >= base - 1e-12
    harder = stronger(enemy, attack=1, defence=1)
    assert asked("check", own, harder, **options).probability("success") <= base + 1e-12


@settings(max_examples=25, deadline=None)
@given(units(), units())
def test_more_attack_never_lowers_damage_and_more_defence_never_raises_it(own: Unit, enemy: Unit) -> None:
    """True of one attack: each roll is monotone in attack and defence."""
    base = asked("attack", own, enemy)
    better = asked("attack", stronger(own, attack=1), enemy)
    worse = asked("attack", own, stronger(enemy, defence=1))
    for value in base.pmf("damage"):
        assert better.at_least("damage", value) >= base.at_least("damage", value) - 1e-12
        assert worse.at_least("damage", value) <= base.at_least("damage", value) + 1e-12


@settings(max_examples=25, deadline=None)
@given(units(mount="heavy", defence=15), units(), st.integers(1, 6), st.booleans())
def test_the_ways_a_charge_ends_are_all_there_is(own: Unit, enemy: Unit, cells: int, gale: bool) -> None:
    """Each charge ends in just one of these ways, and its branches sum to 1."""
    own = own.model_copy(update={"training": unit(training={"gale": gale}).training, "number": 20_000})
    result = asked("charge", own, enemy, cells=cells, order="break-through")
    ends = ("destroyed", "break_through", "melee", "repelled")
    assert sum(result.probability(end) for end in ends) == pytest.approx(1)
    rows = result.tables["branches"]
    depths = [len(row["action"]) - len(row["action"].lstrip()) for row in rows] + [0]
    leaves = [
        row["chance"] for row, depth, then in zip(rows, depths, depths[1:], strict=False) if then <= depth
    ]
    assert sum(leaves) == pytest.approx(1)


@settings(max_examples=25, deadline=None)
@given(units(mount="light"), units(), st.integers(1, 9))
def test_more_cells_of_run_up_never_lower_the_chance_to_break_in(own: Unit, enemy: Unit, cells: int) -> None:
    """True from the first cell on: the attack of the charge, and long arms, are there from then on."""
    chances = [
        asked("charge", own, enemy, cells=n, order="break-in").probability("melee")
        for n in (cells, cells + 1)
    ]
    survived = [
        1 - asked("charge", own, enemy, cells=n, order="break-in").probability("attacker.destroyed")
        for n in (cells, cells + 1)
    ]
    assert survived[0] == pytest.approx(survived[1])
    assert chances[1] >= chances[0] - 1e-12


@settings(max_examples=10, deadline=None)
@given(units(defence=14, damage=1), st.integers(1, 3))
def test_a_mirror_melee_favours_whoever_strikes_first(own: Unit, rounds: int) -> None:
    """Both sides are alike but for the first turn, which can only help."""
    result = asked("melee", own, own, rounds=rounds)
    assert result.mean("damage") >= result.mean("attacker.damage") - 1e-9
    assert result.probability("destroyed") >= result.probability("attacker.destroyed") - 1e-12


@settings(max_examples=10, deadline=None)
@given(units(damage=2, number=9999), units(damage=3, number=9999), st.integers(1, 3))
def test_in_a_melee_without_end_damage_adds_up_by_round(own: Unit, enemy: Unit, rounds: int) -> None:
    """True while nobody falls: each round deals the same again."""
    once, more = (asked("melee", own, enemy, rounds=n) for n in (1, rounds))
    for name in ("damage", "attacker.damage"):
        assert more.mean(name) == pytest.approx(rounds * once.mean(name))


MELEES: list[tuple[str, list[str], dict[str, Any]]] = [
    ("melee", ["levy-spears", "pikes"], {"rounds": 3, "order": "disrupt+attack"}),
    (
        "melee",
        ["levy-spears", "pikes"],
        {"rounds": 2, "with_": ["archers@theirs", "halberdiers@ours@disengage"], "targets": "split"},
    ),
    ("plan", [], {"file": str(DATA / "plan.toml")}),
    ("plan", [], {"file": str(DATA / "siege.toml")}),
]


@pytest.mark.parametrize(("mode", "names", "options"), MELEES)
def test_damage_that_is_only_noted_is_the_same_as_damage_marked_at_once(
    mode: str, names: list[str], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = asked(mode, *names, **options)

    def all_marked(battle: Battle, end_of: object) -> dict[str, int]:
        return {fighter.name: ALWAYS for fighter in battle.fighters}

    monkeypatch.setattr(scenes, "to_track", all_marked)
    marked = asked(mode, *names, **options)
    for name in noted.measures:
        assert marked.pmf(name) == pytest.approx(noted.pmf(name), abs=1e-9)
    for name in noted.events:
        assert marked.probability(name) == pytest.approx(noted.probability(name))


def test_the_table_by_round_is_the_end_of_so_many_rounds() -> None:
    options: dict[str, Any] = {"order": "disrupt+attack", "defender_order": "attack"}
    own, enemy = unit(command=2, number=30, damage=3), unit(command=3, number=30, damage=3)
    table = asked("melee", own, enemy, rounds=3, **options).tables["by_round"]
    assert [row["round"] for row in table] == [1, 1, 2, 2, 3, 3]
    for number in (1, 2, 3):
        alone, rows = asked("melee", own, enemy, rounds=number, **options), table[2 * number - 2 : 2 * number]
        for row, start in zip(rows, ("attacker.", ""), strict=True):
            assert row["mean damage"] == pytest.approx(alone.mean(f"{start}damage"))
            assert row.get("chance destroyed", 0) == pytest.approx(alone.probability(f"{start}destroyed"))
            assert row.get("chance confused", 0) == pytest.approx(alone.probability(f"{start}confused"))


def test_damage_counted_in_twos_is_the_same_as_in_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    own, enemy = unit(damage=2, number=21), unit(damage=4, number=30)
    twos = asked("melee", own, enemy, rounds=2)
    monkeypatch.setattr(brawl, "common_grain", lambda units, rules: 1)
    ones = asked("melee", own, enemy, rounds=2)
    for name in twos.measures:
        assert twos.pmf(name) == pytest.approx(ones.pmf(name), abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(units(), units())
def test_a_check_and_the_mode_that_makes_it_agree(own: Unit, enemy: Unit) -> None:
    pushed = asked("push", own, enemy).probability("pushed")
    assert pushed == pytest.approx(asked("check", own, enemy, kind="push").probability("success"))
    lured = asked("lure", own, enemy).probability("lured")
    assert lured == pytest.approx(asked("check", own, enemy, kind="lure").probability("success"))


def test_the_mean_printed_is_the_mean_of_the_distribution() -> None:
    told = mathhammer.simulate("battlefield", "attack", "levy-spears", "pikes", trials=1000).to_dict()
    for source in ("exact", "simulated"):
        numbers = told["measures"]["damage"][source]
        assert numbers["mean"] == pytest.approx(sum(k * p for k, p in numbers["pmf"]))


def test_names_do_not_matter() -> None:
    plain, other = (asked("attack", unit(name=name), unit()) for name in ("plain", "other"))
    assert plain.pmf("damage") == other.pmf("damage")


def test_where_the_sums_of_blows_do_not_fit_a_column_damage_is_marked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options: dict[str, Any] = {"rounds": 2, "with_": ["archers@theirs"], "targets": "split"}
    noted = asked("melee", "levy-spears", "pikes", **options)
    monkeypatch.setattr(ledger, "MOST_CODES", 2)
    marked = asked("melee", "levy-spears", "pikes", **options)
    assert marked.pmf("damage") == pytest.approx(noted.pmf("damage"), abs=1e-9)
    assert marked.pmf("attacker.damage") == pytest.approx(noted.pmf("attacker.damage"), abs=1e-9)


def test_what_is_too_large_for_the_exact_way_is_simulated_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (scenes, trace):
        monkeypatch.setattr(module, "EXACT_ROWS", 100)
    monkeypatch.setattr(ensemble, "BLOCK_CELLS", 500)
    monkeypatch.setattr(ensemble, "FEW_ROWS", 10)
    units = "levy-spears,number=30,damage=-", "pikes,number=30,damage=-"
    told = mathhammer.simulate("battlefield", "melee", *units, rounds=2, trials=1000)
    assert told.exact is None
    assert any("passes 100 states at once" in note for note in told.notes)
    assert told.tables == {}


@pytest.mark.parametrize("number", [95, 100, 101])
def test_damage_counted_in_tens_is_the_same_as_in_ones(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all hits deal multiples of ten; also where the last soldiers are fewer than ten."""
    names = [f"levy-spears,number={number}", "pikes,damage=20,number=400"]
    options: dict[str, Any] = {"rounds": 3, "with_": ["archers@ours"], "order": "disengage"}
    tens = asked("melee", *names, **options)
    monkeypatch.setattr(brawl, "common_grain", lambda units, rules: 1)
    ones = asked("melee", *names, **options)
    for name in tens.measures:
        assert tens.pmf(name) == pytest.approx(ones.pmf(name), abs=1e-12)
    for name in tens.events:
        assert tens.probability(name) == pytest.approx(ones.probability(name))
    for one, ten in zip(ones.tables["by_round"], tens.tables["by_round"], strict=True):
        assert ten == pytest.approx(one)
