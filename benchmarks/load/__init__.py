"""Many visitors at once."""
