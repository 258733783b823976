"""Sessions that were left are ended, with all that they hold, when nobody can come back to them."""

import asyncio
from types import SimpleNamespace

import pytest
from served import in_a_loop
from streamlit.runtime import Runtime, RuntimeState
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo

from metamf.webapp.serving import absent


class Left:
    """A session that somebody has left."""

    def __init__(self, id):
        self.id, self.ended = id, 0

    def shutdown(self):
        self.ended += 1


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def storage(clock):
    """Streamlit's, which keeps sessions for two minutes of the clock."""
    storage = MemorySessionStorage()
    assert storage._cache.ttl == 120
    storage._cache._timer = lambda: clock[0]
    return storage


def left(storage, id):
    session = Left(id)
    storage.save(SessionInfo(client=None, session=session))
    return session


def test_who_comes_back_within_two_minutes_finds_the_session_and_later_it_is_ended(storage, clock):
    first = left(storage, "first")
    clock[0] = 60
    second = left(storage, "second")
    clock[0] = 119.9
    assert absent.end(storage) == 0 and storage.get("first").session is first
    clock[0] = 120
    assert absent.end(storage) == 1 and first.ended == 1 and not second.ended
    assert storage.get("first") is None and storage.get("second").session is second
    clock[0] = 180
    assert absent.end(storage) == 1 and second.ended == 1 and absent.end(storage) == 0


def test_a_look_ends_sessions_in_the_thread_of_the_server_and_gives_memory_back(storage, clock, monkeypatch):
    session, given = left(storage, "first"), []
    monkeypatch.setattr(absent.heap, "give_back", lambda: given.append(1))

    async def serve():
        loop = asyncio.get_running_loop()
        manager = SimpleNamespace(_session_storage=storage)
        runtime = SimpleNamespace(
            state=RuntimeState.NO_SESSIONS_CONNECTED,
            _session_mgr=manager,
            _get_async_objs=lambda: SimpleNamespace(eventloop=loop),
        )
        monkeypatch.setattr(Runtime, "_instance", runtime)
        looking = absent.Absent()
        for seconds, ended, times in ((100, 0, 0), (130, 1, 1), (160, 1, 2), (190, 1, 2)):
            clock[0] = seconds
            assert await asyncio.to_thread(looking.look)
            assert session.ended == ended and len(given) == times
        runtime.state = RuntimeState.STOPPED  # nobody is asked any more
        runtime._get_async_objs = None
        assert absent.Absent().look()

    in_a_loop(serve())


def test_a_sessions_failure_is_heard_of_and_nobody_waits_for_it(storage, clock, monkeypatch):
    left(storage, "first").shutdown = None
    clock[0] = 130

    async def serve():
        objects = SimpleNamespace(eventloop=asyncio.get_running_loop())
        manager = SimpleNamespace(_session_storage=storage)
        runtime = SimpleNamespace(
            state=RuntimeState.NO_SESSIONS_CONNECTED, _session_mgr=manager, _get_async_objs=lambda: objects
        )
        monkeypatch.setattr(Runtime, "_instance", runtime)
        with pytest.raises(TypeError):
            await asyncio.to_thread(absent.Absent().look)

    in_a_loop(serve())


def test_without_a_server_a_look_does_nothing(monkeypatch):
    monkeypatch.setattr(Runtime, "_instance", None)
    assert absent.Absent().look()
