"""Every page meets no data sets, and an engine of this process."""

from opened import no_data_sets  # noqa: F401
