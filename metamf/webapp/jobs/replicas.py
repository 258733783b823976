"""One line for the jobs of all replicas of a server, in Redis, where the replicas share a number of places.

Every replica says again and again how many of its jobs run and which ones wait, and learns in the same moment which of
them may begin. So Redis holds nothing that is missed when it is gone: numbers, and ids that nobody can guess. A replica
that has said nothing for ``GONE`` seconds has ended, and its places are free; where no replica says anything, Redis
deletes all of it. A job runs where its visitor is, since the visitor's replica has the data.

Needs the package redis (``pip install 'metamf[served]'``).
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

import redis

from metamf.webapp.jobs.job import Job
from metamf.webapp.jobs.line import OwnLine, Standing

KEY = "metamf:line"
PATIENCE = 2.0  # seconds until Redis counts as away
GONE = 10.0  # seconds without a word after which a replica has ended, some twenty looks of a pool
LIFETIME = 60  # seconds after which Redis deletes what nobody has renewed
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ticket:
    """A job that waits; the next one is the first to have come, by Redis' clock, of the lowest round (see ``line``)."""

    round: int
    came: float
    id: str


@dataclass(frozen=True)
class Notice:
    """State of a replica in its own words: jobs that run, how many more it can run, its tickets, the next one first."""

    said: float = 0.0  # by Redis' clock
    round: int = 0  # of the job that was started last
    running: int = 0
    free: int = 0
    tickets: tuple[Ticket, ...] = ()

    @classmethod
    def from_json(cls, text: str) -> Notice | None:
        """The notice that ``json`` wrote; None for what another version of the program has written."""
        try:
            values = json.loads(text)
            notice = cls(**values | {"tickets": tuple(Ticket(**ticket) for ticket in values["tickets"])})
            return notice if notice._has_its_types() else None
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    def _has_its_types(self) -> bool:
        whole = [self.round, self.running, self.free, *(ticket.round for ticket in self.tickets)]
        times = [self.said, *(ticket.came for ticket in self.tickets)]
        return (
            all(type(number) is int for number in whole)
            and all(type(time) in (int, float) for time in times)
            and all(type(ticket.id) is str for ticket in self.tickets)
        )

    def json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))


def tickets_in_turn(notices: Mapping[str, Notice]) -> list[tuple[Ticket, str]]:
    """The tickets of all replicas, with the names of these, the next one first."""
    everyone = [(ticket, name) for name, notice in notices.items() for ticket in notice.tickets]
    return sorted(everyone, key=lambda entry: (entry[0].round, entry[0].came, entry[1]))


def beginning(notices: Mapping[str, Notice], places: int) -> list[str]:
    """The ids of those that may begin: the first ones, as long as there are places, of replicas that can run them."""
    left = places - sum(notice.running for notice in notices.values())
    free = {name: notice.free for name, notice in notices.items()}
    found: list[str] = []
    for ticket, name in tickets_in_turn(notices):
        if len(found) < left and free[name] > 0:
            free[name] -= 1
            found.append(ticket.id)
    return found


@dataclass(frozen=True)
class _Answer:
    """Knowledge of a replica after asking: ids of its own that may begin, and the places of all that wait."""

    beginning: frozenset[str] = frozenset()
    places: Mapping[str, int] = field(default_factory=dict)


class Replicas:
    """The line as one replica's pool sees it; a ``Line`` that is safe for threads.

    While Redis is away every replica counts its own jobs only.

    Parameters
    ----------
    url : str
        Address of a Redis, 'redis://host:6379/0'.
    places : int
        Number of jobs that all replicas together run at once.

    Raises
    ------
    ValueError
        If the address is not one of Redis.
    """

    def __init__(self, url: str, places: int):
        self.places, self._name, self._own = places, secrets.token_urlsafe(8), OwnLine()
        self._redis = redis.Redis.from_url(
            url, decode_responses=True, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
        )
        self._asking = threading.Lock()  # no notice is older than the one before it
        self._tickets: dict[str, Ticket] = {}  # of this replica, as they were told first
        self._answer: _Answer | None = _Answer()  # None while Redis is away
        self._is_known = False  # whether Redis has a notice of this replica, or may have one

    def beginning(self, waiting: list[Job], free: int) -> list[Job]:
        answer = self._answer
        return self._own.beginning([job for job in waiting if not answer or job.id in answer.beginning], free)

    def place(self, job: Job, waiting: list[Job]) -> int:
        answer = self._answer
        return (answer and answer.places.get(job.id)) or self._own.place(job, waiting)

    def is_long(self, waiting: list[Job]) -> bool:
        answer = self._answer
        return bool(waiting or (answer and answer.places))

    def ask(self, standing: Callable[[], Standing]) -> bool:
        with self._asking:
            now = standing()
            wanted = bool(now.running or now.waiting)
            if not wanted and not self._is_known:
                return False
            try:
                self._answer = self._exchange(now)
                self._is_known = wanted
            except redis.RedisError:  # gone, too slow, full, or still loading
                if self._answer:
                    _LOG.warning("Redis is away: this replica counts its own computations only")
                self._answer, self._is_known = None, True
            return True

    def _exchange(self, now: Standing) -> _Answer:
        """Puts this replica's notice beside those of the others, and finds out what may begin, in one transaction."""

        def put(pipe: redis.client.Pipeline) -> _Answer:
            texts, (seconds, millionths) = pipe.hgetall(KEY), pipe.time()
            time = seconds + millionths / 1e6
            read = {name: Notice.from_json(text) for name, text in texts.items() if name != self._name}
            others = {name: notice for name, notice in read.items() if notice and abs(time - notice.said) < GONE}
            latest = max([now.round, *(notice.round for notice in others.values())])
            ahead = latest - now.round  # each replica counts rounds; one that was idle begins where the others are
            new = {job.id: Ticket(job.round + ahead, time, job.id) for job in now.waiting}
            tickets = {id: self._tickets.get(id, ticket) for id, ticket in new.items()}
            mine = Notice(time, latest, now.running, now.free, tuple(tickets.values()))
            everyone = others | {self._name: mine}
            begin = frozenset(beginning(everyone, self.places)) & tickets.keys()
            begun = Notice(
                time,
                max([latest, *(tickets[id].round for id in begin)]),
                now.running + len(begin),
                now.free - len(begin),
                tuple(ticket for id, ticket in tickets.items() if id not in begin),
            )
            pipe.multi()
            if gone := texts.keys() - others.keys():
                pipe.hdel(KEY, *gone)
            if now.running or now.waiting:
                pipe.hset(KEY, self._name, begun.json())
            pipe.expire(KEY, LIFETIME)
            self._tickets = tickets
            return _Answer(begin, {ticket.id: n for n, (ticket, _) in enumerate(tickets_in_turn(everyone), 1)})

        return self._redis.transaction(put, KEY, value_from_callable=True)
