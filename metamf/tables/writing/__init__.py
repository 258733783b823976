"""Writing tables: in the dialect in which they were read, with the provenance of every cell."""
