"""Needs of a server for many visitors besides the pages: limits, turns, and threads."""
