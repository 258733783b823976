"""The section on shared rows and columns: what it says and draws of a shuffled, halved or doubled matrix."""

import pytest
from opened import charts, healthy, no_data_sets, opened, players, text, tiles  # noqa: F401  a fixture

PAGE, SECTION = "pages/inside.py", "No shared rows or columns"


def rows_drawn(at):
    """How many rows each map has."""
    return [player["run"]["n"] for player in players(at)]


def test_a_shuffle_leaves_the_answer_and_mf_starts_again():
    at = healthy(opened(PAGE, experiment=SECTION))
    assert len(players(at)) == 6 and not charts(at)
    before, after, back = (player["run"] for player in players(at)[:3])
    assert before["maps"][0]["values"] != after["maps"][0]["values"] and before["rows"] != after["rows"]
    assert before["rows"] == back["rows"] and sorted(after["rows"]) == sorted(before["rows"])
    found = tiles(at)
    assert found["MovieLens 1M"].endswith(("⁻⁷", "⁻⁶")) and found["Its prior alone"].endswith(("⁻⁷", "⁻⁶", "⁻⁸"))
    assert float(found["MF"]) > 0.1 and float(found["MF, another seed"]) > 0.1
    assert "No: everybody gets the same answer" in text(at) and "MF, trained again" in text(at)
    assert "A permutation must leave the answer as it is" in text(at)
    other = healthy(at.number_input(key="shuffle").set_value(2).run())
    assert tiles(other) != found


def test_a_wide_matrix_has_two_maps_in_a_row_the_model_beside_mf():
    at = healthy(opened(PAGE, experiment=SECTION, data="Jokes", model="Jester"))
    titles = [player["run"]["maps"][0]["title"] for player in players(at)]
    assert titles[:2] == ["Jester", "MF"] and titles[-2:] == ["Jester, shuffled back", "MF, shuffled back"]
    assert len(at.columns) % 2 == 0 and {round(one.weight, 2) for one in at.columns} == {0.5}


@pytest.mark.parametrize("model", ["MovieLens 1M", "Universal"])
def test_halves_and_doubles_may_change_the_answer_and_why_is_said(model):
    at = healthy(opened(PAGE, experiment=SECTION, change="Halve", model=model))
    assert "whose averages are others" in text(at) and float(tiles(at)[model]) > 0.05
    assert rows_drawn(at) == [20, 10, 20, 20, 10, 20]
    at = healthy(at.button_group(key="change").set_value("Every row twice").run())
    said = text(at)
    assert rows_drawn(at) == [20, 40, 20, 20, 40, 20]
    if model == "Universal":
        assert "how many ratings a column has" in said and float(tiles(at)["Its prior alone"]) > 1e-3
    else:
        assert "The prior stays as it is" in said and tiles(at)["Its prior alone"].endswith(("⁻⁷", "⁻⁶"))
    assert float(tiles(at)[model]) > 1e-3
