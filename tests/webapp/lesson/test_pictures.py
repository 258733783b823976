"""The picture of a step holds back what would answer its question."""

from opened import healthy, no_data_sets, players, text  # noqa: F401  a fixture
from opened_lesson import lesson


def test_the_first_picture_asks_for_a_cell_and_then_holds_its_truth():
    at = lesson(lesson=1)
    [player] = players(at)
    asked = player["run"]["mark"]
    assert player["scene"] == "given" and asked["text"] == "?"
    row, col = player["run"]["rows"][asked["row"]], player["run"]["cols"][asked["col"]]
    assert f"What would {row} give to “{col}”?" in text(at)
    healthy(at.button(key="lesson-reveal").click().run())
    [player] = players(at)
    assert player["run"]["mark"] == asked | {"text": text(at).split("The answer: ")[1][0]}


def test_the_errors_of_mf_on_hidden_cells_are_held_back_until_the_answer():
    at = lesson(lesson=2)
    [player] = players(at)
    assert player["scene"] == "fit" and player["run"]["errors"]["hidden"] is None and not player["run"]["levels"]
    healthy(at.button(key="lesson-reveal").click().run())
    [player] = players(at)
    assert player["run"]["errors"]["hidden"] and player["run"]["levels"][0]["name"] == "the mean"
