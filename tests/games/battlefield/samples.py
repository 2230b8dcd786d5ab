"""Questions that the contract suite asks of this game: every mode, most rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Sample = tuple[str, list[str], dict[str, Any]]
DATA = Path(__file__).parent / "data"

SAMPLES: list[Sample] = [
    ("check", ["heavy-cavalry", "pikes"], {"kind": "break-in", "cells": 4}),
    ("check", ["skirmishers", "light-cavalry"], {"kind": "lure"}),
    ("check", ["household-knights", "levy-spears"], {"kind": "gale"}),
    ("check", ["levy-spears,number=100", "pikes,number=900"], {"kind": "disengage", "several": True}),
    ("attack", ["levy-spears", "pikes"], {"actions": 2, "move": 1, "flank": "surrounded"}),
    ("attack", ["archers,damage=-", "pikes"], {"inside": ["levy-spears@ours", "halberdiers@theirs"]}),
    (
        "attack",
        ["halberdiers,damage=2d6", "pikes"],
        {"inside": ["levy-spears@ours@confused", "archers@theirs"]},
    ),
    ("attack", ["levy-spears", "pikes,damage=-"], {"rules": {"strength_ratio": "0:1/2,1:1,2:3/2"}}),
    (
        "charge",
        ["household-knights", "pikes,number=40"],
        {"cells": 4, "order": "break-through", "behind": ["archers"], "ahead": ["crossbows"]},
    ),
    ("charge", ["heavy-cavalry", "pike-and-shot"], {"order": "attack-break-in", "flank": "flanked"}),
    ("charge", ["heavy-infantry", "levy-spears"], {"order": "push", "behind": ["archers"]}),
    (
        "melee",
        ["levy-spears", "heavy-infantry"],
        {"rounds": 2, "order": "disrupt", "with_": ["pikes@ours@help"]},
    ),
    (
        "melee",
        ["levy-spears,damage=-", "heavy-infantry,damage=-"],
        {"rounds": 2, "order": "disengage", "with_": ["pikes@ours", "archers@theirs"], "targets": "split"},
    ),
    ("push", ["heavy-infantry", "levy-spears"], {}),
    ("push", ["heavy-infantry", "levy-spears"], {"behind": ["archers"]}),
    ("lure", ["skirmishers", "heavy-infantry"], {"stay": True}),
    ("lob", ["archers", "pikes"], {"second": "right", "beside": ["levy-spears@right", "crossbows@top"]}),
    ("besiege", ["halberdiers", "shield-wall"], {"with_": ["levy-spears", "archers"]}),
    ("swap", ["archers"], {"quick": True}),
    ("swap", ["archers"], {"in_melee": True, "drop": True}),
    ("swap", ["archers"], {"in_melee": True, "quick": True}),
    ("plan", [], {"file": str(DATA / "plan.toml")}),
    ("plan", [], {"file": str(DATA / "siege.toml")}),
]

# For errors: a mode with good units, and an option value that is out of its range.
BAD_OPTION = ("charge", ["heavy-cavalry", "pikes"], {"order": "sideways"})

# Other values of ruleset fields whose kind does not tell them.
ALTERNATIVES: dict[str, list[Any]] = {
    "damage": [3, "2d6"],
    "counter_rolls": [1, 2],
    "strength_ratio": ["0:1/2, 1:1, 2:3/2"],
    "shaken_at": [0],
    "confused_at": [0],
    "rout_at": [0],
}
