"""Edits of ratings ("what if?") that a visitor makes in the player, kept in the session for each
matrix and in the address, and the player that follows them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from metamf.answer.division import SELECTIONS
from metamf.checkpoints.bundled import find_checkpoint
from metamf.datasets.examples import FILM_NIGHT, NIGHTS
from metamf.datasets.film_nights import film_night
from metamf.figures.window import Window, names_of
from metamf.ratings.scale import RatingScale
from metamf.webapp.choices import AppState, example
from metamf.webapp.player.bundle import mount
from metamf.webapp.player.component import Scene, player
from metamf.webapp.player.live import is_live, live_of, table_of
from metamf.webapp.run import curve
from metamf.webapp.run.edits import Edit, EditDesk, desk
from metamf.webapp.run.matrix_page import View, kept, task_of
from metamf.webapp.run.measured_run import Run

# in the session: identity of the run, row and column in the window that were asked about
_ASKED = "influence_asked"
_NAMED = 6  # ratings that are named
_FOLLOWED = "followed"  # in the session: the last message of a page that computes by itself
FIRST_NIGHTS = 40  # film nights that travel at once
MOST_SEEDS = 10_000


def influence_of(run: Run, window: Window, row: int, col: int) -> dict[str, Any]:
    """The most influential ratings of a cell of the window, in the player's format."""
    given = run.task.given
    nothing = {"cell": [row, col], "items": [], "examined": 0, "note": ""}
    if given.nnz < 2:
        return nothing | {"note": "There is only one rating, and every estimate rests on it."}
    from metamf.answer.influence import influence_at_once

    found = influence_at_once(given, run.method, run.T, row + window.top, col + window.left)
    items = []
    for entry, change in zip(found.entries[:_NAMED], found.change[:_NAMED]):
        if change:
            n = int(given.rows[entry])
            m = int(given.cols[entry])
            value = float(given.values[entry])
            items.append(
                [n - window.top, m - window.left, float(change), value, *names_of(given, n, m)]
            )
    note = "" if items else "No single rating moves it."
    return nothing | {"items": items, "examined": found.examined, "note": note}


def draw_player(view: View, scene: Scene) -> None:
    """Draws the player; what is edited in it, or asked of it, is done before or in the next run of
    the page."""
    held = desk()
    session = st.session_state
    data = view.replay
    task = task_of(view.key, view.matrix)

    def edit(actions: list[dict[str, Any]]) -> None:
        for action in actions:
            held.take(in_matrix(action, view.window), task)

    def ask(cell: Sequence[int]) -> None:
        row, col = map(int, cell)
        if view.window.holds(row, col):  # one that is not drawn is no question
            session[_ASKED] = data["id"], row, col

    run, *asked = session.get(_ASKED, (None,))
    influence = None
    if run == data["id"]:
        name = ("influence", *asked)
        influence = kept(view, name, lambda: influence_of(view.run, view.window, *asked))
    sent = sent_of(view)
    player(
        data
        | {
            "groups": groups_of(AppState.read(session).data, view.key.seed),
            "edits": edits_in_window(held, view.window, view.matrix.ratings.scale),
            "influence": influence,
        },
        scene=scene,
        key="player",
        on_edit=edit,
        on_influence=ask,
        on_follow=None if sent is None else follow,
        live=None if sent is None else live_data(view, sent),
    )
    if sent is not None:  # after the picture, which the server's run draws at first
        mount("live", key="live", data={"json": sent.text, "id": sent.id})


def follow(said: Mapping[str, Any]) -> None:
    """Takes over what a page that computes by itself has chosen: the share, how ratings are given,
    the seed, edits."""
    session = st.session_state
    keep, by, seed = (said.get(name) for name in ("keep", "by", "seed"))
    if isinstance(keep, int) and curve.FEWEST <= keep <= 100:
        session["keep"] = keep
    if by in SELECTIONS:
        session["by"] = by
    if isinstance(seed, int) and 0 <= seed < MOST_SEEDS:
        session["seed"] = seed
    session[_FOLLOWED] = said.get("id", 0)
    desk().followed = tuple(_edits_of(said.get("made")))


def _edits_of(made: Any) -> Iterator[Edit]:
    """The edits of a message, without those that are none."""
    for one in made if isinstance(made, list) else []:
        match one:
            case [int(row), int(col), None | int() | float() as value] if row >= 0 and col >= 0:
                yield Edit(row, col, None if value is None else float(value))


def live_data(view: View, sent: Sent) -> dict[str, Any]:
    """Returns what the player knows of what was sent: its id, what the server has drawn, and the
    last message of the page that it has seen."""
    key = view.key
    choices = {"keep": key.keep, "by": key.by, "seed": key.seed, "steps": key.steps}
    return {"id": sent.id, "choices": choices, "seen": st.session_state.get(_FOLLOWED, 0)}


def sent_of(view: View) -> Sent | None:
    """Returns what the page needs to compute the view's runs by itself; None where the server
    computes them."""
    key = view.key
    matrix = view.matrix
    if (
        key.features
        or (view.window.height, view.window.width) != matrix.ratings.shape
        or not is_live(key.model, matrix.ratings)
    ):
        return None
    name = AppState.read(st.session_state).data
    if name in NIGHTS and key.seed < FIRST_NIGHTS:
        return _nights(key.model, find_checkpoint(key.model).stat().st_mtime_ns, name)
    return _sent(key.model, name, [table_of(matrix, key.seed, groups_of(name, key.seed))])


class Sent(NamedTuple):
    """What travels once, as JSON, and its id."""

    id: str
    text: str


@lru_cache(maxsize=16)
def _nights(model: str, modified: int, name: str) -> Sent:
    """Film nights, forty at once, so that another night needs no visit to the server."""
    seeds = range(FIRST_NIGHTS)
    tables = [table_of(example(name, seed), seed, groups_of(name, seed)) for seed in seeds]
    return _sent(model, name, tables)


def _sent(model: str, name: str, tables: list[dict[str, Any]]) -> Sent:
    live = live_of(model, tables, curve.over_nights(model) if name == FILM_NIGHT else None)
    return Sent(live["id"], json.dumps(live))


def groups_of(name: str, seed: int) -> dict[str, Any] | None:
    """The groups of people and films that are next to each other in a matrix of the list; None
    where nothing is known of them."""
    return film_night(seed, NIGHTS[name]).groups() if name in NIGHTS else None


def in_matrix(action: dict[str, Any], window: Window) -> dict[str, Any]:
    """An edit whose row and column count in the window, as one of the matrix."""
    first = {"row": window.top, "col": window.left}
    moved = {
        name: action[name] + at for name, at in first.items() if isinstance(action.get(name), int)
    }
    return action | moved


def edits_in_window(held: EditDesk, window: Window, scale: RatingScale | None) -> dict[str, Any]:
    """The edits as the player knows them, those in the window by their place there."""
    edits = held.edits
    made = [(row - window.top, col - window.left, value) for row, col, value in edits.made]
    return {
        "made": [[row, col, value] for row, col, value in made if window.holds(row, col)],
        "count": len(edits.made),
        "can_undo": bool(edits.past),
        "can_redo": bool(edits.future),
        "scale": None if scale is None else [scale.minimum, scale.maximum, scale.step],
        "seen": held.seen,
        "note": held.note,
    }
