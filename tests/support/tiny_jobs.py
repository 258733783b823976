"""Tasks of a few milliseconds for the pool of processes, a pool of them, and waiting for a state of a job."""

import contextlib
import os
import time
from pathlib import Path

from metamf.webapp.jobs.pool import Pool
from metamf.webapp.jobs.states import State
from metamf.webapp.jobs.task import RefusedError

IMPORTED = time.time()
if "TINY_JOBS_SEEN" in os.environ:  # the folder where a process tells that it has this module
    Path(os.environ["TINY_JOBS_SEEN"], str(os.getpid())).touch()


def count(arguments, folder):
    """Counts to ``to``, or until it is stopped; ``step`` can be changed meanwhile. Leaves a file."""
    number, step, to = 0, arguments.get("step", 1), arguments.get("to", 10**9)
    yield {"facts": {"from": 0}}
    print("a library that prints")
    while number < to:
        number += step
        orders = yield {"row": {"number": number}, "now": {"square": number**2}}
        step = orders.get("step", step)
        if orders.get("stop"):
            break
        time.sleep(0.001)
    Path(folder, "counted.txt").write_text(str(number))
    return {"number": number}


def tell_pid(arguments, folder):
    """Tells its process, and whether this module was there before the job."""
    yield None
    return {"pid": os.getpid(), "prepared": IMPORTED < arguments["asked"]}


def refuse(arguments, folder):
    """Refuses in a sentence."""
    yield None
    raise RefusedError("There is nothing to count.")


def break_down(arguments, folder):
    """Fails as a bug does, with a value of the visitor's in its message."""
    yield None
    raise KeyError(6 * 7 * 1_000_001)


def write_to_a_full_disk(arguments, folder):
    """Fails as a write does where no room is left, after a file that there was room for."""
    yield None
    Path(folder, "half").touch()
    with open("/dev/full", "w") as file:
        file.write("a checkpoint")


def want_more_memory(arguments, folder):
    """Fails as a computation does that gets no memory."""
    yield None
    bytearray(2**60)


def die(arguments, folder):
    """Ends as a crash does."""
    yield {"row": {"number": 1}}
    os._exit(3)


def ignore(arguments, folder):
    """Never stops when it is asked to; first leaves as many empty files as ``files`` says."""
    for number in range(arguments.get("files", 0)):
        Path(folder, str(number)).touch()
    while True:
        yield {"now": {"pid": os.getpid()}}
        time.sleep(0.001)


def until(pool: Pool, owner: str, id: str, *states: State, rows: int = 0):
    """The job once it is in one of ``states`` and has said ``rows`` rows; fails after a minute."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        job = pool.look(owner, id)
        if (not states or job.state in states) and len(job.rows) >= rows:
            return job
        time.sleep(0.005)
    raise AssertionError(f"still {job.state}, after {len(job.rows)} rows")


ME, YOU = "me", "you"


RUNNING, DONE = State.RUNNING, State.DONE


@contextlib.contextmanager
def pool(**settings):
    made = Pool(**{"tick": 0.01} | settings)
    try:
        yield made
    finally:
        made.close()


def alive(process: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        os.kill(process, 0)
        return open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def until_still(pool: Pool, owner: str, id: str):
    """The job once five looks in a row have heard nothing new, as of one that counts on they never do."""
    looks, end = [pool.look(owner, id)], time.monotonic() + 60
    while len({job.heard for job in looks[-5:]}) > 1 or len(looks) < 5:
        assert time.monotonic() < end, f"still counting, after {len(looks[-1].rows)} rows"
        time.sleep(0.02)
        looks.append(pool.look(owner, id))
    return looks[-1]
