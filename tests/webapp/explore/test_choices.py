"""The choices in the sidebar, the checkpoints that it offers, and links to the pages."""

import pytest
from opened import PAGES, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.checkpoints import bundled
from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp.explore.choices import AppState, checkpoint_choices


def test_the_papers_model_comes_first_and_both_kinds_begin_with_the_rounds_that_they_learned_with():
    choices = checkpoint_choices()
    assert next(iter(choices)) == AppState().model == "film-nights"
    reading_ratings = {name for name in bundled.list_pretrained() if not bundled.describe(name).features}
    assert {*choices} == reading_ratings > {*bundled.usual_checkpoints(), "ml-1m-nmf", "film-nights"}
    assert not choices["ml-1m-nmf"].takes_sweeps
    assert choices["universal"].takes_sweeps and not choices["ml-1m"].takes_sweeps
    assert bundled.open_checkpoint("universal").network.config.steps == AppState().sweeps
    assert bundled.open_checkpoint("ml-1m").network.config.steps == AppState().steps
    assert all("your own" not in choice.caption for choice in choices.values())


def test_a_checkpoint_that_is_added_is_offered_and_a_file_that_is_none_or_not_whole_is_left_out(monkeypatch, tmp_path):
    content = bundled.find_checkpoint("ml-1m").read_bytes()
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path / "none")
    assert checkpoint_choices() == {}
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    assert checkpoint_choices() == {}
    for name, data in {"mine": content, "cut": content[:1000], "pickle": b"\x80\x04\x95.", "empty": b""}.items():
        (tmp_path / f"{name}.safetensors").write_bytes(data)
    [(name, choice)] = checkpoint_choices().items()
    assert (name, choice.caption) == ("mine", "A checkpoint of your own.")


def test_the_state_comes_from_the_url_and_nonsense_in_it_is_ignored():
    at = healthy(
        opened(data="Jokes", keep=30, seed=7, by="what people like", steps=5, t=2, model=checkpoint_title("jester"))
    )
    state = AppState.read(at.session_state.to_dict())
    assert state == AppState("Jokes", 1, 30, "what people like", 7, "jester", steps=5)
    at = healthy(opened(data="No such data", keep="many", model="../etc/passwd", steps=99999, t=-1, seed="x"))
    assert AppState.read(at.session_state.to_dict()) == AppState()


def test_a_link_with_a_number_of_sweeps_opens_the_model_that_takes_sweeps():
    at = healthy(opened(sweeps=6))
    assert at.radio(key="model").value == "universal" and at.slider(key="sweeps").value == 6
    at = healthy(opened(sweeps=6, model="jester"))
    assert at.radio(key="model").value == "jester"


@pytest.mark.slow
def test_what_a_link_asks_for_and_nobody_offers_falls_back():
    at = healthy(opened(PAGES[1], keep=1000, data="<b>none</b>", seed=-5))
    assert AppState.read(at.session_state.to_dict()) == AppState()
    healthy(at.slider(key="keep").set_value(60).run())
    assert checkpoint_title(AppState().model) == "Trained on film nights"
