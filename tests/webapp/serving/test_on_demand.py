"""Files made on demand: whose they are, and for how long, while others' pages are drawn."""

import pytest
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from metamf.webapp.serving import on_demand


def own(name):
    """Streamlit's own method, also where a page was opened before in this process."""
    method = getattr(MediaFileManager, name)
    return getattr(method, "__wrapped__", method)


def manager():
    """Streamlit's keeper of files as it is."""
    return type("Own", (MediaFileManager,), {name: own(name) for name in METHODS})


METHODS = ("execute_deferred", "_remove_orphaned_deferred_callables")


class Sessions:
    """Visitors, each with one button, and the keeper of their files."""

    def __init__(self, monkeypatch, kept=True):
        self.there, self.now, self.made = {"one", "two"}, "", 0
        monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: self.now)
        files, self.storage = manager(), MemoryMediaFileStorage("/media")
        if kept:
            on_demand.keep(files)
        self.files = files(self.storage)
        self.forgetting = on_demand.Forgetting(lambda: self.files, lambda session: session in self.there)

    def draws(self, session):
        """The session's page is drawn: it begins, has a button, and ends; the id of the button's function."""
        self.begins(session)
        return self.goes_on(session)

    def begins(self, session):
        self.files.clear_session_refs(session)

    def goes_on(self, session):
        self.now = session
        id = self.files.add_deferred(self.make, "text/csv", "0.1", "a.csv", element_id=f"button {session}")
        self.files.remove_orphaned_files()
        return id

    def make(self):
        self.made += 1
        return f"file {self.made}".encode()

    def is_there(self, url):
        try:
            return bool(self.storage.get_file(url.rpartition("/")[2].partition(".")[0]))
        except MediaFileStorageError:
            return False


@pytest.fixture
def sessions(monkeypatch):
    return Sessions(monkeypatch)


def test_a_file_stays_however_many_pages_of_others_are_drawn_until_its_own_is(sessions):
    url = sessions.files.execute_deferred(sessions.draws("one"))
    for _ in range(9):
        sessions.draws("two")
    assert sessions.is_there(url)
    for session in ("one", "two", "two"):
        sessions.draws(session)
    assert not sessions.is_there(url)


def test_without_it_the_file_is_gone(monkeypatch):
    plain = Sessions(monkeypatch, kept=False)
    url = plain.files.execute_deferred(plain.draws("one"))
    plain.draws("two"), plain.draws("two")
    assert not plain.is_there(url)


def test_a_button_works_while_its_page_is_drawn_anew(sessions):
    before = sessions.draws("one")
    sessions.begins("one")
    sessions.draws("two")
    assert sessions.forgetting.look()
    assert sessions.is_there(sessions.files.execute_deferred(before))
    after = sessions.goes_on("one")
    sessions.draws("two")
    assert sessions.forgetting.look()
    assert before not in sessions.files._deferred_callables and after in sessions.files._deferred_callables
    assert len(sessions.files._deferred_callables) == 2  # one of each
    assert sessions.is_there(sessions.files.execute_deferred(after))


def test_of_who_has_left_nothing_stays(sessions):
    sessions.files.execute_deferred(sessions.draws("one"))
    sessions.there.remove("one")
    sessions.begins("one")
    sessions.draws("two"), sessions.draws("two")
    assert sessions.forgetting.look()
    assert {of["session_id"] for of in sessions.files._deferred_callables.values()} == {"two"}
    assert not sessions.files._file_metadata


def test_a_file_that_others_have_deleted_before_it_was_anybodys_is_made_again(sessions):
    def make():
        if sessions.made < 1:
            sessions.storage.load_and_get_id = lost
        return sessions.make()

    def lost(*about):
        del sessions.storage.load_and_get_id
        id = sessions.storage.load_and_get_id(*about)
        sessions.files._file_metadata = Forgetful()
        return id

    class Forgetful(dict):
        """Forgets the first entry, as two runs of pages would."""

        def __setitem__(self, key, value):
            sessions.files._file_metadata = {}

    sessions.now = "one"
    id = sessions.files.add_deferred(make, "text/csv", "0.1", element_id="button")
    assert sessions.is_there(sessions.files.execute_deferred(id)) and sessions.made == 2
