"""Tables out: in the dialect of the upload, with the provenance of every cell."""
