"""A game of ten hidden cells on the chosen matrix: guess, reveal, and see who is closest, you, the model or mean."""

from __future__ import annotations

import re
from html import escape

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp import address, look
from metamf.webapp.explore.exports import CELLS
from metamf.webapp.explore.page import open_page
from metamf.webapp.explore.run import Run
from metamf.webapp.teach.lesson.answers import names_of_cell
from metamf.webapp.teach.lesson.guessing import COUNT, PLAYERS, HiddenCells, Score, hidden_cells, score
from metamf.webapp.teach.lesson.progress import Guessing
from metamf.webapp.teach.lesson.steps import STEP_PARAMETER
from metamf.wording import counted, listed, rounded, with_minus

_GUESSED = "guessed"  # the guesses, in the URL
_BUTTONS = 10  # a scale with more ratings gets a slider
_NAMES = {"you": "you", "model": "the model", "mean": "the mean"}


def seed_asked() -> int | None:
    """Returns the seed of the game, 0 to 9999, that the URL asks for, if it asks for one."""
    named = st.query_params.get(CELLS, "")
    if re.fullmatch("[0-9]{1,4}", named):
        return int(named)
    address.write(CELLS, "")
    return None


def draw(seed: int) -> None:
    run = open_page("Ten hidden cells", "Who estimates the hidden ratings best: you, the model or the mean?").run
    if not run.task.hidden.nnz:
        look.note("No rating is hidden. In the sidebar, show the model fewer of them.", "warning")
        return
    cells, game = hidden_cells(run, seed), _game(run, seed)
    if game.is_over:
        _result(cells, game, seed)
    else:
        _ask(run, cells, game)
    address.write(_GUESSED, game.text)
    st.page_link("pages/explore.py", label="See the whole matrix: Explore", icon=":material/grid_on:")
    st.button("Back to the lesson", key="cells-back", icon=":material/arrow_back:", type="tertiary", on_click=_back)


def _game(run: Run, seed: int) -> Guessing:
    """Returns the visitor's game. Other given cells or another seed start a new one; another model does not. The first
    game of a visit starts as the URL says."""
    session, task = st.session_state, run.task
    which = (task.matrix.digest, task.given.rows.tobytes(), task.given.cols.tobytes(), seed)
    if session.get("cells_of") != which:
        session.cells_of = which
        session.cells_number = session.get("cells_number", 0) + 1
        count = min(COUNT, task.hidden.nnz)
        linked = st.query_params.get(_GUESSED, "") if session.cells_number == 1 else ""
        session.cells_game = Guessing.from_text(linked, count, *run.range) or Guessing(count)
    return session.cells_game


def _ask(run: Run, cells: HiddenCells, game: Guessing) -> None:
    row, col = int(cells.rows[game.at]), int(cells.cols[game.at])
    names = names_of_cell(run, row, col)
    given = run.task.given
    look.panel(f"Cell {game.at + 1} of {game.count}")
    st.html(f'<p class="mf-asked">What would {escape(names[0])} give to “{escape(names[1])}”?</p>')
    _known(run, f"Given ratings by {names[0]}", given.rows == row, 1)
    _known(run, f"Given ratings of “{names[1]}”", given.cols == col, 0)
    guess = _guess(run, game)
    with st.container(horizontal=True):
        if game.is_revealed:
            st.button("Next", key="cells-next", type="primary", on_click=game.next)
        else:
            st.button(
                "Reveal",
                key="cells-reveal",
                icon=":material/visibility:",
                type="primary",
                disabled=guess is None,
                on_click=game.guess,
                args=(guess,),
            )
            st.button("Skip", key="cells-next", type="tertiary", on_click=game.next)
    if guess is not None and game.is_revealed:
        _revealed(run, cells, game.at, guess)


