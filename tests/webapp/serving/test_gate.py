"""A connection that there is no room for takes no session."""

import pytest
from served import in_a_loop

from metamf.webapp.monitoring import observing
from metamf.webapp.serving import descriptors, gate

ANSWERS = {"extensions": {"websocket.http.response": {}}}  # what uvicorn can do with a websocket that is refused


@pytest.fixture
def refused(monkeypatch):
    refused = []
    monkeypatch.setattr(observing, "refused", lambda reason, **values: refused.append(reason))
    return refused


def sent(**scope):
    """What the gate sends for a request; "a session" is what the app behind it would."""
    messages = []

    async def send(message):
        messages.append(message)

    async def app(scope, receive, send):
        await send("a session")

    in_a_loop(gate.Gate(app)(scope, None, send))
    return messages


def test_while_there_is_room_a_connection_has_its_session(refused, monkeypatch):
    monkeypatch.setattr(descriptors, "room_for_a_session", lambda: True)
    assert sent(type="websocket", **ANSWERS) == ["a session"] and not refused


def test_without_room_it_is_refused_and_requests_are_answered(refused, monkeypatch):
    monkeypatch.setattr(descriptors, "room_for_a_session", lambda: False)
    head, body = sent(type="websocket", **ANSWERS)
    assert head["type"] == "websocket.http.response.start" and head["status"] == 503
    assert (b"retry-after", b"10") in head["headers"] and b"full" in body["body"]
    assert refused == ["descriptors short"]
    assert sent(type="http") == sent(type="lifespan") == ["a session"] and len(refused) == 1


def test_a_server_that_cannot_say_why_closes_the_connection(refused, monkeypatch):
    monkeypatch.setattr(descriptors, "room_for_a_session", lambda: False)
    assert sent(type="websocket") == [{"type": "websocket.close", "code": 1013}] and refused
