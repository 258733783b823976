"""What reading and writing one file cost the server's process and its worker, measured where nothing else runs.

The functions are called in a process of their own, which a test starts; the engine and its worker are that process's.
"""

import functools
import gzip
import io
import time
from typing import NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
import psutil
from awkward_files import npz
from engine_jobs import sleep

from metamf.answer.filling import fill
from metamf.tables.limits import WEB
from metamf.webapp import engine as engine_module
from metamf.webapp import waiting
from metamf.webapp.engine import Engine
from metamf.webapp.visits import Visitor
from metamf.webapp.your_table import downloads, uploads
from metamf.webapp.your_table.uploads import Upload

SOMEBODY = Visitor("somebody")
COLUMNS = 10
FEW, MANY = 20, 2100  # rows


class Times(NamedTuple):
    """Seconds of processor time of the server and of its worker, and seconds that passed."""

    server: float
    worker: float
    clock: float


def written(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def frame(rows):
    values = np.random.default_rng(0).integers(1, 6, (rows, COLUMNS)).astype(float)
    values[::7, ::5] = np.nan
    return pd.DataFrame(values, columns=[f"thing_{j}" for j in range(COLUMNS)])


FILES = {
    "xlsx": lambda rows: written(lambda file: frame(rows).to_excel(file, index=False)),
    "parquet": lambda rows: written(frame(rows).to_parquet),
    "dta": lambda rows: written(frame(rows).to_stata),
    "npz": lambda rows: npz(X=frame(rows).to_numpy()),
    "csv.gz": lambda rows: gzip.compress(frame(rows).to_csv(index=False).encode()),
}


@functools.cache
def engine_and_worker():
    """The engine of this process, and the process that computes for it."""
    made = Engine(workers=1)
    engine_module.use(made)
    waiting.compute("first", sleep, 1.2)  # loads modules, as do reading and writing; long enough to be shown
    return made, max(psutil.Process().children(recursive=True), key=lambda child: child.memory_info().rss)


def close():
    made, _ = engine_and_worker()
    engine_module.use(None)
    made.close()


def times_of(act):
    _, worker = engine_and_worker()
    server, others, clock = time.process_time(), sum(worker.cpu_times()[:2]), time.monotonic()
    act()
    return Times(time.process_time() - server, sum(worker.cpu_times()[:2]) - others, time.monotonic() - clock)


def least(act):
    """The ``Times`` of the one of three calls that took the server least: what else it does meanwhile, such as
    collecting garbage, only adds."""
    return min((times_of(act) for _ in range(3)), key=lambda times: times.server)


def read_and_write(kind):
    """The ``Times`` of reading a file of ``kind`` and of writing what was filled in, of few rows and of many."""
    about = (("ratings", tuple(range(COLUMNS))),)

    def read(rows):
        upload = Upload(f"table.{kind}", FILES[kind](rows))
        tables = []
        times = least(lambda: tables.append(uploads.read_upload(upload, about, WEB)))
        return tables[0], times

    def write(table):
        answer = fill(table.ratings, "mean")
        return least(lambda: downloads._content("to_csv_long", table, answer, SOMEBODY))

    with (
        mock.patch.object(waiting, "visitor", lambda: SOMEBODY),
        mock.patch.object(uploads.st, "session_state", {}),
    ):
        engine_and_worker()
        table, _ = read(FEW)
        write(table)
        found = []
        for rows in (FEW, MANY):
            table, reading = read(rows)
            found.append((reading, write(table)))
        return found
