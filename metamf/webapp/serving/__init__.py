"""What a server for many visitors needs besides the pages: limits, turns, and threads."""
