"""Literal referees: plain dice throwers, written from the rule pages and from nothing else."""
