"""What a room's ratings give: the matrix, a model's estimates of its cells, the findings of a
reveal, and the table.

Nothing here is kept or cached. All texts in HTML are escaped.
"""

from __future__ import annotations

from html import escape

import numpy as np

from metamf.answer.estimator import MetaMFImputer, load_pretrained
from metamf.checkpoints.bundled import in_sentence
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
from metamf.webapp.teach.rooms.room import STARS, Room, RoomError
from metamf.wording import counted, rounded

FEWEST = 10  # ratings that a model needs to fill in a room
# the checkpoint that fills in unless the lecturer chooses another: the paper's model, for films
PAPER = "ml-1m"
_MARKED_FROM = 0.5  # share of the scale's length from which a surprise is marked: two stars of five
_MANY = 16  # students from which rows are low


def ratings(room: Room) -> Ratings:
    """Returns the ratings, students by things, with their names."""
    return Ratings.from_dense(
        _cells(room, "ratings"),
        row_labels=tuple(student.name for student in room.students.values()),
        col_labels=tuple(room.items.values()),
        scale=RatingScale(room.scale[0], room.scale[-1], 1),
    )


def filled(room: Room, checkpoint: str) -> np.ndarray:
    """Returns the (N, M) ratings and, in the other cells, a checkpoint's estimates, in rating
    units.

    Raises ``RoomError`` if there are fewer than ``FEWEST`` ratings.
    """
    return _imputer(room, checkpoint).impute(ratings(room)).filled


def expected(room: Room, checkpoint: str) -> dict[str, dict[int, float]]:
    """Returns the estimates of all cells without the cell's own rating, in rating units, as
    ``Room.reveal`` takes them.

    Raises ``RoomError`` if there are fewer than ``FEWEST`` ratings.
    """
    imputer = _imputer(room, checkpoint)
    found = held_out_estimates(ratings(room), lambda part: imputer.impute(part).mean)
    return {
        id: dict(zip(room.items, row)) for id, row in zip(room.students, found.round(4).tolist())
    }


def agreement(room: Room) -> Agreement:
    return Agreement(_cells(room, "ratings"), _cells(room, "expected"))


def _cells(room: Room, name: str) -> np.ndarray:
    """(N, M) ``ratings`` or ``expected``, students by things; NaN where there is none."""
    cells = [
        [getattr(student, name).get(item, np.nan) for item in room.items]
        for student in room.students.values()
    ]
    return np.array(cells, dtype=float).reshape(len(room.students), len(room.items))


def _imputer(room: Room, checkpoint: str) -> MetaMFImputer:
    if room.n_ratings < FEWEST:
        raise RoomError(
            f"There are {counted(room.n_ratings, 'rating')} so far; the model needs {FEWEST}."
        )
    return load_pretrained(checkpoint)


def findings(room: Room, found: Agreement, names: list[str]) -> dict[str, str]:
    """Returns the sentence of each finding of a reveal by its heading; ``names``: of the
    students."""
    items = [*room.items.values()]
    X = found.X
    cards = {"How good are the estimates?": how_good(found)}
    if parrot := of_a_parrot(found):
        cards["The parrot"] = parrot
    if np.isfinite(found.surprise).any():
        n, m = np.unravel_index(np.nanargmax(np.abs(found.surprise)), X.shape)
        estimate = rounded(found.expected[n, m])
        cards["The largest surprise"] = (
            f"{names[n]} gave {items[m]} {X[n, m]:g}; the estimate was {estimate}."
        )
    if np.isfinite(found.departure).any():
        n = np.nanargmax(found.departure)
        cards["Hardest to guess"] = (
            f"{names[n]}, with a typical error of {rounded(found.departure[n])}."
        )
    if not found.distance.empty:
        pairs = {found.distance.idxmax(): "Most different"}
        pairs.setdefault(found.distance.idxmin(), "Most alike")
        for (n, other), heading in pairs.items():
            things = counted(int(found.shared[n, other]), "thing")
            cards[heading] = (
                f"{names[n]} and {names[other]} differ by {rounded(found.distance[n, other])} on "
                f"average over {things} that both rated."
            )
    if np.isfinite(found.spread).any():
        m = np.nanargmax(found.spread)
        low, high = np.nanmin(X[:, m]), np.nanmax(X[:, m])
        many = counted(int(np.isfinite(X[:, m]).sum()), "rating")
        cards["What divides the class"] = f"{items[m]}, with {many} from {low:g} to {high:g}."
    if len(cards) < 3:
        cards["Collect more ratings"] = (
            f"A person appears here with {FEWEST_RATINGS} ratings, a pair with a few things that "
            "both rated."
        )
    return cards


