"""A class in a room: a lecturer and forty phones, sessions of their own, by Streamlit's websocket protocol.

Every phone comes in by the code, looks at its room as often as a browser does, and gives a rating every few seconds.
The script says how long a rating takes until the phone has its answer and until it stands in the lecturer's table, what
the server's process computes meanwhile, and whether any rating is lost. Server and clients share the machine.

    python -m benchmarks.load.rooms --phones 40 --out benchmarks/results/rooms.csv
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.browser import served
from benchmarks.load.session import Session, visit

BETWEEN = (1.0, 6.0)  # seconds between two ratings of a phone


async def measure(address: str, pid: int, phones: int, seconds: float) -> dict[str, object]:
    """A class with a given number of phones, which rates for a given number of seconds."""
    lecturer = await visit(address, "room")
    await lecturer.run(trigger=lecturer.button("Open the room"))
    code = re.search(r"lecturer=([A-Z]{8})", lecturer.query)[1]
    errors: Counter[str] = Counter()
    answered, given = [], {}

    async def phone(n: int) -> Session | None:
        rng = random.Random(n)
        try:
            await asyncio.sleep(rng.uniform(0, 10))  # they come within ten seconds
            session = await visit(address, "room", f"room={code}")
            [name] = [ids[0] for (kind, _), ids in session.widgets.items() if kind == "text_input"]
            await session.run(trigger=session.button("Come in"), **{name: f"phone {n}"})
            return session
        except Exception as error:
            errors[type(error).__name__] += 1
            return None

    sessions = [session for session in await asyncio.gather(*map(phone, range(phones))) if session is not None]
    await lecturer.run()
    await lecturer.run(trigger=lecturer.button("Start rating"))
    await asyncio.gather(*(session.run() for session in sessions))
    for session in (lecturer, *sessions):
        await session.look_again()

    async def rates(n: int, session: Session) -> None:
        rng, mine, end = random.Random(n), {}, time.perf_counter() + seconds
        cards = [id for (kind, _), ids in session.widgets.items() if kind == "button_group" for id in ids]
        while (pause := rng.uniform(*BETWEEN)) + time.perf_counter() < end:
            await asyncio.sleep(pause)
            card, value = rng.randrange(len(cards)), rng.randint(1, 5)
            try:
                answered.append(await session.run(**{cards[card]: [f"{value} ★"]}))
                mine[card] = value
            except Exception as error:
                errors[type(error).__name__] += 1
        given[n] = len(mine)

    start, computed, bytes_before = time.perf_counter(), cpu(pid), sum(s.received for s in sessions)
    await asyncio.gather(*(rates(n, session) for n, session in enumerate(sessions)))
    share = (cpu(pid) - computed) / (time.perf_counter() - start)
    bytes_each = (sum(s.received for s in sessions) - bytes_before) / max(1, len(sessions)) / seconds
    wanted, begun = sum(given.values()), time.perf_counter()
    while f"<b>{wanted} ratings</b>" not in "".join(lecturer.html) and time.perf_counter() < begun + 10:
        await asyncio.sleep(0.05)
    last = time.perf_counter() - begun
    complete = f"<b>{wanted} ratings</b>" in "".join(lecturer.html)
    for session in (*sessions, lecturer):
        await session.close()
    return {
        "phones": phones,
        "phones in": len(sessions),
        "errors": sum(errors.values()),
        "kinds of errors": " ".join(errors),
        "ratings sent": len(answered),
        **{f"answer, {100 * q:.0f} % s": round(float(np.quantile(answered, q)), 3) for q in (0.5, 0.95, 0.99)},
        "all stand in the table": complete,
        "the last one after s": round(last, 2),
        "cores that the server used": round(share, 2),
        "bytes to a phone in a second": round(bytes_each),
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def cpu(pid: int) -> float:
    """Processor time of a process, in seconds."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--phones", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", type=Path, help="CSV file for the result")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(folder) as server:
        found = asyncio.run(measure(server.address, server.pid, arguments.phones, arguments.seconds))
    for name, value in found.items():
        print(f"{name}: {value}")
    if arguments.out is not None:
        partial = arguments.out.with_suffix(".partial")
        pd.DataFrame([found]).to_csv(partial, index=False)
        partial.replace(arguments.out)


if __name__ == "__main__":
    main()
