"""Tests of the plain questions: dice, charge, scatter, morale."""
