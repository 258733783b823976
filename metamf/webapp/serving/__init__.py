"""What a server for many visitors needs besides the pages: limits, turns, threads, figures, and a log."""
