"""From a file to a table: what was understood, roles of columns, corrections, privacy, errors."""

import gzip
import io
import re

import numpy as np
import pandas as pd
import peoples_files as files
import pytest
from awkward_files import workbook
from opened import healthy, opened, players, text
from your_table import PAGE, WIDE, command, file, keys, small_world, uploaded  # noqa: F401  a fixture

pytestmark = pytest.mark.slow

# -- before the upload ------------------------------------------------------------------------------------------------


def test_the_limits_the_forms_and_the_privacy_panel_stand_before_the_upload(small_world):  # noqa: F811
    at = opened(PAGE)
    said = text(at)
    for sentence in ("200,000 rows and 5,500,000 cells", "Wide", "Long", "No other visitor can reach it"):
        assert sentence in said
    proto = at.get("file_uploader")[-1].proto
    assert proto.max_upload_size_mb == 32 and not proto.type  # a file called u.data is welcome, too
    assert not players(at)


def test_the_example_is_two_clicks_from_a_filled_table():
    at = healthy(opened(PAGE).button(key="table_example").click().run())
    assert "140 of 280 cells hold a rating" in text(at)
    name, content = file(at, "csv")
    assert name == "hot-or-mild-filled-by-universal.csv"
    assert pd.read_csv(io.BytesIO(content), index_col=0).notna().to_numpy().sum() == 280


# -- what was understood ----------------------------------------------------------------------------------------------


def test_corrections_are_followed_and_can_be_undone():
    at = uploaded(b"7;1;9\n1;7;3\n2;7;4\n5;2;2\n")
    assert "4 rows and 3 columns" in text(at)
    healthy(at.selectbox(key="table_header_lines").select(1).run())
    assert "3 rows and 3 columns" in text(at)
    healthy(at.text_input(key="table_markers").set_value("7; x").run())
    assert 'Cells marked as missing: 2 "7"' in text(at)
    healthy(at.button(key="table_guess").click().run())
    assert "4 rows and 3 columns" in text(at) and "No cell is marked as missing" in text(at)


def test_the_preview_shows_every_column_where_names_collide():
    at = uploaded(b"name,a (3),a,a,b\nann,1,2,3,4\nbob,4,3,2,1\n")
    preview = at.dataframe[0]
    assert re.findall('"label": "(.*?)"', preview.proto.columns) == ["", "a (3)", "a", "a", "b"]
    assert preview.value.values.tolist() == [["ann", "1", "2", "3", "4"], ["bob", "4", "3", "2", "1"]]


def options(at, name):
    return at.selectbox(key=f"table_{name}").options


def test_the_columns_of_a_long_table_are_chosen_by_name_even_where_it_could_not_be_read():
    at = uploaded(b"who,when,what,how much,said\nA,1,x,3,good\nA,2,y,4,bad\nB,3,x,5,so so\nB,4,y,1,good\n", "log.csv")
    assert "2 columns" in text(at) and "table_row_column" not in keys(at)
    healthy(at.selectbox(key="table_form").select("long").run())
    assert options(at, "value_column")[1:] == ["1: who", "2: when", "3: what", "4: how much", "5: said"]
    healthy(at.selectbox(key="table_column_column").select(2).run())
    healthy(at.selectbox(key="table_value_column").select(3).run())
    assert "2 rows and 2 columns: 4 of 4 cells" in text(at) and 'values are "who", "what", "how much"' in text(at)
    assert options(at, "row_column")[0] == "guessed: who"
    healthy(at.switch_page("pages/explore.py").run())
    healthy(at.switch_page(PAGE).run())
    assert 'values are "who", "what", "how much"' in text(at)
    healthy(at.selectbox(key="table_form").select("wide").run())
    assert "table_value_column" not in keys(at) and "what: names" not in text(at)


def test_a_sheet_is_chosen_even_where_the_first_one_holds_no_table():
    ratings = [["name", "Tea", "Coffee"], ["Ada", 4, None], ["Ben", 2, 5]]
    at = uploaded(workbook({"guess": [["name", "said"], ["Ada", "hello"]], "Ratings": ratings}), "club.xlsx")
    assert '"hello" is not a number' in text(at) and "table_delimiter" not in keys(at)
    [sheets] = [control for control in at.get("button_group") if control.label == "Sheet"]
    healthy(sheets.set_value(1).run())
    assert "2 rows and 2 columns: 3 of 4 cells" in text(at) and 'Sheet "Ratings"' in text(at)
    assert "drinks" not in file(at, "xlsx")[0] and "table_encoding" not in keys(at)