def _known(run: Run, title: str, chosen: np.ndarray, side: int) -> None:
    """Draws the chosen given ratings with the names of their columns (``side`` 1) or of their rows (0)."""
    given = run.task.given.select(chosen)
    chips = "".join(
        f"<span>{escape(names_of_cell(run, int(row), int(col))[side])}: <b>{rating(value)}</b></span>"
        for row, col, value in [*zip(given.rows, given.cols, given.values)][:30]
    )
    st.html(f'<div class="mf-known"><b>{escape(title)}</b>{chips or "<span>none</span>"}</div>')


def _guess(run: Run, game: Guessing) -> float | None:
    low, high = run.range
    scale = run.task.matrix.ratings.scale
    key = f"cells-guess-{st.session_state.cells_number}-{game.at}"  # a new game starts without a guess
    step = scale.step if scale is not None else None
    shut = game.is_revealed
    known = game.guesses[-1] if game.is_revealed else None
    if step is not None and (high - low) / step < _BUTTONS:
        options = np.arange(low, high + step / 2, step).tolist()
        at = options.index(known) if known in options else None
        return st.radio("Your guess", options, at, key=key, format_func="{:g}".format, horizontal=True, disabled=shut)
    step = step or float(f"{(high - low) / 100:.1g}")
    start = float((low + high) / 2 if known is None else known)
    return st.slider("Your guess", float(low), float(high), start, float(step), key=key, disabled=shut)


def _revealed(run: Run, cells: HiddenCells, at: int, guess: float) -> None:
    one = HiddenCells(cells.rows[[at]], cells.cols[[at]], cells.truth[[at]], cells.model[[at]], cells.mean)
    found = score(one, [guess])
    assert found is not None
    closest = listed([_NAMES[player] for player in PLAYERS if found.closest[player]])
    truth = f"The true rating: {rating(cells.truth[at])}. Closest: {closest}."
    answers = (
        f"You guessed {rating(guess)}, the model {checkpoint_title(run.answer.method)} estimated "
        f"{rounded(float(cells.model[at]))}, and the mean is {rounded(cells.mean)}."
    )
    st.html(f'<p class="mf-verdict" role="status"><b>{escape(truth)}</b>{escape(answers)}</p>')


def _result(cells: HiddenCells, game: Guessing, seed: int) -> None:
    found = score(cells, game.guesses)
    if found is None:
        look.finding("You skipped every cell.")
    else:
        look.finding(closest_in_words(found))
        st.html(_table(found))
        look.small("Ten cells are few, and another ten may end differently. The page Compare uses all hidden cells.")
    st.button(
        "Ten other cells",
        key="cells-more",
        icon=":material/casino:",
        type="primary",
        on_click=address.write,
        args=(CELLS, str((seed + 1) % 10_000)),
    )


def rating(value: float) -> str:
    """Returns a rating as people write it: '4', '3.5', '−8.01'."""
    return with_minus(f"{value:g}") if 2 * value == round(2 * value) else rounded(value)


def closest_in_words(found: Score) -> str:
    best = listed([_NAMES[player] for player in found.best])
    was = "were" if len(found.best) > 1 or found.best == ("you",) else "was"
    tied = "equally close" if len(found.best) > 1 else "closest"
    error = rounded(found.errors[found.best[0]])
    return f"On {counted(found.answered, 'cell')}, {best} {was} {tied}: {error} away from the true rating on average."


def _table(found: Score) -> str:
    rows = "".join(
        f'<tr class="{"best" if player in found.best else ""}"><th scope="row">{escape(_NAMES[player])}</th>'
        f"<td>{rounded(found.errors[player])}</td><td>{found.closest[player]}</td></tr>"
        for player in PLAYERS
    )
    return (
        f'<table class="mf-duel"><thead><tr><td></td><th scope="col">{look.term("mae", "mean absolute error")}</th>'
        f'<th scope="col">closest, number of cells</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _back() -> None:
    """Returns to the visitor's step; a link to the page that it is on would not change the URL."""
    step = st.session_state.get("lesson_named") or "1"
    st.query_params.update({CELLS: [], _GUESSED: [], STEP_PARAMETER: step})
