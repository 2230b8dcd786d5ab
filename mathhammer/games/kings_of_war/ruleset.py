"""The fields of an edition. Values, origins and notes are data: `rulesets/edition-N.toml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mathhammer.core.profiles import Frozen

Penalty = Annotated[int, Field(ge=0, le=5)]
Factor = Annotated[int, Field(ge=1, le=5)]
Reroll = Literal["none", "one_die", "ones"]


class Rules(Frozen):
    """What an edition says, or is assumed to say."""

    flank_factor: Factor
    rear_factor: Factor
    half_dice_above: Literal[5, 6]
    halve_order: Literal["facing_first", "halve_first"]
    cover_soft: Penalty
    cover_hard: Penalty
    moving_penalty: Penalty
    halt_bonus: Penalty
    long_range_penalty: Penalty
    hindered_penalty: Penalty
    elite: Reroll
    vicious: Reroll
    breath_need: Annotated[int, Field(ge=2, le=6)]
    breath_modified: bool
    breath_rules: bool
    blast_in_melee: bool
    stealthy: Penalty
    individual_shot: Penalty
    ensnare: Penalty
    individual_factor: Factor
    individual_flanks: bool
    duelist_factor: Factor
    duelist_pooling: Literal["product", "highest"]
    war_engine_factor: Annotated[int, Field(ge=0, le=5)]
    phalanx_dice_regiment: Annotated[int, Field(ge=0, le=50)]
    phalanx_dice_horde: Annotated[int, Field(ge=0, le=50)]
    phalanx_dice_facing: Literal["any", "front"]
    phalanx_penalty: Penalty
    phalanx_stacks: bool
    phalanx_hinders: bool
    phalanx_large_cavalry: bool
    phalanx_facing: Literal["front", "any"]
    phalanx_cancels_thunderous: bool
    natural_six_damages: bool
    thunderous: bool
    thunderous_hindered_loss: Penalty
    big_shield_de: Annotated[int, Field(ge=2, le=6)]
    nerve_values: Literal["two", "one"]
    double_one_steady: bool
    double_six_wavers: bool
    double_six_damage: bool
    devastated: bool
    devastated_nerve: Literal["printed", "modified"]
    fearless_devastated: Literal["steady", "rout"]
    brutal: Literal["none", "one", "n"]
    brutal_pooling: Literal["highest", "sum"]
    dread: Penalty
    dread_with_brutal: bool
    rallying_cap: Penalty
    shattering: Penalty
    inspiring: Literal["rout", "failed"]
    inspiring_double_six: bool
    headstrong_need: Annotated[int, Field(ge=2, le=6)]
    headstrong_disorders: bool
    regeneration: Literal["three_dice", "per_damage"]
    regeneration_timing: Literal["start", "end"]
    lifeleech: Literal["none", "one", "n"]
    lifeleech_most: Annotated[int, Field(ge=0, le=99)]
    lifeleech_timing: Literal["at_once", "next_turn"]
    iron_resolve: Literal["none", "one", "n"]
    struck_is_disordered: bool
    fight_facing: Literal["first", "every"]