def test_encoding_and_thousands_sign_are_guessed_shown_and_corrected():
    at = uploaded("name;Käse;Öl\nÄnne;1,5;1,500\nBo;2,5;\nCy;;1,250\n".encode("cp1252"))
    assert options(at, "encoding")[0] == "guessed: Windows-1252"
    assert options(at, "decimal")[0] == "guessed: comma" and options(at, "thousands")[0] == "guessed: none"
    healthy(at.selectbox(key="table_encoding").select("mac-roman").run())
    assert "Änne" not in text(at) and "MAC-ROMAN" in text(at)
    healthy(at.selectbox(key="table_thousands").select(",").run())
    healthy(at.selectbox(key="table_decimal").select(",").run())
    assert "decimal and thousands sign cannot both be" in text(at)
    healthy(at.button(key="table_guess").click().run())
    assert "Bo × Öl" in text(at) and at.button(key="table_guess").disabled


def test_a_number_that_looks_like_a_marker_takes_one_click():
    rng = np.random.default_rng(0)
    X = rng.uniform(-10, 10, (12, 6)).round(2)
    X[rng.random(X.shape) < 0.4] = 99
    at = uploaded("\n".join(",".join(map(str, row)) for row in X).encode(), "jokes.csv")
    assert "far from" in text(at)
    healthy(at.button(key="table_doubt_0_0").click().run())
    n = int((X == 99).sum())
    assert f"{72 - n} of 72 cells hold a rating" in text(at) and f'{n} "99' in text(at)
    assert "99 counts as missing, as you said" in text(at)
    healthy(at.button(key="table_suspect_99").click().run())  # it can be undone
    assert "far from" in text(at)
    healthy(at.button(key="table_doubt_0_1").click().run())
    assert "72 of 72 cells" in text(at)


def test_a_text_that_can_only_be_a_marker_takes_one_click():
    at = uploaded("name;Käse;Öl\nÄnne;1,5;k.A.\nBo;k.A.;2,5\nCy;1,0;3,5\n".encode("cp1252"))
    assert '"k.A." is not a number' in text(at)
    healthy(at.button(key="table_suspect_k.A.").click().run())
    assert '2 "k.A."' in text(at) and "k.A. counts as missing, as you said" in text(at)
    assert file(at, "csv")[1].decode("cp1252").splitlines()[1].startswith("Änne;1,5;")
    at = uploaded(b"who,tea,coffee\nA,yes,no\nB,no,\n", at=opened(PAGE))
    assert "no = 0, yes = 1" in text(at) and not [key for key in keys(at) if key.startswith("table_suspect")]


def test_duplicates_are_refused_in_one_sentence_and_resolved_by_a_choice():
    at = uploaded(b"person,drink,rating\nA,x,1\nA,x,3\nB,y,2\nB,x,5\nA,y,4\n")
    assert "Duplicates" not in text(at) and "film" not in text(at.main)  # the sidebar tells of films
    assert not players(at) and "table_get_csv" not in keys(at)
    healthy(at.selectbox(key="table_duplicates").select("mean").run())
    assert "2 rows and 2 columns: 4 of 4 cells" in text(at)
    healthy(at.selectbox(key="table_duplicates").select("refuse").run())
    healthy(at.button(key="table_answer_1").click().run())  # the last one counts
    assert at.selectbox(key="table_duplicates").value == "last" and "4 of 4 cells" in text(at)


BAD = (
    (b"", "empty.csv"),
    (b"\x00\x01\x02", "x.csv"),
    (b"PK\x03\x04nonsense", "x.xlsx"),
    (gzip.compress(b"a,b\n1,z\n"), "x.gz"),
    (b"a,b,c\n1,2,3\n4,lots,1\n2,,5\n", "x.csv"),
    (b"a,b\n,\n,\n", "x.csv"),
    (b"<script>alert(1)</script>", "<b>.csv"),
    (b"1," * 30_000 + b"1", "wide.csv"),
    (b"a,b\n1e300,\n,-1e300\n", "x.csv"),
)
ODD = (
    b"a,b\n1,2\n3,4\n",
    b"a\n1\n",
    b"a,b\n3,\n,3\n",
    b"a,b,c\n0,0,0\n0,,0\n0,0,\n",
    b"a,b,c\n1,,\n,,\n,,\n",
    b"a,b\n1e400,2\n3,4\n",
)


