"""What every game must do; a new game inherits all of it."""
