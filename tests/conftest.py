"""What all tests share: hypothesis draws the same examples each time, and keeps no files."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.load_profile("fixed")
