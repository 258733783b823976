"""Files that are made when a visitor asks for them stay until that visitor's page is drawn anew.

Streamlit makes the file behind a download button when the button is pressed, and the browser then fetches it. Between
the two the file belongs to nobody, and after two runs of whatever pages it is deleted: with a class at work that is a
fraction of a second. And while a page is drawn anew, the end of anybody's run takes away the functions behind the
buttons that its visitor still sees. Here a file belongs to the session that asked for it, and the latest function
behind a button to its session for as long as that is there. What nobody has any more is forgotten every few seconds,
and not at the end of every run of a page.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from streamlit.runtime import Runtime
from streamlit.runtime.media_file_manager import MediaFileManager

from metamf.webapp.jobs.ticking import every_now_and_then

EVERY = 5.0  # seconds between two looks at functions that nobody has any more
_AGAIN = 3  # attempts to make a file that others' runs have deleted before it was anybody's


def keep(manager: type[MediaFileManager] = MediaFileManager) -> None:
    """Has Streamlit keep such files, and functions until ``Forgetting`` takes them; later calls do nothing."""
    make = manager.execute_deferred
    if hasattr(make, "__wrapped__"):
        return

    @wraps(make)
    def execute_deferred(self: MediaFileManager, file_id: str) -> str:
        for _ in range(_AGAIN):
            with self._lock:
                asked = self._deferred_callables.get(file_id)
            url = make(self, file_id)
            made = url.rpartition("/")[2].partition(".")[0]
            with self._lock:
                if asked is None or made not in self._file_metadata:
                    continue
                self._files_by_session_and_coord[asked["session_id"]][f"{asked['coordinates']} made"] = made
            break
        return url

    manager.execute_deferred = execute_deferred
    manager._remove_orphaned_deferred_callables = staticmethod(bool)  # at the end of every run: nothing


class Forgetting:
    """The look at the functions behind buttons, every now and then.

    Parameters
    ----------
    manager : callable
        Streamlit's keeper of files; None while no page is served.
    present : callable
        Whether a session is there.
    """

    def __init__(self, manager: Callable[[], MediaFileManager | None], present: Callable[[str], bool]):
        self._manager, self._present = manager, present

    def begin(self) -> None:
        """Has them looked at from now on, as long as the process lives."""
        every_now_and_then(self.look, EVERY)

    def look(self) -> bool:
        """Forgets the functions whose button has a newer one or that no session has; always true."""
        files = self._manager()
        if files is None:
            return True
        with files._lock:
            in_use = {id for kept in files._files_by_session_and_coord.values() for id in kept.values()}
            latest = {(of["session_id"], of["element_id"]): id for id, of in files._deferred_callables.items()}
            in_use.update(id for (session, element), id in latest.items() if element and self._present(session))
            for id in [id for id in files._deferred_callables if id not in in_use]:
                files._drop_deferred_id(id)
        return True


def _of_server() -> MediaFileManager | None:
    return Runtime.instance().media_file_mgr if Runtime.exists() else None


def _is_there(session: str) -> bool:
    return Runtime.instance().is_active_session(session)


FORGETTING = Forgetting(_of_server, _is_there)
