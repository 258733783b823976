"""The process of a job: how it ends with an error, and that it does not outlive its server."""

import os
import signal
import subprocess
import sys
import time

import pytest
from tiny_jobs import DONE, ME, alive, pool, until

from metamf.webapp.jobs.states import State


@pytest.mark.parametrize(
    "task, why, sentence",
    [
        ("refuse", "refused", "There is nothing to count."),
        ("break_down", "broken", "KeyError"),
        (
            "write_to_a_full_disk",
            "refused",
            "The disk of this server is full, so nothing of this could be kept: try again later.",
        ),
        ("want_more_memory", "refused", "This server has too little memory left for this: try again later."),
        ("die", "died", ""),
        ("no_such_task", "died", ""),
    ],
)
def test_an_error_ends_the_job_alone_and_says_which_kind(task, why, sentence):
    with pool(places=1) as jobs:
        id = jobs.submit(ME, f"tiny_jobs:{task}", {})
        after_it = jobs.submit(ME, "tiny_jobs:count", {"to": 1})
        found = until(jobs, ME, id, State.FAILED)
        assert (found.why, found.sentence) == (why, sentence) and not found.folder.exists()
        assert until(jobs, ME, after_it, DONE).result == {"number": 1}


def test_a_job_that_fails_leaves_no_value_in_the_log(capfd):
    with pool() as jobs:
        until(jobs, ME, jobs.submit(ME, "tiny_jobs:break_down", {}), State.FAILED)
    said = capfd.readouterr().err
    assert "failed with KeyError" in said and "break_down" in said  # which error, and where
    assert "42000042" not in said


def test_nothing_outlives_a_server_that_is_killed(tmp_path):
    """The worker notices that its standard input has ended, and removes the job's folder and the pool's, too.

    Its task speaks on meanwhile, to nobody; that must not end the process before all files are gone.
    """
    script = (
        "import sys, time; sys.path[:0] = sys.argv[1:]\n"
        "from metamf.webapp.jobs.pool import Pool\n"
        "from tiny_jobs import until\n"
        "jobs = Pool(); id = jobs.submit('me', 'tiny_jobs:ignore', {'files': 3000})\n"
        "while not jobs.look('me', id).now: time.sleep(0.01)\n"
        "found = jobs.look('me', id); print(found.now['pid'], found.folder, flush=True); time.sleep(60)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", script, *sys.path], stdout=subprocess.PIPE, text=True)
    worker, folder = server.stdout.readline().split()
    server.send_signal(signal.SIGKILL)
    server.communicate()
    end = time.monotonic() + 60
    while (alive(int(worker)) or os.path.exists(os.path.dirname(folder))) and time.monotonic() < end:
        time.sleep(0.01)
    assert not alive(int(worker)) and not os.path.exists(os.path.dirname(folder))
