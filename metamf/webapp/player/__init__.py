"""The player: a run in the browser, with every step drawn there."""
