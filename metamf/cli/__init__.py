"""One file per command of ``python -m metamf``: ``add_to(subparsers)`` describes its options, ``run`` does it.

Results go to the standard output, everything said to a person goes to the standard error stream.
"""
