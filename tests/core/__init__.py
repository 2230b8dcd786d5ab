"""Tests of the engine: distributions, laws, ensembles, populations, rulesets."""
