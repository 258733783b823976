"""The table that a visitor brought, and the plan by which it is read.

Both are in the visitor's ``st.session_state``, in no cache and no log, and the address holds
nothing of them. A plan is kept as the edits that the visitor made to what was proposed, which is
what the command takes as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import streamlit as st

from metamf.datasets.examples import example_matrices
from metamf.files import sha256_of
from metamf.learning.episodes import divide_entries
from metamf.ratings.matrix import Ratings
from metamf.tables.limits import Limits, TableError
from metamf.tables.plan import Plan, parsed
from metamf.webapp import caches, jobs
from metamf.webapp.engine import engine

if TYPE_CHECKING:
    from metamf.tables.table import Table

PREFIX = "table_"  # begins the keys of all that is about the visitor's table
SMALL = 50_000  # bytes of a text that is read in the page; all else is read by the engine
PROPOSED = "all: proposed"  # the edit that takes back all others
_UPLOAD = "table_upload"  # in the session: the file
_EDITS = "table_edits"  # what the visitor has changed in the proposed plan
_SAID = "table_said"  # what the last click did, for those who do not see it
_READ = "table_read"  # the latest table that was read, and by which inputs
_REFUSED = "table_refused"  # the latest table that could not be read, and why
_VERSION = "version_of_table_uploader"  # 0 until a table was brought or forgotten


@dataclass(frozen=True)
class Upload:
    """A visitor's file, or the cells that were pasted, as a file."""

    name: str
    content: bytes = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content: all that was computed from it is kept under that key."""
        return sha256_of(self.content)


class TableKey(NamedTuple):
    """The inputs that a table depends on: the digest of its file, and the edits of its plan."""

    digest: str
    edits: tuple[str, ...]


def held() -> Upload | None:
    """The visitor's file; None before there is one."""
    return st.session_state.get(_UPLOAD)


def bring(file: Upload) -> None:
    """Replaces the table by ``file``."""
    forget()
    st.session_state[_UPLOAD] = file


def forget() -> None:
    """Forgets the file, its plan, all that was computed from it, and all settings."""
    jobs.forget()
    caches.forget_all()
    for key in [key for key in st.session_state if str(key).startswith(PREFIX)]:
        del st.session_state[key]
    st.session_state[_VERSION] = version() + 1


def version() -> int:
    """Another number after each table, for the keys of widgets that then begin empty."""
    return st.session_state.get(_VERSION, 0)


def edits() -> tuple[str, ...]:
    """The visitor's changes to the proposed plan, in order."""
    return st.session_state.get(_EDITS, ())


def edit(plan: Plan, *texts: str) -> None:
    """Changes the plan; an edit that it does not take is said, and changes nothing."""
    session = st.session_state
    if texts == (PROPOSED,):
        session[_EDITS] = ()
        session[_SAID] = "The file is read as it was proposed."
        return
    try:
        for text in texts:
            if not parsed(text, plan).anew:
                plan = plan.edited(text)
    except TableError as error:
        session[_SAID] = f"Nothing was changed: {error}."
        return
    session[_EDITS] = (*edits(), *texts)
    session[_SAID] = f"Changed: {'; '.join(texts)}."


def undo() -> None:
    """Takes back the last change."""
    kept = edits()
    st.session_state[_EDITS] = kept[:-1]
    st.session_state[_SAID] = f"Taken back: {kept[-1]}." if kept else "Nothing was changed yet."


def said() -> str:
    """What the last click did, in a sentence."""
    return st.session_state.get(_SAID, "")


def key() -> TableKey:
    """The inputs that the visitor's table depends on now."""
    file = held()
    return TableKey("" if file is None else file.digest, edits())


def table(file: Upload, limits: Limits) -> Table:
    """The table in the visitor's file, read by its plan once; a worker reads all but small texts.

    Raises TableError, with a sentence for the visitor, for a file that cannot be read, which is not
    read again before something changes; and EngineError where the visitor stopped it, or it took
    too long or too much memory. The limits are lower where a worker has little memory.
    """
    limits = limits.within(engine().memory)
    asked = (file.digest, file.name, edits(), limits)
    known, found = st.session_state.get(_READ, (None, None))
    if known == asked:
        return found
    before, error = st.session_state.get(_REFUSED, (None, None))
    if before == asked:
        raise TableError(error)
    try:
        found = _read(file, asked, limits)
    except TableError as error:
        st.session_state[_REFUSED] = asked, str(error)
        raise
    st.session_state[_READ] = asked, found
    return found


def _read(file: Upload, asked: tuple, limits: Limits) -> Table:
    from metamf.tables.table import read  # with pandas, which a page without a table does without

    reads = partial(read, file.content, edits=edits(), limits=limits)
    small = len(file.content) <= SMALL and b"\0" not in file.content
    if small and file.content[:2] != b"\x1f\x8b":
        return reads()
    return jobs.result("reading", asked, reads)


def with_ratings(table: Table, ratings: Ratings) -> Table:
    """The table with the arrays of the same ratings that came back with an answer, in place of its
    own; of a large table they have a hundred megabytes."""
    if ratings.values is table.ratings.values:
        return table
    own = table.ratings
    return replace(table, ratings=replace(ratings, scale=own.scale, limits=own.limits))


@cache
def example() -> Upload:
    """Half of the ratings of the guests who like it hot or mild, as a file."""
    ratings = example_matrices()["Hot or mild"].matrix.ratings
    half = divide_entries(ratings, 0.5, np.random.default_rng(0)).support
    return as_file(half, "hot-or-mild.csv")


def as_file(ratings: Ratings, name: str) -> Upload:
    """A matrix as a CSV file."""
    from metamf.tables import write

    return Upload(name, write.to_csv_wide(ratings))
