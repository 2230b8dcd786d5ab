"""From a resolved question to a result: running it, tables, plots."""
