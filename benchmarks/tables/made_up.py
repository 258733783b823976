"""Tables made up by code, in which nothing is odd: gradebooks, stations, surveys."""

from __future__ import annotations

import numpy as np

WORDS = "Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"
GAPS = 0.1


def gradebook(seed: int) -> bytes:
    """10 tasks in lines, 24 students in columns: whole points, the maximum of each task its own."""
    rng = np.random.default_rng([seed, 1])
    most = rng.choice([5, 10, 12, 20, 40], 10)
    able = rng.normal(0.68, 0.12, 24)
    share = np.clip(able + rng.normal(0, 0.12, (10, 24)), 0, 1)
    X = np.round(most[:, None] * share)
    return _csv("Task", [f"Task {i + 1}" for i in range(10)], "S", X, rng)


def stations(seed: int) -> bytes:
    """60 months in lines, 12 stations in columns: whole degrees."""
    rng = np.random.default_rng([seed, 2])
    months = np.arange(60)
    season = 10 - 9 * np.cos(2 * np.pi * (months % 12) / 12)
    level, width = rng.normal(0, 3, 12), rng.normal(1, 0.1, 12)
    X = level + season[:, None] * width + rng.normal(0, 1.5, (60, 1)) + rng.normal(0, 1, (60, 12))
    names = [f"{2019 + i // 12}-{i % 12 + 1:02d}" for i in months]
    return _csv("Month", names, "Station", np.round(X), rng)


def survey(seed: int, low: int, high: int, words: bool = False) -> bytes:
    """25 to 60 people, 6 to 12 items from ``low`` to ``high``, as numbers or in five words."""
    rng = np.random.default_rng([seed, low, high, words])
    n, m = rng.integers(25, 61), rng.integers(6, 13)
    spread = (high - low) / 4
    item, person = 0.6 * rng.normal(size=m), rng.normal(size=(n, 1))
    X = (low + high) / 2 + spread * (0.7 * person + item + 0.7 * rng.normal(size=(n, m)))
    X = np.clip(np.round(X), low, high)
    people = [f"p{i + 1}" for i in range(n)]
    return _csv("id", people, "q", X, rng, WORDS if words else None)


def _csv(
    corner: str,
    rows: list[str],
    column: str,
    X: np.ndarray,
    rng: np.random.Generator,
    words: tuple[str, ...] | None = None,
) -> bytes:
    """A CSV file of whole numbers, a tenth of them gaps; of words, counted from 1."""
    gone = rng.random(X.shape) < GAPS
    header = [corner, *(f"{column}{j + 1}" for j in range(X.shape[1]))]
    lines = [header]
    for name, x, gap in zip(rows, X.astype(int), gone):
        texts = [str(v) if words is None else words[v - 1] for v in x]
        lines.append([name, *("" if out else text for text, out in zip(texts, gap))])
    return "".join(",".join(line) + "\n" for line in lines).encode()


#: By what they are: the tables in which a column may be called a sum, and those with nothing odd.
LIKE_COLUMNS = {"10 tasks x 24 students": gradebook, "60 months x 12 stations": stations}
PLAIN = {
    "1 to 5": lambda seed: survey(seed, 1, 5),
    "1 to 7": lambda seed: survey(seed, 1, 7),
    "five words": lambda seed: survey(seed, 1, 5, words=True),
    "0 to 10": lambda seed: survey(seed, 0, 10),
}
