"""Uploads of one session take so much of the memory and no more."""

import pytest
from starlette.exceptions import HTTPException
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
