"""Your table: any table of ratings in, every missing cell with an interval, how far to trust it, and out again."""

import logging
import traceback
from pathlib import PurePath

import streamlit as st

from metamf.checkpoints.info import CheckpointError
from metamf.tables.limits import TableError
from metamf.webapp import frame, look
from metamf.webapp.engine import EngineError
from metamf.webapp.explore import exports
from metamf.webapp.your_table import state, uploads
from metamf.webapp.your_table.cells import cells, mark_guarded
from metamf.webapp.your_table.downloads import downloads
from metamf.webapp.your_table.reading import privacy, start, style, understood
from metamf.webapp.your_table.settings import answer_of, chosen
from metamf.webapp.your_table.verdict import how_good, known_errors, method_of
from metamf.webapp.your_table.what_if import what_if


def filled_in(upload, table) -> None:
    """Draws the table filled in, how good it is, the settings and the files."""
    answer, trust, settings, take_away = (st.container() for _ in range(4))  # nothing moves when one changes
    try:
        with settings:
            key = chosen(uploads.key_of(upload), table)
        with trust:
            how_good(table, key)
        with answer:
            filled = answer_of(table, key)
            table = state.with_ratings_of(filled, table, key.errors.table)
            cells(filled, key)
            mark_guarded(filled, table.report)
        with trust:
            what_if(filled, key)
        with take_away:
            downloads(upload, table, method_of(key), filled, key, known_errors(key.errors))
    except TableError as error:
        look.note(f"{error}.", "warning")
    except (EngineError, MemoryError, CheckpointError):
        raise  # the frame around all pages has a sentence for them
    except Exception as error:  # logged without its message, which may quote a rating
        at = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {at.name}, {PurePath(at.filename).name}:{at.lineno}"
        logging.getLogger("metamf.webapp").error("Your table: %s", where)
        sentence = "This table could not be filled in with these settings: choose another method or scale below."
        look.note(sentence, "warning")


frame.ensure()
style()
look.title(
    "Your own table, filled in",
    "Upload any table of ratings. Every missing cell gets an estimate and an interval, and a check on your own ratings "
    "shows how far to trust them.",
)
upload = uploads.held()
with look.place("page", None if upload is None else upload.digest):
    if upload is None:
        start()
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            look.panel(upload.name)
            exports.to_explore(state.explore, "table")
            st.button("Forget my table", icon=":material/delete:", on_click=state.clear, key="table_forget")
        reading = st.container()
        with look.place("answer", uploads.key_of(upload)):
            answer = st.container()
        with reading:
            table = understood(upload)
        with answer:
            filled_in(upload, table)
        privacy()
