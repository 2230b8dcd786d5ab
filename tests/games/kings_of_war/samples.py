"""Questions that the contract suite asks of this game: every mode, every edition, most special rules."""

from __future__ import annotations

from typing import Any

Sample = tuple[str, list[str], dict[str, Any]]

SAMPLES: list[Sample] = [
    ("melee", ["ogre-warriors", "foot-guard"], {"facing": "flank"}),
    ("melee", ["knights,rules.elite=true,rules.vicious=true", "pike-phalanx,rules.phalanx=true"], {}),
    ("melee", ["foot-guard", "orc-ax"], {"with_": ["knights@flank", "ogre-warriors@rear@hindered"]}),
    ("melee", ["skeleton,me=6", "foot-guard"], {"hindered": True, "facing": "flank"}),
    (
        "melee",
        ["ogre-warriors-horde-3", "tallspears-horde"],
        {"edition": 3, "inspiring": True, "dread": True},
    ),
    (
        "melee",
        ["morax,rules.brutal=1,rules.lifeleech=2", "paladin-foot-guard"],
        {"edition": 3, "with_": ["ogre-warriors-horde-3@front"], "attacker_damage_before": 3, "rallying": 1},
    ),
    (
        "melee",
        ["trolls,at=7", "goblin-rabble"],
        {"edition": 4, "attacker_damage_before": 17, "facing": "rear"},
    ),
    ("melee", ["stormwind-cavalry", "heavy-pike-block"], {"edition": 2, "distance": 12, "difficult": 4}),
    ("shoot", ["elf-bowmen", "ghoul"], {"cover": "soft", "distance": 20}),
    ("shoot", ["ironwatch-rifles,rules.shattering=true", "zombie-3"], {"edition": 3, "order": "advance"}),
    (
        "shoot",
        ["ironwatch-rifles,rules.blast=d3,rules.breath=10", "skeleton,edition=3,rules.fearless=true"],
        {"edition": 4, "breath": True, "damage_before": 24, "cover": "hard", "rallying": 1},
    ),
    ("fight", ["knights", "orc-ax"], {"turns": 3, "facing": "flank"}),
    (
        "fight",
        ["stormwind-3,rules.thunderous_charge=2,rules.headstrong=true", "trolls,rules.regeneration=4"],
        {"edition": 3, "turns": 2, "attacker_damage_before": 2, "hindered": True},
    ),
    ("fight", ["trolls", "palace-guard"], {"edition": 4, "turns": 2}),
]

# For errors: a mode with good units, and an option value that is out of its range.
BAD_OPTION = ("melee", ["ogre-warriors", "foot-guard"], {"facing": "sideways"})
