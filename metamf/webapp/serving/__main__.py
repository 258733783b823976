"""Serves the app as Streamlit's own command does, with what a server needs begun before it answers.

    python -m metamf.webapp.serving run app.py [Streamlit's options]

``metamf app`` calls this. (``streamlit run app.py`` serves the app, too; then log and figures begin with the first
visit.)
"""

from __future__ import annotations

import sys

from metamf.webapp.serving import start


def main() -> None:
    """Begins, and then is Streamlit."""
    try:
        start.begin()
    except (ValueError, ModuleNotFoundError) as error:
        sys.exit(f"error: {error}")
    from streamlit.web.cli import main as streamlit

    sys.argv[0] = "streamlit"
    streamlit()


if __name__ == "__main__":
    main()
