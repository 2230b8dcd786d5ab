"""The fields of the ruleset. Values, origins and notes are data: `rulesets/battlefield.toml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator

from mathhammer.core.profiles import Frozen
from mathhammer.games.battlefield.profile import damage_of
from mathhammer.games.battlefield.ratios import ratio_table

DC = Annotated[int, Field(ge=0, le=60)]
Bonus = Annotated[int, Field(ge=-20, le=20)]
Rolls = Annotated[int, Field(ge=1, le=12)]
Percent = Annotated[int, Field(ge=0, le=200)]
Cells = Annotated[int, Field(ge=0, le=40)]
Threshold = Annotated[
    Annotated[int, Field(ge=-60, le=60)] | None,
    BeforeValidator(lambda value: None if value in ("-", "none") else value),
]


class Rules(Frozen):
    """What the text says, or is assumed to say."""

    # BF-00 checks
    natural_check: Literal["nothing", "automatic"]
    opposed_tie: Literal["defender", "active"]
    margin_10: Literal["at_least", "more"]
    # BF-01 attacks
    attack_base: DC
    natural_attack: Literal["hit_and_miss", "nothing"]
    melee_rolls: Rolls
    bow_rolls: Rolls
    light_crossbow_rolls: Rolls
    heavy_crossbow_rolls: Rolls
    firearm_rolls: Rolls
    inside_rolls: Rolls
    outside_rolls: Rolls
    damage: int | str
    strength_ratio: Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value)]
    inside_ranged: Literal["shooting", "attack"]
    counter_percent: Percent
    counter_rolls: Literal["weapon"] | Rolls
    counter_timing: Literal["after", "together"]
    ranged_counter: bool
    half_rounding: Literal["down", "up", "exact"]
    soldiers_per_damage: Annotated[int, Field(ge=0, le=100)]
    # BF-02 charges
    charge_rolls: Rolls
    charge_attack: Bonus
    charge_cavalry_attack: Bonus
    charge_defence: Bonus
    charge_cell: Bonus
    charge_cell_light: Bonus
    charge_cell_heavy: Bonus
    charge_bonus_in_checks: bool
    lance_factor: Annotated[int, Field(ge=1, le=5)]
    # BF-03 break-in
    break_in_base: DC
    break_in_training: Bonus
    break_in_dense: Bonus
    break_in_loose: Bonus
    break_in_spears: Bonus
    break_in_pikes: Bonus
    break_in_melee: Bonus
    break_in_counter: Literal["target", "weakest"]
    anti_cavalry_attack: Bonus
    # BF-04 to BF-06 in a melee
    disrupt_base: DC
    rally_base: DC
    rally_falls: Bonus
    rally_help: Bonus
    rally_tries_per_round: Annotated[int, Field(ge=1, le=2)]
    disengage_base: DC
    disengage_over_twice: Bonus
    disengage_over_four: Bonus
    multi_disengage: Literal["opposed", "dc"]
    multi_disengage_numbers: bool
    # BF-07 push
    push_training: Bonus
    push_over_twice: Bonus
    push_over_four: Bonus
    push_under_half: Bonus
    push_into_another: Bonus
    push_beaten_by: Annotated[int, Field(ge=0, le=40)]
    push_breaks_up_anyway: bool
    # BF-08, BF-09 break through
    break_through_base: DC
    break_through_training: Bonus
    break_through_spears: Bonus
    break_through_pikes: Bonus
    break_through_dense: Bonus
    break_through_shields: Bonus
    fallen_clear_way: bool
    through_cells: Cells
    follow_up_cells: Literal["all", "first", "since"]
    follow_up_attacks: bool
    ride_on_check: Literal["opposed", "break_in"]
    gale_base: DC
    gale_confused_by: Annotated[int, Field(ge=0, le=40)]
    # BF-10 lure
    lure_under_half: Bonus
    lure_under_quarter: Bonus
    lure_ranged: Bonus
    lure_training: Bonus
    # BF-11 lob
    lob_dc: DC
    lob_two_cells_dc: DC
    lob_percent: Percent
    lob_two_cells_percent: Percent
    lob_rolls: Literal["one", "each"]
    # BF-12 swap
    swap_dc: DC
    swap_melee_dc: DC
    swap_quick_melee_dc: DC
    melee_swap_bonus: Literal["command_plus_soldiers", "command"]
    failed_quick_swap: Literal["lost", "plain"]
    # BF-13, BF-14 siege, flanks and morale
    siege_base: DC
    siege_each: Bonus
    siege_counters_shots: bool
    siege_counts_caller: bool
    siege_confused_by: Annotated[int, Field(ge=1, le=40)]
    siege_morale: Bonus
    siege_adds: bool
    flank_attack: Bonus
    flank_shots: bool
    flank_friends: bool
    flank_morale: Bonus
    surrounded_morale: Bonus
    surrounded_instead: bool
    shaken_at: Threshold
    confused_at: Threshold
    rout_at: Threshold
    shaken_attack: Bonus
    confused_attack: Bonus
    confused_acts: bool
    # BF-15 into a melee
    random_enemy_draw: Literal["action", "roll"]
    melee_shooting_rolls: Literal["separate", "shared"]
    # BF-17 movement
    move_foot: Cells
    move_slow: Cells
    move_light: Cells
    move_heavy: Cells
    zone_cost: Annotated[int, Field(ge=1, le=5)]

    @field_validator("damage")
    @classmethod
    def _damage(cls, value: int | str) -> int | str | None:
        return damage_of(value)

    @field_validator("strength_ratio")
    @classmethod
    def _ratios(cls, value: str) -> str:
        ratio_table(value)
        return value
