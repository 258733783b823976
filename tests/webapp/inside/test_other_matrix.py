"""Another matrix, an example or pasted, answered by the same checkpoint."""

import pytest
from opened import healthy, no_data_sets, opened, players, text, tiles  # noqa: F401  a fixture

from metamf.webapp.inside import beside_mf

PAGE, SECTION = "pages/inside.py", "No shared rows or columns"


def test_another_matrix_is_answered_by_the_same_numbers():
    at = healthy(opened(PAGE, experiment=SECTION, change="Another matrix", other="Jokes"))
    assert "fill in 24 × 20 cells at once" in text(at) and "480 others" not in text(at)
    [player] = players(at)
    assert [player["run"]["n"], player["run"]["m"]] == [24, 20]
    titles = ["Given", "Its answer", "Shuffled and back", "MF's answer", "MF, shuffled and back", "What MF changed"]
    assert [one["title"] for one in player["run"]["maps"]] == titles
    healthy(at.selectbox(key="other").set_value("Pasted cells").run())
    assert "fill in 4 × 3 cells at once" in text(at)
    healthy(at.text_area(key="pasted").set_value("1\t2\n3\t\n").run())
    assert "fill in 2 × 2 cells at once" in text(at)
    healthy(at.text_area(key="pasted").set_value("no table").run())
    assert "The cells cannot be read" in text(at) and not players(at)


def test_mf_starts_again_on_the_other_matrix_and_its_change_is_a_number():
    at = healthy(opened(PAGE, experiment=SECTION, change="Another matrix", other="Pasted cells"))
    found = tiles(at)
    assert found["MovieLens 1M"].endswith(("⁻⁷", "⁻⁶")) and float(found["MF"]) > 0.1 < float(found["MF, another seed"])
    assert f"changes its mind by up to {found['MF']} where the matrix is shuffled" in text(at)
    maps = {one["title"]: one for one in players(at)[0]["run"]["maps"]}
    assert maps["What MF changed"]["high"] == pytest.approx(float(found["MF"]), rel=0.05)
    assert maps["MF's answer"]["values"] != maps["MF, shuffled and back"]["values"]


def test_a_matrix_that_is_too_large_for_mf_is_answered_by_the_model_alone(monkeypatch):
    monkeypatch.setattr(beside_mf, "LARGEST_OF_MF", 3)
    cells = "1\t2\t3\n3\t\t1\n"
    at = healthy(opened(PAGE, experiment=SECTION, change="Another matrix", other="Pasted cells", pasted=cells))
    assert list(tiles(at)) == ["MovieLens 1M", "Its prior alone"] and "others, too long to wait for." in text(at)
    assert len(players(at)[0]["run"]["maps"]) == 3


def test_names_from_outside_stay_text():
    at = opened(PAGE, experiment=SECTION, change="Another matrix", other="Pasted cells")
    healthy(at.text_area(key="pasted").set_value("\t<b>x</b>\t<i>y</i>\n<u>r</u>\t1\t2\nq\t3\t\n").run())
    raw = " ".join(element.proto.body for element in at.get("html"))
    assert "&lt;u&gt;r&lt;/u&gt;" in raw and "<u>r</u>" not in raw
