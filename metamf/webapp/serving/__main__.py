"""Serves the app as Streamlit's own command does, with what a server needs begun before it answers.

    python -m metamf.webapp.serving run app.py [Streamlit's options]

``metamf app`` calls this. What pages need is imported before the first visit, and what computes as soon as the server
has been idle for some seconds, so a class that comes all at once does not wait for that. (``streamlit run app.py``
serves the app, too; then what is imported here is imported with the first visit.)
"""

from __future__ import annotations

import sys
import threading
import time

from metamf.webapp.serving import start

IDLE = 3.0  # seconds without a visitor after which what computes is imported


def main() -> None:
    """Begins, and then is Streamlit."""
    try:
        start.begin()
    except (ValueError, ModuleNotFoundError) as error:
        sys.exit(f"error: {error}")
    from streamlit.web.cli import main as streamlit

    import metamf.webapp.frame  # noqa: F401  with the modules of the first page

    threading.Thread(target=_make_ready, daemon=True).start()
    sys.argv[0] = "streamlit"
    streamlit()


def _make_ready() -> None:
    from streamlit.runtime import Runtime

    from metamf.webapp import warming

    while not Runtime.exists():  # the server is being set up
        time.sleep(0.1)
    time.sleep(IDLE)
    warming.begin()  # does nothing if a visitor has come by then: the first page begins it, too


if __name__ == "__main__":
    main()
