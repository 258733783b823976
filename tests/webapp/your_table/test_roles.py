"""What the columns are: shown, asked about where in doubt, and changed by one click."""

import numpy as np
import peoples_files as files
from opened import healthy, text
from your_table import file, keys, small_world, uploaded  # noqa: F401  a fixture


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
    assert "Timestamp: dates or times" in labels and "Age: you said so" in labels
    _, content = file(at, "csv")
    assert content.splitlines()[0] == files.form().splitlines()[0] and b"p0@example.org" in content
    healthy(pills.set_value([*pills.value, 3]).run())  # the age is pressed: it holds ratings after all
    assert "12 rows and 13 columns" in text(at)


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
    assert "8 rows and 5 columns" in text(at) and "Line 10 is left alone: the average of the other rows" in text(at)
    healthy(at.button(key="table_row_10").click().run())
    assert "9 rows and 5 columns" in text(at)


def test_the_columns_of_an_ordinary_table_can_be_left_alone_too():
    at = uploaded(b"name,a,b,c\nAda,1,2,\nBen,4,,3\nCleo,5,1,2\n")
    assert "What the columns are" not in text(at)
    healthy(at.button(key="table_say_roles").click().run())
    pills = next(group for group in at.get("button_group") if "pills" in group.key)
    healthy(pills.set_value(pills.value[:-1]).run())
    assert "3 rows and 2 columns" in text(at) and "What the columns are" in text(at)


def test_two_odd_columns_are_left_alone_by_one_click():
    marks = np.random.default_rng(0).integers(40, 99, (14, 4))
    lines = [f"p{i},{1 + i % 3},{18 + i % 6}," + ",".join(map(str, marks[i])) for i in range(13)]
    lines.append("p13,,," + ",".join(map(str, marks[13])))
    at = uploaded("\n".join(["name,Group,Age,Quiz,Lab,Essay,Exam", *lines]).encode())
    assert at.button(key="table_doubt_all").label == "Leave both columns alone"
    healthy(at.button(key="table_doubt_all").click().run())
    assert "14 rows and 4 columns" in text(at)
