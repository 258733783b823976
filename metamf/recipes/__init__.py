"""How the bundled checkpoints were made: presets, training runs, live training, and the cards that
say so."""
