"""What a room's ratings give: the matrix, a model's estimates of its cells, the findings of a reveal, and the table.

Nothing here is kept or cached. All texts in HTML are escaped.
"""

from __future__ import annotations

from html import escape

import numpy as np

from metamf.checkpoints.bundled import checkpoint_title, list_pretrained
from metamf.figures.style import RATING_COLOURS
from metamf.imputer.estimator import MetaMFImputer, load_pretrained
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.experiments.agreement import FEWEST_RATINGS, Agreement, held_out_estimates
from metamf.webapp.rooms.room import Room, RoomError, Scale, Student
from metamf.wording import counted, rounded

FEWEST = 10  # ratings that a model needs to fill in a room
PAPER = "ml-1m"  # the checkpoint that fills in unless the lecturer chooses another: the paper's model, for films
_SEED = 0  # of the folds: the same ratings have the same surprises
_MARKED_FROM = 0.25  # share of the scale's length from which a surprise is marked: one star of five
_MOST_MARKED = 2  # surprises of one student
_MANY = 16  # students from which rows are low
_DARK = 3  # colours that take white text, from the dark end; the others take dark text: at least 4.5 : 1


# -- the matrix and its estimates -------------------------------------------------------------------------------------


def matrix(room: Room) -> np.ndarray:
    """Returns the (N, M) ratings, students by things, NaN where there is none."""
    X = np.full((len(room.students), len(room.items)), np.nan)
    column = {item.id: m for m, item in enumerate(room.items)}
    for n, student in enumerate(room.students):
        for item, value in student.ratings.items():
            X[n, column[item]] = value
    return X


def ratings(room: Room) -> Ratings:
    """Returns the ratings with the names of students and things."""
    return Ratings.from_dense(
        matrix(room),
        row_labels=tuple(student.name for student in room.students),
        col_labels=tuple(item.name for item in room.items),
        scale=RatingScale(room.scale.low, room.scale.high, 1),
    )


def models() -> dict[str, str]:
    """Returns the titles of the bundled checkpoints by name, that of the paper's model first."""
    names = sorted(list_pretrained(), key=lambda name: name != PAPER)
    return {name: checkpoint_title(name) for name in names}


def filled(room: Room, checkpoint: str | None = None) -> np.ndarray:
    """Returns the (N, M) ratings and, in the other cells, a checkpoint's estimates, in rating units.

    Raises ``RoomError`` if there are fewer than ``FEWEST`` ratings.
    """
    return _imputer(room, checkpoint).impute(ratings(room)).filled


def expected(room: Room, checkpoint: str | None = None) -> np.ndarray:
    """Returns the (N, M) estimates of all cells without the cell's own rating, in rating units.

    Raises ``RoomError`` if there are fewer than ``FEWEST`` ratings.
    """
    imputer = _imputer(room, checkpoint)
    return held_out_estimates(ratings(room), lambda part: imputer.impute(part).mean, rng=np.random.default_rng(_SEED))


def by_id(room: Room, values: np.ndarray) -> dict[str, dict[int, float]]:
    """Returns (N, M) values of the cells as ``Room.reveal`` takes them."""
    return {
        student.id: {item.id: round(float(values[n, m]), 4) for m, item in enumerate(room.items)}
        for n, student in enumerate(room.students)
    }


def agreement(room: Room) -> Agreement:
    """Returns the agreement of a revealed room's ratings with the estimates and with each other."""
    values = [[student.expected.get(item.id, np.nan) for item in room.items] for student in room.students]
    return Agreement(matrix(room), np.array(values).reshape(len(room.students), len(room.items)))


def _imputer(room: Room, checkpoint: str | None) -> MetaMFImputer:
    if room.n_ratings < FEWEST:
        raise RoomError(f"There are {counted(room.n_ratings, 'rating')} so far; the model needs {FEWEST}.")
    names = models()
    if not names:
        raise RoomError("The folder pretrained has no checkpoint, so no model can fill in the cells.")
    return load_pretrained(checkpoint if checkpoint in names else next(iter(names)))


