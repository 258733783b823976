"""The start that all pages on one matrix share: title, data, and the view that the figures are drawn from."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.answer.division import Matrix
from metamf.answer.domain_shift import domain_shift
from metamf.checkpoints.bundled import describe
from metamf.figures.window import LARGEST_DRAWN, Window
from metamf.tables.limits import WINDOW, TableError
from metamf.webapp import address, look
from metamf.webapp.explore import choices, grid, what_if, words
from metamf.webapp.explore.choices import DEFAULT, GRID, UPLOAD, AppState, checkpoint_choices
from metamf.webapp.explore.edits import Edits
from metamf.webapp.explore.run import trained_safe
from metamf.webapp.explore.view import PageView, RunKey
from metamf.webapp.session import recall, remember
from metamf.webapp.your_table import uploads
from metamf.wording import counted

DOWNLOADS = "METAMF_DOWNLOADS"  # an environment variable; "on", or none: visitors may let data sets be downloaded


def open_page(title: str = "", lead: str = "", name_divergence: bool = True, picture: bool = False) -> PageView:
    """Draws the head of a page and returns its view; if there is nothing to show, says why and ends the page.

    ``name_divergence``: whether a note names steps that diverge. ``picture``: whether the page has a head of its own
    and draws the player, which then calls ``say_rest``.
    """
    if not picture:
        look.title(title, lead)
    if not checkpoint_choices():
        _end("There is no checkpoint in the folder pretrained: run `python -m metamf train` to make one.")
    state = AppState.read(st.session_state)
    matrix = _matrix(state)
    if not matrix.ratings.values.size:
        _end("No cell of the matrix holds a number yet: type at least one rating.")
    if np.abs(matrix.ratings.values).max() > LARGEST_DRAWN:
        _end(f"The matrix holds numbers above {LARGEST_DRAWN:g}: divide all of them by a common factor.")
    # Identity of the matrix, the same as long as its cells mean the same: numbers typed into a grid leave it alone.
    source = f"{GRID} {grid.desk().brought} {matrix.ratings.shape}" if state.data == GRID else matrix.digest
    key = key_of_run(state, matrix, what_if.edits_of(source, matrix.ratings))
    if picture and state.told:
        key = replace(key, model=state.told, steps=state.steps, told=True)
    window = _window(matrix.ratings.shape)
    other = replace(key, told=False) if key.told else replace(key, made=())
    view = PageView(key, matrix, window, PageView(other, matrix, window) if other != key else None)
    view.say(lambda: _doubt(view, name_divergence))
    if not picture:
        view.say_rest()
        if key.made:
            verb = "is" if len(key.made) == 1 else "are"
            look.note(f"{counted(len(key.made), 'cell')} {verb} edited here. Explore shows and undoes the edits.")
        if state.data in choices.TOLD:
            look.small("Nothing here knows the genre of the films; a switch of Explore tells it.")
    return view


def key_of_run(state: AppState, matrix: Matrix, made: Edits) -> RunKey:
    """The inputs of the run that the visitor asks for."""
    T = state.sweeps if checkpoint_choices()[state.model].takes_sweeps else state.steps
    return RunKey(matrix.digest, state.keep, state.by, state.seed, state.model, T, made.made)


def _doubt(view: PageView, name_divergence: bool) -> None:
    if sentence := words.doubt(view.run):
        look.note(sentence, "warning")
    if name_divergence and view.run.answer.step_rule == "safe" and not trained_safe(view.run.method):
        look.note(words.DIVERGED)


def about_matrix(view: PageView) -> None:
    """Draws what an error means for the matrix and, folded, how the matrix differs from those of the training."""
    look.small(words.hidden_cells(view.run.task))
    given = view.run.task.given
    checkpoint = view.run.method
    if departures := view.once("departures", lambda: domain_shift(given, describe(checkpoint))):
        with st.expander("How this matrix differs from the training"):
            for clause in departures:
                look.small(f"{clause[:1].upper()}{clause[1:]}.")


def _matrix(state: AppState) -> Matrix:
    if state.data == GRID:
        return grid.draw()
    address.write(grid.PARAMETER, "")
    if (name := choices.DATA_SETS.get(state.data)) is not None:
        if not datasets.available(name):
            _offer_download(name)
        try:
            return choices.held_out_block(name, state.block)
        except ValueError as error:  # an archive that is damaged, or not what its publisher distributes
            _end(f"{datasets.ARCHIVES[name].title} cannot be read: {error}.")
        except OSError:  # gone since it was found, or forbidden; the message names a folder of the server
            _end(f"{datasets.ARCHIVES[name].title} cannot be read on this server now. Choose other ratings.")
    return _uploaded() if state.data == UPLOAD else choices.example(state.data, state.seed)


def _offer_download(name: str) -> None:
    archive = datasets.ARCHIVES[name]
    if os.environ.get(DOWNLOADS, "").lower() not in ("", "on"):
        look.note(
            f"{archive.title} is not on this server, and no visitor's click downloads it. Whoever keeps the server "
            f"gets it by `metamf download {name}`. Choose an example for now."
        )
        st.stop()
    look.note(f"{archive.title} is not on this machine yet. Its publisher has it, {archive.size / 1e6:.1f} MB.")
    st.markdown(f"[{archive.page}]({archive.page})")
    with st.container(horizontal=True):
        asked = st.button(f"Download {archive.title}", type="primary")
        st.button("Show the film night instead", on_click=st.session_state.update, args=({"data": DEFAULT.data},))
    look.small(archive.licence)
    if asked:
        bar = st.progress(0.0, "Asking the publisher …")

        def show(done: int, total: int) -> None:
            bar.progress(min(done / total, 1.0), f"{done / 1e6:.1f} of {total / 1e6:.1f} MB")

        try:
            datasets.download(name, progress=show)
        except (datasets.DownloadError, OSError):
            bar.empty()
            _end(f"{archive.title} could not be downloaded now. Try again later, or choose an example for now.")
        st.rerun()
    st.stop()


def _uploaded() -> Matrix:
    upload = uploads.held()
    if upload is None:
        look.note("Bring a file on the page Your table, then press “Explore it” there. It stays in this session only.")
        st.page_link("pages/your_table.py", label="Your table", icon=":material/table_edit:")
        st.stop()
    key = uploads.key_of(upload)
    reading = st.container()  # in every run, so that nothing below it is redrawn when what it held has gone
    table = recall("table", key)  # as Your table has read it, which takes smaller ones only
    if table is None:
        try:
            with reading:
                table = remember("large table", key, partial(uploads.read_upload, upload, key.statements, WINDOW))
        except TableError as error:
            look.panel(upload.name)
            uploads.refused(upload, error)
            st.stop()
    report = table.report
    with st.expander(f"{look.as_markdown(upload.name)}: what was understood, and corrections"):
        uploads.other_sheets(report.sheets, report.sheet)
        uploads.roles_of_columns(report)
        for sentence in report.sentences():
            look.small(sentence)
        uploads.corrections(report.file_columns, report.sheets, report)
    title = upload.name or "Your file"
    return remember("matrix", key, lambda: Matrix(title, "Your file stays in this session only.", table.ratings))


def _window(shape: tuple[int, int]) -> Window:
    """The part to show; the visitor chooses it if the matrix is large."""
    window, words = look.choose_window(shape)
    if words is not None:
        with words:
            look.note(
                f"The matrix has {shape[0]:,} rows × {shape[1]:,} columns. All of it is filled in and measured; the "
                f"page shows rows {window.rows.start + 1:,} to {window.rows.stop:,} and columns "
                f"{window.cols.start + 1:,} to {window.cols.stop:,}."
            )
    return window


def _end(sentence: str) -> None:
    look.note(sentence, "warning")
    st.stop()
