"""The command line: one file per command with ``run(arguments)``; its options are in the file of that name in options.

Results go to the standard output, everything said to a person goes to the standard error stream. The options are
described without torch, so that ``--help`` and a wrong option are answered at once.
"""
