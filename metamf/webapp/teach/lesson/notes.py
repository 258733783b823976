"""Speaker's notes in a window of their own, the same as a document, and the students' handout, all
made from ``STEPS``.

``python -m metamf.webapp.teach.lesson.notes`` writes docs/lesson.md, which begins with notes.md.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from urllib.parse import urlencode

import streamlit as st

from metamf.webapp import files
from metamf.webapp.glossary import BY_KEY
from metamf.webapp.teach.lesson.steps import LAST, STEP_PARAMETER, STEPS, TOTAL, Step

DOCUMENT = Path(__file__).resolve().parents[4] / "docs" / "lesson.md"
_HANDOUT = Path(__file__).with_name("handout.html")
_WORDS_OF_HANDOUT = 14  # what one page has room for


def asked() -> bool:
    return st.query_params.get("notes") == "1"


def speaker_notes(step: Step, number: int) -> None:
    """Draws the speaker's notes of a step, with the minutes at which it begins and ends, in place
    of the picture."""
    begins, ends = _minutes(number)
    items = "".join(f"<li>{escape(note)}</li>" for note in step.notes)
    st.html(
        '<aside class="mf-notes" aria-label="Speaker\'s notes"><h2>For the speaker: minutes '
        f"{begins} to {ends} of "
        f"{TOTAL}</h2><ol>{items}</ol></aside>"
    )


def _minutes(number: int) -> tuple[int, int]:
    begins = sum(step.minutes for step in STEPS[: number - 1])
    return begins, begins + STEPS[number - 1].minutes


def to_take_away(number: int) -> None:
    """Draws the way to the notes, in a window of their own, and the download of the handout."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if not asked():
            here = f"?{urlencode({STEP_PARAMETER: number, 'notes': 1})}"
            st.link_button(
                "Speaker's notes", here, icon=":material/speaker_notes:", type="tertiary"
            )
        files.offer(
            "Handout, one page to print",
            handout,
            "metamf-lesson.html",
            key="lesson-handout",
            icon=":material/print:",
            type="tertiary",
        )


def document() -> str:
    """Returns the notes of all steps as Markdown."""
    parts = [Path(__file__).with_suffix(".md").read_text("utf-8")]
    for number, step in enumerate(STEPS, 1):
        begins, ends = _minutes(number)
        questions = (
            f"*Predict:* {asked.prompt} "
            f"({'; '.join(asked.options) or f'{asked.low} to {asked.high} {asked.unit}'})\n\n"
            for asked in step.questions
        )
        parts.append(
            f"## {number}. {step.title} (minutes {begins} to {ends})\n\n**{step.sentence}** "
            f"{step.more}\n\n"
            + "".join(
                [*questions, *(f"*Try:* {trial.label}. {trial.do}\n\n" for trial in step.trials)]
            )
            + "\n".join(f"- {note}" for note in step.notes)
            + f"\n\nNew words: {', '.join(BY_KEY[key].name for key in step.words)}.\n"
        )
    return "\n".join(parts)


def handout() -> str:
    """Returns one page to print: the statements and questions of all steps, Eqs. (6) and (7), and a
    glossary."""
    sections = ""
    for number, step in enumerate(STEPS, 1):
        sections += (
            f"<section><h2>{number}. {escape(step.title)}</h2><p>{escape(step.sentence)}</p>"
        )
        for question in step.questions:
            boxes = [f"☐ {option}" for option in question.options] or [f"………… {question.unit}"]
            choices = " &nbsp; ".join(f'<span class="box">{escape(box)}</span>' for box in boxes)
            sections += f'<p class="asked">My prediction: {escape(question.prompt)} {choices}</p>'
        sections += "</section>\n"
    terms = [BY_KEY[key] for step in STEPS for key in step.words][:_WORDS_OF_HANDOUT]
    words = "".join(
        f"<div><dt>{escape(term.name)}:</dt> <dd>{escape(term.meaning)}</dd></div>"
        for term in terms
    )
    template = Template(_HANDOUT.read_text("utf-8"))
    return template.substitute(count=LAST, sections=sections, words=words)


if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")
