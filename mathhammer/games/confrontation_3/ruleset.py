"""The fields of the rules. Values, origins and notes are data: `rulesets/edition-3.toml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mathhammer.core.profiles import Frozen

Penalty = Annotated[int, Field(ge=0, le=6)]
Difficulty = Annotated[int, Field(ge=1, le=30)]
Policy = Literal["when_needed", "always", "never"]
Wound = Literal["none", "stunned", "light", "serious", "critical", "killed"]


class Rules(Frozen):
    """What the text says, or is assumed to say."""

    reroll_six: Policy
    reroll_six_defence: Literal["same", "when_needed", "always", "never"]
    roll_order: Literal["together", "attack_first"]
    several_sixes: Literal["one", "all"]
    contest_ones: Literal["lose", "plain"]
    contest_ties: Literal["again", "higher_value"]
    leadership_dice: Annotated[int, Field(ge=1, le=4)]
    shooting_short: Difficulty
    shooting_medium: Difficulty
    shooting_long: Difficulty
    shooting_moved: Penalty
    shooting_cover: Annotated[int, Field(ge=-6, le=6)]
    shooting_size: Annotated[int, Field(ge=-6, le=6)]
    shooting_height: Annotated[int, Field(ge=-6, le=6)]
    charge_penalty: Penalty
    charge_token_lasts: Literal["round", "fight"]
    fear_penalty: Penalty
    fear_limits_attack: bool
    fear_and_charge: Literal["add_up", "worse"]
    afraid_again: Literal["tests", "no_test"]
    afraid_runs: Literal["when_charged", "when_reached"]
    rally_difficulty: Difficulty
    undefended: Literal["unless_1", "always", "against_def"]
    double_six: Literal["table", "stunned", "light", "serious", "critical", "killed"]
    wound_table: str
    lighter_wound: Literal["raises", "nothing"]
    stun_penalty: Penalty
    stun_stacks: bool
    light_penalty: Penalty
    serious_penalty: Penalty
    critical_penalty: Penalty
    wounds_on_ini: bool
    wounds_on_aim: bool
    wounds_on_shots: bool
