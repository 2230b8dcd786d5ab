"""Questions that the contract suite asks: every mode, charges, fear, several rounds, odd rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Sample = tuple[str, list[str], dict[str, Any]]

SAMPLES: list[Sample] = [
    ("duel", ["wolfen-prowler", "griffin-magistrate"], {}),
    (
        "duel",
        ["wolfen-prowler", "alahan-paladin"],
        {"contact": "charge", "distance": "30..38", "activated": True, "rounds": 2},
    ),
    (
        "duel",
        ["griffin-magistrate", "wolfen-penitent"],
        {
            "contact": "engage",
            "rounds": 2,
            "attacker_wound": "light",
            "defender_stunned": True,
            "split": "1/1",
        },
    ),
    (
        "duel",
        ["onyx-the-prowler", "lord-of-carnage"],
        {"play": "simple", "rounds": 2, "charged": "attacker", "rules": {"stun_stacks": True}},
    ),
    ("duel", ["wolfen-prowler", "alahan-paladin"], {"contact": "engage", "defender_afraid": True}),
    (
        "duel",
        ["wolfen-prowler", "alahan-paladin"],
        {"contact": "charge", "defender_afraid": True, "distance": "30..38", "play": "simple"},
    ),
    (
        "placement",
        ["red-lioness", "onyx-the-prowler"],
        {"initiative": "attacker", "objective": "kill=1,killed=-1,wounds=0.2,taken=-0.1"},
    ),
    (
        "placement",
        ["sylvan-animae", "alahan-paladin"],
        {"defender_afraid": True, "enemy_split": "1/1", "rules": {"reroll_six": "always"}},
    ),
    ("fray", ["onyx-the-prowler", "alahan-paladin"], {"with_": ["sylvan-animae@light"]}),
    (
        "fray",
        ["drac-mac-syro", "wolfen-prowler"],
        {"with_": ["sylvan-animae@afraid", "griffin-magistrate@stunned"], "play": "simple", "named": 1},
    ),
    ("shoot", ["wolfen-prowler", "alahan-paladin"], {"distance": "18..46", "moved": True}),
    (
        "shoot",
        ["griffin-magistrate", "yanrylh"],
        {"range": "short", "attacker_wound": "light", "attacker_stunned": True, "cover": True},
    ),
    ("fear", ["alahan-paladin", "yanrylh"], {"contact": "charge"}),
    ("fear", ["wolfen-prowler", "sylvan-animae"], {"activated": True}),
    ("test", ["griffin-magistrate"], {"characteristic": "cou", "difficulty": 9}),
    (
        "test",
        ["wolfen-prowler"],
        {"characteristic": "str", "against": "res", "with_": ["alahan-paladin"], "dice": 2},
    ),
    ("discipline", ["griffin-magistrate,leadership=true", "lord-of-carnage"], {}),
]

# For errors: a mode with good units, and an option value that is out of its range.
BAD_OPTION = ("duel", ["wolfen-prowler", "griffin-magistrate"], {"contact": "sideways"})

# Other values of ruleset fields that are texts.
ALTERNATIVES = {"wound_table": [str(Path(__file__).parent / "data" / "wounds.csv")]}
