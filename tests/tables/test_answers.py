"""A question accepts its own answer: files for every question that there is are made, each answer that the command
offers is obeyed, no question comes twice, and no given value is lost or overwritten."""

import csv
import io
import shlex

import numpy as np
import pytest
from exports import estimated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metamf.cli.impute import command_with_answers, error_sentence
from metamf.cli.options import build_parser, read_options
from metamf.tables import TableError, read_table
from metamf.tables.limits import in_doubt
from metamf.tables.numbers import MISSING_TOKENS
from metamf.tables.write import to_csv

MOST_ROUNDS = 2
LIKERT = ["never", "rarely", "sometimes", "often", "always"]


def ratings(rng, n=24, m=5, low=1, high=5):
    """Ratings that go along with each other as texts, '' in gaps."""
    level = rng.normal(0, (high - low) / 4, (n, 1)) + rng.normal(0, (high - low) / 8, (n, m))
    X = np.clip(np.round((low + high) / 2 + level), low, high).astype(int).astype(str).astype(object)
    X[rng.random((n, m)) < 0.1] = ""
    X[0] = str(low)
    X[1] = str(high)
    return X


def put(rng, X, *texts, times=4):
    """The table with each of the texts in some of its cells but those of the first two rows."""
    X = X.copy()
    for text in texts:
        X[rng.integers(2, len(X), times), rng.integers(0, X.shape[1], times)] = text
    return X


def wide(X, *beside, names=None, sign=","):
    """A file with a line for each row; ``beside`` are further columns, each a name and its cells."""
    names = names or [f"q{j + 1}" for j in range(X.shape[1])]
    lines = [["who", *(name for name, _ in beside), *names]]
    lines += [[f"p{i}", *(cells[i] for _, cells in beside), *row] for i, row in enumerate(X)]
    stream = io.StringIO()
    csv.writer(stream, delimiter=sign, lineterminator="\n").writerows(lines)
    return stream.getvalue().encode()


def long(rng, *columns):
    """A file with a line for each pair but some, and the cells that each of the ``columns`` makes for it."""
    pairs = [(f"u{i}", f"t{j}") for i in range(8) for j in range(6) if rng.random() < 0.8]
    lines = [["who", "what", *(name for name, _ in columns)]]
    lines += [[*pair, *(cell for _, make in columns for cell in [make()])] for pair in pairs]
    return "".join(",".join(line) + "\n" for line in lines).encode()


def cells(rng, low, high, gaps=()):
    texts = rng.integers(low, high + 1, 24).astype(str).astype(object)
    texts[[*gaps]] = ""
    return texts


def measures(rng):
    units = 10.0 ** np.arange(-1, 3)
    X = (units * rng.lognormal(0, 0.3, (24, 4))).round(3).astype(str).astype(object)
    X[rng.random(X.shape) < 0.1] = ""
    return X


def twice(rng):
    lines = long(rng, ("score", lambda: str(rng.integers(1, 6)))).splitlines(keepends=True)
    return b"".join([*lines, lines[1], lines[2]])


def mixed_signs(rng):
    X = rng.uniform(1, 9, (24, 4))
    X = np.where(rng.random(X.shape) < 0.6, np.char.replace(np.char.mod("%.2f", X), ".", ","), np.char.mod("%.3f", X))
    return wide(X.astype(object), sign=";")


QUESTIONS = {
    "markers": lambda rng: wide(put(rng, ratings(rng), "99", "-1")),
    "one digit": lambda rng: wide(put(rng, ratings(rng, high=4), "8", "9")),
    "zero": lambda rng: wide(put(rng, ratings(rng), "0")),
    "zero of one column": lambda rng: wide(
        put(rng, ratings(rng, m=4, low=4, high=9), "0"), ("lent", cells(rng, 0, 3, gaps=[7]))
    ),
    "markers of names like numbers": lambda rng: wide(
        put(rng, ratings(rng), "99"), names=["2019", "2020", "2021", "2022", "2023"]
    ),
    "units": lambda rng: wide(measures(rng)),
    "units and markers": lambda rng: wide(put(rng, measures(rng), "-9999")),
    "odd columns": lambda rng: wide(
        ratings(rng), ("age", cells(rng, 18, 70, gaps=[3])), ("sex", cells(rng, 1, 2, gaps=[5])), names=list("12345")
    ),
    "words": lambda rng: wide(np.array(["poor-ish", "so la la", "grand"], dtype=object)[rng.integers(0, 3, (24, 4))]),
    "codes": lambda rng: wide(np.char.add("A", rng.integers(1, 6, (24, 4)).astype(str)).astype(object)),
    "signs": lambda rng: wide(np.array(["--", "-", "o", "+", "++"], dtype=object)[rng.integers(0, 5, (24, 4))]),
    "beside words": lambda rng: wide(
        put(rng, np.array(LIKERT, dtype=object)[rng.integers(0, 5, (24, 4))], "refused", "cannot say")
    ),
    "odd texts": lambda rng: wide(put(rng, ratings(rng), "ill", "no show")),
    "ranges": lambda rng: wide(put(rng, ratings(rng, low=80, high=99), "85-88", "(91)", "95+", "<80", times=2)),
    "everything": lambda rng: wide(
        put(rng, ratings(rng), "99", "ill"), ("age", cells(rng, 18, 70, gaps=[3])), ("kids", cells(rng, 0, 4, gaps=[9]))
    ),
    "rough numbers": lambda rng: wide(put(rng, ratings(rng), "~4", "ca. 3", "about 5", "\u22484", times=2)),
    "rough numbers, limits and texts": lambda rng: wide(put(rng, ratings(rng, high=9), "4?", "<5", "ill", times=2)),
    "long rough numbers": lambda rng: long(
        rng, ("score", lambda: rng.choice(["1", "2", "3", "4", "5", "~4", "ca. 2"]))
    ),
    "signs of numbers": mixed_signs,
    "odd line": lambda rng: wide(ratings(rng)).replace(b"p0,", b"p0,low,low,low,low,low\nx,", 1),
    "times": lambda rng: wide(np.array(["1:05", "1:20", "2:31", ""], dtype=object)[rng.integers(0, 4, (24, 4))]),
    "which values": lambda rng: long(
        rng, ("right", lambda: str(rng.integers(0, 2))), ("ms", lambda: str(rng.integers(300, 900)))
    ),
    "given twice": twice,
    "long markers": lambda rng: long(rng, ("score", lambda: rng.choice(["1", "2", "3", "4", "5", "99", "0"]))),
    "long words": lambda rng: long(rng, ("rating", lambda: rng.choice(["poor-ish", "so la la", "grand"]))),
}


