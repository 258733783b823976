"""What writes the measured figures into README and cards."""