# -- findings ---------------------------------------------------------------------------------------------------------


def findings(room: Room, found: Agreement, named: bool = True) -> list[tuple[str, str]]:
    """Returns (heading, sentence) of each finding of a reveal; ``named``: with the students' names, not numbers."""
    names = [_row_name(student, n, named) for n, student in enumerate(room.students)]
    items = [item.name for item in room.items]
    cards = [("How good are the estimates?", how_good(found))]

    def add(heading: str, sentence: str) -> None:
        cards.append((heading, sentence))

    if np.isfinite(found.surprise).any():
        n, m = np.unravel_index(np.nanargmax(np.abs(found.surprise)), found.surprise.shape)
        estimate = rounded(found.expected[n, m])
        add("The largest surprise", f"{names[n]} gave {items[m]} {found.X[n, m]:g}; the estimate was {estimate}.")
    if np.isfinite(found.departure).any():
        n = int(np.nanargmax(found.departure))
        add("Hardest to predict", f"{names[n]}, with a typical error of {rounded(found.departure[n])}.")
    for heading, pair in (("Furthest apart", found.furthest), ("Closest", found.closest)):
        if pair is not None:
            both = f"{names[pair[0]]} and {names[pair[1]]}"
            things = counted(int(found.shared[pair]), "thing")
            add(heading, f"{both} differ by {rounded(found.distance[pair])} on average over {things} that both rated.")
    if np.isfinite(found.spread).any():
        m = int(np.nanargmax(found.spread))
        low, high = np.nanmin(found.X[:, m]), np.nanmax(found.X[:, m])
        add("What divides the class", f"{items[m]}, with ratings from {low:g} to {high:g}.")
    if len(cards) < 3:
        needed = f"A person appears here with {FEWEST_RATINGS} ratings, a pair with a few things that both rated."
        add("Collect more ratings", needed)
    return cards


def how_good(found: Agreement) -> str:
    """Compares the typical error of the estimates with that of guessing the mean of all other ratings."""
    X = found.X[np.isfinite(found.X)]
    if X.size < 2:
        return "There are too few ratings to tell."
    ours = float(np.sqrt(np.nanmean(found.surprise**2)))
    mean = float(np.sqrt(np.mean((X - (X.sum() - X) / (X.size - 1)) ** 2)))
    errors = (
        f"Each of the {counted(X.size, 'rating')} was hidden in turn and estimated from the others, with a typical "
        f"error of {rounded(ours)}. Guessing the mean of the others every time gives {rounded(mean)}"
    )
    if rounded(ours) == rounded(mean):
        return f"{errors}, which is just as good. The model has found nothing here that a pocket calculator could not."
    if ours < mean:
        return f"{errors}."
    return (
        f"{errors}, which is better. Do not trust the estimates: either tastes here follow no pattern, or dice rated."
    )


def own_surprise(items: dict[int, str], ratings: dict[int, int], expected: dict[int, float]) -> str:
    """Returns the sentence on a student's own largest surprise; '' without one."""
    sizes = {item: abs(value - expected[item]) for item, value in ratings.items() if item in expected}
    if not sizes or max(sizes.values()) < 0.5:
        return ""
    item = max(sizes, key=sizes.__getitem__)
    return f"Your largest surprise: you gave {items[item]} {ratings[item]}; the estimate was {expected[item]:.1f}."


def _row_name(student: Student, n: int, named: bool) -> str:
    return student.name if named else f"Student {n + 1}"


# -- the table --------------------------------------------------------------------------------------------------------