def offered(doubt):
    """The options of each answer to a question, as the command names them."""
    sentence = error_sentence(in_doubt(doubt))
    assert ": say " in sentence, sentence
    answers = []
    for part in sentence.rsplit(": say ", 1)[1].split(", or --"):
        part = part.removeprefix("what their order is, ")
        flags = shlex.split(part if part.startswith("--") else f"--{part}")
        end = next((i for i, flag in enumerate(flags) if flag.startswith("(") and flag not in ("(91)",)), len(flags))
        flags = flags[:end]
        answers.append([flag.replace("LOWEST<...<HIGHEST", "<".join(doubt.words)) for flag in flags])
    return answers


def obey(data, flags=(), asked=frozenset(), rounds=0):
    """Reads the file with ``flags``, and obeys each answer to each question, next to the first ones to the others."""
    arguments = build_parser(["impute"]).parse_args(["impute", "x.csv", *flags])
    try:
        table = read_table(data, options=read_options(arguments))
    except TableError as error:
        assert error.doubts, f"{error} ({shlex.join(flags)})"
        keys = {doubt.key for doubt in error.doubts}
        assert not asked & keys, f"asked again: {error} ({shlex.join(flags)})"
        assert rounds < MOST_ROUNDS, f"{error} ({shlex.join(flags)})"
        doubts = [doubt for doubt in error.doubts if doubt.given is None]
        answers = [offered(doubt) for doubt in doubts]
        for i, choices in enumerate(answers):
            others = [flag for k, other in enumerate(answers) if k != i for flag in other[0]]
            for choice in choices:
                obey(data, [*flags, *others, *choice], asked | {doubt.key for doubt in doubts}, rounds + 1)
        return
    assert rounds or not asked
    check(data, table, named_missing(flags))


def named_missing(flags):
    return [
        *(flag for flag, name in zip(flags[1:], flags) if name == "--missing"),
        *(flag.removeprefix("--missing=") for flag in flags if flag.startswith("--missing=")),
    ]


def check(data, table, missing):
    """Every cell that is neither empty nor called missing comes back, and in columns of ratings it is one."""
    sign = table.source.dialect.delimiter
    before, after = (
        list(csv.reader(io.StringIO(content.decode()), delimiter=sign))
        for content in (data, to_csv(table, estimated(table, np.full(table.ratings.shape, 2.625))))
    )
    header = before[0]
    gone = 0
    for was, now in zip(before, after):
        for j, text in enumerate(was):
            named = {text, f"{header[j]}={text}"} & {*missing}
            if text.casefold() not in MISSING_TOKENS and not named:
                assert now[j] == text, (header[j], text, now[j])
            gone += bool(named)
    assert bool(gone) == bool(missing)
    if table.source.form == "wide":
        rows = [before[i] for i in table.source.records]
        given = [(row[j], header[j]) for row in rows for j in table.source.columns]
        absent = {"", *missing}
        assert table.ratings.nnz == sum(text not in absent and f"{name}={text}" not in missing for text, name in given)


@pytest.mark.slow
@pytest.mark.parametrize("kind", QUESTIONS)
@settings(deadline=None, max_examples=4, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10_000))
def test_every_answer_to_every_question_works(kind, seed):
    data = QUESTIONS[kind](np.random.default_rng(seed))
    with pytest.raises(TableError) as caught:
        read_table(data)
    assert caught.value.doubts
    obey(data)


@pytest.mark.parametrize("kind", QUESTIONS)
@pytest.mark.parametrize("seed", [0, 1])
def test_one_command_answers_all_questions_at_once(kind, seed):
    data = QUESTIONS[kind](np.random.default_rng(seed))
    with pytest.raises(TableError) as caught:
        read_table(data)
    command = command_with_answers(caught.value, ("metamf", "impute", "my file.csv"))
    if len(caught.value.doubts) == 1:
        assert not command
        return
    _, *words = shlex.split(command)
    arguments = build_parser(words).parse_args(words)
    assert arguments.input == "my file.csv"
    check(data, read_table(data, options=read_options(arguments)), named_missing(words))
