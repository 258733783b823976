"""Meta-learning for any method: episodes, objectives, training, tuning; and the recipes of the
bundled checkpoints."""
