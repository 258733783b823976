"""The methods on the page Compare, as they answer: the checkpoints at once, then one baseline after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import streamlit as st

from metamf.checkpoints.bundled import data_set_for
from metamf.evaluate.comparison import AT_FIRST, Contender, in_order, meta_learned, of_baseline, of_baselines, of_run
from metamf.evaluate.run import TaskRun
from metamf.webapp.matrix.choices import AppState, checkpoint_choices
from metamf.webapp.matrix.page import key_of_run
from metamf.webapp.matrix.shown import (
    RunKey,
    ShownView,
    a_moment,
    for_all,
    in_line,
    in_session,
    is_small,
    run_of,
    shareable,
)
from metamf.webapp.matrix.what_if import desk
from metamf.webapp.serving import heavy
from metamf.webapp.train import own

_OF_LARGE_MATRICES = "contenders_on_large_matrices"  # in the session, by what they depend on
_KEPT = 40  # answers of a session


def contenders(view: ShownView, baselines: Sequence[str]) -> Iterator[tuple[list[Contender], str | None]]:
    """Yields the methods that have answered, and the key of the baseline that is computed next, None at the end.

    The first to answer are all checkpoints that can be chosen. A meta-learned baseline answers in the units of a
    checkpoint that learned from the same data; where there is none, it is left out. If cells are hidden, the best
    method comes first.
    """
    state, matrix, made = AppState.read(st.session_state), view.matrix, desk().edits
    keys = {name: key_of_run(replace(state, model=name), matrix, made) for name in checkpoint_choices()}
    runs = {name: run_of(key, matrix) for name, key in keys.items()}
    learned_from = {method: data_set_for(method, state.model, runs) for method in baselines if meta_learned(method)}
    able = [method for method in baselines if learned_from.get(method, "") is not None]

    version = "" if own.STARTED in st.session_state else shareable(view.key, matrix)  # units may be of an own training
    at_first = tuple((method, learned_from.get(method)) for method in able if method in AT_FIRST)
    together: dict[str, Contender] = {}

    def answer(method: str) -> Contender:
        known = view.run, learned_from.get(method)
        key = keys[state.model]
        if is_small(matrix) and method in AT_FIRST:
            if not together:
                with in_line(matrix):
                    found = (
                        _first_for_all(key, at_first, version, view.run) if version else _first(key, at_first, view.run)
                    )
                together.update(found)
            return together[method]
        if method not in AT_FIRST and not is_small(matrix):
            return _in_turn(key, method, *known)
        return _baseline_for_all(key, method, version, *known) if version else _baseline(key, method, *known)

    for found, waiting in in_order(able, answer):
        found = [*map(of_run, runs.values()), *found]
        yield sorted(found, key=lambda c: c.rmse) if view.run.task.hidden.nnz else found, waiting


def _in_turn(key: RunKey, method: str, run: TaskRun, data: str | None) -> Contender:
    """A method that may take ten seconds on a large matrix, one visitor after the other; kept in the session."""
    kept: dict[tuple, Contender] = st.session_state.setdefault(_OF_LARGE_MATRICES, {})
    name = key, method, data
    if name not in kept:
        with heavy.turn():
            found = of_baseline(method, run.task, run.imputation.scale, data)
        while len(kept) >= _KEPT:
            del kept[next(iter(kept))]
        kept[name] = found
    return kept[name]


@in_session(max_entries=_KEPT)
def _baseline(key: RunKey, method: str, _run: TaskRun, _data: str | None) -> Contender:
    return of_baseline(method, _run.task, _run.imputation.scale, _data)


@for_all
def _baseline_for_all(key: RunKey, method: str, version: str, _run: TaskRun, _data: str | None) -> Contender:
    return of_baseline(method, _run.task, _run.imputation.scale, _data)


Asked = tuple[tuple[str, str | None], ...]


@in_session(max_entries=_KEPT)
def _first(key: RunKey, asked: Asked, _run: TaskRun) -> dict[str, Contender]:
    return a_moment(_run.task.matrix, of_baselines, asked, _run.task, _run.imputation.scale)


@for_all
def _first_for_all(key: RunKey, asked: Asked, version: str, _run: TaskRun) -> dict[str, Contender]:
    return a_moment(_run.task.matrix, of_baselines, asked, _run.task, _run.imputation.scale)
