"""The sections of the page Paper: every table and figure, and results that are not there yet."""

import pytest
from opened import charts, healthy, opened, text
from paper_rows import row, table

from metamf.reproduction import findings
from metamf.reproduction import numbers as paper
from metamf.webapp.paper import parts

PAGE = "pages/paper.py"


@pytest.fixture
def results(monkeypatch, tmp_path):
    """The folder that the page reads its rows from, empty."""
    monkeypatch.setattr(paper, "RESULTS", tmp_path)
    parts._rows.clear()
    yield tmp_path
    parts._rows.clear()


def all_open():
    """The page with all of its sections unfolded."""
    page = healthy(opened(PAGE))
    return healthy(page.button_group(key="section").set_value(list(parts.NUMBERS)).run())


def test_the_page_makes_one_claim_and_opens_one_table():
    page = healthy(opened(PAGE))
    said = text(page)
    assert findings.claim(paper.measured("table1"), paper.Measure()) in said
    assert said.count("python -m benchmarks.paper") == 1 and len(charts(page)) == 3
    assert "Ours has" not in said and "half of whose ratings are given" in said


def test_a_link_opens_its_sections_and_the_settings_of_older_links(results):
    page = healthy(opened(PAGE, section="Figure 5", preset="preset paper"))
    said = text(page)
    assert "The number of MAP steps" in said and "Error on the ratings that were not given" not in said
    assert page.button_group(key="preset").value == "paper"


def test_every_table_and_figure_is_there_with_its_command():
    said = text(all_open())
    for number in parts.NUMBERS:
        assert said.count(number) >= 1, number
    assert said.count("python -m benchmarks.paper") == len(parts.NUMBERS)
    for label in findings.LABELS.values():
        assert label in said
    assert "0.901 ± 0.033" not in said and "0.895 ± 0.033" in said  # of MovieLens 100K as a ratio to Mean


def test_a_repository_without_results_says_so(results):
    assert text(all_open()).count(findings.NOT_MEASURED) == len(parts.NUMBERS) + 1  # and the claim


def test_results_that_are_still_being_made_are_shown_as_far_as_they_are_there(results):
    ours = {"method": "ours", "preset": "tuned", "split": 0, "query": 0.8}
    settings = {
        "steps": "steps=10",
        "ranks": "K=8",
        "sizes": "tested=30",
        "training_sizes": "trained=30 tested=30",
        "combinations": "trained=jester",
        "table1": "",
    }
    for name, setting in settings.items():
        table(row(**ours, setting=setting)).to_csv(results / f"{name}.csv", index=False)
    ft = row("ft", 0, 0.9, preset="tuned", setting="rate=0.01 steps=0", support=0.9)
    table(ft).to_csv(results / "finetuning.csv", index=False)
    table(row("eml", 0, 0.9, preset="paper", setting="epochs=5")).to_csv(results / "epochs.csv", index=False)
    said = text(all_open())
    assert "EML stays above the paper's" in said and "ours does not come as close" in said


def test_table_5_is_read_on_the_paper_s_ten_blocks(results):
    rows = table(row("autorec_i", 0, 0.6, setting="hidden=32"), row("autorec_i", 0, 0.7, setting="hidden=512"))
    rows.assign(query_mse_10=[0.345, 0.355], mean_query_mse_10=1.0).to_csv(results / "hidden.csv", index=False)
    assert "at most 2.9\N{NO-BREAK SPACE}%" in text(healthy(opened(PAGE, section="Table 5")))
