"""Questions that the contract suite asks of this game: every mode, most rules, tactics and staffs."""

from __future__ import annotations

from typing import Any

Sample = tuple[str, list[str], dict[str, Any]]

SAMPLES: list[Sample] = [
    ("assault", ["heavy-infantry", "conscripts"], {"tactic": "cry-havoc"}),
    (
        "assault",
        ["great-beast,count=1,power=25", "captains-staff"],
        {"distance": "24..36", "tactic": "kill-them-all", "split": "ranks:captain=2", "contact": 1},
    ),
    (
        "assault",
        ["captains-staff", "frightening-pack,wounds=2,damage=1"],
        {"files": 4, "defender_files": 3, "attacker_staff": ["captains-staff@unseen", "captains-staff"]},
    ),
    ("assault", ["conscripts", "light-cavalry"], {"engaged": True, "contact": 6, "tactic": "cry-havoc"}),
    ("assault", ["heavy-cavalry", "conscripts"], {"distance": "38~4", "defender_rout": True}),
    ("assault", ["frightening-pack", "conscripts,courage=4"], {"resisted": 3, "defender_contact": 5}),
    ("shoot", ["marksmen", "conscripts"], {"distance": "18..24", "interference": True}),
    (
        "shoot",
        ["marksmen,ranged_dice=2,authority=3", "captains-staff"],
        {
            "distance": "20",
            "seeing": 5,
            "tactic": "lightning-strike",
            "attacker_staff": ["captains-staff@far", "captains-staff"],
        },
    ),
    (
        "shoot",
        ["marksmen,count=3,perforating=true,ranged_strength=9", "light-cavalry,damage=1"],
        {"distance": "8"},
    ),
    (
        "fight",
        ["heavy-infantry,count=6", "conscripts,count=10,start=14"],
        {"rounds": 3, "objective": True, "defender_edge": 30, "defender_staff": ["captains-staff@rout"]},
    ),
    (
        "fight",
        ["frightening-pack,count=5", "heavy-infantry,count=5"],
        {
            "rounds": 2,
            "distance": "35",
            "tactic": "get-a-move-on",
            "defender_leaves": "half",
            "defender_tactic": "fall-back",
            "defender_edge": 40,
        },
    ),
    (
        "fight",
        ["conscripts,count=6", "light-cavalry,count=3"],
        {
            "rounds": 2,
            "contact": 4,
            "edge": 15,
            "defender_leaves": "always",
            "attacker_staff": ["captains-staff"],
        },
    ),
    (
        "fight",
        ["conscripts,count=8", "heavy-infantry,count=4"],
        {"rounds": 2, "engaged": True, "leaves": "half", "edge": 60, "tactic": "cry-havoc"},
    ),
    ("area", ["field-gun", "conscripts"], {"distance": "25", "files": 4, "aim": 6}),
    (
        "area",
        ["field-gun", "captains-staff,count=2"],
        {"distance": "18..24", "spacing": 1.0, "away": 30, "friends": "0,-3 2.5,-3"},
    ),
    ("test", [], {"action": 5, "difficulty": 3, "dice": 4, "reroll": True}),
    ("test", [], {"action": 6, "difficulty": 9, "dice": 5, "kind": "titan", "cards": 2}),
    ("test", [], {"action": 4, "difficulty": 5, "kind": "authority-roll"}),
    ("mystic", ["magicians"], {"cost": 8, "exaltation": 2, "enemy_pool": 9, "rounds": 2}),
    ("mystic", ["faithful-band"], {"cost": 6, "exaltation": 3, "tactic": "i-have-the-power"}),
]

# For errors: a mode with good units, and an option value that is out of its range.
BAD_OPTION = ("assault", ["heavy-infantry", "conscripts"], {"tactic": "run-away"})

# Events that may end again: who is in rout may rally, and an objective may be lost.
PASSING = {"attacker.rout", "defender.rout", "attacker.holds_objective", "defender.holds_objective"}

# Other values of the ruleset fields that are text.
ALTERNATIVES = {"resolution_table": ["-4:6 -2:5 0:4 2:3 4:2 6:1"]}
