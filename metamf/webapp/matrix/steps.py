"""The step control: from 0 to T with play, back, forward and the arrow keys. Only what it draws is redrawn.

An adapter between ``Playback`` and Streamlit: widgets report events to it, and are drawn from it. The control is a
fragment, so a step redraws its figures and nothing else of the page.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from metamf.webapp.matrix.page import ShownView
from metamf.webapp.matrix.playback import Playback

PACES = {"slow": 1.4, "normal": 0.7, "fast": 0.35}  # seconds for which a step is shown; chosen by hand
_BUTTONS = ("back", "play", "forward")
# Reports the step of the data when figure (`look.figure` writes the step into it) and slider have shown it for a while.
_clock = st.components.v2.component(
    "metamf_clock",
    js="""
export default function ({ data, parentElement, setTriggerValue }) {
  let timer
  const stop = () => clearTimeout(timer)
  const look = () => {
    const chart = document.querySelector(`.st-key-${data.picture} .js-plotly-plot`)
    const maps = chart?.data?.filter(trace => trace.type === "heatmap").length
    const images = chart?.querySelectorAll(".heatmaplayer image").length
    const slider = document.querySelector(".st-key-t input[type=range]")
    const drawn = chart?.layout?.meta?.step === data.step && images === maps && +slider?.value === data.step
    const report = () => setTriggerValue("seen", data.step)
    if (drawn) requestAnimationFrame(() => { timer = setTimeout(report, 1000 * data.seconds) })
    else timer = setTimeout(look, 30)
  }
  parentElement.stop?.()
  parentElement.stop = stop
  if (data.playing) look()
  return stop
}
""",
)


def step_control(
    view: ShownView, draw: Callable[[ShownView, int], None], picture: str, play_at_start: bool = True
) -> None:
    """The control and, below it, ``draw(view, t)``, which is called again for every step ``t``.

    The pages share the step, and the URL keeps it.

    Parameters
    ----------
    picture : key of the figure, one that ``draw`` draws with ``step=t``, that has to be seen before the next step
    play_at_start : whether the first result of a session plays from step 0, unless the URL names a step, or its figures
        are too large to be drawn several times in a row
    """
    session, T = st.session_state, view.run.summaries[-1].last_step
    if "playback" not in session:
        session.playback = Playback.opening(T, st.query_params.get("t"), play_at_start and view.window.dotted)
    session.playback.follow(T)
    st.fragment(_control)(view, draw, picture)


def _control(view: ShownView, draw: Callable[[ShownView, int], None], picture: str) -> None:
    session, playback = st.session_state, st.session_state.playback
    session.t = t = playback.step
    with st.container(key="control", horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(horizontal=True, width="content", gap="small"):
            _button("Back", "arrow_back", playback.back, shortcut="Left", disabled=t == 0)
            if playback.playing:
                _button("Pause", "pause", playback.pause, key="play", type="primary")
            else:
                _button("Play", "play_arrow", playback.play, key="play", type="primary")
            _button("Forward", "arrow_forward", playback.forward, shortcut="Right", disabled=t == playback.last)
        name = view.run.summaries[-1].round.capitalize()
        if st.slider(name, 0, playback.last, key="t", bind="query-params", on_change=_slid) != t:
            st.rerun()  # a slider with another end begins where the URL stands, and follows from its second run on
        pace = st.segmented_control(
            "Speed", list(PACES), default="normal", key="pace", required=True, label_visibility="collapsed"
        )
        data = {"picture": picture, "step": t, "playing": playback.playing, "seconds": PACES[pace]}
        _clock(data=data, key="clock", on_seen_change=_seen, height=1, width=1)
    draw(view, t)


def _button(label: str, icon: str, act: Callable[[], None], key: str | None = None, **options) -> None:
    st.button(label, icon=f":material/{icon}:", key=key or label.lower(), on_click=act, **options)


def _slid() -> None:
    """The slider has another value: from the visitor's hand if it comes alone. Beside a click it is the old value of a
    browser that had not yet drawn what the click before had done."""
    session = st.session_state
    if not any(session.get(button) for button in _BUTTONS):
        session.playback.slide(session.t)


def _seen() -> None:
    st.session_state.playback.seen(st.session_state.clock.seen)
