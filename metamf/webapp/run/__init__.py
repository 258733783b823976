"""A run on a matrix, and what all pages on one matrix share."""
