"""Ten hidden cells, one after the other: guess, reveal, and who is closest, you, the model or the mean.

On the matrix and with the model that the sidebar says, so on any preset.
"""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.evaluate.run import TaskRun
from metamf.webapp import address, look
from metamf.webapp.experiments.guessing import COUNT, PLAYERS, HiddenCells, Score, hidden_cells, score
from metamf.webapp.lesson.answers import names_of_cell
from metamf.webapp.lesson.form import STEP_PARAMETER
from metamf.webapp.lesson.progress import Guessing
from metamf.webapp.matrix.page import open_page
from metamf.webapp.matrix.ways_on import CELLS
from metamf.wording import counted, listed, rounded, with_minus

_GUESSED = "guessed"  # the guesses, in the session and in the address
_LARGEST_SEED = 9999  # of the guessed cells; four digits are typed
_BUTTONS = 10  # ratings of a scale up to which each has a button
_NAMES = {"you": "you", "model": "the model", "mean": "always the mean"}


def seed_asked() -> int | None:
    """The seed of the cells that the address asks for; None where it asks for none, or for something else."""
    named = st.query_params.get(CELLS)
    if named is not None and named.isascii() and named.isdecimal() and len(named) <= len(str(_LARGEST_SEED)):
        return int(named)
    if named is not None:
        address.refuse(CELLS, "the lesson")
    return None


def draw(seed: int) -> None:
    """Draws the game of the seed on the visitor's matrix."""
    view = open_page("Ten hidden cells", "You against the model and against the mean: what is behind the empty cells?")
    run = view.run
    if not run.task.hidden.nnz:
        look.note("No rated cell is hidden: show the model less of the matrix, in the sidebar.", "warning")
        return
    cells, game = hidden_cells(run, seed), _game(run, seed)
    if game.is_over:
        _result(cells, game, seed)
    else:
        _ask(run, cells, game)
    _write_address(game)
    st.page_link("pages/fill_in.py", label="See the whole matrix: Fill in", icon=":material/grid_on:")
    st.button("Back to the lesson", key="cells-back", icon=":material/arrow_back:", type="tertiary", on_click=_back)


def _game(run: TaskRun, seed: int) -> Guessing:
    """The visitor's game; another matrix, other given cells or another seed begin a new one. The model may change."""
    session, task = st.session_state, run.task
    which = (task.matrix.digest, task.given.rows.tobytes(), task.given.cols.tobytes(), seed)
    if session.get("cells_of") != which:
        session.cells_of, session.cells_number = which, session.get("cells_number", 0) + 1
        session.cells_game = _begun(run, min(COUNT, task.hidden.nnz), first=session.cells_number == 1)
    return session.cells_game


def _begun(run: TaskRun, count: int, first: bool) -> Guessing:
    """A game from its beginning, or the ``first`` one of a visit as the address says."""
    said = st.query_params.get(_GUESSED, "") if first else ""
    game = Guessing.from_text(said, count, *run.range)
    if game is None:
        address.refuse(_GUESSED, "a new game")
    return game or Guessing(count)


def _write_address(game: Guessing) -> None:
    if game.text and st.query_params.get(_GUESSED) != game.text:
        st.query_params[_GUESSED] = game.text
    elif not game.text and _GUESSED in st.query_params:
        del st.query_params[_GUESSED]


def _ask(run: TaskRun, cells: HiddenCells, game: Guessing) -> None:
    row, col = int(cells.rows[game.at]), int(cells.cols[game.at])
    names = names_of_cell(run, row, col)
    look.panel(f"Cell {game.at + 1} of {game.count}")
    st.html(f'<p class="mf-asked">What would {escape(names[0])} give to “{escape(names[1])}”?</p>')
    _known(run, row, col)
    guess = _guess(run, game)
    with st.container(horizontal=True):
        if not game.is_revealed:
            st.button(
                "Reveal",
                key="cells-reveal",
                icon=":material/visibility:",
                type="primary",
                on_click=lambda: game.guess(guess),
                disabled=guess is None,
            )
        label = "Next" if game.is_revealed else "Leave it out"
        st.button(label, key="cells-next", type="primary" if game.is_revealed else "tertiary", on_click=game.next)
    if game.is_revealed:
        _revealed(run, cells, game)


