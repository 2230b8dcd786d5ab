"""How fast, beside the die-by-die way in the same run. Run with --benchmark-enable."""
