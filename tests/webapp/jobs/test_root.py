"""The folder of a pool's jobs, and those that dead servers have left."""

import pytest
from tiny_jobs import ME, pool

from metamf.webapp.jobs import root
from metamf.webapp.jobs.line import PoolFullError


def test_files_are_there_from_the_first_job_until_the_pool_is_closed(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pool() as jobs:
        assert jobs.jobs(ME) == [] and not list(tmp_path.iterdir())  # a look at the page leaves nothing
        jobs.submit(ME, "tiny_jobs:count", {})
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())
    with pytest.raises(PoolFullError, match="This server is ending"):
        jobs.submit(ME, "tiny_jobs:count", {})


def test_the_folders_of_a_dead_server_are_removed_by_the_next_one_and_those_of_a_living_one_stay(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    living, dead = root.Root(), root.Root()
    (dead.path / "job").mkdir()
    (dead.path / "job" / "checkpoint.safetensors").write_text("left by a job that had ended")
    dead._held.close()  # as the system does at the end of a process, however it ends
    with pool() as jobs:
        jobs.submit(ME, "tiny_jobs:count", {})
        assert not dead.path.exists() and living.path.exists() and len(list(tmp_path.iterdir())) == 2
    living.remove()
    assert not list(tmp_path.iterdir())
