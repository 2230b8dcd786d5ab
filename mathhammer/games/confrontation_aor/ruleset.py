"""What the text leaves open, and what it says, as fields. Values, origins and notes: `rulesets/*.toml`."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field, field_validator

from mathhammer.core.profiles import Frozen


class Rules(Frozen):
    """A ruleset. Source: AOR-01 to AOR-30."""

    resolution_table: str
    bonus_die: Literal["chain", "once", "none"]
    mixed_movement: Literal["slowest", "fastest"]
    charge_reroll: Literal["failures", "one_die", "all"]
    all_again: Literal["below_mean", "no_success"]
    heavy_cavalry_strength: bool
    fear_value_of: Literal["highest", "ranks"]
    fear_needs_reach: bool
    fearsome_charge: Literal["this_round", "next_activation"]
    courage_value_of: Literal["best", "ranks"]
    range_band: Literal["floor", "lower_at_border"]
    interference: Annotated[int, Field(ge=0, le=10)]
    volley_resilience: Literal["nearest", "lowest"]
    volley_order: Literal["least_damage", "nearest"]
    cap_rest: Literal["wounds", "lost"]
    area_volley: Literal["together", "each_weapon"]
    never_shot: Literal["lost", "falls"]
    drift_counts: Literal["all_dice", "original_dice"]
    area_growth: Literal["times_successes", "plus_successes", "times_dice"]
    area_turn: Annotated[int, Field(ge=0, le=59)]
    area_touching: bool
    area_damage: Literal["each", "pooled"]
    fronts: Literal["straight", "all"]
    cry_havoc: Literal["one_die", "full_dice"]
    cry_havoc_reroll: bool
    kill_them_all: Literal["swap_roles", "swap_places"]
    half_strength: Literal["at_or_below", "below"]
    flee_on_fail: Literal["now", "next"]
    rally_timing: Literal["phase_end", "activation"]
    rally_tests_half: bool
    commander_dice: Literal["all_courage", "activation_only"]
    flight_keeps: bool
    nearest_staff: Literal["usable", "any"]
    authority_tie: Literal["again", "nobody"]
    mana_cap: Annotated[int, Field(ge=1, le=300)]
    faith_at_once: Literal["added", "anew"]
    cancel_cost: Literal["total_spent", "base"]
    category_of: Literal["all", "most"]
    objective_power: Annotated[int, Field(ge=1, le=300)]
    objective_place: Literal["both", "attacker", "defender"]
    pursue: bool

    @field_validator("resolution_table")
    @classmethod
    def _table(cls, value: str) -> str:
        columns(value)
        return value


@lru_cache(maxsize=64)
def columns(text: str) -> tuple[tuple[int, int], ...]:
    """The resolution table `-5:6 -3:5 ...`: (least difference, score needed), differences ascending.

    Below the first a die never succeeds; the score 1 is always. Raises `ValueError`. Source: AOR-01.
    """
    found = []
    for word in text.split():
        least, colon, score = word.partition(":")
        if not (colon and least.lstrip("-").isdecimal() and score in {"1", "2", "3", "4", "5", "6"}):
            raise ValueError(f"a column is DIFFERENCE:SCORE such as -1:4, not {word!r}")
        found.append((int(least), int(score)))
    differences, scores = [least for least, _ in found], [score for _, score in found]
    if not found or sorted(set(differences)) != differences or sorted(scores, reverse=True) != scores:
        raise ValueError(f"differences ascend and scores fall, such as '-5:6 -3:5 -1:4', not {text!r}")
    return tuple(found)
