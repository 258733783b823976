"""The pages on one matrix: Explore, Compare, Inside."""
