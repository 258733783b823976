"""One episode of meta-training, drawn: Algorithm 2, line by line, with the numbers of each line.

A table is divided into a given part X and a hidden part X'; the network reads X, ten steps follow,
and the squared error on X' alone, Eq. (9), corrects it. All maps are those of the other pages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
import torch
from torch.nn.utils import parameters_to_vector

from metamf.figures.window import Axes
from metamf.learning.episodes import Episode
from metamf.network.episode_trace import EpisodeTrace, corrected, trace_episode
from metamf.network.meta_mf import MetaMF
from metamf.ratings.units import Standardization
from metamf.recipes.live import LiveData
from metamf.webapp import look
from metamf.webapp.player.component import draw_apart
from metamf.webapp.player.still import Still, scene_of

LINES = {  # of Algorithm 2, by their numbers in the paper
    3: "Select a table at random",
    4: "Sample N rows and M columns: X̄",
    5: "Divide its ratings: given X, B; hidden X′, B′",
    6: "Algorithm 1 on X: U(0), V(0), then T steps",
    7: "Loss ‖B′ ⊙ (X′ − UVᵀ)‖² / |B′| on X′ alone, Eq. (9), and its gradient",
    8: "Correct the network Θ by the gradient",
}
LINE = "episode_line"  # keys of widgets
NUMBER = "episode_number"
CUT = "episode_cut"
SIDES = "row", "column"
UNTRAINED = "random weights"  # how ``named`` calls a network that has learned nothing


def line_by_line(
    network: MetaMF, data: LiveData, number: int, named: str, untrained: MetaMF
) -> None:
    """Draws an episode, in rating units, as ``network`` goes through it; ``named``: what the
    network has learned so far, such as UNTRAINED; ``untrained``: what it began with."""
    look.heading("One episode")
    episode = data.episode(number)
    trace = trace_episode(network, episode.in_units(data.units))
    left, right = st.columns([1, 2.4], gap="medium")
    with left:
        line = st.radio(
            "Algorithm 2, by the paper's line numbers",
            list(LINES),
            index=4,
            format_func=lambda number: f"{number}: {LINES[number]}",
            key=LINE,
        )
        st.button("Next episode", icon=":material/casino:", key="episode_next", on_click=_next)
    with right:
        look.finding(sentence(line, trace, network, data, number, named, untrained))
        if line == 8:
            st.html(correction_table(trace))
    maps = pictures(line, trace, episode, data.units)
    larger = line == 3 and data.table_size is not None  # than an episode: its table is not drawn
    if maps and not larger:  # as wide as the page: names need the room
        draw_apart(scene(episode, maps), f"episode-{line}", "maps")
    if line == 7:
        _gradient(trace, episode)


def pictures(
    line: int, trace: EpisodeTrace, episode: Episode, units: Standardization
) -> list[Still]:
    """The maps of a line of Algorithm 2, in rating units; none for the correction."""
    scale = episode.support.scale
    low, high = (scale.minimum, scale.maximum) if scale else (-3.0, 3.0)
    given = episode.support.to_dense()
    hidden = episode.query.to_dense()
    whole = np.where(np.isnan(given), hidden, given)
    start = estimates(trace, 0, units)
    end = estimates(trace, trace.T, units)

    def ratings(title: str, detail: str, values: np.ndarray, noun: str = "rating") -> Still:
        return Still(title, detail, values, low, high, noun=noun)

    size = f"{given.shape[0]} × {given.shape[1]}"
    if line == 3:
        return [ratings("The night", size, whole)]
    if line == 4:
        return [ratings("X̄", size, whole)]
    if line == 5:
        return [
            ratings("Given: X, B", f"{episode.support.nnz} ratings", given),
            ratings("Hidden: X′, B′", f"{episode.query.nnz} ratings", hidden),
        ]
    if line == 6:
        return [
            ratings("Given: X, B", f"{episode.support.nnz} ratings", given),
            ratings("Start: U(0) V(0)ᵀ", "Eqs. (4), (5)", start, "estimate"),
            ratings(f"After {trace.T} steps", "Eqs. (6) to (8)", end, "estimate"),
        ]
    if line == 7:
        off = end - hidden
        limit = float(np.nanmax(np.abs(off)))
        return [
            ratings("Hidden: X′, B′", f"{episode.query.nnz} ratings", hidden),
            ratings(f"After {trace.T} steps", "Eq. (8)", end, "estimate"),
            Still.signed("Error where b′ = 1", "estimate minus X′", off, limit, "low", "high"),
        ]
    return []


def estimates(trace: EpisodeTrace, t: int, units: Standardization) -> np.ndarray:
    """(N, M) Eq. (8) after step t, in rating units, not clipped."""
    return units.undo(trace.U[t] @ trace.V[t].T)


def sentence(
    line: int,
    trace: EpisodeTrace,
    network: MetaMF,
    data: LiveData,
    number: int,
    named: str,
    untrained: MetaMF,
) -> str:
    """What a line does to this episode."""
    support = trace.episode.support
    hidden = trace.episode.query.nnz
    rows, cols = support.shape
    if line == 3:
        if data.table_size is None:
            return (
                "Draws a film night. The next episode is another one: other people, other films, "
                "though made-up names repeat."
            )
        return (
            f"There is one table to select, {data.table_size[0]:,} × {data.table_size[1]:,}. None "
            "of its rows and columns is in the held-out tables."
        )
    if line == 4:
        if data.table_size is None:
            return f"Takes the whole night: {rows} people, {cols} films, every rating known."
        return f"Samples {rows} rows and {cols} columns; the next episode samples again."
    if line == 5:
        chosen = (
            "rather what people like, so high ratings are given more often"
            if data.given_by_liking(number)
            else "at random, as in the paper"
        )
        return (
            f"The network will read {support.nnz} ratings. The other {hidden} stay hidden from it, "
            "and no cell is in both parts: B ∩ B′ = ∅. In this table the given ratings are "
            f"{chosen}."
        )
    first, last = (f"{trace.losses[t]:.3f}" for t in (0, -1))
    if line == 6:
        return (
            f"With {named}, the network reads X and proposes a start; {trace.T} steps on X alone "
            f"move the loss on X′, the mean squared error in standardised units, from {first} to "
            f"{last}. {_on_many(network, data, untrained)}"
        )
    if line == 7:
        return loss_sentence(trace)
    learner, size = corrected(network, trace.episode)
    after = trace_episode(learner, trace.episode).losses[-1]
    eta = " η is learned here; the paper fixes it." if network.config.learn_step_size else ""
    return (
        f"Descending by {size:g} times the gradient moves the loss of this table from {last} to "
        f"{after:.3f}. Training takes an AdamW step by the mean gradient of 16 tables, so the loss "
        f"of a single one may rise.{eta}"
    )


def loss_sentence(trace: EpisodeTrace) -> str:
    """What line 7 takes the loss on."""
    return (
        f"The loss is taken on the {trace.episode.query.nnz} hidden ratings alone: "
        f"{trace.losses[-1]:.3f}, their mean squared error in standardised units (Eq. (9) does not "
        f"divide by their number). Its gradient goes back through all {trace.T} steps."
    )


def _on_many(network: MetaMF, data: LiveData, untrained: MetaMF) -> str:
    """What the steps do to the mean loss of many tables; that of a single one may grow."""
    first, last = _kept_mean_losses(network, data)
    before = ""
    if network is not untrained:
        before = f"; with {UNTRAINED} to {_kept_mean_losses(untrained, data)[1]:.3f}"
    many = len(data.episodes.support)
    return (
        f"On a single table they may help or not. The mean over {many} such tables moves from "
        f"{first:.3f} to {last:.3f}{before}."
    )


def _kept_mean_losses(network: MetaMF, data: LiveData) -> tuple[float, float]:
    parameters = parameters_to_vector(network.parameters()).numpy(force=True).tobytes()
    return _losses_by_parameters(data.name, parameters, network, data)


@st.cache_data(max_entries=100, show_spinner=False)
def _losses_by_parameters(
    name: str, parameters: bytes, _network: MetaMF, _data: LiveData
) -> tuple[float, float]:
    """``mean_losses``, once for all visitors for each data set and network."""
    return mean_losses(_network, _data)


@torch.no_grad()
def mean_losses(network: MetaMF, data: LiveData) -> tuple[float, float]:
    """Eq. (9) before and after the steps, over the hidden ratings of ``data.episodes``."""
    batch = data.episodes
    found = network.adapt(batch.support)
    sizes = [batch.support.N, batch.support.M]
    losses = []
    for U, V in (found.path[0].split(sizes), found.path[-1].split(sizes)):
        estimates = torch.linalg.vecdot(U[batch.query_row], V[batch.query_col])
        losses.append(float((estimates - batch.query_x).square().mean()))
    return losses[0], losses[1]


def correction_table(trace: EpisodeTrace) -> str:
    """The norm of the gradient by each part of the network, as HTML."""
    rows = [[name, _digits(value)] for name, value in trace.parameter_slopes.items()]
    head = ["part of Θ", "norm of the gradient"]
    return look.table("The gradient of Eq. (9) by each part of the network.", head, rows)


def _gradient(trace: EpisodeTrace, episode: Episode) -> None:
    """Draws the derivative of the loss by U(0) and V(0), through all steps and cut."""
    look.heading("Where should the start have been?")
    ends = {0: "all steps", trace.T: "first order"}
    cut = st.select_slider(
        f"Cut the gradient: treat steps 1 to t as constants (up to t = {trace.T}, first order)",
        range(trace.T + 1),
        format_func=lambda t: f"t = {t}: {ends[t]}" if t in ends else f"t = {t}",
        key=CUT,
    )
    look.finding(gradient_sentence(trace, cut))
    for place, side in zip(st.columns(2, gap="medium"), SIDES):
        with place:
            draw_apart(gradient_scene(trace, episode, side, cut), f"gradient-{side}", "maps")


def gradient_scene(trace: EpisodeTrace, episode: Episode, side: str, cut: int) -> dict[str, Any]:
    """The derivatives by U(0), of the 'row's, or by V(0), of the 'column's, as the player draws
    them."""
    ratings = episode.support
    labels = ratings.row_labels if side == "row" else ratings.col_labels
    return scene_of(
        "An episode", gradient_maps(trace, cut)[side], Axes(labels, None, 0, 0, side, "factor")
    )


def gradient_maps(trace: EpisodeTrace, cut: int) -> dict[str, list[Still]]:
    """The derivatives by U(0) and by V(0), through all steps and with those up to ``cut`` as
    constants; of one side on one scale of colours."""
    found = {}
    sides = {"row": ("U(0)", trace.slope_rows), "column": ("V(0)", trace.slope_cols)}
    for side, (name, slopes) in sides.items():
        limit = float(np.abs(slopes[[0, cut]]).max())
        ends = (limit, "should be higher", "should be lower")
        found[side] = [
            Still.signed(f"∂ loss / ∂ {name}", f"through all {trace.T} steps", slopes[0], *ends)
        ]
        if cut:
            found[side].append(Still.signed(f"Cut at t = {cut}", "", slopes[cut], *ends))
    return found


def gradient_sentence(trace: EpisodeTrace, cut: int) -> str:
    """How much the cut changes the gradient by the start."""
    whole, other = (
        np.concatenate([trace.slope_rows[t], trace.slope_cols[t]]).ravel() for t in (0, cut)
    )
    size = float(np.linalg.norm(whole))
    if not cut:
        return (
            f"The gradient reaches U(0) and V(0) through all {trace.T} steps; its norm, over both "
            f"together, is {_digits(size)}. The network is corrected by this."
        )
    alike = float(whole @ other / max(size * np.linalg.norm(other), 1e-300))
    constant = "step 1 as a constant" if cut == 1 else f"steps 1 to {cut} as constants"
    if cut == trace.T:
        constant += ", first order,"
    return (
        f"Through all {trace.T} steps the norm of the gradient, over U(0) and V(0) together, is "
        f"{_digits(size)}. With {constant} it is {_digits(float(np.linalg.norm(other)))}, and the "
        "two "
        f"directions agree by {alike:.2f} (cosine): the cut one does not know how these steps "
        "depend "
        "on the start."
    )


def _digits(norm: float) -> str:
    """A norm with three significant digits, so that two norms are as exact as each other."""
    return f"{norm:#.3g}"


def scene(episode: Episode, maps: list[Still]) -> dict[str, Any]:
    """Maps of an episode as the player draws them."""
    ratings = episode.support
    axes = Axes(ratings.row_labels, ratings.col_labels, 0, 0, "row", "column")
    scale = ratings.scale
    ends = (scale.minimum, scale.maximum) if scale else None
    given = ratings.to_dense()
    hidden = episode.query.to_dense()
    return scene_of("An episode", maps, axes, given=given, truth=hidden, ends=ends)


def _next() -> None:
    st.session_state[NUMBER] = st.session_state.get(NUMBER, 0) + 1
