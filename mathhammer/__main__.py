"""`python -m mathhammer`."""

from mathhammer.cli import script

script()
