"""A training without a process: its reports, the matrix, orders, and the files in the end."""

import json
import zipfile
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest

from metamf.checkpoints.bundled import checkpoint_title, describe
from metamf.recipes.drawn import FILM_NIGHTS
from metamf.webapp.engine import RefusedError
from metamf.webapp.player.replay import replay_of_training
from metamf.webapp.teach.train import task, trainings
from metamf.webapp.teach.train.page import measured_on_film_nights
from metamf.wording import slug

ARGUMENTS = {"data": FILM_NIGHTS, "learning_rate": 1e-3, "seed": 0, "title": "Trained by you"}


@pytest.fixture(scope="module")
def trained():
    """All reports of a training of 15 updates whose learning rate is changed, and its result."""
    reports = []

    def report(message=None):
        reports.append(message)
        return {"stop": True} if len(reports) == 5 else {"learning_rate": 1e-4} if len(reports) == 3 else {}

    pace, task.PACE = task.PACE, 0.0
    try:
        result = task.train(ARGUMENTS, report)
        return [json.loads(json.dumps(message)) for message in reports if message], result
    finally:
        task.PACE = pace


def test_facts_come_first_and_hold_the_matrix_with_what_is_given_and_what_is_hidden(trained):
    facts = trained[0][0]["facts"]
    matrix = facts["matrix"]
    cells = {(row, column) for row, column, _ in matrix["given"] + matrix["hidden"]}
    assert len(cells) == len(matrix["given"]) + len(matrix["hidden"])
    assert (len(matrix["rows"]), len(matrix["cols"]), len(cells)) == (20, 12, 240)  # every rating is known
    errors = facts["bundled"]["error"], *measured_on_film_nights().values(), facts["mean"]
    assert (matrix["low"], matrix["high"]) == (1, 5) and len(errors) == 5
    assert min(errors) == errors[0] and max(errors) == errors[-1]


def test_each_report_has_update_errors_rate_and_the_filled_matrix(trained):
    rows = [message["row"] for message in trained[0][1:]]
    assert [row["update"] for row in rows] == [0, 5, 10, 15]
    assert rows[0]["loss"] is None and rows[-1]["error"] < rows[0]["error"]
    assert [row["rate"] for row in rows][1:] == [1e-3, 1e-4, 1e-4]
    matrix = trained[0][0]["facts"]["matrix"]
    lines = {"always the mean": trained[0][0]["facts"]["mean"]}
    sent = replay_of_training(matrix, [*rows, trained[1]["best"]], lines)
    assert sent["T"] == 4 and sent["reports"]["updates"] == [0, 5, 10, 15, "best"]
    assert sent["errors"]["hidden"][-1] == min(sent["errors"]["hidden"])  # the kept parameters are the best
    [estimates] = [one["reports"] for one in sent["maps"] if one["title"] == "Estimates"]
    values = np.frombuffer(b64decode(estimates[-1]), "<u2")
    assert len(estimates) == 5 and values.shape == (240,)
    assert sent["n_given"] + sent["n_hidden"] == 240 and json.dumps(sent, allow_nan=False)


def test_the_end_leaves_a_checkpoint_with_its_card_which_can_be_taken_away(trained, tmp_path):
    _, found = trained
    assert found["files"].keys() == {"Trained by you.safetensors", "Trained by you.md"}
    for name, content in found["files"].items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "Trained by you.safetensors"
    assert describe(path).recipe["learning_rates"] == {"0": 1e-3, "5": 1e-4}
    assert checkpoint_title(str(path)) == "Trained by you" and found["error"] < found["mean"]
    with zipfile.ZipFile(BytesIO(trainings.archive(path))) as file:
        assert file.namelist() == ["trained-by-you.safetensors", "trained-by-you.md"]
        assert file.read("trained-by-you.safetensors") == path.read_bytes()


def test_before_the_first_update_there_is_what_random_weights_make_of_the_matrix(trained):
    found = task.untrained(FILM_NIGHTS, ARGUMENTS["seed"])
    assert found["row"] | {"rate": 0} == trained[0][1]["row"] | {"rate": 0}
    assert found["facts"] == trained[0][0]["facts"]


def test_a_second_checkpoint_has_another_file_name():
    assert slug("Trained by you (2)") == "trained-by-you-2"


def test_a_data_set_that_has_gone_is_refused_in_a_sentence_without_the_servers_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("METAMF_DATA", str(tmp_path))
    with pytest.raises(RefusedError) as refused:
        task.train(ARGUMENTS | {"data": "jester"}, lambda message=None: {})
    assert str(refused.value) == "Jester 1, part 1 is not on this machine any more."
