"""Room: a class rates a list on its phones, and the lecturer's screen fills in."""

from pathlib import Path

import streamlit as st

from metamf.webapp import frame
from metamf.webapp.teach.rooms import session
from metamf.webapp.teach.rooms.entrance import entrance
from metamf.webapp.teach.rooms.lecturer import lecturer_view
from metamf.webapp.teach.rooms.student import student_view

frame.ensure()
st.html(Path(session.__file__).with_name("room.css"))
if session.is_student():
    student_view()
elif (key := session.lecturer_key()) is not None:
    lecturer_view(key)
else:
    entrance()
