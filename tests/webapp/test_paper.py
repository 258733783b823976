"""The page Paper: every table and figure, missing results, and the cells of its tables."""

import pandas as pd
import pytest
from opened import charts, healthy, opened, text
from paper_rows import row, table

from metamf import reproduction
from metamf.webapp import paper
from metamf.webapp.paper import SECTIONS

PAGE, NAN = "pages/paper.py", float("nan")


@pytest.fixture
def results(monkeypatch, tmp_path):
    """The folder that the page reads its rows from, empty."""
    monkeypatch.setattr(reproduction, "RESULTS", tmp_path)
    return tmp_path


def all_open():
    page = healthy(opened(PAGE))
    return healthy(page.button_group(key="section").set_value(list(SECTIONS)).run())


def test_the_page_makes_one_claim_and_opens_one_table():
    page = healthy(opened(PAGE))
    assert paper.CLAIM in text(page)
    assert text(page).count("python -m benchmarks.paper") == 1 and len(charts(page)) == 3
    healthy(page.button_group(key="scale").set_value("absolute").run())
    assert "0.901 ± 0.033" in text(page)


def test_a_link_opens_its_sections_and_another_one_opens_on_top(results):
    page = healthy(opened(PAGE, section="Figure 5", preset="the paper's settings"))
    said = text(page)
    assert "The number of MAP steps" in said and "Error on the hidden ratings" not in said
    assert page.button_group(key="preset").value == "paper"
    healthy(page.button_group(key="section").set_value(["Table 1", "Figure 5", "Table 4"]).run())
    healthy(page.button_group(key="section").set_value(["Figure 5", "Table 4"]).run())
    assert text(page).index("The number of factors") < text(page).index("The number of MAP steps")


def test_every_table_and_figure_is_there_with_its_command():
    said = text(all_open())
    assert all(number in said for number in SECTIONS) and all(label in said for label in reproduction.LABELS.values())
    assert said.count("python -m benchmarks.paper") == len(SECTIONS)
    assert "0.901 ± 0.033" not in said and "0.895 ± 0.033" in said  # of MovieLens 100K as a ratio to Mean


def test_a_repository_without_results_says_so(results):
    assert text(all_open()).count(paper.NOT_MEASURED) == len(SECTIONS)


def test_table_5_is_read_on_the_paper_s_ten_blocks(results):
    rows = table(row("autorec_i", 0, 0.6, setting="hidden=32"), row("autorec_i", 0, 0.7, setting="hidden=512"))
    rows.assign(query_mse_10=[0.345, 0.355], mean_query_mse_10=1.0).to_csv(results / "hidden.csv", index=False)
    said = text(healthy(opened(PAGE, section="Table 5")))
    assert "0.345" in said and "0.600" not in said


def measured(mean=0.9, error=0.01, splits=5, paper=0.895, paper_error=0.033, distance=-0.4):
    """A row of a table, as ``with_printed`` gives it."""
    values = {"data": "jester", "method": "ours", "mean": mean, "standard_error": error, "splits": splits}
    return pd.Series(values | {"paper": paper, "paper_error": paper_error, "distance": distance})


def test_a_measured_number_has_its_splits_and_the_paper_s_the_distance():
    ours, theirs = paper.pair(measured())
    assert ours == "0.900 ± 0.010<small>5 splits</small>"
    assert theirs.startswith("0.895 ± 0.033<small>") and theirs.endswith("0.4 s.e.</small>")
    assert paper.pair(measured(), bold=True)[0].startswith("<b>0.900 ± 0.010</b>")
    ours, theirs = paper.pair(measured(error=NAN, splits=1))
    assert ours == "0.900<small>1 split</small>" and theirs == "0.895 ± 0.033"
    nothing = paper.pair(measured(mean=NAN, splits=0, paper=NAN, distance=NAN))
    assert nothing == ["<small>not measured yet</small>", ""]


def test_numbers_that_cannot_be_told_from_the_best_are_bold(monkeypatch):
    drawn = []
    monkeypatch.setattr(paper.st, "html", drawn.append)
    rows = [{**measured(), "data": data} for data in paper.DATA]
    best = pd.DataFrame({"best": [True]}, index=pd.MultiIndex.from_tuples([(next(iter(paper.DATA)), "ours")]))
    paper.all_numbers("Table 1", pd.DataFrame(rows), {"ours": "MetaMF", "mf": "MF"}, "method", best)
    html = drawn[1]  # after the sentence
    assert html.count("<b>") == 1 and html.count("class=best") == 1
    assert html.count("not measured yet") == len(paper.DATA)  # MF, of which there is no row
