"""Your table: any table of ratings in, every missing cell with an interval, how far to trust it, and out again."""

import streamlit as st

from metamf import wording
from metamf.checkpoints.files import CheckpointError
from metamf.tables import TableError
from metamf.webapp import frame, look
from metamf.webapp.your_table import state as table_state
from metamf.webapp.your_table.cells import cells
from metamf.webapp.your_table.downloads import downloads
from metamf.webapp.your_table.reading import privacy, start, style, understood
from metamf.webapp.your_table.results import how_good, measured
from metamf.webapp.your_table.settings import filled

frame.ensure()
style()
look.title(
    "Your own table, filled in",
    "Bring any table of ratings. Every missing cell gets an estimate and an interval, and your own ratings tell how "
    "far to trust them.",
)
upload = table_state.upload()
if upload is None:
    start()
    st.stop()
with st.container(horizontal=True, vertical_alignment="center"):
    look.panel(upload.name, wording.size_of(upload.content))
    st.button("Forget my table", icon=":material/delete:", on_click=table_state.clear, key="table_forget")
reading, settings, answer, take_away, trust = (st.container() for _ in range(5))  # nothing moves when one changes
with reading:
    table = understood(upload)
try:
    with settings:
        filling, made_from = filled(upload, table)
    with answer:
        cells(filling, made_from)
    with take_away:
        downloads(upload, table, filling, made_from, measured(filling, made_from))
    with trust:
        how_good(filling, made_from)
except (TableError, CheckpointError) as error:
    look.note(f"{error}.", "warning")
except (ValueError, ArithmeticError, RuntimeError, MemoryError):
    look.note("This table cannot be filled in with these settings: choose another method or scale above.", "warning")
privacy()
