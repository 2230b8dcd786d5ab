"""The notebooks run and say what they show."""