def _known(run: TaskRun, row: int, col: int) -> None:
    """The given ratings of the cell's row and of its column: what one can go by."""
    given = run.task.given
    of_row, of_col = given.rows == row, given.cols == col
    names = names_of_cell(run, row, col)
    for title, rows, cols, side in (
        (f"What {names[0]} gave to others", given.rows[of_row], given.cols[of_row], 1),
        (f"What “{names[1]}” got from others", given.rows[of_col], given.cols[of_col], 0),
    ):
        values = given.values[of_row] if side else given.values[of_col]
        chips = "".join(
            f"<span>{escape(names_of_cell(run, int(r), int(c))[side])}: <b>{rating(value)}</b></span>"
            for r, c, value in zip(rows[:30], cols[:30], values[:30])
        )
        st.html(f'<div class="mf-known"><b>{escape(title)}</b>{chips or "<span>nothing is known</span>"}</div>')


def _guess(run: TaskRun, game: Guessing) -> float | None:
    """The widget of a guess, on the scale of the ratings."""
    low, high = run.range
    scale = run.task.matrix.ratings.scale
    key = f"cells-guess-{st.session_state.cells_number}-{game.at}"  # a new game begins without a guess
    step = scale.step if scale is not None else None
    shut, given = game.is_revealed, None if game.is_over else game.guesses[game.at]
    if step is not None and (high - low) / step < _BUTTONS:
        options = np.arange(low, high + step / 2, step).tolist()
        at = options.index(given) if given in options else None
        return st.radio("Your guess", options, at, key=key, format_func="{:g}".format, horizontal=True, disabled=shut)
    step = step or float(f"{(high - low) / 100:.1g}")
    start = float((low + high) / 2 if given is None else given)
    return st.slider("Your guess", float(low), float(high), start, float(step), key=key, disabled=shut)


def _revealed(run: TaskRun, cells: HiddenCells, game: Guessing) -> None:
    at, guess = game.at, game.guesses[game.at]
    one = HiddenCells(cells.rows[[at]], cells.cols[[at]], cells.truth[[at]], cells.model[[at]], cells.mean)
    found = score(one, [guess])
    closest = listed([_NAMES[player] for player in PLAYERS if found.closest[player]])
    title, model = checkpoint_title(run.imputation.checkpoint), rounded(float(cells.model[at]))
    truth = f"The true rating: {rating(cells.truth[at])}. Closest: {closest}."
    answers = f"You {rating(guess)}, the model {title} {model}, always the mean {rounded(cells.mean)}."
    st.html(f'<p class="mf-verdict" role="status"><b>{escape(truth)}</b>{escape(answers)}</p>')


def _result(cells: HiddenCells, game: Guessing, seed: int) -> None:
    found = score(cells, game.guesses)
    if found is None:
        look.finding("No cell was guessed.")
    else:
        look.finding(closest_in_words(found))
        st.html(_table(found))
        look.small("Ten cells are few: another ten can end differently. The page Compare measures on all hidden cells.")
    st.button(
        "Ten other cells", key="cells-more", icon=":material/casino:", type="primary", on_click=_other, args=(seed,)
    )


def rating(value: float) -> str:
    """A rating as people write it: '4', '3.5', '−8.01'."""
    return with_minus(f"{value:g}") if 2 * value == round(2 * value) else rounded(value)


def closest_in_words(found: Score) -> str:
    """A sentence on who was closest."""
    best, cells = listed([_NAMES[player] for player in found.best]), counted(found.answered, "cell")
    error = rounded(found.errors[found.best[0]])
    tied = "equally close" if len(found.best) > 1 else "closest"
    was = "were" if len(found.best) > 1 or found.best == ("you",) else "was"
    return f"On {cells}, {best} {was} {tied}: {error} from the true rating on average."


def _table(found: Score) -> str:
    rows = "".join(
        f'<tr class="{"best" if player in found.best else ""}"><th scope="row">{escape(_NAMES[player])}</th>'
        f"<td>{rounded(found.errors[player])}</td><td>{found.closest[player]}</td></tr>"
        for player in PLAYERS
    )
    error = look.term("mae", "mean absolute error")
    return (
        '<table class="mf-duel"><thead><tr><td></td>'
        f'<th scope="col">{error}</th><th scope="col">closest in cells</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _back() -> None:
    """Goes to the step of the lesson that the visitor was at last; the link of the navigation leads to here."""
    step = st.session_state.get("lesson_named") or "1"
    address.rewrite(lambda name: name not in (CELLS, _GUESSED), **{STEP_PARAMETER: step})


def _other(seed: int) -> None:
    st.query_params[CELLS] = str((seed + 1) % (_LARGEST_SEED + 1))