def how_good(found: Agreement) -> str:
    """Compares the typical error of the estimates with that of guessing the mean of all other
    ratings."""
    n_ratings = found.ratings.size
    if not found.can_judge:
        return (
            f"Too few ratings to tell: it takes {FEWEST_RATERS} people and {FEWEST_TO_JUDGE} "
            f"ratings, and there are {found.n_raters} and {n_ratings}."
        )
    ours = found.typical_error
    mean = found.typical_error_of_the_mean
    errors = (
        f"Each of the {counted(n_ratings, 'rating')} was hidden in turn and estimated from the "
        f"others, with a typical error of {rounded(ours)}. Guessing the mean of the others every "
        f"time gives {rounded(mean)}"
    )
    if found.beats_the_mean:
        return f"{errors}."
    better = "better" if ours > (1 + CLOSE) * mean else "as good"
    return (
        f"{errors}, which is {better}. Do not trust the estimates: there are too few ratings to "
        "find a pattern."
    )


def of_a_parrot(found: Agreement) -> str:
    """Returns, where the estimates are no better than the mean, how a bird does that always says
    the same; else ''."""
    if not found.can_judge or found.beats_the_mean:
        return ""
    said, counts = np.unique(found.ratings, return_counts=True)
    hits = counted(int(counts.max()), "time")
    ours = counted(int((np.rint(found.expected) == found.X).sum()), "time")
    word = said[counts.argmax()]
    return f"A parrot that always says “{word:g}” would be right {hits}; the model is right {ours}."


def about_the_model(checkpoint: str) -> str:
    """Says which model fills in a room, and what it may not claim."""
    return (
        f"Filled in by {in_sentence(checkpoint)}. People rate what they know and like, so it may "
        "guess too high for what nobody chose."
    )


def row_names(room: Room, named: bool) -> list[str]:
    """The names of the students, or numbers in their place."""
    numbers = enumerate(room.students.values(), 1)
    return [student.name if named else f"Student {n}" for n, student in numbers]


def matrix_table(
    room: Room,
    names: list[str],
    filled: np.ndarray | None = None,
    found: Agreement | None = None,
) -> str:
    """Returns the matrix as an HTML table, a row for each student and a column for each thing, and
    its legend.

    The estimates in ``filled``, (N, M), stand in the empty cells, and large surprises of ``found``
    are marked. ``names``: of the students.
    """
    head = "".join(
        f'<th scope="col"><span title="{escape(item)}">{escape(item)}</span></th>'
        for item in room.items.values()
    )
    if found is not None:
        head += '<th scope="col" class="n"><span>typical error</span></th>'
    rows = ""
    for n, (name, student) in enumerate(zip(names, room.students.values())):
        rows += f'<tr><th scope="row">{escape(name)}</th>'
        for m, item in enumerate(room.items):
            if item in student.ratings:
                surprise = 0 if found is None else found.surprise[n, m]
                rows += _given(student.ratings[item], surprise, room.scale)
            elif filled is None or np.isnan(filled[n, m]):
                rows += "<td></td>"
            else:
                estimate = filled[n, m]
                rows += f"<td><em {colours(estimate, room.scale)}>{estimate:.1f}</em></td>"
        if found is not None:
            error = found.departure[n]
            rows += f'<td class="n">{"" if np.isnan(error) else rounded(error)}</td>'
        rows += "</tr>"
    many = " room-many" if len(room.students) > _MANY else ""
    ramp = f"background:linear-gradient(90deg,{', '.join(RATING_COLOURS)})"
    legend = f'<span>{room.scale[0]}</span><i style="{ramp}"></i><span>{room.scale[-1]}</span>'
    legend += f'<span class="room-key"><b {colours(4, STARS)}>4</b> given</span>'
    if filled is not None:
        legend += f'<span class="room-key"><em {colours(3.4, STARS)}>3.4</em> estimate</span>'
    if found is not None:
        legend += "<span>▲ higher, ▼ lower than the estimate from other ratings</span>"
    return (
        f'<div class="room-table{many}" role="region" aria-label="Ratings of the class" '
        f'tabindex="0"><table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f'</div><div class="mf-legend room-legend">{legend}</div>'
    )


def _given(value: int, surprise: float, scale: range) -> str:
    """The cell of a rating, marked if the surprise is large."""
    if not abs(surprise) >= _MARKED_FROM * (scale[-1] - scale[0]):  # not a number for who came late
        return f"<td {colours(value, scale)}>{value}</td>"
    mark, word = ("▲", "higher") if surprise > 0 else ("▼", "lower")
    words = f"{word} than estimated by {rounded(abs(surprise))}"
    return (
        f'<td class="room-mark" {colours(value, scale)} title="{words}">{value}'
        f'<sup aria-hidden="true">{mark}</sup><span class="room-said">, {words}</span></td>'
    )


def colours(value: float, scale: range) -> str:
    return f'style="{look.rating_style(value, scale[0], scale[-1])}"'
