"""The player's script, one file for all its parts that ``npm run build`` makes, and components
mounted from it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

# What Streamlit mounts of a part of the bundle: it waits until the bundle has come to the page.
_LOADER = """\
export default function mountPart(given) {
  let leave, left = false;
  (globalThis[KEY] ??= []).push((parts) => {
    if (!left) leave = parts[PART]({ ...given, data: given.data[0] });
  });
  return () => {
    left = true;
    leave?.();
  };
}
"""


@cache
def bundle() -> str:
    """Returns the bundle's text: a module whose default export hands over its parts."""
    return Path(__file__).with_name("player.bundle.js").read_text("utf-8")


@cache
def bundle_key() -> str:
    """Returns the name under which a page keeps this version of the bundle."""
    return f"metamf {hashlib.blake2b(bundle().encode(), digest_size=8).hexdigest()}"


def mount_bundle() -> None:
    """Brings the bundle to the page. Call it once on a page, before ``mount``."""
    with st.container(key="bundle"):
        _bundle()(data={"key": bundle_key()}, key="bundle_script", height=1, width=1)


@cache
def _bundle() -> Callable[..., Any]:
    return st.components.v2.component("metamf_bundle", js=bundle())


def mount(part: str, *, key: str, data: dict[str, Any], **changes: Any) -> None:
    """Mounts a part of the bundle as a component named ``metamf_{part}``; ``changes`` are
    Streamlit's ``on_*_change``.

    Streamlit sends the script of a component again with every change of its data. The bundle is
    therefore sent by ``mount_bundle``, whose data never change, so that Streamlit's cache of
    messages (``global.maxCachedMessageAge`` in ``.streamlit/config.toml``) spares it from then on;
    what is mounted with the data has 300 bytes.
    """
    _component(part)(
        key=key, data=[data], **changes
    )  # Streamlit asks pandas whether a dictionary holds tables


@cache
def _component(part: str) -> Callable[..., Any]:
    script = _LOADER.replace("KEY", f'"{bundle_key()}"').replace("PART", f'"{part}"')
    return st.components.v2.component(f"metamf_{part}", js=script)
