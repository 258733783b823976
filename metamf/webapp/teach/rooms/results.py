"""What a room's ratings give: the matrix, a model's estimates of its cells, the findings of a reveal, and the table.

Nothing here is kept or cached. All texts in HTML are escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np

from metamf.answer.estimator import MetaMFImputer, load_pretrained
from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.style import RATING_COLOURS
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp import look
from metamf.webapp.teach.rooms.agreement import (
    CLOSE,
    FEWEST_RATERS,
    FEWEST_RATINGS,
    FEWEST_TO_JUDGE,
    Agreement,
    held_out_estimates,
)
from metamf.webapp.teach.rooms.room import Room, RoomError, Student
from metamf.wording import counted, rounded

FEWEST = 10  # ratings that a model needs to fill in a room
PAPER = "ml-1m"  # the checkpoint that fills in unless the lecturer chooses another: the paper's model, for films
_SEED = 0  # of the folds: the same ratings have the same surprises
_MARKED_FROM = 0.5  # share of the scale's length from which a surprise is marked: two stars of five
APART = "Most different"  # the heading of the two people who differ most
_MANY = 16  # students from which rows are low


# -- the matrix and its estimates -------------------------------------------------------------------------------------


def ratings(room: Room) -> Ratings:
    """Returns the ratings, students by things, with their names."""
    return Ratings.from_dense(
        _cells(room, "ratings"),
        row_labels=tuple(student.name for student in room.students.values()),
        col_labels=tuple(room.items.values()),
        scale=RatingScale(room.scale[0], room.scale[-1], 1),
    )


def filled(room: Room, checkpoint: str | None) -> np.ndarray:
    """Returns the (N, M) ratings and, in the other cells, a checkpoint's estimates, in rating units.

    Raises ``RoomError`` if there are fewer than ``FEWEST`` ratings.
    """
    return _imputer(room, checkpoint).impute(ratings(room)).filled


def expected(room: Room, checkpoint: str | None) -> dict[str, dict[int, float]]:
    """Returns the estimates of all cells without the cell's own rating, in rating units, as ``Room.reveal`` takes them.

    Raises ``RoomError`` if there are fewer than ``FEWEST`` ratings.
    """
    imputer = _imputer(room, checkpoint)
    rng = np.random.default_rng(_SEED)
    found = held_out_estimates(ratings(room), lambda part: imputer.impute(part).mean, rng=rng)
    return {id: dict(zip(room.items, row)) for id, row in zip(room.students, found.round(4).tolist())}


def agreement(room: Room) -> Agreement:
    return Agreement(_cells(room, "ratings"), _cells(room, "expected"))


def _cells(room: Room, name: str) -> np.ndarray:
    """(N, M) ``ratings`` or ``expected``, students by things; NaN where there is none."""
    cells = [[getattr(student, name).get(item, np.nan) for item in room.items] for student in room.students.values()]
    return np.array(cells, dtype=float).reshape(len(room.students), len(room.items))


def _imputer(room: Room, checkpoint: str | None) -> MetaMFImputer:
    if room.n_ratings < FEWEST:
        raise RoomError(f"There are {counted(room.n_ratings, 'rating')} so far; the model needs {FEWEST}.")
    return load_pretrained(checkpoint or PAPER)


# -- findings ---------------------------------------------------------------------------------------------------------


def findings(room: Room, found: Agreement, named: bool = True) -> dict[str, str]:
    """Returns the sentence of each finding of a reveal by its heading; ``named``: with names instead of numbers."""
    names = row_names(room, named)
    items = [*room.items.values()]
    X = found.X
    cards = {"How good are the estimates?": how_good(found)}
    if parrot := of_a_parrot(found):
        cards["The parrot"] = parrot
    if np.isfinite(found.surprise).any():
        n, m = np.unravel_index(np.nanargmax(np.abs(found.surprise)), X.shape)
        estimate = rounded(found.expected[n, m])
        cards["The largest surprise"] = f"{names[n]} gave {items[m]} {X[n, m]:g}; the estimate was {estimate}."
    if np.isfinite(found.departure).any():
        n = np.nanargmax(found.departure)
        cards["Hardest to guess"] = f"{names[n]}, with a typical error of {rounded(found.departure[n])}."
    for heading, pair in ((APART, found.furthest), ("Most alike", found.closest)):
        if pair is not None and (heading == APART or pair != found.furthest):
            apart = rounded(found.distance[pair])
            things = counted(int(found.shared[pair]), "thing")
            both = f"{names[pair[0]]} and {names[pair[1]]}"
            cards[heading] = f"{both} differ by {apart} on average over {things} that both rated."
    if np.isfinite(found.spread).any():
        m = np.nanargmax(found.spread)
        low, high = np.nanmin(X[:, m]), np.nanmax(X[:, m])
        many = counted(int(np.isfinite(X[:, m]).sum()), "rating")
        cards["What divides the class"] = f"{items[m]}, with {many} from {low:g} to {high:g}."
    if len(cards) < 3:
        needed = f"A person appears here with {FEWEST_RATINGS} ratings, a pair with a few things that both rated."
        cards["Collect more ratings"] = needed
    return cards


def how_good(found: Agreement) -> str:
    """Compares the typical error of the estimates with that of guessing the mean of all other ratings."""
    n_ratings = found.ratings.size
    if not found.can_judge:
        return (
            f"Too few ratings to tell: it takes {FEWEST_RATERS} people and {FEWEST_TO_JUDGE} ratings, and there are "
            f"{found.n_raters} and {n_ratings}."
        )
    ours = found.typical_error
    mean = found.typical_error_of_the_mean
    errors = (
        f"Each of the {counted(n_ratings, 'rating')} was hidden in turn and estimated from the others, with a typical "
        f"error of {rounded(ours)}. Guessing the mean of the others every time gives {rounded(mean)}"
    )
    if found.beats_the_mean:
        return f"{errors}."
    better = "better" if ours > (1 + CLOSE) * mean else "as good"
    return f"{errors}, which is {better}. Do not trust the estimates: there are too few ratings to find a pattern."


def of_a_parrot(found: Agreement) -> str:
    """Returns, where the estimates are no better than the mean, how a bird does that always says the same; else ''."""
    if not found.can_judge or found.beats_the_mean:
        return ""
    rated = np.isfinite(found.surprise)
    X = found.X[rated]
    estimates = np.rint(found.expected[rated])
    said, counts = np.unique(X, return_counts=True)
    word = said[counts.argmax()]
    hits = counted(int(counts.max()), "rating")
    ours = int((estimates == X).sum())
    return f"A parrot that always says “{word:g}” hits {hits}, the model {ours}."


def own_surprise(items: Mapping[int, str], student: Student) -> str:
    """Returns the sentence on a student's own largest surprise; '' without one."""
    given, estimates = student.ratings, student.expected
    item = max(given.keys() & estimates.keys(), key=lambda item: abs(given[item] - estimates[item]), default=None)
    if item is None or abs(given[item] - estimates[item]) < 0.5:
        return ""
    return f"Your largest surprise: you gave {items[item]} {given[item]}; the model guessed {estimates[item]:.1f}."


