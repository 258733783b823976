"""The way of a file from its upload to the filled table: few files of the web app."""

import threading
from pathlib import Path

import pytest
from your_table import WIDE, uploaded

from metamf.webapp.data import own
from metamf.webapp.your_table import preview

pytestmark = pytest.mark.slow

MOST = 14
WEBAPP = str(Path(preview.__file__).parents[1])


def test_few_files_of_the_web_app_are_run_through_until_the_table_is_filled(monkeypatch):
    """From the bytes to the data of the preview; the frame around all pages is not counted."""
    seen = set()

    def note(frame, event, argument):
        name = frame.f_code.co_filename
        if event == "call" and (name.startswith(WEBAPP) or name.endswith("pages/your_table.py")):
            seen.add(name.removeprefix(WEBAPP))

    begin = own.table
    end = preview.preview_of

    def begins(*about):
        seen.clear()
        return begin(*about)

    def ends(*about):
        found = end(*about)
        kept.append(set(seen))
        return found

    kept = []
    monkeypatch.setattr(own, "table", begins)
    monkeypatch.setattr(preview, "preview_of", ends)
    threading.setprofile(note)
    try:
        uploaded(WIDE)
    finally:
        threading.setprofile(None)
    assert "/your_table/filling.py" in kept[0]
    assert len(kept[0]) <= MOST, sorted(kept[0])
