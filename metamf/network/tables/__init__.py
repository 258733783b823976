"""A meta-trained network that fills in tables whose columns have units of their own."""
