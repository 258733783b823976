"""The state of the step control, without Streamlit: the step that is shown, and whether it plays.

Nothing plays before its picture is on the screen: the clock is the browser's. It reports, with the number of the step,
that the picture of that step is drawn and has been looked at for as long as the chosen speed says; only then comes the
next one. So a slow browser or server makes the play slower, and no picture is skipped.

                      play
         at rest ------------------> playing
            ^                        |     ^
            |  pause, back, forward, |     | seen(t), t the step that is shown:
            |  slide                 |     | one step on
            +------------------------+-----+
                     ... and at rest when that was the last one

``seen`` of another step is late, and is ignored. Another number of steps (``follow``) changes neither state; the step
stays where it is, within the new number, and a control that stood at the last step stands at the last one again.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Playback:
    """The step that is shown, and whether the next one follows by itself.

    Attributes
    ----------
    last : number T of the last step; 0 is the first
    step : the step that is shown, from 0 to ``last``
    playing : whether the next step comes by itself
    """

    last: int
    step: int
    playing: bool = False

    @classmethod
    def opening(cls, last: int, linked: str | None, play: bool) -> Playback:
        """The state at first: at rest at the step ``linked`` that a link names; otherwise playing from step 0 or,
        without ``play``, at rest at the last step. A link to a step outside 0 to ``last`` is ignored."""
        if linked is not None and linked.isdecimal() and int(linked) <= last:
            return cls(last, int(linked))
        return cls(last, 0, playing=last > 0) if play else cls(last, last)

    def play(self) -> None:
        """Plays on from this step; from the beginning if this is the last one."""
        self.step = 0 if self.step == self.last else self.step
        self.playing = self.step < self.last

    def pause(self) -> None:
        self.playing = False

    def back(self) -> None:
        self.slide(self.step - 1)

    def forward(self) -> None:
        self.slide(self.step + 1)

    def slide(self, step: int) -> None:
        """Stops at ``step``, or at the end nearest to it."""
        self.step, self.playing = max(0, min(step, self.last)), False

    def seen(self, step: int) -> None:
        """The picture of ``step`` has been on the screen long enough."""
        if self.playing and step == self.step:
            self.step += 1
            self.playing = self.step < self.last

    def follow(self, last: int) -> None:
        """The run that is shown has ``last`` steps."""
        self.step = last if self.step == self.last else min(self.step, last)
        self.last = last
        self.playing = self.playing and self.step < last
