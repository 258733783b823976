"""metamf app: Streamlit on the app's entry, from any folder. Streamlit finds pages and settings beside the entry."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "app" / "app.py"  # where a wheel has the repository's app.py, with pages/ and .streamlit/


def run(arguments: argparse.Namespace) -> int:
    """Starts the app; the exit code."""
    missing = [name for name in ("streamlit", "plotly") if importlib.util.find_spec(name) is None]
    if missing:
        raise FileNotFoundError(f"the app needs {' and '.join(missing)}: pip install 'metamf[app]'")
    command = [sys.executable, "-m", "metamf.webapp.serving", "run", str(entry())]  # Streamlit, and what a server needs
    if arguments.port is not None:
        command.append(f"--server.port={arguments.port}")
    if arguments.no_browser:
        command.append("--server.headless=true")
    if os.name == "posix":  # the server in this one's place, so that it gets the signals that are meant for it
        sys.stdout.flush()
        os.execv(sys.executable, command)
    return subprocess.run(command).returncode


def entry() -> Path:
    """The script that Streamlit runs."""
    return _INSTALLED if _INSTALLED.is_file() else _PACKAGE.parent / "app.py"
