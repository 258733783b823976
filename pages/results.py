"""Results: docs/results.md, the errors and times that benchmarks/report writes from the measured rows."""

import re
from pathlib import Path

import streamlit as st

from metamf.webapp import frame, look

DOCUMENT = Path(__file__).parents[1] / "docs" / "results.md"
COMMENT = re.compile(r"<!--.*?-->\n")
LINK = re.compile(r"\[([^]]+)\]\((?!https?:)[^)]+\)")  # to another document, which the app does not show

frame.ensure()
look.hide_controls()
text = DOCUMENT.read_text("utf-8")
text = COMMENT.sub("", text)
text = LINK.sub(r"\1", text)
title, _, rest = text.removeprefix("# ").partition("\n")
look.title(title)
with st.container(key="document"):
    st.markdown(rest)
