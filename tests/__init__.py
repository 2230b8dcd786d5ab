"""Tests: each says what it proves."""
