"""What the sections of the page Paper are made of: the switches, and the cells of its tables."""

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from opened import healthy, opened, text

from metamf.reproduction import numbers as paper
from metamf.reproduction.numbers import Measure
from metamf.webapp.paper import parts

NAN = float("nan")


def measured(mean=0.9, error=0.01, splits=5, paper=0.895, paper_error=0.033, distance=-0.4):
    """A row of a table, as ``with_printed`` gives it."""
    values = {"data": "jester", "method": "ours", "mean": mean, "standard_error": error, "splits": splits}
    return pd.Series(values | {"paper": paper, "paper_error": paper_error, "distance": distance})


@pytest.fixture
def drawn(monkeypatch):
    """The HTML that is drawn."""
    bodies = []
    monkeypatch.setattr(parts.st, "html", bodies.append)
    return bodies


def test_the_switch_shows_absolute_errors():
    page = healthy(opened("pages/paper.py"))
    healthy(page.button_group(key="scale").set_value("absolute").run())
    assert "0.901 ± 0.033" in text(page)


def test_an_error_is_written_with_its_standard_error_where_there_is_one():
    assert parts.with_error(0.89512, 0.0329) == "0.895 ± 0.033"
    assert parts.with_error(0.89512, NAN) == "0.895"


def test_a_measured_number_stands_beside_the_papers_with_splits_and_distance():
    ours, theirs = parts.pair(measured())
    assert ours == "0.900 ± 0.010<small>5 splits</small>"
    assert theirs.startswith("0.895 ± 0.033<small>") and theirs.endswith("0.4 s.e.</small>")
    assert parts.pair(measured(), bold=True)[0].startswith("<b>0.900 ± 0.010</b>")


def test_one_split_has_no_distance_and_none_says_so():
    ours, theirs = parts.pair(measured(error=NAN, splits=1))
    assert ours == "0.900<small>1 split</small>" and theirs == "0.895 ± 0.033"
    assert parts.pair(measured(mean=NAN, splits=0, paper=NAN, distance=NAN)) == [
        "<small>not measured yet</small>",
        "",
    ]


@pytest.mark.parametrize("splits, said", [([], "not measured yet"), ([1], "1 split"), ([3, 5], "3 to 5 splits")])
def test_the_number_of_splits_is_said_with_its_range(splits, said):
    assert parts.number_of_splits(pd.Series(splits, dtype=int)) == said


def test_a_heading_is_text_and_has_a_place_in_the_page(drawn):
    for number in parts.NUMBERS:
        parts.heading(number, "<title>")
    for number, section in zip(parts.NUMBERS, drawn):
        assert f'id="{parts.anchor(number)}"' in section and "&lt;title&gt;" in section


def test_what_the_best_cannot_be_told_from_is_bold(drawn):
    rows = [{**measured(), "data": data} for data in parts.DATA]
    tests = pd.DataFrame({"best": [True]}, index=pd.MultiIndex.from_tuples([(next(iter(parts.DATA)), "ours")]))
    parts.beside_table(pd.DataFrame(rows), {"ours": "MetaMF", "mf": "MF"}, "method", tests)
    [html] = drawn
    assert html.count("<b>") == 1 and html.count("class=best") == 1
    assert html.count("not measured yet") == len(parts.DATA)  # MF, of which there is no row


def test_no_figure_is_drawn_of_a_table_without_a_number(monkeypatch):
    drawn = []
    monkeypatch.setattr(parts.look, "figure", lambda *figure: drawn.append(figure))
    empty = pd.DataFrame({"mean": [NAN], "paper": [NAN], "splits": [0]})
    one = empty.assign(mean=0.9, splits=2)
    names = list(parts.DATA)
    parts.panels({name: empty for name in names}, lambda data, table: (data, data, data))
    assert not drawn
    parts.panels({names[0]: empty, names[1]: one}, lambda data, table: (data, data, data))
    assert drawn == [(names[1],) * 3] and np.isnan(empty["mean"]).all()


def test_what_follows_from_the_rows_is_found_once_for_all_visitors_and_again_when_the_file_has_changed(
    monkeypatch, tmp_path
):
    path, calls = tmp_path / "table1.csv", []
    path.write_bytes(paper.results_file("table1.csv").read_bytes())
    monkeypatch.setattr(paper, "results_file", lambda name: path)

    def count_them(rows, choice):
        calls.append(choice)
        return len(rows)

    tuned, absolute = Measure(), replace(Measure(), ratio=not Measure().ratio)
    found = [parts.found_in("table1", count_them, choice) for choice in (tuned, tuned, absolute)]
    assert len(set(found)) == 1 and found[0] > 100 and calls == [tuned, absolute]
    os.utime(path, ns=(1, 1))
    parts.found_in("table1", count_them, tuned)
    assert len(calls) == 3
