"""Units for tests, by their characteristics alone."""

from __future__ import annotations

from typing import Any

from mathhammer.games.kings_of_war.profile import Unit

PLAIN: dict[str, Any] = {"name": "plain", "me": 4, "de": 4, "at": 12, "waver": 14, "rout": 16}


def unit(**fields: Any) -> Unit:
    """A unit that is plain but for the fields given; special rules go under `rules`."""
    return Unit.model_validate({**PLAIN, **fields})
