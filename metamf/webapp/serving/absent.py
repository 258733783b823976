"""Sessions whose visitors have left: they are ended when nobody can come back to them, whether or not somebody comes.

Streamlit keeps a session for two minutes, for a browser that was interrupted. Then nobody gets it any more, but it is
there, with its uploads and three descriptors, until another visitor leaves: the last one's for a night. So it is ended
here, within half a minute.
"""

from __future__ import annotations

import gc
from concurrent.futures import Future

from streamlit.runtime import Runtime, RuntimeState
from streamlit.runtime.memory_session_storage import MemorySessionStorage

from metamf.webapp.jobs.ticking import every_now_and_then
from metamf.webapp.serving import heap

EVERY = 30.0  # seconds between two looks
PATIENCE = 60.0  # seconds for the thread of the server, in which sessions are ended
_SERVES = (RuntimeState.NO_SESSIONS_CONNECTED, RuntimeState.ONE_OR_MORE_SESSIONS_CONNECTED)


class Absent:
    """The look at the sessions that were left, every now and then."""

    def __init__(self) -> None:
        self._ended_before = 0  # number of sessions that the latest look has ended

    def begin(self) -> None:
        """Has sessions ended from now on, as long as the process lives."""
        every_now_and_then(self.look, EVERY)

    def look(self) -> bool:
        """Ends those to which nobody can come back, and gives their memory back; always true: others will leave."""
        if Runtime.exists() and (runtime := Runtime.instance()).state in _SERVES:
            ended: Future[int] = Future()
            storage = runtime._session_mgr._session_storage
            runtime._get_async_objs().eventloop.call_soon_threadsafe(_end, storage, ended)
            before, self._ended_before = self._ended_before, ended.result(PATIENCE)
            if before or self._ended_before:  # twice: some of what a session holds is forgotten a little later
                gc.collect()
                heap.give_back()
        return True


def _end(storage: MemorySessionStorage, ended: Future[int]) -> None:
    try:
        ended.set_result(end(storage))
    except Exception as error:  # for the thread that waits
        ended.set_exception(error)


def end(storage: MemorySessionStorage) -> int:
    """Ends the sessions that are kept longer than Streamlit keeps them, in the server's thread; their number."""
    ended = storage._cache.expire()
    for _, kept in ended:
        kept.session.shutdown()  # whoever else may hold it
    return len(ended)


ABSENT = Absent()
