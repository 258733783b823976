"""A visitor's own trainings, and the checkpoints that they left."""

from types import SimpleNamespace

import pytest

from metamf.webapp.jobs.states import State
from metamf.webapp.train import own


@pytest.fixture
def jobs(monkeypatch, tmp_path):
    """Two trainings of the visitor, of which one has left its file, and another task's job."""
    (tmp_path / "a.safetensors").touch()
    made = [
        SimpleNamespace(task=own.TRAIN_TASK, state=State.DONE, folder=tmp_path, result={"file": "a.safetensors"}),
        SimpleNamespace(task="another", state=State.DONE, folder=tmp_path, result={"file": "a.safetensors"}),
        SimpleNamespace(task=own.TRAIN_TASK, state=State.RUNNING, folder=tmp_path, result={}),
    ]
    monkeypatch.setattr(own, "pool", lambda: SimpleNamespace(jobs=lambda owner: made, places=2))
    monkeypatch.setattr(own, "visitor", lambda: "me")
    return made


def test_a_training_that_has_ended_leaves_its_checkpoint_while_the_file_is_there(jobs, tmp_path):
    assert own.trainings() == [jobs[0], jobs[2]] and own.latest() is jobs[2] and own.places() == 2
    assert own.checkpoints() == [tmp_path / "a.safetensors"]
    (tmp_path / "a.safetensors").unlink()
    assert own.checkpoints() == [] and own.checkpoint_of(jobs[2]) is None


def test_outside_of_a_visit_there_is_no_training(jobs, monkeypatch):
    monkeypatch.setattr(own, "visitor", lambda: None)
    assert own.trainings() == [] and own.latest() is None
