"""How far the code walks for one click in the app: the files that a page enters, and the moves between them.

A page is opened by Streamlit's AppTest, with the checkpoints warm, and run again while every call is traced. Files of
``metamf``, ``pages`` and ``app.py`` count; calls inside Streamlit and other packages are passed over, so that a
callback counts as a move from where Streamlit was called. The walks: on "Your table", an upload, a click that changes
nothing (once the check of the methods and the tuning have ended) and a download; on the first page and on "Watch", a
click that changes nothing and, in versions whose steps the server draws, a step.

    python -m benchmarks.speed.walks                 # this checkout
    python benchmarks/speed/walks.py --root FOLDER   # another one, such as that of commit 3e3adaa
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TABLE = (
    b"name;Tea;Coffee;Juice;Water\nAda;4,5;;3;1\nBen;1;2;;2,5\nCleo;;5;4;\nDev;3;4;2;1\nEma;2;;;5\nFinn;4;3;;2\n"
    b"Gus;;1;5;4\nHanna;5;4;;1\n"
)


class Walk(NamedTuple):
    """Files that were entered while something ran.

    Attributes
    ----------
    visits : number of times that each file, named relative to the root, was entered from another one
    """

    visits: Counter

    @property
    def files(self) -> int:
        return len(self.visits)

    @property
    def moves(self) -> int:
        return self.visits.total()


def walked(act: Callable[[], object], root: Path = ROOT) -> Walk:
    """The walk through ``metamf``, ``pages`` and ``app.py`` under ``root`` while ``act`` runs, in all its threads."""
    import threading

    visits, before = Counter(), threading.local()
    places: dict[str, str | None] = {}

    def place(file: str) -> str | None:
        if file not in places:
            path = Path(file)
            inside = path.is_relative_to(root) and path.relative_to(root).parts[0] in ("metamf", "pages", "app.py")
            places[file] = path.relative_to(root).as_posix() if inside else None
        return places[file]

    def trace(frame, event, _):
        if event == "call" and (file := place(frame.f_code.co_filename)) is not None:
            if file != getattr(before, "file", None):
                visits[file] += 1
            before.file = file

    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return Walk(visits)


def walks(root: Path = ROOT) -> dict[str, Walk]:
    """All walks, by name. The current folder is the root, from which ``metamf`` is imported."""
    from streamlit.testing.v1 import AppTest

    def opened(page: str | None = None) -> AppTest:
        at = AppTest.from_file(root / "app.py", default_timeout=300).run()
        return at if page is None else at.switch_page(page).run()

    def upload(at: AppTest) -> AppTest:
        return healthy(at.get("file_uploader")[-1].set_value(("drinks.csv", TABLE, "text/csv")).run())

    found = {}
    upload(opened("pages/your_table.py"))  # checkpoints and imports are warm from here on
    at = opened("pages/your_table.py")
    found["Your table, an upload"] = walked(lambda: upload(at), root)
    settled(at)
    found["Your table, a click that changes nothing"] = walked(lambda: healthy(at.run()), root)
    found["Your table, a download"] = walked(lambda: healthy(at.button(key="table_get_csv").click().run()), root)
    for name, page in (("First page", None), ("Watch", "pages/watch.py")):
        at = healthy(opened(page))
        found[f"{name}, a click that changes nothing"] = walked(lambda at=at: healthy(at.run()), root)
        if [slider for slider in at.slider if slider.key == "t"]:
            found[f"{name}, a step"] = walked(lambda at=at: healthy(at.slider(key="t").set_value(2).run()), root)
    return found


def settled(at, seconds: float = 300):
    """The page once no worker computes for it: no bar of progress is drawn any more."""
    end = time.monotonic() + seconds
    while at.get("progress") and time.monotonic() < end:
        time.sleep(1)
        healthy(at.run())
    return at


def healthy(at):
    assert not at.exception, at.exception[0].message
    return at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout that is walked through")
    parser.add_argument("--files", action="store_true", help="name the files")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    os.chdir(root)
    sys.path[:] = [str(root), *(path for path in sys.path if Path(path or ".").resolve() != ROOT)]
    os.environ["METAMF_DATA"] = tempfile.mkdtemp()  # no data sets
    for name, walk in walks(root).items():
        print(f"{name}: {walk.files} files, {walk.moves} moves")
        if arguments.files:
            print("    " + "\n    ".join(f"{visits:3} {file}" for file, visits in walk.visits.most_common()))


if __name__ == "__main__":
    main()
