"""An engine that does each job at once, in the process of the test, which has its world; what is sent is pickled."""

import inspect
import pickle
from types import SimpleNamespace

import pytest

from metamf.webapp import engine
from metamf.webapp.visits import Visitor


class StraightEngine:
    """Jobs are done by ``submit``; ``upto`` reports of each, if that is set, and then it goes on running for good."""

    workers = 2

    def __init__(self):
        self.called, self.cancelled, self.upto = [], [], None

    def submit(self, function, *arguments, owner, seconds=120, long=False):
        assert owner.session, "whoever submits a job has to be in a session"
        self.called.append(getattr(function, "__name__", function))
        function, arguments = sent((function, arguments))
        job = SimpleNamespace(
            id=f"job {len(self.called)}",
            arguments=arguments,
            state="running",
            facts={},
            rows=[],
            now={},
            result=None,
            error=None,
            place=None,
            paused=False,
            limited=False,
            reports=0,
            ended=False,
        )
        job.wait = lambda seconds=None: job.ended
        job.stop, job.cancel = (lambda: None), lambda: self.cancelled.append(job.id)
        job.outcome = lambda: outcome_of(job)
        try:
            report = {"report": self.report_of(job)} if "report" in inspect.signature(function).parameters else {}
            job.result = sent(function(*arguments, **report))
            job.state = "done"
        except Stopped:
            return job
        except Exception as error:
            job.error, job.state = error, "failed"
        job.ended = True
        return job

    def warm(self):
        """Nothing is to be started."""

    def report_of(self, job):
        def report(message=None):
            job.reports += 1
            if message:
                message = sent(message)
                job.facts |= message.get("facts", {})
                job.now = message.get("now", job.now)
                job.rows += [message["row"]] if "row" in message else []
            if job.reports == self.upto:
                raise Stopped
            return {}

        return report


class Stopped(BaseException):
    """Ends a job after the reports that a test wants to see."""


def sent(value):
    """A value as the other side gets it."""
    return pickle.loads(pickle.dumps(value))


def outcome_of(job):
    if job.error is not None:
        raise job.error
    return job.result


@pytest.fixture
def straight_engine(monkeypatch):
    """The engine of all pages while the test runs; what a page computes has an owner without a session, too."""
    monkeypatch.setattr("metamf.webapp.waiting.visitor", lambda: Visitor("a visitor"))
    made = StraightEngine()
    engine.use(made)
    yield made
    engine.use(None)
