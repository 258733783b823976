"""A class that visits the app beside one visitor who computes something heavy: what the others notice of it.

The same visits as in ``visits`` are measured while nothing else happens, and while one more visitor, again and again
until the others have left, brings a large table to Your table, has a table tuned, or trains a network. Written down are
the seconds of each of the others' actions and errors, how often the heavy work began, and the memory of the server and
of its workers at the most.

    python -m benchmarks.load.beside --out benchmarks/results/beside.csv  # some eight minutes
    python -m benchmarks.load.beside --out FILE --sessions 3 --pause 0.2  # a trial
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.browser import Server, memory_of, memory_of_workers, served
from benchmarks.load.session import Session, visit
from benchmarks.load.visits import WITHIN, Figures, looker, numbers, one_visit, small_table, write_rows

LARGE = (3000, 1000)  # people and things of the large table, of which half is rated: 4 MB
TRAINS = 30  # seconds of a training, after which it is left


def large_table(seed: int) -> bytes:
    """A CSV of made-up ratings from 1 to 5."""
    people, things = LARGE
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, LARGE).astype(object)
    ratings[rng.random(LARGE) < 0.5] = ""
    head = ["name", *(f"thing {m}" for m in range(things))]
    lines = [head, *([f"person {n}", *map(str, ratings[n])] for n in range(people))]
    return "\n".join(map(",".join, lines)).encode()


async def brings_a_large_table(session: Session, seed: int) -> None:
    """Its reading and filling in, and the verdict that follows."""
    await session.upload(uploader(session), f"large {seed}.csv", await asyncio.to_thread(large_table, seed))
    await session.look_again()
    await asyncio.sleep(5)


async def has_a_table_tuned(session: Session, seed: int) -> None:
    """A small table, whose tuning begins by itself; until it has ended."""
    await session.upload(uploader(session), f"small {seed}.csv", small_table(seed))
    await session.look_again()
    for _ in range(120):
        await asyncio.sleep(0.5)
        if not session.every:
            return


async def trains(session: Session, seed: int) -> None:
    """A meta-training, which is left after some time."""
    await session.run(trigger=session.of_key("train_start"))
    await session.look_again()
    await asyncio.sleep(TRAINS)


def uploader(session: Session) -> str:
    """The id of the page's one uploader."""
    [[id]] = [ids for (kind, _), ids in session.widgets.items() if kind == "file_uploader"]
    return id


Work = Callable[[Session, int], Awaitable[None]]
HEAVY: dict[str, tuple[str, Work] | None] = {
    "nothing": None,
    "a large table": ("your_table", brings_a_large_table),
    "a tuning": ("your_table", has_a_table_tuned),
    "a training": ("train", trains),
}


async def again_and_again(address: str, page: str, work: Work, begun: list[str], found: Figures) -> None:
    """Does heavy work in one session after the other, until it is cancelled."""
    for seed in count():
        session = await visit(address, page)
        try:
            begun.append(page)
            await work(session, seed)
        except Exception as error:
            found.errors[f"heavy work: {type(error).__name__}"] += 1
        finally:
            await session.close()


async def measure(server: Server, beside: str, visitors: range, browsers: int, pause: float) -> list[dict]:
    """The rows of a class of given numbers, of whom the last ``browsers`` have a real browser."""
    address, pid, sessions = server.address, server.pid, len(visitors)
    found, begun, most = Figures(), [], {"server": 0.0, "workers": 0.0}

    async def watch() -> None:
        while True:
            for name, memory in (("server", memory_of(pid)), ("workers", memory_of_workers(pid))):
                most[name] = max(most[name], memory)
            await asyncio.sleep(0.5)

    heavy, within = HEAVY[beside], min(WITHIN, sessions / 4)
    around = [asyncio.create_task(watch())]
    if heavy is not None:
        around.append(asyncio.create_task(again_and_again(address, *heavy, begun, found)))
    await asyncio.gather(
        *(one_visit(address, number, pause, within, found) for number in visitors[: sessions - browsers]),
        *(looker(address, number, pause, within, found) for number in visitors[sessions - browsers :]),
    )
    for task in around:
        task.cancel()
    await asyncio.gather(*around, return_exceptions=True)
    memory = [{"what": f"memory of the {name} at the most", "n": 1, "MiB": round(most[name], 1)} for name in most]
    return [*found.rows(), {"what": "heavy work begun", "n": len(begun)}, *memory]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the CSV of the figures")
    parser.add_argument("--sessions", type=int, default=10, help="visitors beside the one with heavy work")
    parser.add_argument("--browsers", type=int, default=1, help="how many of them have a real browser")
    parser.add_argument("--pause", type=float, default=2, help="seconds between two actions, on average")
    arguments = parser.parse_args()
    load, rows = round(os.getloadavg()[0], 1), []
    with tempfile.TemporaryDirectory() as folder, served(folder) as server:
        asyncio.run(one_visit(server.address, 0, 0.1, 0, Figures()))  # all that is imported by the first visits
        for of_class, beside in enumerate(HEAVY, start=1):
            visitors = numbers(of_class, arguments.sessions)
            found = asyncio.run(measure(server, beside, visitors, arguments.browsers, arguments.pause))
            setting = {"beside": beside, "sessions": arguments.sessions, "load before": load}
            rows += [setting | row for row in found]
            write_rows(rows, arguments.out.with_suffix(".partial"))
    arguments.out.with_suffix(".partial").replace(arguments.out)
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