def matrix_table(
    room: Room, filled: np.ndarray | None = None, found: Agreement | None = None, names: bool = True
) -> str:
    """Returns the matrix as an HTML table, a row for each student and a column for each thing.

    Parameters
    ----------
    filled : (N, M) ratings and estimates; without them empty cells stay empty
    found : the agreement of a revealed room, whose surprises are marked
    names : whether the students' names are shown instead of numbers
    """
    marked = set() if found is None else marks(found, room.scale)
    head = "".join(
        f'<th scope="col"><span title="{escape(item.name)}">{escape(item.name)}</span></th>' for item in room.items
    )
    last = "" if found is None else '<th scope="col" class="n"><span>typical error</span></th>'
    rows = []
    for n, student in enumerate(room.students):
        cells = []
        for m, item in enumerate(room.items):
            value = student.ratings.get(item.id)
            if value is None:
                cells.append(_estimate(np.nan if filled is None else float(filled[n, m]), room.scale))
            else:
                surprise = float(found.surprise[n, m]) if found is not None and (n, m) in marked else None
                cells.append(_given(value, surprise, room.scale))
        if found is not None:
            departure = found.departure[n]
            cells.append(f'<td class="n">{"" if np.isnan(departure) else rounded(departure)}</td>')
        rows.append(f'<tr><th scope="row">{escape(_row_name(student, n, names))}</th>{"".join(cells)}</tr>')
    many = " room-many" if len(room.students) > _MANY else ""
    return (
        f'<div class="room-table{many}" role="region" aria-label="Ratings of the class" tabindex="0"><table>'
        f"<thead><tr><td></td>{head}{last}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def legend(scale: Scale, filled: bool, revealed: bool) -> str:
    """Returns the meaning of the table's colours and marks as HTML."""
    colours = ", ".join(RATING_COLOURS)
    parts = [
        f'<span>{scale.low}</span><i style="background:linear-gradient(90deg,{colours})"></i><span>{scale.high}</span>',
        '<span class="room-key"><b class="c6">4</b> given</span>',
    ]
    if filled:
        parts.append('<span class="room-key"><em class="c4">3.4</em> estimate</span>')
    if revealed:
        parts.append("<span>▲ higher, ▼ lower than the estimate from other ratings</span>")
    return f'<div class="mf-legend room-legend">{"".join(parts)}</div>'


def marks(found: Agreement, scale: Scale) -> set[tuple[int, int]]:
    """Returns the cells whose surprise is marked: the largest ones of each student if they are large."""
    least = _MARKED_FROM * (scale.high - scale.low)
    return {
        (n, m)
        for n in range(len(found.X))
        for m in found.surprises(n, _MOST_MARKED)
        if abs(found.surprise[n, m]) >= least
    }


def colour_style() -> str:
    """Returns the style sheet of the colours, the table's classes c0 to c7."""
    rules = []
    for k, colour in enumerate(RATING_COLOURS):
        text = "#ffffff" if k < _DARK else "#14181d"
        rules.append(f".room-table .c{k}, .room-key .c{k} {{ background: {colour}; color: {text}; }}")
    return f"<style>{' '.join(rules)}</style>"


def _given(value: int, surprise: float | None, scale: Scale) -> str:
    if surprise is None:
        return f'<td class="{_colour(value, scale)}">{value}</td>'
    mark, word = ("▲", "higher") if surprise > 0 else ("▼", "lower")
    words = f"{word} than estimated by {rounded(abs(surprise))}"
    return (
        f'<td class="{_colour(value, scale)} room-mark" title="{words}">{value}<sup aria-hidden="true">{mark}</sup>'
        f'<span class="room-said">, {words}</span></td>'
    )


def _estimate(value: float, scale: Scale) -> str:
    if np.isnan(value):
        return "<td></td>"
    return f'<td class="room-guess"><em class="{_colour(value, scale)}">{value:.1f}</em></td>'


def _colour(value: float, scale: Scale) -> str:
    share = (value - scale.low) / (scale.high - scale.low)
    return f"c{int(np.clip(round(share * (len(RATING_COLOURS) - 1)), 0, len(RATING_COLOURS) - 1))}"
