"""The checkpoints that the sidebar offers."""

import metamf
from metamf.checkpoints import bundled
from metamf.webapp.matrix.checkpoints import checkpoint_choices
from metamf.webapp.matrix.state import AppState


def test_the_papers_model_comes_first_and_both_kinds_begin_with_the_rounds_that_they_learned_with():
    choices = checkpoint_choices()
    assert next(iter(choices)) == AppState().model == "ml-1m" and sorted(choices) == metamf.list_pretrained()
    assert choices["universal"].takes_sweeps and not choices["ml-1m"].takes_sweeps
    assert bundled.open_checkpoint("universal")[0].rounds == AppState().sweeps
    assert bundled.open_checkpoint("ml-1m")[0].rounds == AppState().steps
    assert all("your own" not in choice.caption for choice in choices.values())


def test_a_checkpoint_that_is_added_is_offered(monkeypatch, tmp_path):
    content = bundled.find_checkpoint("ml-1m").read_bytes()
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path / "none")
    assert checkpoint_choices() == {}
    monkeypatch.setattr(bundled, "PRETRAINED", tmp_path)
    assert checkpoint_choices() == {}
    (tmp_path / "mine.safetensors").write_bytes(content)
    assert checkpoint_choices()["mine"].caption == "A checkpoint of your own."
