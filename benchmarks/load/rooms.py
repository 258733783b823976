"""A class in a room: a lecturer and forty phones, sessions of their own, by Streamlit's websocket protocol.

Every phone comes in by the code, looks at its room as often as a browser does, and gives a rating every few seconds.
The script says how long a rating takes until the phone has its answer and until it stands in the lecturer's table, what
the server's process computes meanwhile, and whether any rating is lost. Server and clients share the machine.

    python -m benchmarks.load.rooms --phones 40
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.browser import served

PATIENCE = 60  # seconds for an answer
BETWEEN = (1.0, 6.0)  # seconds between two ratings of a phone


class Session:
    """One visitor of the page Room: what the server sent, and how to answer.

    Attributes
    ----------
    query : the query of the address
    widgets : (kind, label) -> ids, in the order of the page
    html : the latest texts of the page
    received : bytes
    """

    def __init__(self, socket, query: str = "") -> None:
        self.query, self.received, self.widgets, self.html = query, 0, {}, []
        self.every: dict[str, float] = {}  # fragment -> seconds between two runs
        self._socket, self._states, self._page = socket, {}, ""
        self._fragments: dict[str, str] = {}  # widget -> the fragment that it is drawn by
        self._finished, self._one = asyncio.Event(), asyncio.Lock()
        self._tasks = [asyncio.create_task(self._read())]

    async def run(self, trigger: str = "", fragment: str = "", auto: bool = False, **values) -> float:
        """Runs the page or a fragment, with values of widgets; the seconds until it is done."""
        start = time.perf_counter()
        async with self._one:  # one run after the other, so that each has its own end
            await self._run(trigger, fragment, auto, values)
        return time.perf_counter() - start

    async def _run(self, trigger: str, fragment: str, auto: bool, values: dict) -> None:
        message = BackMsg()
        fragment = fragment or next((self._fragments[id] for id in values if not trigger), "")
        if not fragment:
            self.widgets, self.html, self.every = {}, [], {}
        state = message.rerun_script
        state.query_string, state.page_script_hash = self.query, self._page
        state.page_name = "" if self._page else "room"
        state.fragment_id, state.is_auto_rerun = fragment, auto
        for id, value in values.items():
            self._states[id] = widget = WidgetState(id=id)
            if isinstance(value, list):
                widget.string_array_value.data[:] = value
            else:
                widget.string_value = value
        state.widget_states.widgets.extend(self._states.values())
        if trigger:
            state.widget_states.widgets.append(WidgetState(id=trigger, trigger_value=True))
        self._finished.clear()
        await self._socket.send(message.SerializeToString())
        await asyncio.wait_for(self._finished.wait(), PATIENCE)

    async def look_again(self) -> None:
        """Begins to run the fragments that run by themselves, as a browser does."""

        async def again(fragment: str, seconds: float) -> None:
            while fragment in self.every:
                await asyncio.sleep(seconds)
                await self.run(fragment=fragment, auto=True)

        self._tasks += [asyncio.create_task(again(*item)) for item in self.every.items()]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._socket.close()

    async def _read(self) -> None:
        async for content in self._socket:
            self.received += len(content)
            message = ForwardMsg()
            message.ParseFromString(content)
            kind = message.WhichOneof("type")
            if kind == "delta":
                self._draw(message.delta.new_element, message.delta.fragment_id)
            elif kind == "navigation":
                self._page = message.navigation.page_script_hash
            elif kind == "auto_rerun":
                self.every[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._finished.set()

    def _draw(self, element, fragment: str) -> None:
        kind = element.WhichOneof("type")
        if kind == "html":
            self.html.append(element.html.body)
            del self.html[:-60]
        elif kind in ("button", "text_input", "button_group"):
            widget = getattr(element, kind)
            self._fragments[widget.id] = fragment
            ids = self.widgets.setdefault((kind, widget.label), [])
            if widget.id not in ids:
                ids.append(widget.id)

    def cards(self) -> list[str]:
        """The ids of the cards of a phone, in their order."""
        return [id for (kind, _), ids in self.widgets.items() if kind == "button_group" for id in ids]

    def button(self, label: str) -> str:
        [id] = self.widgets["button", label]
        return id


async def visit(address: str, query: str = "") -> Session:
    url = address.replace("http", "ws") + "/_stcore/stream"
    options = {"subprotocols": ["streamlit"], "origin": address, "max_size": None, "open_timeout": PATIENCE}
    socket = await websockets.connect(url, **options)
    session = Session(socket, query)
    await session.run()
    return session


async def measure(address: str, pid: int, phones: int, seconds: float) -> dict[str, object]:
    """A class of so many phones that rates for so many seconds."""
    lecturer = await visit(address)
    await lecturer.run(trigger=lecturer.button("Open the room"))
    code = re.search(r"lecturer=([A-Z]{8})", lecturer.query)[1]
    errors: Counter[str] = Counter()
    answered, given = [], {}

    async def phone(n: int) -> Session | None:
        rng = random.Random(n)
        try:
            await asyncio.sleep(rng.uniform(0, 10))  # they come within ten seconds
            session = await visit(address, f"room={code}")
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
        cards = session.cards()
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
        "phones in": len(sessions),
        "errors": dict(errors),
        "ratings sent": len(answered),
        "an answer, median, 95 %, 99 % in s": [round(float(np.quantile(answered, q)), 3) for q in (0.5, 0.95, 0.99)],
        "all stand in the table": complete,
        "the last one after s": round(last, 2),
        "cores that the server used": round(share, 2),
        "bytes to a phone in a second": round(bytes_each),
    }


def cpu(pid: int) -> float:
    """The seconds that a process has computed."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--phones", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(folder) as server:
        found = asyncio.run(measure(server.address, server.pid, arguments.phones, arguments.seconds))
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
