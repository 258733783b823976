"""A worker process as the server holds it: it is told, read line by line, and killed."""

from tiny_jobs import alive

from metamf.webapp.jobs import process
from metamf.webapp.jobs.process import WorkerProcess


def test_a_process_says_its_messages_obeys_and_ends_by_itself(tmp_path):
    worker = WorkerProcess(tmp_path, {"task": "tiny_jobs:count", "arguments": {}})
    messages = worker.messages()
    assert next(messages) == {"facts": {"from": 0}} and next(messages)["row"] == {"number": 1}
    worker.tell({"stop": True})  # it would count for ever
    *_, last = messages
    assert last["result"]["number"] >= 1 and (tmp_path / "counted.txt").read_text() == str(last["result"]["number"])
    worker.kill()  # does no harm to one that has ended


def test_a_message_that_is_too_long_ends_the_reading_and_a_killed_process_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "LONGEST_MESSAGE", 15)
    worker = WorkerProcess(tmp_path, {"task": "tiny_jobs:ignore", "arguments": {}})
    assert list(worker.messages()) == []
    worker.kill()
    assert not alive(worker._process.pid)
