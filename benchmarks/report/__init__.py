"""Writes the measured figures into README, docs and cards, from result files only."""
