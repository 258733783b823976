"""The table of states: what can happen to a job, and that an end is an end."""

import pytest

from metamf.webapp.jobs.states import ENDED, Event, State, after, possible


@pytest.mark.parametrize(
    "events, state",
    [
        ([Event.START, Event.FINISH], State.DONE),
        ([Event.START, Event.PAUSE, Event.GO_ON, Event.STOP, Event.FINISH], State.DONE),
        ([Event.START, Event.PAUSE, Event.STOP], State.STOPPING),
        ([Event.STOP], State.CANCELLED),
        ([Event.CANCEL], State.CANCELLED),
        ([Event.START, Event.CANCEL], State.CANCELLED),
        ([Event.START, Event.STOP, Event.FAIL], State.FAILED),
    ],
)
def test_events_lead_through_the_states(events, state):
    now = State.QUEUED
    for event in events:
        now = after(now, event)
    assert now is state


def test_nothing_happens_to_a_job_that_has_ended():
    assert not any(possible(state, event) for state in ENDED for event in Event)
    with pytest.raises(ValueError, match="a job that is done cannot pause"):
        after(State.DONE, Event.PAUSE)


def test_a_job_holds_a_place_exactly_between_its_start_and_its_end():
    assert {state for state in State if state.has_process} == set(State) - ENDED - {State.QUEUED}
