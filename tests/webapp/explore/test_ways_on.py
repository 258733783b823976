"""The way from a matrix page to Your table, for what a visitor brought."""

import io

import numpy as np
import pandas as pd
import pytest
from opened import PAGES, healthy, no_data_sets, opened, text, with_file  # noqa: F401  a fixture

from metamf.figures.window import Window
from metamf.tables.limits import Limits
from metamf.webapp.explore import choices, exports
from metamf.webapp.explore.choices import DEFAULT, GRID
from metamf.webapp.explore.view import PageView, RunKey

pytestmark = pytest.mark.slow


def offer(at):
    [button] = [button for button in at.button if button.label.startswith("Take ")]
    return button


def links(at):
    return [link.proto.page for link in at.get("page_link") if link.proto.label.startswith("Fill in every missing")]


def test_a_typed_grid_is_taken_there_too():
    at = opened(data=GRID)
    assert links(at) == ["your_table"]
    healthy(at.switch_page("pages/your_table.py").run())
    assert not [button for button in at.button if button.label.startswith("Take ")]  # the example, untouched
    healthy(at.switch_page(PAGES[0]).run())
    desk = at.session_state.grid_desk
    *others, last = desk.sheet.lines
    desk.take([*others, ["Eve", *last[1:]]])
    healthy(at.switch_page("pages/your_table.py").run())
    healthy(offer(at).click().run())
    assert "grid.csv" in text(at) and "5 rows and 4 columns: 14 of 20 cells hold a rating" in text(at)


def test_there_is_no_way_there_for_what_is_nobodys_own_or_too_large(monkeypatch):
    assert not links(opened())
    monkeypatch.setattr(exports, "WEB", Limits(matrix=8))
    assert not links(with_file("film;Ann;Bo;Cy\nA;4,5;;3\nB;1;2;\nC;;5;4\n"))


def test_a_run_as_a_table_has_what_is_given_and_estimates_elsewhere():
    matrix = choices.example("Film night")
    key = RunKey(matrix.digest, DEFAULT.keep, DEFAULT.by, DEFAULT.seed, DEFAULT.model, DEFAULT.steps)
    view = PageView(key, matrix, Window.of(matrix.ratings.shape))
    run = view.run
    frame = pd.read_csv(io.BytesIO(exports.as_table(view)), index_col=0)
    assert list(frame.index) == list(run.task.given.row_labels) and list(frame) == list(run.task.given.col_labels)
    given = run.task.given.to_dense()
    expected = np.where(np.isnan(given), run.answer.mean, given)
    assert np.allclose(frame.to_numpy(), expected, rtol=1e-4)
