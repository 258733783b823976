"""Many visitors at once: ``visits`` plays a class, ``figures`` measures what a server has to hold."""