def test_a_bad_file_gives_one_sentence_and_a_way_back():
    at = opened(PAGE)
    for content, name in BAD:
        uploaded(content, name, at)
        notes = [e.proto.body for e in at.get("html") if "mf-note mf-warning" in e.proto.body]
        assert len(notes) == 1 and not any(bad in notes[0] for bad in ("Traceback", "<script", "<b>")), name
        healthy(at.button(key="table_forget").click().run())


def test_odd_but_honest_tables_are_filled_in():
    at = opened(PAGE)
    for content in ODD:
        uploaded(content, at=at)
        assert len(file(at, "csv")[1].splitlines()) == content.count(b"\n")
        healthy(at.button(key="table_forget").click().run())


def test_another_sheet_is_one_click_and_what_was_said_of_the_first_ones_columns_is_forgotten():
    sheets = {"Cover": [["Contact", "Dr. Meier"], ["Version", 3]]}
    for title, start in (("Spring", 1), ("Autumn", 2)):
        marks = [[f"p{i}", start + i % 3, None if i == 2 else 3, 1 + i] for i in range(4)]
        sheets[title] = [["name", f"{title} 1", f"{title} 2", f"{title} 3"], *marks]
    at = uploaded(workbook(sheets), "terms.xlsx")
    [sheets] = [control for control in at.get("button_group") if control.label == "Sheet"]
    assert sheets.value == 1 and "Spring 2" in text(at)
    at.session_state["table_leave_alone"] = (1,)
    healthy(sheets.set_value(2).run())
    assert "Autumn 2" in text(at) and "Spring 2" not in text(at) and "Left alone" not in text(at)


def test_an_age_among_questions_is_asked_about_before_anything_is_computed_and_one_click_answers():
    content = files.form().replace(b",19,", b",,", 1)
    at = uploaded(content, "form.csv")
    assert '"Age" holds 2' in text(at)
    assert "table_get_csv" not in keys(at) and not at.get("plotly_chart")
    healthy(at.button(key="table_doubt_3_0").click().run())
    said = text(at)
    assert "12 rows and 12 columns" in said and "What the columns are" in said and "Ana × " in said
    pills = next(group for group in at.get("button_group") if "pills" in group.key)
    labels = [option.content for option in pills.proto.options]
    assert "Timestamp: dates or times" in labels and "Age" in labels
    _, content = file(at, "csv")
    assert content.splitlines()[0] == files.form().splitlines()[0] and b"p0@example.org" in content
    healthy(pills.set_value([*pills.value, 3]).run())  # the age is pressed: it holds ratings after all
    assert "12 rows and 13 columns" in text(at)


def test_columns_describe_the_rows_once_they_are_chosen_and_the_verdict_says_what_that_gained():
    at = uploaded(files.form(), "form.csv")
    assert "Describing the rows" not in text(at)
    healthy(next(one for one in at.multiselect if "describing" in one.key).set_value([3]).run())
    healthy(at.button(key="table_measure").click().run())
    for said in (
        'Describing the rows: "Age".',
        "Universal uses what describes",
        "The columns that describe the rows make",
    ):
        assert said in text(at)
    pills = next(group for group in at.get("button_group") if "pills" in group.key)
    assert "Age" not in [option.content for option in pills.proto.options]
    assert "--describes=4" in command(at)


def test_marks_take_one_click_and_a_total_is_left_alone():
    at = uploaded(files.marks(), "marks.csv")
    healthy(at.button(key="table_suspect_abs").click().run())
    assert "14 rows and 7 columns" in text(at) and "abs counts as missing, as you said" in text(at)
    assert "Ana 1 × " in text(at) or "Zoë Ángel 0 × " in text(at)


def test_words_are_turned_around_by_one_click():
    at = uploaded(files.agreement(), "words.csv")
    assert "Strongly disagree = 1" in text(at)
    turn = next(key for key in keys(at) if key.endswith("_turn"))
    healthy(at.button(key=turn).click().run())
    assert "Strongly agree = 1" in text(at)


def test_a_row_of_averages_is_left_alone_until_a_click_says_that_it_holds_ratings():
    at = uploaded(files.with_averages(), "books.csv")
    assert "8 rows and 5 columns" in text(at) and 'Line 10 is left alone: called "All"' in text(at)
    healthy(at.button(key="table_row_10").click().run())
    assert "9 rows and 5 columns" in text(at)


def chips(at):
    return next(group for group in at.get("button_group") if "pills" in group.key)


