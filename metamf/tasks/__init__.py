"""Experiments on one matrix: what is given and what is hidden, a checkpoint's run on it, methods side by side."""
