"""Pieces that games share: pools of dice, re-rolls, morale thresholds. Laws only, one idea a module."""
