"""A run as one HTML file that plays without network and without this package: the player's own modules, and the run."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from metamf.webapp.player import bundle
from metamf.webapp.player.component import Scene


def page(run: dict[str, Any], scene: Scene, sentence: str) -> str:
    """The file's text.

    Parameters
    ----------
    run : dict
        The run, of ``metamf.tasks.replay.replay``. What was edited stays in it; nothing can be edited in the file.
    scene : {'fill', 'watch', 'fit', 'prior', 'given'}
        Scene that is drawn of it.
    sentence : str
        Sentence above the picture.
    """
    data = json.dumps({"run": run, "scene": scene, "asks": [], "options": {}}, allow_nan=False)
    return _template().substitute(
        name=escape(f"{run['matrix']['name']}, {run['model']['title']}"),
        sentence=escape(sentence),
        style=bundle.style(),
        data=data.replace("<", "\\u003c"),  # a name cannot end the script
        script=bundle.script().replace("export default ", "", 1),
    )


@cache
def _template() -> Template:
    return Template(Path(__file__).with_name("standalone.html").read_text("utf-8"))
