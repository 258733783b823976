"""What measures accuracy."""