def about_the_model(checkpoint: str | None) -> str:
    """Says which model fills in a room, and what it may not claim."""
    name = checkpoint or PAPER
    return (
        f"Filled in by {checkpoint_title(name)}, which learned from other people's ratings of other things. People "
        "rate what they know and like, so its guesses about what nobody rates may be too high."
    )


def row_names(room: Room, named: bool) -> list[str]:
    return [student.name if named else f"Student {n}" for n, student in enumerate(room.students.values(), 1)]


# -- the table --------------------------------------------------------------------------------------------------------


def matrix_table(
    room: Room, filled: np.ndarray | None = None, found: Agreement | None = None, names: bool = True
) -> str:
    """Returns the matrix as an HTML table, a row for each student and a column for each thing, and its legend.

    The estimates in ``filled``, (N, M), stand in the empty cells, and large surprises of ``found`` are marked. Students
    have ``names`` or numbers.
    """
    head = "".join(
        f'<th scope="col"><span title="{escape(item)}">{escape(item)}</span></th>' for item in room.items.values()
    )
    if found is not None:
        head += '<th scope="col" class="n"><span>typical error</span></th>'
    rows = ""
    for n, (name, student) in enumerate(zip(row_names(room, names), room.students.values())):
        rows += f'<tr><th scope="row">{escape(name)}</th>'
        for m, item in enumerate(room.items):
            if item in student.ratings:
                rows += _given(student.ratings[item], 0 if found is None else found.surprise[n, m], room.scale)
            else:
                rows += "<td></td>" if filled is None else _estimate(filled[n, m], room.scale)
        if found is not None:
            rows += f'<td class="n">{"" if np.isnan(found.departure[n]) else rounded(found.departure[n])}</td>'
        rows += "</tr>"
    many = " room-many" if len(room.students) > _MANY else ""
    low = room.scale[0]
    high = room.scale[-1]
    ramp = ", ".join(RATING_COLOURS)
    legend = f'<span>{low}</span><i style="background:linear-gradient(90deg,{ramp})"></i><span>{high}</span>'
    legend += f'<span class="room-key"><b {colours(4, range(1, 6))}>4</b> given</span>'
    if filled is not None:
        legend += f'<span class="room-key"><em {colours(3.4, range(1, 6))}>3.4</em> estimate</span>'
    if found is not None:
        legend += "<span>▲ higher, ▼ lower than the estimate from other ratings</span>"
    return (
        f'<div class="room-table{many}" role="region" aria-label="Ratings of the class" tabindex="0"><table>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f'<div class="mf-legend room-legend">{legend}</div>'
    )


def _given(value: int, surprise: float, scale: range) -> str:
    """The cell of a rating, marked if the surprise is large."""
    if not abs(surprise) >= _MARKED_FROM * (scale[-1] - scale[0]):  # not a number for who came late
        return f"<td {colours(value, scale)}>{value}</td>"
    mark, word = ("▲", "higher") if surprise > 0 else ("▼", "lower")
    words = f"{word} than estimated by {rounded(abs(surprise))}"
    return (
        f'<td class="room-mark" {colours(value, scale)} title="{words}">{value}<sup aria-hidden="true">{mark}</sup>'
        f'<span class="room-said">, {words}</span></td>'
    )


def _estimate(value: float, scale: range) -> str:
    return "<td></td>" if np.isnan(value) else f"<td><em {colours(value, scale)}>{value:.1f}</em></td>"


def colours(value: float, scale: range) -> str:
    return f'style="{look.rating_style(value, scale[0], scale[-1])}"'
