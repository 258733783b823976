"""What the preview shows of a table, and what its clicks change."""

import pytest

from metamf.answer.methods import method
from metamf.answer.table_filling import fill_in
from metamf.tables.table import read
from metamf.webapp.your_table import preview
from metamf.webapp.your_table.preview import edit_of, preview_of

ROWS = [["name", "a", "b", "note"]]
ROWS += [[f"p{i}", str(1 + i % 5), f"{90 + i % 4}.5", "xyz"[i % 3]] for i in range(20)]
ROWS[3][2] = ""
ROWS[4][1] = "-99"
CODED = "\n".join(map(",".join, ROWS)).encode()
LONG = b"who,what,stars\nann,x,5\nann,y,2\nbo,x,4\ncy,y,1\ncy,x,3\ndi,x,2\ndi,y,2\n"


def shown(content, *edits):
    table = read(content, edits=edits)
    return table, preview_of(table, fill_in(table.ratings, method("col_means")))


def head(data, name):
    return next(column for column in data["columns"] if column["name"] == name)


def line(data, number):
    return next(entry for entry in data["lines"] if entry.get("number") == number)


def test_a_head_says_what_a_column_is_and_offers_what_else_it_may_be():
    _, data = shown(CODED)
    assert head(data, "name")["role"] == "name"
    assert head(data, "b")["below"] == "90.5 to 93.5"
    assert head(data, "note")["role"] == "keep"
    assert [edit for _, edit in head(data, "b")["choices"]] == ["b: keep", "b: name"]


def test_a_mark_that_columns_share_is_counted_as_missing_by_one_click():
    lines = ["name,a,b", *(f"p{i},{1 + i % 5},{1 + i % 4}" for i in range(20))]
    lines[4] = "p3,-99,4"
    lines[8] = "p7,3,-99"
    content = "\n".join(lines).encode()
    # a table without gaps has no answer
    first = preview_of(read(content), None)["amber"][0]
    assert first["choices"] == [
        ["Count -99 as missing, in all of them (2 cells)", ["a: missing -99", "b: missing -99"]]
    ]
    assert read(content, edits=first["choices"][0][1]).n_gaps == 2


def test_the_title_counts_no_empty_text_and_every_pair_that_a_long_table_lacks():
    wide = b"name,a,b,note\nx,1,2,\ny,,4,s\nz,3,1,\nw,2,5,t\n"
    assert preview.filled_sentence(read(wide)) == "1 gap is filled in."
    long = read(LONG + b"ed,y,3\nfi,x,1\n")
    assert preview.filled_sentence(long) == "All 3 gaps are filled in."


def test_gaps_hold_estimates_in_the_digits_of_their_column_and_all_else_stays():
    _, data = shown(CODED)
    cells = line(data, 4)["cells"]
    assert cells[0] == ["p2", "", ""]
    text, kind, _ = cells[2]
    assert kind == "filled"
    assert len(text.partition(".")[2]) == 1
    for number in range(2, 10):
        for (text, kind, _), given in zip(line(data, number)["cells"], ROWS[number - 1]):
            assert kind == "filled" or text == given


def test_a_number_in_doubt_is_amber_and_its_button_says_how_many_cells_it_overwrites():
    _, data = shown(CODED)
    [entry] = data["amber"]
    assert '"a"' in entry["sentence"]
    assert line(data, 5)["cells"][1][:2] == ["-99", "amber"]
    labels = {edit: label for label, edit in entry["choices"]}
    assert "(1 cell)" in labels["a: missing -99"]
    _, data = shown(CODED, "a: missing -99")
    assert data["amber"] == []
    assert line(data, 5)["cells"][1][1] == "filled"
    _, data = shown(CODED, "line 7: skip")
    assert line(data, 7)["state"] == "skipped"
    assert line(data, 7)["why"]


def test_a_text_among_numbers_is_amber():
    _, data = shown(b"name,a,b\np1,1,2\np2,about 4,3\np3,3,1\np4,,2\np5,2,3\n")
    assert line(data, 3)["cells"][1] == ["about 4", "amber", ""]


def test_of_many_lines_the_first_and_those_with_gaps_are_shown():
    rows = "".join(f"p{i},{i % 5},{'' if i == 70 else i % 3}\n" for i in range(90))
    _, data = shown(f"name,a,b\n{rows}".encode())
    assert line(data, 72)["cells"][2][1] == "filled"
    gaps = [entry["gap"] for entry in data["lines"] if "gap" in entry]
    assert gaps == ["… 58 more lines", "… 19 more lines"]


def test_of_many_columns_those_that_are_amber_are_shown():
    names = [f"c{j}" for j in range(60)]
    rows = [[str(1 + (i * (j + 3)) % 5) for j in range(60)] for i in range(20)]
    rows[2][56] = "-99"
    rows[5][4] = ""
    text = "\n".join(map(",".join, [names, *rows]))
    _, data = shown(text.encode())
    assert len(data["columns"]) == preview.COLUMNS
    assert data["more"] == 60 - preview.COLUMNS
    assert head(data, "c56")["amber"]


def test_of_a_long_table_the_lines_that_are_added_are_shown():
    _, data = shown(LONG, "form: long who,what,stars")
    added = data["lines"][-1]["cells"]
    assert [text for text, _, _ in added[:2]] == ["bo", "y"]
    assert added[2][1] == "filled"


NAMES = ["plain", "a: b", "12", 'q"uote', "two\nlines", " space ", "line 3", "x" * 90, "all"]


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_is_about_its_column_whatever_it_is_called(name):
    quoted = '"' + name.replace('"', '""') + '"'
    rows = "".join(f"p{i},{i},{i % 3}\n" for i in range(12))
    plan = read(f"id,{quoted},other\n{rows},1,\n".encode()).plan
    for change in ("keep", "name"):
        edited = plan.edited(edit_of(plan, 1, change))
        assert edited.columns[1].role == change
        assert edited.columns[2].role == plan.columns[2].role


def test_the_sheet_of_columns_changes_role_and_scale(monkeypatch):
    plan = read(CODED).plan
    rows = {"1": {"role": "keep"}, "2": {"scale": "0 to 100"}, "3": {"role": "keep"}}
    monkeypatch.setattr(preview.st, "session_state", {"sheet": {"edited_rows": rows}})
    made = []
    monkeypatch.setattr(preview.own, "edit", lambda plan, *edits: made.extend(edits))
    preview._edited("sheet", plan, {1: "1 to 5", 2: "90.5 to 93.5"})
    assert made == ["a: keep", "b: scale 0 to 100"]
