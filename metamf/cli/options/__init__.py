"""The options of each command: ``describe(parser)``. Nothing here imports torch."""
