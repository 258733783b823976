"""The one pool of processes that all visitors of this server share, and who a visitor is to it."""

from __future__ import annotations

from functools import cache
from threading import Lock

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from metamf.webapp.jobs.pool import Pool

_making = Lock()


def pool() -> Pool:
    """The pool; made when the first visitor needs it, once, however many come at the same time."""
    with _making:
        return _made()


@cache
def _made() -> Pool:
    return Pool(present=_present)


def visitor() -> str | None:
    """The owner of the jobs that this run of the script submits: its session. None outside of a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id


def _present(owner: str) -> bool:
    """Whether the session's browser is connected; a short interruption is forgiven by the pool."""
    return not Runtime.exists() or Runtime.instance().is_active_session(owner)
