"""A trained model as a checkpoint and a card beside it."""

from datetime import date

import torch
from checkpoint_files import INFO, model  # noqa: F401  model: a fixture

from metamf.checkpoints.files import load_checkpoint
from metamf.learning.recipes import made_now, save_with_card


def test_checkpoint_and_card_stand_beside_each_other(model, tmp_path):
    save_with_card(tmp_path / "mine.safetensors", model, INFO, "# mine, für alle\n")
    assert load_checkpoint(tmp_path / "mine.safetensors")[1] == INFO
    assert (tmp_path / "mine.md").read_text("utf-8") == "# mine, für alle\n"


def test_a_checkpoint_says_today_and_the_versions_here():
    fields = made_now()
    assert fields["created"] == date.today().isoformat() and fields["versions"]["torch"] == torch.__version__
