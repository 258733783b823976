"""No shared rows or columns: a shuffled, halved, doubled or other matrix, answered by the model and by MF."""

from types import SimpleNamespace

import pytest
from opened import charts, healthy, no_data_sets, opened, players, text, tiles  # noqa: F401  a fixture

from metamf.webapp.inside import symmetry
from metamf.webapp.inside.symmetry import answer

PAGE, SECTION = "pages/inside.py", "No shared rows or columns"


def compared(largest, largest_of_prior=None):
    return SimpleNamespace(largest=largest, largest_of_prior=largest_of_prior)


@pytest.mark.parametrize(
    ("what", "ours", "mf", "said"),
    [
        ("Shuffle rows", compared(2e-7), compared(0.8), ["No, every row gets the same answer", "by up to 0.8."]),
        ("Shuffle both", compared(0.2), None, ["differ by up to 0.2, so this checkpoint breaks the symmetry."]),
        ("Shuffle columns", compared(0.0), compared(1e-5), ["MF", "finds the same answer"]),
        ("Halve", compared(0.4), None, ["Yes, they change by up to 0.4.", "Half of the rows"]),
        ("Every row twice", compared(0.3, 1e-6), None, ["The prior stays the same", "changes by up to 0.3"]),
        ("Every row twice", compared(0.3, 0.1), None, ["by up to 0.3", "how many ratings a column has"]),
    ],
)
def test_an_answer_tells_whether_it_changes_by_how_much_and_why(what, ours, mf, said):
    sentence = answer(what, ours, mf)
    assert all(part in sentence for part in said), sentence
    assert ("MF" in sentence) == (mf is not None)


def test_a_shuffle_leaves_the_answer_and_mf_starts_again():
    at = healthy(opened(PAGE, experiment=SECTION))
    assert len(players(at)) == 6 and not charts(at)
    before, after, back = (player["run"] for player in players(at)[:3])
    assert before["maps"][0]["values"] != after["maps"][0]["values"] and before["rows"] != after["rows"]
    assert before["rows"] == back["rows"] and sorted(after["rows"]) == sorted(before["rows"])
    found = tiles(at)
    assert found["MovieLens 1M"].endswith(("⁻⁷", "⁻⁶")) and found["Its prior alone"].endswith(("⁻⁷", "⁻⁶", "⁻⁸"))
    assert float(found["MF"]) > 0.1 and float(found["MF, another seed"]) > 0.1
    assert "No, every row gets the same answer" in text(at) and "MF, trained again" in text(at)
    other = healthy(at.number_input(key="shuffle").set_value(2).run())
    assert tiles(other) != found


def test_a_wide_matrix_has_the_model_beside_mf():
    at = healthy(opened(PAGE, experiment=SECTION, data="Jokes", model="Jester"))
    titles = [player["run"]["maps"][0]["title"] for player in players(at)]
    assert titles[:2] == ["Jester", "MF"] and titles[-2:] == ["Jester, shuffled back", "MF, shuffled back"]


def test_another_matrix_is_answered_by_the_same_numbers():
    at = healthy(opened(PAGE, experiment=SECTION, change="Another matrix", other="Jokes"))
    assert "fill in 24 × 20 cells at once" in text(at)
    [player] = players(at)
    assert [player["run"]["n"], player["run"]["m"]] == [24, 20]
    titles = ["Given", "Its answer", "Shuffled and back", "MF's answer", "MF, shuffled and back", "What MF changed"]
    assert [one["title"] for one in player["run"]["maps"]] == titles
    healthy(at.selectbox(key="other").set_value("Pasted cells").run())
    assert "fill in 4 × 3 cells at once" in text(at)
    found = tiles(at)
    assert found["MovieLens 1M"].endswith(("⁻⁷", "⁻⁶")) and float(found["MF"]) > 0.1 < float(found["MF, another seed"])
    assert f"its answers change by up to {found['MF']}" in text(at)
    maps = {one["title"]: one for one in players(at)[0]["run"]["maps"]}
    assert maps["What MF changed"]["high"] == pytest.approx(float(found["MF"]), rel=0.05)
    healthy(at.text_area(key="pasted").set_value("no table").run())
    assert "The cells cannot be read" in text(at) and not players(at)
    healthy(at.text_area(key="pasted").set_value("\t<b>x</b>\t<i>y</i>\n<u>r</u>\t1\t2\nq\t3\t\n").run())
    raw = " ".join(element.proto.body for element in at.get("html"))
    assert (
        "<u>r</u>" not in raw
        and players(at)[0]["run"]["rows"] == ["<u>r</u>", "q"]
        and "fill in 2 × 2 cells at once" in text(at)
    )


def test_a_matrix_that_is_too_large_for_mf_is_answered_by_the_model_alone(monkeypatch):
    monkeypatch.setattr(symmetry, "LARGEST_OF_MF", 3)
    cells = "1\t2\t3\n3\t\t1\n"
    at = healthy(opened(PAGE, experiment=SECTION, change="Another matrix", other="Pasted cells", pasted=cells))
    assert list(tiles(at)) == ["MovieLens 1M", "Its prior alone"] and "too long to wait for." in text(at)
    assert len(players(at)[0]["run"]["maps"]) == 3
