"""Your table: any table of ratings in, every missing cell with an interval, how far to trust it, and out again."""

import streamlit as st

from metamf.tables.limits import TableError
from metamf.webapp import frame, look
from metamf.webapp.monitoring import observing
from metamf.webapp.monitoring.sentences import sentence_on
from metamf.webapp.serving.heavy import EndedError
from metamf.webapp.your_table import from_matrix
from metamf.webapp.your_table import state as table_state
from metamf.webapp.your_table.cells import cells
from metamf.webapp.your_table.downloads import downloads
from metamf.webapp.your_table.reading import privacy, start, style, understood
from metamf.webapp.your_table.results import how_good, known_errors, prepare_to_measure, tuned
from metamf.webapp.your_table.settings import chosen, filling_of


def filled_in(upload, table_key, table) -> None:
    """Draws the settings, how good it is, the table and its files."""
    settings, trust, answer, take_away = (st.container() for _ in range(4))  # nothing moves when one changes
    try:
        with settings:
            key = chosen(table_key, table)
            filling = filling_of(table, key)
        with trust:
            how_good(filling, key)
            tuned(filling, key)
        with answer:
            cells(filling, key)
        with take_away:
            downloads(upload, table, filling, key, known_errors(key))
    except TableError as error:
        look.note(f"{error}.", "warning")
    except Exception as error:
        if isinstance(error, EndedError) or sentence_on(error) is not None:
            raise  # said by the frame around all pages
        # not one of the library's own: it is logged without its message, which may quote a rating
        observing.failed("Your table", error)
        sentence = "This table could not be filled in with these settings: choose another method or scale above."
        look.note(sentence, "warning")


frame.ensure()
style()
look.title(
    "Your own table, filled in",
    "Bring any table of ratings. Every missing cell gets an estimate and an interval, and your own ratings tell how "
    "far to trust them.",
)
upload = table_state.upload() or from_matrix.brought()
with look.place("page", None if upload is None else upload.digest):
    if upload is None:
        start()
        prepare_to_measure()
        st.stop()
    with st.container(horizontal=True, vertical_alignment="center"):
        look.panel(upload.name, upload.size)
        st.button("Forget my table", icon=":material/delete:", on_click=table_state.clear, key="table_forget")
    reading = st.container()
    with look.place("answer", table_state.key_of(upload)):
        answer = st.container()
    with reading:
        table_key, table = understood(upload)
    with answer:
        filled_in(upload, table_key, table)
    privacy()
