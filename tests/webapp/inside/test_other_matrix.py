"""Another matrix, an example or pasted, answered by the same checkpoint."""

from opened import healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture

PAGE, SECTION = "pages/inside.py", "No shared rows or columns"


def test_another_matrix_is_answered_by_the_same_numbers():
    at = healthy(opened(PAGE, experiment=SECTION, change="Another matrix", other="Jokes"))
    assert "fill in 24 × 20 cells at once" in text(at) and "480 others" not in text(at)
    [player] = players(at)
    assert [len(player["run"]["maps"]), player["run"]["n"], player["run"]["m"]] == [3, 24, 20]
    healthy(at.selectbox(key="other").set_value("Pasted cells").run())
    assert "fill in 4 × 3 cells at once" in text(at)
    healthy(at.text_area(key="pasted").set_value("1\t2\n3\t\n").run())
    assert "fill in 2 × 2 cells at once" in text(at)
    healthy(at.text_area(key="pasted").set_value("no table").run())
    assert "The cells cannot be read" in text(at) and not players(at)


def test_names_from_outside_stay_text():
    at = opened(PAGE, experiment=SECTION, change="Another matrix", other="Pasted cells")
    healthy(at.text_area(key="pasted").set_value("\t<b>x</b>\t<i>y</i>\n<u>r</u>\t1\t2\nq\t3\t\n").run())
    raw = " ".join(element.proto.body for element in at.get("html"))
    assert "&lt;u&gt;r&lt;/u&gt;" in raw and "<u>r</u>" not in raw
