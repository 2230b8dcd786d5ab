"""Tests of Confrontation: The Age of the Rag'Narok."""
