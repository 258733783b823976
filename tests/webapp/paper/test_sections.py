"""The sections of the page Paper: every table and figure, and results that are not there yet."""

import pytest
from opened import healthy, opened, text
from paper_rows import row, table

from metamf.baselines import METHODS
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


def test_every_table_and_figure_is_there_with_its_command():
    said = text(healthy(opened(PAGE)))
    for number in parts.NUMBERS:
        assert said.count(number) == 2, number  # in the contents, and above its section
    assert said.count("python -m benchmarks.paper") == len(parts.NUMBERS)
    for spec in METHODS.values():
        assert spec.label in said
    assert "0.901 ± 0.033" not in said and "0.895 ± 0.033" in said  # Ours on ML-100K as a ratio to Mean


def test_a_repository_without_results_says_so(results):
    assert text(healthy(opened(PAGE))).count(findings.NOT_MEASURED) == len(parts.NUMBERS)


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
    said = text(healthy(opened(PAGE)))
    assert "EML stays above the paper's" in said and "ours does not come as close" in said


def test_table_5_is_read_on_the_paper_s_ten_blocks(results):
    rows = table(row("autorec_i", 0, 0.6, setting="hidden=32"), row("autorec_i", 0, 0.7, setting="hidden=512"))
    rows.assign(query_mse_10=[0.345, 0.355], mean_query_mse_10=1.0).to_csv(results / "hidden.csv", index=False)
    assert "at most 2.9\N{NO-BREAK SPACE}%" in text(healthy(opened(PAGE)))
