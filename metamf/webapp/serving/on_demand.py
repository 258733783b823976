"""Files that are made when a visitor asks for them stay until that visitor's page is drawn anew.

Streamlit makes the file behind a download button when the button is pressed, and the browser then fetches it. Between
the two the file belongs to nobody, and after two runs of whatever pages it is deleted: with a class at work that is a
fraction of a second. And while a page is drawn anew, the end of anybody's run takes away the functions behind the buttons
that its visitor still sees. Here a file belongs to the session that asked for it, and the latest function behind a button
to its session for as long as that is there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from streamlit.runtime import Runtime
from streamlit.runtime.media_file_manager import MediaFileManager

_AGAIN = 3  # attempts to make a file that others' runs have deleted before it was anybody's; chosen by hand


def keep(manager: type[MediaFileManager] = MediaFileManager, present: Callable[[str], bool] | None = None) -> None:
    """Has Streamlit keep such files and functions; later calls do nothing.

    Parameters
    ----------
    manager : type
        Streamlit's keeper of files.
    present : callable, optional
        Whether a session is there; by default the server is asked.
    """
    make = manager.execute_deferred
    if hasattr(make, "__wrapped__"):
        return
    is_there = present or (lambda session: Runtime.exists() and Runtime.instance().is_active_session(session))

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

    def remove_orphaned(self: MediaFileManager) -> None:
        in_use = {id for files in self._files_by_session_and_coord.values() for id in files.values()}
        latest = {(of["session_id"], of["element_id"]): id for id, of in self._deferred_callables.items()}
        in_use.update(id for (session, element), id in latest.items() if element and is_there(session))
        for id in [id for id in self._deferred_callables if id not in in_use]:
            self._drop_deferred_id(id)

    manager.execute_deferred = execute_deferred
    manager._remove_orphaned_deferred_callables = remove_orphaned
