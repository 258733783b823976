"""The parts of the pages: widgets, and the text around figures. The rooms below do the
computing."""
