"""Files as people have them, made by code: an export of a form, a marks sheet, words, two lines of header, averages."""

import csv
import io

import numpy as np

PEOPLE = ("Zoë Ángel", "Ana", "Björn", "Chloé", "Dan O'Neill", "Ema", "Finn", "Gus", "Hal", "Iris", "Jo", "Kim")
AGREEMENT = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")


def written(lines) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue().encode()


def ratings(n, m, low=1, high=5, seed=0, missing=0.15):
    """(n, m) whole numbers with a level for each row and each column, as texts; some are empty."""
    rng = np.random.default_rng(seed)
    middle, width = (low + high) / 2, (high - low) / 4
    X = middle + width * (rng.normal(size=(n, 1)) + 0.7 * rng.normal(size=m) + 0.5 * rng.normal(size=(n, m)))
    X = np.clip(np.round(X), low, high).astype(int)
    gone = rng.random((n, m)) < missing
    return [["" if gone[i, j] else str(X[i, j]) for j in range(m)] for i in range(n)]


def form(n=12):
    """Time stamp, address, name, age, twelve questions from 1 to 7, comments."""
    questions = [f"How satisfied are you with part {j + 1}?" for j in range(12)]
    lines = [["Timestamp", "Email address", "Your name", "Age", *questions, "Any comments?"]]
    remarks = ("", "Too long, I think, and the room was cold.", "", "Thanks for everything; see you next year!")
    for i, row in enumerate(ratings(n, 12, 1, 7)):
        name = PEOPLE[i % len(PEOPLE)]
        stamp = f"2024/03/{i % 28 + 1:02d} 10:{i % 60:02d}:05 AM GMT+1"
        lines.append([stamp, f"p{i}@example.org", name, str(19 + 5 * i % 47), *row, remarks[i % 4]])
    return written(lines)


def marks(n=14):
    """Number, name, group, seven marks with "abs", their total, a remark."""
    lines = [["No", "Student", "Group", *(f"Task {j + 1}" for j in range(7)), "Total", "Remark"]]
    for i, row in enumerate(ratings(n, 7, 0, 20, seed=1)):
        row = [cell or ("abs" if (i + j) % 3 else "") for j, cell in enumerate(row)]
        total = sum(int(cell) for cell in row if cell.isdecimal())
        name = f"{PEOPLE[i % len(PEOPLE)]} {i}"
        lines.append([str(4000 + 7 * i), name, "AB"[i % 2], *row, str(total), "" if i % 5 else "ill in May"])
    return written(lines)


def agreement(n=12, m=6):
    """Answers in words, without names of people."""
    return written(
        [[f"Q{j + 1}" for j in range(m)]]
        + [[AGREEMENT[int(cell) - 1] if cell else "" for cell in row] for row in ratings(n, m, seed=2)]
    )


def two_header_lines():
    body = ratings(6, 4, seed=3)
    rows = [[name, *row] for name, row in zip(PEOPLE, body)]
    return written([["", "Taste", "", "Look", ""], ["Judge", "A", "B", "A", "B"], *rows])


def with_averages(n=8, m=5):
    """A last row and a last column of averages, with two decimals."""
    body = ratings(n, m, 1, 10, seed=4, missing=0.2)
    lines = [["Reader", *(f"Book {j + 1}" for j in range(m)), "Ø"]]

    def mean(cells):
        return f"{np.mean([float(cell) for cell in cells if cell]):.2f}"

    lines += [[name, *row, mean(row)] for name, row in zip(PEOPLE, body)]
    lines.append(["All", *(mean(column) for column in zip(*body)), mean([line[-1] for line in lines[1:]])])
    return written(lines)


def decorated(sign="{}%", n=8, m=4):
    low, high = (0, 100) if "%" in sign else (1, 5)
    body = ratings(n, m, low, high, seed=5)
    rows = [[name, *(sign.format(cell) if cell else "" for cell in row)] for name, row in zip(PEOPLE, body)]
    return written([["who", *"ABCD"[:m]], *rows])
