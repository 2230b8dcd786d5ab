"""What tests of input share: units as users write them."""

from __future__ import annotations

import json
from typing import Any

SOUND: dict[str, Any] = {"name": "Test Unit", "me": 4, "de": 4, "at": 10, "waver": 12, "rout": 15}


def unit_toml(**changes: Any) -> str:
    """A sound Kings of War unit as TOML lines, with changes; None leaves a field out."""
    fields = {**SOUND, **changes}
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items() if value is not None)


def units_toml(*units: dict[str, Any]) -> str:
    """Several units as `[[units]]` tables."""
    return "".join(f"[[units]]\n{unit_toml(**unit)}" for unit in units)
