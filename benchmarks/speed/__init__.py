"""What measures speed and memory."""
