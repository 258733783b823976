"""The page Compare: which methods it lists, what it says of the best one, and its maps."""

import re
from html import unescape

import pytest
from opened import PAGES, charts, healthy, html, opened, players, text

from metamf.answer.methods import label_of
from metamf.checkpoints import bundled
from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp.run import comparison

pytestmark = pytest.mark.slow


def compare(**query):
    return healthy(opened(PAGES[1], **query))


@pytest.fixture(scope="module")
def first():
    return compare()


def maps(at):
    """The data of the maps of the methods."""
    [run] = [player["run"] for player in players(at) if player["scene"] == "maps"]
    return run


def rows(at):
    """The names of the methods in the table."""
    return re.findall(r'<th scope="row">([^<]+)', html(at))


def test_compare_has_four_methods_at_first_of_which_the_model_alone_is_best(first):
    names = rows(first)
    assert len(names) == 4
    assert names[0] == "Trained on film nights"
    assert {"Matrix factorization", "Average of the known ratings"} <= set(names)
    assert re.search(r"off by \d\.\d\d", text(first))
    assert re.findall(r'class="tag[^"]*">([^<]+)<', html(first)) == ["best"]


def test_all_methods_are_one_click_away_and_say_what_they_do():
    every = compare(all="true")
    said = text(every)
    names = rows(every)
    assert {checkpoint_title(name) for name in bundled.usual_checkpoints()} <= set(names)
    assert len(names) > 20
    assert "Computing" not in said
    assert "3.53 for every cell" in said  # the mean of the training tables
    for key, spec in comparison.BASELINES.items():
        if key != "mf":  # which says its settings
            assert spec.explanation in said


def test_the_truth_the_model_and_the_best_simple_method_are_drawn_with_all_names_or_the_errors(
    first,
):
    found = maps(first)
    assert [one["title"] for one in found["maps"]][:2] == ["Truth", "Trained on film nights"]
    assert (len(found["rows"]), len(found["cols"])) == (20, 12)
    assert {(one["kind"], one["low"], one["high"]) for one in found["maps"]} == {("rating", 1, 5)}
    assert not charts(first)  # so that nothing of Plotly is loaded
    drawn = maps(compare(maps="errors"))["maps"]
    assert {(one["kind"], one["below"], one["low"]) for one in drawn} == {("signed", "too low", -2)}


@pytest.mark.parametrize(
    ("model", "learned"), [("Trained on film nights", True), ("Universal", False)]
)
def test_only_a_model_that_learned_what_people_choose_to_rate_is_said_to_know_it(model, learned):
    said = text(healthy(opened(PAGES[0], model=model, by="what people like")))
    assert ("other tables taught the model that" in said) == learned


def test_one_click_on_explore_leads_to_the_papers_setting():
    at = healthy(opened())
    healthy(at.button(key="paper_setting").click().run())
    said = text(at)
    for key in comparison.TABLE_1:
        assert label_of(key) in said, key
    called = "The paper's network in another size, trained on film nights"
    assert called in map(unescape, rows(at))
    assert "best simple method" not in said
    assert "EML, trained on film nights" in said
