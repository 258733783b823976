"""The page "Paper": its tables, its switch, and results that are not there yet."""

import re
from html import unescape
from pathlib import Path

import pytest
from paper_rows import row, table
from streamlit.testing.v1 import AppTest

from metamf.baselines import METHODS
from metamf.reproduction import findings
from metamf.reproduction import numbers as paper
from metamf.webapp.paper import parts as paper_parts

APP = Path(__file__).resolve().parents[2] / "app.py"


def text_of(page):
    html = " ".join(element.proto.body for element in page.get("html"))
    return unescape(re.sub(r"<style.*?</style>|<[^>]+>", " ", html, flags=re.S))


@pytest.fixture(scope="module")
def page():
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    return page.switch_page("pages/paper.py").run()


def test_every_table_and_figure_is_there_with_its_command(page):
    assert not page.exception
    text = text_of(page)
    for number in paper_parts.NUMBERS:
        assert text.count(number) == 2, number  # in the contents, and above its section
    assert text.count("python -m benchmarks.paper") == len(paper_parts.NUMBERS)
    for spec in METHODS.values():
        assert spec.label in text
    assert "0.901 ± 0.033" not in text and "0.895 ± 0.033" in text  # Ours on ML-100K as a ratio to Mean


def test_the_switch_shows_absolute_errors(page):
    page.button_group(key="scale").set_value("absolute").run()
    assert not page.exception and "0.901 ± 0.033" in text_of(page)


def test_a_repository_without_results_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(paper, "RESULTS", tmp_path)
    paper_parts._rows.clear()
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    page.switch_page("pages/paper.py").run()
    paper_parts._rows.clear()
    assert not page.exception
    assert text_of(page).count(findings.NOT_MEASURED) == len(paper_parts.NUMBERS)


def test_results_that_are_still_being_made_are_shown_as_far_as_they_are_there(monkeypatch, tmp_path):
    monkeypatch.setattr(paper, "RESULTS", tmp_path)
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
        table(row(**ours, setting=setting)).to_csv(tmp_path / f"{name}.csv", index=False)
    ft = row("ft", 0, 0.9, preset="tuned", setting="rate=0.01 steps=0", support=0.9)
    table(ft).to_csv(tmp_path / "finetuning.csv", index=False)
    table(row("eml", 0, 0.9, preset="paper", setting="epochs=5")).to_csv(tmp_path / "epochs.csv", index=False)
    paper_parts._rows.clear()
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    page.switch_page("pages/paper.py").run()
    paper_parts._rows.clear()
    assert not page.exception
    text = text_of(page)
    assert "EML stays above the paper's" in text and "ours does not come as close" in text


def test_table_5_is_read_on_the_paper_s_ten_blocks(monkeypatch, tmp_path):
    monkeypatch.setattr(paper, "RESULTS", tmp_path)
    rows = table(row("autorec_i", 0, 0.6, setting="hidden=32"), row("autorec_i", 0, 0.7, setting="hidden=512"))
    rows.assign(query_mse_10=[0.345, 0.355], mean_query_mse_10=1.0).to_csv(tmp_path / "hidden.csv", index=False)
    paper_parts._rows.clear()
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    page.switch_page("pages/paper.py").run()
    paper_parts._rows.clear()
    assert not page.exception and "at most 2.9\N{NO-BREAK SPACE}%" in text_of(page)
