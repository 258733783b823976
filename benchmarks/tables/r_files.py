"""Data sets out of R packages, without R: data frames, matrices, and lists of them, as pandas reads them.

An installed package keeps its data as files of their own (``data/name.rda``) or in one lazy-load base
(``data/Rdata.rdb``, a run of compressed objects, and ``data/Rdata.rdx``, which says where each begins). The parser of
serialised objects is that of the package rdata; what becomes of the objects is decided here, since rdata's own
conversion knows no matrix inside a data frame.
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
from rdata.parser import RObjectType, parse_data

_RAW_LZMA = [{"id": lzma.FILTER_LZMA2}]  # as R writes it


def data_set(package: Path, path: str) -> pd.DataFrame:
    """One table of the R package installed in a folder, factors as texts, columns that are matrices as several columns;
    ``path`` is the name of the object, and those of elements of lists: 'doubs$env'."""
    name, *elements = path.split("$")
    found = _object(package / "data", name)
    for element in elements:
        found = found[element]
    return found


def _object(folder: Path, name: str) -> Any:
    for suffix in (".rda", ".RData"):
        if (folder / f"{name}{suffix}").exists():
            return _plain((folder / f"{name}{suffix}").read_bytes(), ".rda")[name]
    index = _plain((folder / "Rdata.rdx").read_bytes(), ".rds")["variables"]
    start, length = (int(number) for number in index[name])
    return _plain(_inflated((folder / "Rdata.rdb").read_bytes()[start : start + length]), ".rds")


def _plain(data: bytes, extension: str) -> Any:
    """The content of a file as ``_value`` gives it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of encodings that old files do not name
        return _value(parse_data(data, extension=extension).object)


def _inflated(block: bytes) -> bytes:
    """A block of a lazy-load base: four bytes of length, then zlib, or a letter and what it stands for."""
    kind, rest = block[4:5], block[5:]
    if kind == b"2":
        return bz2.decompress(rest)
    if kind == b"Z":
        return lzma.decompress(rest, format=lzma.FORMAT_RAW, filters=_RAW_LZMA)
    return zlib.decompress(block[4:])


def _value(node: Any) -> Any:
    """An R object as pandas, NumPy or a dictionary knows it."""
    kind = node.info.type
    if kind is RObjectType.LIST:  # pairs of names and values: what an .rda file holds
        pairs = {}
        while node.info.type is RObjectType.LIST:
            pairs[_name(node.tag)] = _value(node.value[0])
            node = node.value[1]
        return pairs
    about = _attributes(node)
    classes = list(about.get("class", ()))
    if kind is RObjectType.VEC:
        values = [_value(element) for element in node.value]
        names = list(about.get("names", range(len(values))))
        return _frame(names, values, about) if "data.frame" in classes else dict(zip(names, values))
    if kind is RObjectType.STR:
        return np.array([_text(element) for element in node.value], dtype=object)
    if kind not in (RObjectType.INT, RObjectType.REAL, RObjectType.LGL):
        return None  # a formula, a function, a call: nothing that is a table
    values = np.ma.filled(np.ma.asarray(node.value).astype(np.float64), np.nan)
    if kind is not RObjectType.REAL:
        values = np.where(values == -(2.0**31), np.nan, values)  # NA of whole numbers
    if "factor" in classes:
        levels = [*about["levels"], None]
        return np.array([levels[-1 if np.isnan(code) else int(code) - 1] for code in values], dtype=object)
    if "dim" in about and len(about["dim"]) == 2:
        shape = tuple(int(size) for size in about["dim"])
        return _matrix(values.reshape(shape, order="F"), about.get("dimnames"))
    return values


def _frame(names: list, values: list, about: dict) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for name, value in zip(names, values):
        if isinstance(value, pd.DataFrame):
            columns |= {f"{name}.{inner}": value[inner].to_numpy() for inner in value}
        elif value is not None:
            columns[str(name)] = value
    labels = about.get("row.names")
    frame = pd.DataFrame(columns)
    return frame.set_axis(list(labels)) if labels is not None and len(labels) == len(frame) else frame


def _matrix(values: np.ndarray, names: Any) -> pd.DataFrame:
    rows, columns = list(names.values()) if isinstance(names, dict) else (None, None)
    return pd.DataFrame(values, index=rows, columns=columns)


def _attributes(node: Any) -> dict[str, Any]:
    found, at = {}, node.attributes
    while at is not None and at.info.type is RObjectType.LIST:
        found[_name(at.tag)] = _value(at.value[0])
        at = at.value[1]
    return {name: value for name, value in found.items() if value is not None}


def _name(tag: Any) -> str:
    while tag.info.type is RObjectType.REF:
        tag = tag.referenced_object
    return _text(tag.value)


def _text(node: Any) -> str | None:
    return None if node.value is None else node.value.decode("utf-8", errors="replace")
