"""The pages on one matrix: Fill in, Watch, Compare, Inside."""
