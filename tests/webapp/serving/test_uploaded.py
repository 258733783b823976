"""Uploads of one session take so much of the memory and no more."""

import asyncio
import inspect

import pytest
from served import in_a_loop
from starlette.exceptions import HTTPException
from starlette.requests import Request
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from metamf.webapp.serving import memory, uploaded


@pytest.fixture
def manager(monkeypatch):
    class Limited(MemoryUploadedFileManager):
        """One of its own, so that the class that all use stays as it is."""

        def add_file(self, session_id, file):
            super().add_file(session_id, file)

    monkeypatch.setattr(uploaded, "MOST_BYTES", 100)
    uploaded.limit(Limited)
    uploaded.limit(Limited)  # once is enough
    return Limited("/upload")


def sent(manager, session, id, size):
    manager.add_file(session, UploadedFileRec(id, f"{id}.csv", "text/csv", bytes(size)))


def kept(manager, session, *ids):
    return [file.file_id for file in manager.get_files(session, ids)]


def test_a_session_keeps_its_latest_files_and_takes_nothing_from_another(manager):
    for id, size in {"a": 60, "b": 30, "c": 20, "d": 50}.items():
        sent(manager, "me", id, size)
    sent(manager, "you", "e", 90)
    assert kept(manager, "me", *"abcd") == ["b", "c", "d"] and kept(manager, "you", "e") == ["e"]
    for number in range(50):  # again and again
        sent(manager, "me", f"f{number}", 40)
    assert sum(len(file.data) for file in manager.file_storage["me"].values()) <= 100
    sent(manager, "me", "large", 100)  # the one that was sent last is there
    assert kept(manager, "me", "large") == ["large"] and len(manager.file_storage["me"]) == 1


def test_where_memory_is_nearly_gone_no_file_is_taken(manager, monkeypatch):
    monkeypatch.setattr(memory, "left", lambda: 10)
    with pytest.raises(HTTPException) as refused:
        sent(manager, "me", "a", 10)
    assert refused.value.status_code == 503 and kept(manager, "me", "a") == []


class Arriving:
    """A file of which nothing but its size has come; ``come`` says what comes then."""

    def __init__(self, session, size):
        class Limited(Request):
            """One of its own, so that the class that all use stays as it is."""

            def form(self, **limits):
                return inspect.unwrap(Request.form)(self, **limits)

        uploaded.limit_arriving(Limited)
        uploaded.limit_arriving(Limited)  # once is enough
        self.come, self.read = asyncio.get_running_loop().create_future(), False
        kind = b"multipart/form-data; boundary=x"
        headers = [(b"content-type", kind)] + ([(b"content-length", str(size).encode())] if size else [])
        scope = {"type": "http", "path_params": {"session_id": session}, "headers": headers}
        self.task = asyncio.ensure_future(Limited(scope, self.receive).form())

    async def receive(self):
        self.read = True
        return await self.come

    def break_off(self):
        self.come.set_result({"type": "http.disconnect"})

    async def status(self):
        """The status that it is refused with; 0 while it arrives."""
        await asyncio.wait([self.task], timeout=0.05)
        return self.task.exception().status_code if self.task.done() else 0


def test_many_files_at_once_are_refused_before_they_are_read(manager, monkeypatch):
    async def arrive():
        first, second = Arriving("me", 60), Arriving("me", 50)
        assert await first.status() == 0 and await second.status() == 503
        assert first.read and not second.read
        other = Arriving("you", 90)  # a session takes nothing from another
        assert await other.status() == 0
        first.break_off()
        assert await first.status() == 400
        third = Arriving("me", 50)
        assert await third.status() == 0  # its place is free
        monkeypatch.setattr(memory, "left", lambda: uploaded.RESERVE + 200)
        fourth = Arriving("third", 61)  # 90 and 50 are on their way
        assert await fourth.status() == 503 and not fourth.read
        assert await Arriving("fourth", 0).status() == 503  # one that does not say how large it is may be the largest
        for upload in (other, third):
            upload.break_off()
            assert await upload.status() == 400
        assert not uploaded._arriving

    in_a_loop(arrive())


def test_a_file_that_arrives_too_slowly_is_given_up(manager, monkeypatch):
    monkeypatch.setattr(uploaded, "SLOWEST", 0.01)

    async def arrive():
        slow = Arriving("me", 60)
        with pytest.raises(HTTPException) as given_up:
            await slow.task
        assert given_up.value.status_code == 408 and not uploaded._arriving

    in_a_loop(arrive())
