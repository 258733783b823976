"""The findings of a reveal, in sentences."""

from __future__ import annotations

import numpy as np

from metamf.webapp.experiments.agreement import FEWEST_RATINGS, Agreement
from metamf.webapp.rooms.room import Room, Student
from metamf.wording import counted, rounded


def findings(room: Room, found: Agreement, named: bool = True) -> list[tuple[str, str]]:
    """(heading, sentence) of each finding of a revealed room; ``named``: students by their names, not their numbers."""
    names = [row_name(student, n, named) for n, student in enumerate(room.students)]
    items = [item.name for item in room.items]
    said = [("How good are the expectations?", how_good(found))]
    if np.isfinite(found.surprise).any():
        n, m = np.unravel_index(np.nanargmax(np.abs(found.surprise)), found.surprise.shape)
        said.append(
            (
                "The largest surprise",
                f"{names[n]} gave {items[m]} {found.X[n, m]:g}. From other ratings the model expected "
                f"{rounded(found.expected[n, m])}.",
            )
        )
    if np.isfinite(found.departure).any():
        n = int(np.nanargmax(found.departure))
        said.append(
            (
                "Hardest to predict",
                f"{names[n]}, whose ratings are typically {rounded(found.departure[n])} away from what was expected.",
            )
        )
    for heading, pair in (("Furthest apart", found.furthest), ("Closest", found.closest)):
        if pair is not None:
            n, other = pair
            things = counted(int(found.shared[n, other]), "thing")
            said.append(
                (
                    heading,
                    f"{names[n]} and {names[other]}: {rounded(found.distance[n, other])} apart on average over the "
                    f"{things} that both rated.",
                )
            )
    if np.isfinite(found.spread).any():
        m = int(np.nanargmax(found.spread))
        low, high = np.nanmin(found.X[:, m]), np.nanmax(found.X[:, m])
        said.append(("What divides the class", f"{items[m]}: from {low:g} to {high:g}."))
    if len(said) < 3:
        said.append(
            (
                "More ratings say more",
                f"A person is only spoken of from {FEWEST_RATINGS} ratings on, "
                "and a pair from a few things that both rated.",
            )
        )
    return said


def row_name(student: Student, n: int, named: bool) -> str:
    """The name of the ``n``-th student, counted from 0, on the screen."""
    return student.name if named else f"Student {n + 1}"


def how_good(found: Agreement) -> str:
    """Whether the expectations are worth anything: their error beside that of the mean of all other ratings."""
    X = found.X[np.isfinite(found.X)]
    if X.size < 2:
        return "There are too few ratings to say."
    ours = float(np.sqrt(np.nanmean(found.surprise**2)))
    mean = float(np.sqrt(np.mean((X - (X.sum() - X) / (X.size - 1)) ** 2)))
    start = (
        f"Each of the {counted(X.size, 'rating')} was expected from other ratings: off by {rounded(ours)} typically, "
        f"and {rounded(mean)} if the mean of the others is the guess every time."
    )
    if ours < mean:
        return start
    return f"{start} So do not believe the expectations here: the mean does no worse."


def own_surprise(items: dict[int, str], ratings: dict[int, int], expected: dict[int, float]) -> str:
    """The sentence on a student's own largest surprise; '' without one."""
    sizes = {item: abs(value - expected[item]) for item, value in ratings.items() if item in expected}
    if not sizes or max(sizes.values()) < 0.5:
        return ""
    item = max(sizes, key=sizes.__getitem__)
    return f"Your largest surprise: you gave {items[item]} {ratings[item]}, and we expected {expected[item]:.1f}."
