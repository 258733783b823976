"""Tuning in a worker: steps that are told, and a network that is left."""

import numpy as np
import pytest
from tunings import run, table
from your_table import small_world  # noqa: F401  a fixture

from metamf.evaluate.filling import fill
from metamf.evaluate.methods import Estimates, Method
from metamf.imputer.estimator import MetaMFImputer
from metamf.webapp.your_table import tuning_task

pytestmark = pytest.mark.usefixtures("small_world")


def test_tuning_tells_its_steps_leaves_a_network_and_keeps_what_there_is_when_stopped(tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    rows, result = run(folder, stop_after=2)
    assert rows[0]["step"] == 10 and 1 <= len(rows) < 16 and result["checked"] > 10
    assert result["kept"] in (0, *(row["step"] for row in rows)) and result["errors"] is None
    if result["kept"]:
        path = folder / result["file"]
        assert path.is_file() and np.isfinite(fill(table(), str(path)).mean).all()
        assert set(folder.iterdir()) == {path}


def test_the_gain_is_measured_on_ratings_that_each_tuning_has_not_seen(tmp_path, monkeypatch):
    seen = []

    def predict(given, rows, cols, level):
        seen.append((given, set(zip(rows.tolist(), cols.tolist()))))
        return Estimates(np.zeros(len(rows)), np.ones(len(rows)))

    asked = []

    def contender(name, seconds):
        asked.append((name, seconds))
        return Method("universal", "tuned", "", predict, True, settings={"tune": "auto", "members": "normal"})

    monkeypatch.setattr(tuning_task, "contender", contender)
    fit = MetaMFImputer.fit
    monkeypatch.setattr(MetaMFImputer, "fit", lambda self, X, progress=None: fit(self.set_params(tune=30), X))
    _, result = run(tmp_path)
    if result["kept"]:
        assert asked == [("universal+tuned+normal", 60)] and len(seen) == 3
        assert all(not hidden & set(zip(given.rows.tolist(), given.cols.tolist())) for given, hidden in seen)
        [found] = result["errors"]["methods"]
        assert found["key"] == "universal+tuned+normal" and len(found["rmse"]) == 3
