"""Data sets out of R packages, without R: data frames, matrices, and lists of them, as pandas reads
them.

An installed package keeps its data as files of their own (``data/name.rda``) or in one lazy-load
base (``data/Rdata.rdb``, a run of compressed objects, and ``data/Rdata.rdx``, which says where each
begins). Files and objects are read by the package rdata.
"""

from __future__ import annotations

import bz2
import lzma
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rdata.conversion import convert
from rdata.parser import parse_data

_RAW_LZMA = [{"id": lzma.FILTER_LZMA2}]  # as R writes it


def data_set(package: Path, path: str) -> pd.DataFrame:
    """One table of the R package installed in a folder, factors as categories; ``path`` is the name
    of the object, and those of elements of lists: 'doubs$env'."""
    name, *elements = path.split("$")
    found = _object(package / "data", name)
    for element in elements:
        found = found[element]
    return found if isinstance(found, pd.DataFrame) else pd.DataFrame(np.asarray(found))


def _object(folder: Path, name: str) -> Any:
    for suffix in (".rda", ".RData"):
        if (folder / f"{name}{suffix}").exists():
            return _plain((folder / f"{name}{suffix}").read_bytes(), ".rda")[name]
    index = _plain((folder / "Rdata.rdx").read_bytes(), ".rds")["variables"]
    start, length = (int(number) for number in index[name])
    return _plain(_inflated((folder / "Rdata.rdb").read_bytes()[start : start + length]), ".rds")


def _plain(data: bytes, extension: str) -> Any:
    with warnings.catch_warnings():
        # of encodings that old files do not name, and classes without a constructor
        warnings.simplefilter("ignore")
        return convert(parse_data(data, extension=extension), default_encoding="latin-1")


def _inflated(block: bytes) -> bytes:
    """A block of a lazy-load base: four bytes of length, then zlib, or a letter and what it stands
    for."""
    kind, rest = block[4:5], block[5:]
    if kind == b"2":
        return bz2.decompress(rest)
    if kind == b"Z":
        return lzma.decompress(rest, format=lzma.FORMAT_RAW, filters=_RAW_LZMA)
    return zlib.decompress(block[4:])
