"""The start of a process that serves the app, before anything is computed: heap, threads, descriptors, log, memory."""

from __future__ import annotations

import os
from threading import Lock

from metamf.version import __version__
from metamf.webapp.monitoring import observing
from metamf.webapp.serving import descriptors, heap, threads
from metamf.webapp.serving.door import LIMIT, limit
from metamf.webapp.serving.places import PLACES, number_of_places

begun = False
_beginning = Lock()


def begin() -> None:
    """Begins; later calls do nothing.

    Raises
    ------
    ValueError, ModuleNotFoundError
        If a variable of the environment is not what it has to be; the message names it.
    """
    global begun
    with _beginning:
        if begun:
            return
        heap.share()
        threads.limit()
        descriptors.raise_limit()
        descriptors.say_seldom()
        visitors = min(limit(os.environ.get(LIMIT, "")), descriptors.visitors())
        number_of_places(os.environ.get(PLACES, ""))
        _keep_uploads_in_memory()
        _keep_what_streamlit_drops()
        _end_what_was_left()
        said = {"version": __version__, "visitors": visitors, "threads": os.environ["OMP_NUM_THREADS"]}
        observing.begin(_gauges(), said)
        begun = True


def _keep_uploads_in_memory() -> None:
    """An upload of more than 1 MiB would lie in a file of the system's folder for temporary files while it arrives.

    How much memory uploads may take is limited, too (``uploaded``).
    """
    from starlette.formparsers import MultiPartParser

    from metamf.tables.limits import WEB
    from metamf.webapp.serving import uploaded  # with Streamlit

    MultiPartParser.spool_max_size = 2 * WEB.bytes
    uploaded.limit()
    uploaded.limit_arriving()


def _keep_what_streamlit_drops() -> None:
    from metamf.webapp.serving import on_demand, theme  # with Streamlit

    on_demand.keep()
    on_demand.FORGETTING.begin()
    theme.keep()


def _end_what_was_left() -> None:
    from metamf.webapp.serving.absent import ABSENT  # with Streamlit

    ABSENT.begin()


def _gauges() -> dict:
    """Name -> (what it is, what tells its value)."""

    def visitors() -> float:
        from streamlit.runtime import Runtime

        return Runtime.instance().stats_mgr.get_stats(["active_sessions"])["active_sessions"][0].value

    def waiting() -> float:
        from metamf.webapp.serving import at_the_door

        return at_the_door.door().waiting()

    def jobs(state: int) -> float:
        from metamf.webapp import shared_pool

        return shared_pool.pool().busy()[state]

    def heavy(state: int) -> float:
        from metamf.webapp.serving.heavy import TURNS

        return TURNS.busy()[state]

    return {
        "visitors": ("Sessions that are connected", visitors),
        "visitors_waiting": ("Sessions that wait since the server is full", waiting),
        "jobs_running": ("Computations that have a process", lambda: jobs(0)),
        "jobs_waiting": ("Computations that wait for a process", lambda: jobs(1)),
        "large_tables_running": ("Large tables that are being read or filled in", lambda: heavy(0)),
        "large_tables_waiting": ("Large tables that wait for their turn", lambda: heavy(1)),
    }
