"""The page Inside, one file for each of its sections: three starts, no shared rows or columns, the
network's layers."""
