"""An engine that does each job at once, in the process of the test, which has its world; what is
sent is pickled.

In a world that many tests share, a long job that was done before is not done again: it reports and
returns the same.
"""

import inspect
import pickle

import pytest


class StraightEngine:
    """Jobs are done by ``submit``; ``upto`` reports of each, if that is set, and then it goes on
    running for good.

    ``done``: by the name of a function that is long and returns the same in all of this world, its
    calls with what they reported and returned.
    """

    workers = 2
    memory = 2**40

    def __init__(self):
        self.called, self.cancelled, self.upto, self.done = [], [], None, {}

    def submit(self, function, *arguments, owner, seconds=120, long=False):
        assert owner.session, "whoever submits a job has to be in a session"
        self.called.append(getattr(function, "__name__", function))
        asked = pickle.dumps((function, arguments))
        function, arguments = pickle.loads(asked)
        job = DoneJob(f"job {len(self.called)}", self.cancelled)
        try:
            job.result = self.result_of(asked, function, arguments, self.report_of(job))
            job.state = "done"
        except Stopped:
            return job
        except Exception as error:
            job.error, job.state = error, "failed"
        job.ended = True
        return job

    def result_of(self, asked, function, arguments, report):
        done = self.done.get(self.called[-1])
        if done is None:
            return sent(carried_out(function, arguments, report))
        if asked in done:
            messages, result = done[asked]
            for message in messages:
                report(message)
            return pickle.loads(result)
        messages = []

        def noted(message=None):
            messages.append(message)
            return report(message)

        result = pickle.dumps(carried_out(function, arguments, noted))
        done[asked] = messages, result
        return pickle.loads(result)

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
                job.best = message.get("best", job.best)
            if job.reports == self.upto:
                raise Stopped
            return {}

        return report


class DoneJob:
    """A job as pages know it."""

    def __init__(self, name, cancelled):
        self.id, self.cancelled = name, cancelled
        self.state, self.waits_for = "running", ""
        self.facts, self.now, self.rows = {}, {}, []
        self.result = self.error = self.best = None
        self.paused = self.limited = self.stopped = self.ended = False
        self.reports, self.orders = 0, []

    def wait(self, seconds=None):
        return self.ended

    def stop(self):
        """Ends with the best that it has told."""
        if not self.ended:
            self.result, self.state = self.best, "done"
            self.stopped = self.ended = True

    def pause(self, on):
        self.paused = on

    def set(self, **orders):
        self.orders.append(orders)

    def cancel(self):
        self.cancelled.append(self.id)

    def outcome(self):
        if self.error is not None:
            raise self.error
        return self.result


class Stopped(BaseException):
    """Ends a job after the reports that a test wants to see."""


def carried_out(function, arguments, report):
    reports = "report" in inspect.signature(function).parameters
    return function(*arguments, report=report) if reports else function(*arguments)


def sent(value):
    """A value as the other side gets it."""
    return pickle.loads(pickle.dumps(value))


@pytest.fixture
def straight_engine(monkeypatch):
    """The engine of all pages while the test runs; what a page computes has an owner without a
    session, too."""
    from metamf.webapp import engine  # the process that only hands out the tests does without
    from metamf.webapp.visits import Visitor

    monkeypatch.setattr("metamf.webapp.jobs.visitor", lambda: Visitor("a visitor"))
    made = StraightEngine()
    engine.use(made)
    yield made
    engine.use(None)
