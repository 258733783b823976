"""The player: a run in the browser, where every step is drawn."""
