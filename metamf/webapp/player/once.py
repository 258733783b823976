"""The messages of a component whose script and style travel once, however often its data change.

Streamlit puts script and style into every message about a component, and spares only a message that it has sent before
as it is (``global.maxCachedMessageAge`` in ``.streamlit/config.toml``). So they travel in a message that never changes,
and what is mounted with the data is ``waiting.js``, a kilobyte. No file is served besides: this works in the wheel.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path

_WAITING = Path(__file__).with_name("waiting.js")
_KEY = '"metamf script"'  # in it
_ENTRY = re.compile(r"^export default function (\w+)", re.M)
_BRING = """
const $arrival = (globalThis[{key}] ??= {{ mount: null, style: "", waiting: new Map() }});
$arrival.mount = {mount};
$arrival.style = {style};
for (const begin of $arrival.waiting.values()) begin();
$arrival.waiting.clear();
export default () => {{}};
"""


@cache
def messages(name: str, script: str, style: str) -> tuple[str, str]:
    """The module that brings script and style, and the one that waits for them; they belong to this version of them.

    Raises
    ------
    ValueError
        If the default export is not a function with a name.
    """
    if (entry := _ENTRY.search(script)) is None:
        raise ValueError(f"the script of {name} needs `export default function` with a name")
    digest = hashlib.blake2b((script + style).encode(), digest_size=8).hexdigest()
    key = json.dumps(f"{name} {digest}")
    bring = _BRING.format(key=key, mount=entry[1], style=json.dumps(style))
    return script.replace("export default ", "", 1) + bring, _WAITING.read_text("utf-8").replace(_KEY, key)
