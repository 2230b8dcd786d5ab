"""Confrontation 3: rules by ID, reference values, the referee, metamorphic rules."""
