"""The methods on the page Compare, as they answer: the checkpoints at once, then one baseline after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from metamf.checkpoints.bundled import data_set_for
from metamf.evaluate.comparison import AT_FIRST, Contender, in_order, meta_learned, of_baseline, of_baselines, of_run
from metamf.webapp import waiting
from metamf.webapp.matrix.choices import AppState, checkpoint_choices
from metamf.webapp.matrix.page import key_of_run
from metamf.webapp.matrix.shown import ShownView, cached, is_small, run_of
from metamf.webapp.matrix.what_if import desk


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

    at_first = tuple((method, learned_from.get(method)) for method in able if method in AT_FIRST)
    key, scale = keys[state.model], view.run.imputation.scale

    def answer(method: str) -> Contender:
        if method not in AT_FIRST:
            name = "contender", key, method, learned_from.get(method)
            return waiting.compute_once(name, of_baseline, method, view.run.task, scale, learned_from.get(method))
        if not is_small(matrix):
            make = partial(of_baseline, method, view.run.task, scale, learned_from.get(method))
            return cached(("contender", method, learned_from.get(method)), key, matrix, make)
        make = partial(of_baselines, at_first, view.run.task, scale)
        return cached(("contenders", at_first), key, matrix, make)[method]

    for found, next_one in in_order(able, answer):
        found = [*map(of_run, runs.values()), *found]
        yield sorted(found, key=lambda c: c.rmse) if view.run.task.hidden.nnz else found, next_one
