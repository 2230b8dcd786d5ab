"""Battlefield mode: rules, referee, reference values, data."""
