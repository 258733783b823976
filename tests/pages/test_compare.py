"""The page Compare: which methods it lists, what it says of the best one, its maps, and MF step by step."""

import json
import re

import pytest
from opened import PAGES, charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

import metamf
from metamf.checkpoints import bundled
from metamf.checkpoints.bundled import checkpoint_title
from metamf.tasks import comparison


@pytest.fixture(scope="module")
def first():
    return healthy(opened(PAGES[2]))


def drawn(at):
    return {re.sub(r".*-(map|mf)-", r"\1-", chart.proto.id): chart.proto for chart in charts(at)}


def test_compare_lists_checkpoints_and_baselines_and_says_who_is_best(first):
    said = text(first)
    for name in metamf.list_pretrained():
        assert checkpoint_title(name) in said
    assert "MetaMF," not in said and "Crossed random effects" in said and "is computing" not in said
    assert re.search(r" has the smallest error, \d\.\d\d", said)
    assert "best" in said and "Gain over the mean" in said


def test_the_truth_the_model_and_the_best_simple_method_are_drawn_with_all_names(first):
    maps = [name for name in drawn(first) if name.startswith("map-")]
    assert maps == ["map-truth", "map-ratings-MovieLens 1M", "map-ratings-Crossed random effects"]
    for name in maps:
        layout = json.loads(drawn(first)[name].spec)["layout"]
        assert len(layout["xaxis"]["ticktext"]) == 14 and len(layout["yaxis"]["ticktext"]) == 20
        assert layout["xaxis"]["showticklabels"] and layout["yaxis"]["showticklabels"]
    assert all(chart.proto.alt for chart in charts(first))


def test_maps_show_what_methods_get_wrong_on_request():
    at = healthy(opened(PAGES[2], maps="what they get wrong"))
    names = [name for name in drawn(at) if name.startswith("map-")]
    assert names == ["map-errors-MovieLens 1M", "map-errors-Crossed random effects"] and "too low" in text(at)


def test_compare_offers_every_method_and_says_what_each_does():
    every = ["als", "knn", "soft_impute", "ft", "maml"]
    at = healthy(opened(PAGES[2]))
    healthy(at.button_group(key="methods").set_value([*comparison.AT_FIRST, *every]).run())
    said = text(at)
    for spec in comparison.BASELINES.values():
        assert spec.explanation in said
    assert len(charts(at)) == 6  # maps are drawn of those that are asked for


def test_compare_says_plainly_when_a_simple_method_wins():
    at = healthy(opened(PAGES[2], data="Two tastes"))
    assert "A simple method wins here: MF" in text(at)
    assert re.search(r"MF has the smallest error, 0\.\d\d: \d\d\s±\s\d\s% less than Universal", text(at))
    at = healthy(opened(PAGES[2], data="Popular few"))
    assert "A simple method wins here" not in text(at)


def test_mf_fits_the_given_cells_and_loses_the_hidden_ones():
    at = healthy(opened(PAGES[2], mf="mine"))
    assert at.slider(key="mf_rank").value == 8 and at.select_slider(key="mf_penalty").value == 0
    said = text(at)
    found = re.search(
        r"on the given cells from [\d.]+ to ([\d.]+); .* smallest at step (\d+) \(([\d.]+)\) and ends at", said
    )
    assert float(found[1]) < 0.2 < 1 < float(found[3]) and int(found[2]) < 100 and "by heart" in said
    healthy(at.select_slider(key="mf_penalty").set_value(30.0).run())
    assert "With this penalty MF is the mean" in text(at) and "by heart" not in text(at)
    assert {"mf-curves", "mf-map", "mf-error"} <= drawn(at).keys()


def test_mf_finds_what_one_factor_says_from_every_start():
    for start in ("random", "almost zero", "column means"):
        at = healthy(opened(PAGES[2], data="Hot or mild", mf_start=start))
        found = re.search(r"with 1 factor bring .* on the hidden cells from ([\d.]+) to ([\d.]+) \(", text(at))
        assert float(found[1]) > 1 > 0.7 > float(found[2]), start


def test_without_the_checkpoints_in_whose_units_it_answers_a_method_is_left_out(monkeypatch, tmp_path):
    (tmp_path / "universal.safetensors").write_bytes(bundled.find_checkpoint("universal").read_bytes())
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    at = healthy(opened(PAGES[2]))
    assert "Crossed random effects" in text(at) and "EML, MovieLens" not in text(at)
