"""The page Compare: which methods it lists, what it says of the best one, and its maps."""

import re

import pytest
from opened import PAGES, charts, healthy, no_data_sets, opened, players, text, with_file  # noqa: F401  a fixture

from metamf.checkpoints import bundled
from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp.explore import comparison

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def first():
    return healthy(opened(PAGES[1]))


def maps(at):
    """The data of the maps of the methods."""
    return next((player["run"] for player in players(at) if player["scene"] == "maps"), None)


def titles(at):
    return [one["title"] for one in maps(at)["maps"]]


def test_compare_lists_checkpoints_and_baselines_and_says_who_is_best(first):
    said = text(first)
    for name in (*bundled.usual_checkpoints(), "ml-1m-nmf"):
        assert checkpoint_title(name) in said
    assert "MetaMF," not in said and "Row and column effects" in said and "Computing" not in said
    assert "Average of the training tables" in said and "3.53 for every cell" in said
    assert re.search(r"off by \d\.\d\d", said) and "Gain over the average" in said


def test_the_model_alone_is_best_on_the_first_night(first):
    marks = re.findall(r'class="tag[^"]*">([^<]+)<', "".join(element.proto.body for element in first.get("html")))
    assert marks == ["best"]


def test_the_mean_of_the_training_tables_is_left_out_on_another_scale():
    assert "Average of the training tables" not in text(healthy(opened(PAGES[1], data="Jokes")))


def test_the_truth_the_model_and_the_best_simple_method_are_drawn_with_all_names(first):
    assert titles(first)[:2] == ["Truth", "Trained on film nights"] and titles(first)[-1] == "Matrix factorization"
    assert len(maps(first)["rows"]) == 20 and len(maps(first)["cols"]) == 12
    assert {(one["kind"], one["low"], one["high"]) for one in maps(first)["maps"]} == {("rating", 1, 5)}
    assert not charts(first)  # so that nothing of Plotly is loaded


def test_maps_show_what_methods_get_wrong_on_request():
    at = healthy(opened(PAGES[1], maps="errors"))
    assert titles(at)[0] == "Trained on film nights" and "Matrix factorization" in titles(at)
    assert {(one["kind"], one["below"], one["low"]) for one in maps(at)["maps"]} == {("signed", "too low", -2)}


def test_compare_offers_every_method_and_says_what_each_does():
    every = ["als", "knn", "soft_impute", "ft", "maml"]
    at = healthy(opened(PAGES[1]))
    healthy(at.button_group(key="methods").set_value([*comparison.AT_FIRST, *every]).run())
    said = text(at)
    for spec in comparison.BASELINES.values():
        assert spec.explanation in said
    assert len(titles(at)) == 4  # maps are drawn of those that are asked for


def test_the_engine_computes_slow_methods_and_their_answers_are_kept(straight_engine):
    at = healthy(opened(PAGES[1], seed=4711))
    assert straight_engine.called == []
    healthy(at.button_group(key="methods").set_value([*comparison.AT_FIRST, "knn", "iterative"]).run())
    healthy(at.run())
    assert straight_engine.called == ["of_baseline"] * 2


def test_compare_says_plainly_when_a_simple_method_wins(first):
    at = healthy(opened(PAGES[1], data="Hot or mild", keep=50, by="at random", model="ml-1m"))
    assert "The model loses here" in text(at)
    assert "The model loses here" not in text(first)


def test_without_the_checkpoints_in_whose_units_it_answers_a_method_is_left_out(monkeypatch, tmp_path):
    (tmp_path / "universal.safetensors").write_bytes(bundled.find_checkpoint("universal").read_bytes())
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    at = healthy(opened(PAGES[1]))
    assert "Row and column effects" in text(at) and "EML, trained" not in text(at)


def test_the_answer_is_that_of_explore():
    asked = {"data": "Old and new", "seed": 3, "model": "Universal"}
    said = [text(healthy(opened(page, **asked))) for page in PAGES]
    explore, compared = (re.search(r"off by (\d\.\d\d).*? by (\d\.\d\d)", one).groups() for one in said)
    assert explore == compared
    unclear = ["no clear difference" in one for one in said]
    assert unclear[0] == unclear[1]


@pytest.mark.parametrize(("model", "learned"), [("film-nights", True), ("universal", False)])
def test_only_a_model_that_learned_what_people_choose_to_rate_is_said_to_know_it(model, learned):
    assert ("other tables taught it" in text(healthy(opened(PAGES[0], model=model)))) == learned
