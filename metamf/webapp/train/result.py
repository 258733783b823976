"""The result of a training: a checkpoint for the other pages of this visit, and to take away with its card."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import streamlit as st

from metamf.webapp import look
from metamf.webapp.jobs.job import Shown
from metamf.webapp.train.own import checkpoint_of


def draw(job: Shown) -> None:
    """Draws what can be done with the checkpoint of a training that has ended; nothing where there is none."""
    path = checkpoint_of(job)
    if path is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Fill in with it",
            type="primary",
            icon=":material/grid_on:",
            key="train_use",
            on_click=_choose,
            args=(str(path),),
        ):
            st.switch_page("pages/fill_in.py", query_params={})  # what is bound to widgets may not be cleared
        st.download_button(
            "Download with its card",
            _kept_archive(path),
            f"{slug(path)}.zip",
            "application/zip",
            icon=":material/download:",
            key="train_download",
            on_click="ignore",
        )
    look.small(
        f"“{path.stem}” is among the models at the side of Fill in, Watch, Compare and Inside as long as this visit "
        "lasts; nobody else sees it, and it is gone when you leave."
    )


def _kept_archive(path: Path) -> bytes:
    """The archive, made once: the pool removes its file when a visitor has been without a connection for a minute."""
    kept = st.session_state.setdefault("training_archives", {})
    if path not in kept:
        kept[path] = archive(path)
    return kept[path]


def archive(path: Path) -> bytes:
    """A zip of the checkpoint and its card, under names that any system takes."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as file:
        for part in (path, path.with_suffix(".md")):
            file.writestr(f"{slug(path)}{part.suffix}", part.read_bytes())
    return found.getvalue()


def slug(path: Path) -> str:
    """'Trained by you (2)' -> 'trained-by-you-2'"""
    return "-".join(path.stem.lower().replace("(", "").replace(")", "").split())


def _choose(path: str) -> None:
    st.session_state.model = path
