"""Rating data: the paper's three data sets from their publishers, and synthetic matrices whose
truth is known."""

from metamf.datasets.archives import (
    ARCHIVES,
    FEATURES,
    NAMES,
    Archive,
    available,
    cache_folder,
    data_folder,
)
from metamf.datasets.domains import random_domain
from metamf.datasets.download import DownloadError, download
from metamf.datasets.examples import ExampleMatrix, example_matrices
from metamf.datasets.loading import load, load_features, load_official_split
from metamf.datasets.synthetic import SyntheticMatrix, from_signal, synthetic

__all__ = [
    "ARCHIVES",
    "FEATURES",
    "NAMES",
    "Archive",
    "DownloadError",
    "ExampleMatrix",
    "SyntheticMatrix",
    "available",
    "cache_folder",
    "data_folder",
    "download",
    "from_signal",
    "load",
    "load_features",
    "load_official_split",
    "example_matrices",
    "random_domain",
    "synthetic",
]
