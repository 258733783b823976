"""Speaker's notes, their document and the handout, all made of ``STEPS``: they cannot disagree with the page.

``python -m metamf.webapp.lesson`` writes docs/lesson.md.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from metamf.webapp.experiments.guessing import COUNT
from metamf.webapp.glossary import BY_KEY
from metamf.webapp.lesson.form import Choice, Step
from metamf.webapp.lesson.steps import LAST, STEPS, TOTAL

_HEAD = """# Fifty minutes in seven steps

The page Lesson of the app, for whoever teaches with it. This document is written by `python -m metamf.webapp.lesson`
from the data that the page is made of; numbers of a matrix are not in it, since the page computes them.

- Start the app, and open the page Lesson. `?lesson=3` opens the third step, `?notes=1` shows these notes.
- Page down and page up, the keys of a presenter, go to the next step and back. What was predicted and revealed is
  kept while the page is open; "Ask again" hides an answer for another class.
- "Try it" opens another page of the app in the state that is meant; a line on that page says what to do there, and
  leads back.
- The handout, one page to print, can be downloaded below each step.
"""
EQUATIONS = (  # Eqs. (6) and (7) as HTML
    "<i>u<sub>n</sub></i> ← <i>u<sub>n</sub></i> − <i>η</i> ( Σ<sub><i>m</i></sub> <i>b<sub>nm</sub></i> "
    "(<i>u<sub>n</sub></i>·<i>v<sub>m</sub></i> − <i>x<sub>nm</sub></i>) <i>v<sub>m</sub></i> + <i>λ</i> "
    "(<i>u<sub>n</sub></i> − <i>u<sub>n</sub></i><sup>(0)</sup>) )",
    "<i>v<sub>m</sub></i> ← <i>v<sub>m</sub></i> − <i>η</i> ( Σ<sub><i>n</i></sub> <i>b<sub>nm</sub></i> "
    "(<i>u<sub>n</sub></i>·<i>v<sub>m</sub></i> − <i>x<sub>nm</sub></i>) <i>u<sub>n</sub></i> + <i>λ</i> "
    "(<i>v<sub>m</sub></i> − <i>v<sub>m</sub></i><sup>(0)</sup>) )",
)
_WORDS_OF_HANDOUT = 14  # what one page has room for
_HANDOUT_STYLE = """
@page { size: A4; margin: 11mm 13mm }
body { font: 9pt/1.32 "Source Sans", "Noto Sans", Arial, sans-serif; color: #14181d; background: #fff; margin: 0 auto;
  max-width: 186mm }
h1 { font: 600 16pt/1.15 "Source Serif", Georgia, serif; margin: 0 }
h2 { font-size: 10.2pt; margin: 0 }
p { margin: 0.6mm 0 }
section { margin-top: 2.1mm; break-inside: avoid }
.asked { color: #3a4652 }
.box { white-space: nowrap }
table { border-collapse: collapse; width: 100%; margin-top: 1mm }
th, td { border: 0.2mm solid #9aa4ae; height: 4.2mm; padding: 0 1.5mm; text-align: left; font-weight: 400 }
td { width: 7.5% }
.equations { margin: 1mm 0 0 4mm }
dl { columns: 2; column-gap: 7mm; margin: 1mm 0 0; font-size: 8.3pt; line-height: 1.25 }
dl div { break-inside: avoid; margin-bottom: 0.8mm }
dt { font-weight: 600; display: inline } dd { display: inline; margin: 0 }
"""


def asked() -> bool:
    """Whether the address asks for the speaker's notes."""
    return st.query_params.get("notes") == "1"


def draw(step: Step, number: int) -> None:
    """The speaker's notes of a step, with the minutes of the lesson that are over when it begins and ends."""
    begins = sum(earlier.minutes for earlier in STEPS[: number - 1])
    items = "".join(f"<li>{escape(note)}</li>" for note in step.notes)
    st.html(
        f'<aside class="mf-notes" aria-label="Speaker\'s notes"><h2>For the speaker: minutes {begins} to '
        f"{begins + step.minutes} of {TOTAL}</h2><ol>{items}</ol></aside>"
    )


def to_take_away() -> None:
    """The switch of the notes, and the handout."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.session_state.lesson_notes = asked()
        st.toggle("Speaker's notes", key="lesson_notes", on_change=_switch)
        st.download_button(
            "Handout, one page to print",
            handout,
            "metamf-lesson.html",
            "text/html",
            icon=":material/print:",
            type="tertiary",
            key="lesson-handout",
            on_click="ignore",
        )


def _switch() -> None:
    if st.session_state.lesson_notes:
        st.query_params["notes"] = "1"
    else:
        st.query_params.pop("notes", None)


def document() -> str:
    """The notes of all steps as Markdown."""
    parts, begins = [_HEAD], 0
    for number, step in enumerate(STEPS, 1):
        parts.append(
            f"## {number}. {step.title} (minutes {begins} to {begins + step.minutes})\n\n"
            f"**{step.sentence}** {step.more}\n\n"
            f"*Predict:* {step.question.prompt} {_options(step)}\n\n"
            f"*Try:* {step.trial.label}. {step.trial.do}\n\n"
            + "\n".join(f"- {note}" for note in step.notes)
            + f"\n\nNew words: {', '.join(BY_KEY[key].name for key in step.words)}.\n"
        )
        begins += step.minutes
    return "\n".join(parts)


def _options(step: Step) -> str:
    question = step.question
    if isinstance(question, Choice):
        return f"({'; '.join(question.options)})"
    return f"({question.low} to {question.high} {question.unit})"


def handout() -> str:
    """One page to print: what each step says and asks, Eqs. (6) and (7), and words of the field."""
    sections = ""
    for number, step in enumerate(STEPS, 1):
        question = step.question
        boxes = [f"☐ {option}" for option in question.options] if isinstance(question, Choice) else ["…………"]
        boxes[-1] += "" if isinstance(question, Choice) else f" {question.unit}"
        choices = " &nbsp; ".join(f'<span class="box">{escape(box)}</span>' for box in boxes)
        equations = "".join(f"<p>{line}</p>" for line in EQUATIONS) if step.key == "steps" else ""
        sections += (
            f"<section><h2>{number}. {escape(step.title)}</h2><p>{escape(step.sentence)}</p>"
            f'<div class="equations">{equations}</div>'
            f'<p class="asked">My prediction: {escape(question.prompt)} {choices}</p></section>'
        )
    keys = [key for step in STEPS for key in step.words][:_WORDS_OF_HANDOUT]
    words = "".join(
        f"<div><dt>{escape(BY_KEY[key].name)}:</dt> <dd>{escape(BY_KEY[key].meaning)}</dd></div>" for key in keys
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>MetaMF in seven steps</title>'
        f"<style>{_HANDOUT_STYLE}</style></head><body>"
        f"<h1>How a network learns to fill in a matrix, in {LAST} steps</h1>"
        f"{sections}<section><h2>Ten hidden cells</h2>{_tally()}</section>"
        f"<section><h2>Words</h2><dl>{words}</dl></section></body></html>\n"
    )


def _tally() -> str:
    """An empty table for the game of ten cells."""
    rows = ("my guess", "the model", "the mean", "the truth")
    cells = "<td></td>" * COUNT
    return "<table>" + "".join(f"<tr><th>{row}</th>{cells}</tr>" for row in rows) + "</table>"
