"""The engine: distributions, laws, ensembles of worlds, and the records that a game is made of."""
