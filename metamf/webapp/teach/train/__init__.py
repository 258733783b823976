"""The page Train: meta-training, live."""
