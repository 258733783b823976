"""The page Fill in: what stands on it at first, and what the browser is given to draw it."""

from opened import charts, healthy, no_data_sets, opened, players, shown_run, text  # noqa: F401  a fixture


def test_the_first_page_opens_with_the_papers_model_and_no_figure_of_plotly():
    at = healthy(opened())
    assert "56 of 280 cells" in text(at) and "typical error (RMSE) of" in text(at)
    [player] = players(at)
    assert player["scene"] == "fill" and player["asks"] == ["edit", "lean"]
    run = player["run"]
    assert run["model"]["kind"] == "paper" and run["T"] == 10 and (run["n"], run["m"]) == (20, 14)
    assert not charts(at)


def test_a_step_is_nothing_that_the_server_knows():
    at = healthy(opened(t=3))
    assert shown_run(at) == shown_run(opened())
    assert not [element for element in at.main if element.type in ("slider", "button")]


def test_the_run_can_be_taken_away_as_a_page_as_a_notebook_and_as_a_table():
    at = healthy(opened())
    assert [button.proto.label for button in at.get("download_button")] == [
        "Save this run",
        "As a notebook",
        "As a table",
    ]
    assert not any(button.proto.disabled for button in at.get("download_button"))
    at = healthy(opened(data="Full house"))  # 60,000 cells
    assert [button.proto.disabled for button in at.get("download_button")] == [False, True, True]
