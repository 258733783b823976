"""Tuning in a worker: steps that are told, and a network that is left."""

import numpy as np
from tunings import job, run, table
from your_table import small_world  # noqa: F401  a fixture

from metamf.filling.fill_in import fill
from metamf.webapp.your_table import tuning


def test_tuning_tells_its_steps_leaves_a_network_and_keeps_what_there_is_when_stopped(small_world, tmp_path):  # noqa: F811
    folder = tmp_path / "job"
    folder.mkdir()
    rows, result = run(folder, stop_after=2)
    assert rows[0]["step"] == 10 and 1 <= len(rows) < 16 and result["checked"] > 10
    assert result["kept"] in (0, *(row["step"] for row in rows))
    if result["kept"]:
        ended = job(result, folder)
        path = folder / result["file"]
        assert path.is_file() and np.isfinite(fill(table(), str(path)).mean).all()
        sentence = tuning.gain_in_words(ended)
        assert "the typical error fell by" in sentence and "give or take" in sentence
        assert set(folder.iterdir()) == {path}
