"""A game of ten hidden cells on the chosen matrix: guess, reveal, and see who is closest, you, the model or the mean.

The model's estimate u_n . v_m is that of the last step, Eq. (8), clipped to the rating scale; the mean is the method
Mean of the paper's Table 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.window import names_of
from metamf.webapp import address, look
from metamf.webapp.explore.exports import CELLS
from metamf.webapp.explore.page import open_page
from metamf.webapp.explore.run import Run
from metamf.webapp.teach.lesson.progress import NUMBER
from metamf.webapp.teach.lesson.steps import STEP_PARAMETER
from metamf.wording import counted, listed, rounded, with_minus

COUNT = 10  # cells of a game; what a class guesses in five minutes
PLAYERS = {"you": "you", "model": "the model", "mean": "the mean"}
DECIMALS = 2  # of errors, in rating units, as pages show them; what reads as equal counts as equal
_GUESSED = "guessed"  # the guesses, in the URL
_BUTTONS = 10  # a scale with more ratings gets a slider


@dataclass(frozen=True, eq=False)
class HiddenCells:
    """Some hidden cells of a run, (n,), in the order in which they are guessed; ratings in rating units."""

    rows: np.ndarray
    cols: np.ndarray
    truth: np.ndarray
    model: np.ndarray  # the model's estimates
    mean: float  # of the given ratings


class Score(NamedTuple):
    """The result of a game; what is for each player is by ``PLAYERS``."""

    answered: int  # cells
    errors: dict[str, float]  # mean absolute errors in rating units, rounded to two decimals
    closest: dict[str, int]  # number of cells on which each was closest, alone or with others
    best: tuple[str, ...]


def hidden_cells(run: Run, seed: int, count: int = COUNT) -> HiddenCells:
    """Draws ``count`` hidden cells of ``run``, which has some, without replacement, or all of them where fewer are.

    Cells with a given rating in their row and in their column are drawn first, since something is known about them.
    """
    given, hidden = run.task.given, run.task.hidden
    known = (given.row_counts[hidden.rows] > 0) & (given.col_counts[hidden.cols] > 0)
    order = np.random.default_rng(seed).permutation(hidden.nnz)
    return _cells(run, order[np.argsort(~known[order], kind="stable")][:count])


def first_hidden(run: Run, person: str) -> HiddenCells:
    """The first hidden cell of the row with a name."""
    names = run.task.given.row_labels or ()
    return _cells(run, np.flatnonzero(run.task.hidden.rows == names.index(person))[:1])


def _cells(run: Run, chosen: np.ndarray) -> HiddenCells:
    """The hidden cells at positions (n,) among those of the run."""
    hidden = run.task.hidden
    rows, cols = hidden.rows[chosen], hidden.cols[chosen]
    model = run.answer.at(rows, cols)
    return HiddenCells(rows, cols, hidden.values[chosen], model, float(run.task.given.values.mean()))


def score(cells: HiddenCells, guesses: Sequence[float | None]) -> Score | None:
    """Who is closer to the truth, by a guess for each cell or None, which counts for nobody; None without a guess."""
    answered = np.array([guess is not None for guess in guesses], dtype=bool)
    if not answered.any():
        return None
    truth = cells.truth[answered]
    own = np.array([guess for guess in guesses if guess is not None], dtype=float)
    answers = np.stack([own, cells.model[answered], np.full(len(truth), cells.mean)])  # (3, answered)
    deviations = np.abs(answers - truth)
    errors = np.round(deviations.mean(axis=1), DECIMALS)
    shown = np.round(deviations, DECIMALS)
    closest = (shown == shown.min(axis=0)).sum(axis=1)
    best = tuple(player for player, error in zip(PLAYERS, errors) if error == errors.min())
    return Score(len(truth), dict(zip(PLAYERS, map(float, errors))), dict(zip(PLAYERS, map(int, closest))), best)


@dataclass
class Guessing:
    """A game with ``count`` hidden cells, one after the other: guess, reveal, next.

    ``at`` is the current cell, counted from 0, ``count`` at the end; ``is_revealed`` says whether its answer is shown.
    ``guesses`` are the ratings guessed so far, with the current cell's if it is revealed; None where one was skipped.
    """

    count: int
    guesses: list[float | None] = field(default_factory=list)
    is_revealed: bool = False

    @property
    def at(self) -> int:
        return len(self.guesses) - self.is_revealed

    @property
    def is_over(self) -> bool:
        return self.at >= self.count

    @property
    def text(self) -> str:
        """The game in the URL: the guesses so far, 'x' where one was skipped, and '!' if the last answer is shown."""
        return "_".join("x" if guess is None else f"{guess:.9g}" for guess in self.guesses) + "!" * self.is_revealed

    @classmethod
    def from_text(cls, text: str, count: int, low: float, high: float) -> Guessing | None:
        """Returns the game of ``count`` cells, with guesses from ``low`` to ``high``, that a URL holds, or None."""
        parts = text.removesuffix("!").split("_") if text else []
        shown = text.endswith("!")
        if len(parts) > count or not all(part == "x" or NUMBER.fullmatch(part) for part in parts):
            return None
        guesses = [None if part == "x" else float(part) for part in parts]
        if not all(guess is None or low <= guess <= high for guess in guesses) or (shown and guesses[-1] is None):
            return None
        return cls(count, guesses, shown)

    def guess(self, value: float) -> None:
        """Guesses the current cell and shows its answer. A second guess is ignored."""
        if not self.is_over and not self.is_revealed:
            self.guesses.append(value)
            self.is_revealed = True

    def next(self) -> None:
        """Moves to the next cell; without a guess, the current one is skipped."""
        if not self.is_revealed and not self.is_over:
            self.guesses.append(None)
        self.is_revealed = False


# -- the page ----------------------------------------------------------------------------------------------------------


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
    cells = hidden_cells(run, seed)
    game = _game(run, seed)
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
    names = names_of(run.task.given, row, col)
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
        f"<span>{escape(names_of(given, row, col)[side])}: <b>{rating(value)}</b></span>"
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
    guesses: list[float | None] = [None] * len(cells.rows)
    guesses[at] = guess
    found = score(cells, guesses)
    assert found is not None
    closest = listed([PLAYERS[player] for player in PLAYERS if found.closest[player]])
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
    best = listed([PLAYERS[player] for player in found.best])
    was = "were" if len(found.best) > 1 or found.best == ("you",) else "was"
    tied = "equally close" if len(found.best) > 1 else "closest"
    error = rounded(found.errors[found.best[0]])
    return f"On {counted(found.answered, 'cell')}, {best} {was} {tied}: {error} away from the true rating on average."


def _table(found: Score) -> str:
    rows = "".join(
        f'<tr class="{"best" if player in found.best else ""}"><th scope="row">{escape(PLAYERS[player])}</th>'
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
