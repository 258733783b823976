"""Teach: the ways into a class: the lesson, a room of phones, and a network that learns while everybody watches."""

import streamlit as st

from metamf.webapp import frame, look

TILES = (
    ("lesson", "school", "The lesson", "Fifty minutes, seven steps: your class predicts before every answer."),
    ("room", "groups", "A room", "Ten minutes: everybody rates a list on a phone, and the screen fills in."),
    ("train", "model_training", "Live training", "Two minutes: watch a network learn from random weights."),
)

frame.ensure()
look.hide_controls()
look.title("Teach it to a class", "Pick what fits into your hour.")
with st.container(key="tiles", horizontal=True):
    for name, icon, label, sentence in TILES:
        with st.container(key=f"tile-{name}", border=True):
            st.page_link(f"pages/{name}.py", label=label, icon=f":material/{icon}:")
            look.small(sentence)
