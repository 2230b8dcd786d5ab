"""Kings of War: rules, referee, reference values, data."""
