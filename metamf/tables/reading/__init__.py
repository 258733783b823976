"""Tables in: bytes of any dialect to cells, cells to ratings."""
