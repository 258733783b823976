"""The choices in the sidebar, the checkpoints that it offers, and links to the pages."""

import pytest
from opened import healthy, no_data_sets, opened  # noqa: F401  a fixture

from metamf.checkpoints import bundled
from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp.choices import AppState, checkpoint_choices
from metamf.webapp.sidebar import FIRST_MATRICES


def test_the_papers_model_comes_first_and_both_kinds_begin_with_the_rounds_that_they_learned_with():
    choices = checkpoint_choices()
    assert next(iter(choices)) == AppState().model == "film-nights"
    pretrained = bundled.list_pretrained()
    assert {*choices} == {name for name in pretrained if not bundled.describe(name).features}
    assert {*choices} > {*bundled.usual_checkpoints(), "ml-1m-nmf", "film-nights"}
    for name, steps in (("universal", AppState().sweeps), ("ml-1m", AppState().steps)):
        assert choices[name].takes_sweeps == (name == "universal")
        assert bundled.open_checkpoint(name).network.config.steps == steps
    assert not choices["ml-1m-nmf"].takes_sweeps
    assert "MovieLens 1M" in choices["ml-1m"].caption
    assert "Our extension" in choices["universal"].caption
    assert all("your own" not in choice.caption for choice in choices.values())


def test_a_checkpoint_that_is_added_is_offered_and_a_file_that_is_none_or_not_whole_is_left_out(
    monkeypatch, tmp_path
):
    content = bundled.find_checkpoint("ml-1m").read_bytes()
    for folder in (tmp_path / "none", tmp_path):
        monkeypatch.setattr(bundled, "PRETRAINED", folder)
        assert checkpoint_choices() == {}
    files = {"mine": content, "cut": content[:1000], "pickle": b"\x80\x04\x95.", "empty": b""}
    for name, data in files.items():
        (tmp_path / f"{name}.safetensors").write_bytes(data)
    [(name, choice)] = checkpoint_choices().items()
    assert (name, choice.caption) == ("mine", "A checkpoint of your own.")


def state_of(at):
    return AppState.read(healthy(at).session_state.to_dict())


def test_the_state_comes_from_the_url_and_nonsense_in_it_is_ignored():
    asked = {"data": "Jokes", "keep": 30, "seed": 7, "by": "what people like", "steps": 5}
    expected = AppState("Jokes", 1, 30, "what people like", 7, "jester", steps=5)
    assert state_of(opened(**asked, t=2, model=checkpoint_title("jester"))) == expected
    nonsense = {"data": "No such data", "keep": "many", "model": "../etc/passwd", "seed": "x"}
    assert state_of(opened(**nonsense, steps=99999, t=-1)) == AppState()


@pytest.mark.slow
def test_a_list_has_few_options_at_first_and_all_behind_one_click():
    at = healthy(opened())
    assert len(at.radio(key="model").options) == 4
    assert tuple(at.selectbox(key="data").options[:3]) == FIRST_MATRICES
    assert "Old and new" not in at.selectbox(key="data").options
    healthy(at.checkbox(key="more_data").set_value(True).run())
    assert "Old and new" in at.selectbox(key="data").options
    assert len(at.radio(key="model").options) == 4
    healthy(at.checkbox(key="more_model").set_value(True).run())
    assert "Trained on fewer films" in at.radio(key="model").options
    linked = state_of(opened(data="Old and new", model="Trained on fewer films"))
    assert (linked.data, linked.model) == ("Old and new", "ml-100k")  # without that click
