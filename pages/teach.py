"""Teach: the ways into a class: the lesson, a room of phones, and a network that learns while
everybody watches."""

import streamlit as st

from metamf.webapp import frame, look
from metamf.webapp.teach.lesson.steps import STEPS

TILES = (
    (
        "lesson",
        "school",
        "The lesson",
        "Fifty minutes, seven steps: your class predicts before every answer.",
    ),
    (
        "room",
        "groups",
        "A room",
        "Ten minutes: everybody rates a list on a phone, and the screen fills in.",
    ),
    (
        "train",
        "model_training",
        "Live training",
        "Two minutes: watch a network learn from random weights.",
    ),
)

frame.ensure()
look.title("Teach it to a class", "Pick what fits into your hour.")
st.page_link(
    "pages/lesson.py",
    label="Show a class (10 min)",
    icon=":material/play_arrow:",
    query_params={"class": "10", "lesson": "1"},
)
look.small("Three steps of the lesson: predict, then see. Then the class rates a list itself.")
with st.container(key="tiles", horizontal=True):
    for name, icon, label, sentence in TILES:
        with st.container(key=f"tile-{name}", border=True):
            st.page_link(f"pages/{name}.py", label=label, icon=f":material/{icon}:")
            look.small(sentence)
look.small("Begin the lesson at a step:")
with st.container(key="steps", gap="small"):
    for number, step in enumerate(STEPS, 1):
        label = f"{number}. {step.title}: {step.minutes} minutes"
        st.page_link("pages/lesson.py", label=label, query_params={"lesson": str(number)})