def test_the_columns_of_an_ordinary_table_have_chips_at_once_and_a_click_leaves_one_alone():
    at = uploaded(b"name,a,b,c\nAda,1,2,\nBen,4,,3\nCleo,5,1,2\n")
    assert "What the columns are" in text(at) and chips(at).value == [1, 2, 3]
    healthy(chips(at).set_value([1, 2]).run())
    assert "3 rows and 2 columns" in text(at) and chips(at).value == [1, 2]
    healthy(chips(at).set_value([1, 2, 3]).run())
    assert "3 rows and 3 columns" in text(at)


def test_columns_too_many_for_chips_are_left_alone_by_a_list():
    names = [f"c{j}" for j in range(61)]
    lines = [["who", *names], *([f"p{i}", *(str(1 + (i * j) % 5) for j in range(61))] for i in range(4))]
    lines[1][5] = ""
    at = uploaded("\n".join(map(",".join, lines)).encode())
    healthy(at.multiselect[0].set_value([2]).run())
    assert "4 rows and 60 columns" in text(at) and at.multiselect[0].value == [2]
    healthy(at.multiselect[0].set_value([]).run())
    assert "4 rows and 61 columns" in text(at)


def test_one_answer_of_a_question_can_be_changed_by_a_chip():
    lines = ["name,a,b,c,d", *(f"p{i},{1 + i % 5},{1 + i % 4},{20 + 7 * i},{i * 11 % 97 + 5}" for i in range(12))]
    lines[3] = "p2,,4,34,27"
    at = uploaded("\n".join(lines).encode())
    group = next(button for button in at.button if button.label.startswith("Those with 1 to 5"))
    healthy(group.click().run())
    assert chips(at).value == [1, 2]
    healthy(chips(at).set_value([1]).run())
    assert "12 rows and 1 column" in text(at)


def test_a_line_of_units_is_answered_by_a_click():
    lines = ["Sample,Iron,Lead,Zinc", ",mg/L,ug/L,mmol"]
    lines += [f"s{i},{i + 1.5},{'' if i == 2 else i + 0.25},{i * 2 + 0.5}" for i in range(5)]
    at = uploaded("\n".join(lines).encode())
    assert "5 rows and 3 columns" in text(at)
    healthy(at.selectbox(key="table_header_lines").select(1).run())
    [header] = [button for button in at.button if button.label == "The header ends with this line"]
    assert "has texts found nowhere else" in text(at)
    healthy(header.click().run())
    assert "5 rows and 3 columns" in text(at) and at.session_state["table_header_lines"] == 2


def test_totals_that_no_longer_add_up_are_named():
    content = b"name,Quiz,Lab,Essay,Total\nAda,41,52,63,156\nBen,44,,57,101\nCleo,39,61,48,148\nDev,58,44,,102\n"
    at = uploaded(content)
    assert '"Total" is left unchanged' in text(at)
    assert '"Group avg" is left unchanged' in text(uploaded(content.replace(b"Total", b"Group avg")))
    assert "no longer match" not in text(uploaded(WIDE, at=opened(PAGE)))


def test_two_odd_columns_are_left_alone_by_one_click():
    marks = np.random.default_rng(0).integers(40, 99, (14, 4))
    lines = [f"p{i},{1 + i % 3},{18 + i % 6}," + ",".join(map(str, marks[i])) for i in range(13)]
    lines.append("p13,,," + ",".join(map(str, marks[13])))
    at = uploaded("\n".join(["name,Group,Age,Quiz,Lab,Essay,Exam", *lines]).encode())
    assert at.button(key="table_doubt_1_0").label == "Leave them alone"
    healthy(at.button(key="table_doubt_1_0").click().run())
    assert "14 rows and 4 columns" in text(at)


def test_several_questions_are_one_sheet_that_one_click_answers():
    rows = [f"p{i},{18 + 3 * i if i else ''},{1 + i % 5},{1 + i * 7 % 5},{1 + i * 3 % 4}" for i in range(12)]
    at = uploaded("\n".join(["name,Age,a,b,c", *rows, "q,40,~4,2,ca. 3", "r,41,ill,5,1"]).encode())
    said = text(at)
    assert all(part in said for part in ('"Age" holds', '"ill" is not a number', '"~4" is not a number'))
    assert "3 questions before your table is filled in" in said
    lines = at.dataframe[-1].value
    assert lines.to_numpy().tolist()[:2] == [["p0", "", "1", "1", "1"], ["p1", "21", "2", "3", "4"]]
    healthy(at.button(key="table_answer_all").click().run())
    assert "14 rows and 3 columns: 41 of 42 cells hold a rating" in text(at)
