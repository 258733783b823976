"""Many visitors at once: ``visits`` plays a class, ``session`` is one visitor."""
