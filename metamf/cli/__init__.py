"""The command line. ``options`` has the parser and every option; each command is a function of the
parsed arguments.

Results go to the standard output, everything for a person to the standard error stream.
"""
