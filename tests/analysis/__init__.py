"""Tests of questions, results and what is made of them."""
