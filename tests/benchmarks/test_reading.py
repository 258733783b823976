"""How clicks to the right plan are counted, and what is measured besides."""

from dataclasses import replace

import metamf.tables as reader
from benchmarks.tables.frames import frames, half_of
from benchmarks.tables.right import Right, clicks, content, right_files, summary_of

ROWS = (
    "who,a,b,note p0,1,1, p1,2,3,y p2,,5,z p3,4,-99,x p4,5,4, p5,1,1,z p6,2,3,x p7,3,5,y mean,3,3,"
)
DATA = "\n".join(ROWS.split()).encode()
RIGHT = Right.of(
    {"name": "1", "fill": "2-3", "keep": "4", "lines": [10], "rows": 8}
    | {"doubtful": ["-99"], "given": [14, 1, 5]}
)


def counted(*edits, data=DATA, **right):
    """The clicks from a plan that a person has changed first to the right one."""
    return clicks(data, replace(RIGHT, edits=edits, **right), reader)


def test_a_right_plan_takes_no_click():
    found = counted()
    assert (found.n, found.lost, found.silent) == (0, (), ())


def test_each_column_and_each_line_takes_a_click_and_is_wrong_in_silence():
    found = counted('"b": keep', "line 10: keep")
    assert (found.n, found.lost) == (2, ())
    assert len(found.silent) == 2


def test_what_no_edit_mends_is_lost():
    found = counted(given=((4.0, 1.0, 5.0),))
    assert found.n == 0
    assert "numbers [14.0, 1.0, 5.0]" in found.lost[0]
    assert counted(cells=((2, "2", "left"),)).lost == ("line 2, column 2 teaches 1",)


def test_one_click_tells_that_a_text_is_missing_in_several_columns_and_amber_is_not_silent():
    found = counted(doubtful=("-99", "2-3: 5"), given=())
    assert (found.n, found.lost) == (1, ())
    assert found.silent == ("5 counts as a number in column 2",)  # in 3 something is amber


def test_anything_amber_is_an_alarm_where_nothing_is_odd():
    assert counted(amber="none").alarms
    assert counted().alarms == ()


def test_a_refusal_is_right_where_the_sentence_says_what_is_wrong():
    words = b"a,b\nx,great\ny,good\n"
    assert counted(data=words, refused="no number").lost == ()
    assert "does not say" in counted(data=words, refused="web page").lost[0]
    assert counted(refused="no number").lost
    assert "refused" in counted(data=words).lost[0]


def test_what_is_right_is_said_of_every_file_and_is_well_formed():
    entries = right_files()
    assert {of for of, _ in entries} == {"cases", "corpus", "forms", "fresh", "people"}
    assert len(entries) > 200
    for key, right in entries.items():
        refused = right.refused is not None or right.or_refused is not None
        assert right.fill or right.long or right.may or refused, key
        assert key[0] not in ("forms", "people") or content(*key, right), key


def test_a_file_that_is_lost_counts_as_two_clicks_or_more():
    found = summary_of([counted()] * 9 + [counted(rows=7)])
    assert found["clicks, median"] == 0
    assert found["clicks, 90th percentile"] == 0
    assert found["not reached"] == 1


def test_frames_have_holes_in_their_numeric_columns_alone(tmp_path):
    lines = "".join(f"{i},n{i},{i * 3 % 7},{i / 4}\n" for i in range(30))
    names = [name for name in map(str, range(20)) if half_of(name) == "deciding"]
    for name in names:
        (tmp_path / f"{name}.csv").write_text(f",who,a,b\n{lines}")
    found = list(frames(tmp_path, "deciding"))
    assert [frame.name for frame in found] != sorted(names)
    assert {frame.numeric for frame in found} == {(2, 3)}
    rows = [line.split(",") for line in found[0].data.decode().splitlines()[1:]]
    assert all(row[0] and row[1] for row in rows)
    assert any(row[2] == "" for row in rows)
