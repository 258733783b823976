"""Meta-learning for any method: objectives, curriculum, training, workers, evaluation."""
