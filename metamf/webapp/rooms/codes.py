"""Codes that open a room, secrets that belong to one person, and how often a code may be guessed.

A code is eight letters of twenty: 20^8 = 2.6e10 codes, 34.6 bits. No vowels, so that no word comes out, no L, which
looks like I; letters alone, so that a phone's keyboard need not be switched. Everybody together may try 600 wrong codes
a minute, one address 60, one session 5; an address of IPv6 counts by its first 64 bits (``network``). Against 20 rooms
that stay open for four hours somebody who uses all of it throughout hits any room at all with a probability of
20 * 600 * 241 / 2.6e10 = 0.0001 (``chance``), from one address 0.00001, and is then a student that the lecturer sees
and removes. That rooms nobody came into give way to others changes nothing: there are 20 at any time. Replicas share
100 rooms, and each counts wrong codes for itself: 0.0006 for each replica. The secrets of lecturers and students have
128 bits.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

ALPHABET = "BCDFGHJKMNPQRSTVWXYZ"
LENGTH = 8  # letters: see above


def new_code() -> str:
    """A random code."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def hyphenated(code: str) -> str:
    """The code as people read it: 'BKTM-WXRD'."""
    half = LENGTH // 2
    return f"{code[:half]}-{code[half:]}"


def read(text: str) -> str | None:
    """The code that somebody typed, with or without hyphen, in small or large letters; None if it cannot be one."""
    letters = "".join(c for c in unicodedata.normalize("NFKC", text[:100]).upper() if c.isalnum())
    return letters if len(letters) == LENGTH and set(letters) <= set(ALPHABET) else None


def new_secret() -> str:
    """A random text of 128 bits that fits into an address."""
    return secrets.token_urlsafe(16)


def digest(secret: str) -> str:
    """The digest of a secret that a room keeps: half of its SHA-256, from which the secret cannot be found."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()[:32]


def is_secret(secret: str, kept: str) -> bool:
    """Whether ``kept`` is the digest of the secret; the time that it takes tells nothing."""
    return bool(kept) and hmac.compare_digest(digest(secret), kept)


def network(address: str) -> str:
    """The address as it is counted: of IPv6 its network of 64 bits, since every host has 2^64 addresses in it to choose
    from. Any other text counts as it stands."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    old = known.ipv4_mapped  # one of IPv4 that came by a socket of IPv6
    return str(ipaddress.IPv6Network((int(known) >> 64 << 64, 64)) if old is None else old)


@dataclass(frozen=True)
class Budget:
    """A number of attempts at once, and that number again, evenly spread, in each ``seconds``."""

    attempts: int
    seconds: float


Who = Mapping[str, str]  # kind of somebody ('session', 'address') -> which one
WRONG_CODES = {"everybody": Budget(600, 60), "address": Budget(60, 60), "session": Budget(5, 60)}  # chosen by hand:
# a class of forty behind one address may mistype the code once each in a minute
NEW_ROOMS = {"everybody": Budget(100, 3600), "address": Budget(20, 3600), "session": Budget(5, 3600)}
_REMEMBERED = 10_000  # sessions and addresses; of more the one counted longest ago is forgotten


def chance(rooms: int, hours: float, whose: str = "everybody") -> float:
    """An upper bound on the probability that wrong codes, tried as fast as they are taken for ``hours``, hit one of
    ``rooms``; ``whose``: the kind of budget, such as "address", that all of them come from."""
    most = WRONG_CODES[whose]
    return rooms * most.attempts * (1 + hours * 3600 / most.seconds) / len(ALPHABET) ** LENGTH


class Throttle:
    """Counts attempts of somebody's session, of their address and of everybody, and says how long to wait.

    Safe for threads. Time is that of ``clock``, in seconds: one that never jumps.
    """

    def __init__(self, budgets: Mapping[str, Budget], clock: Callable[[], float] = time.monotonic) -> None:
        self._budgets, self._clock, self._lock = budgets, clock, threading.Lock()
        self._used: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()  # -> (attempts, when)

    def wait(self, who: Who) -> float:
        """Seconds until another attempt is taken; 0: now."""
        with self._lock:
            return max(self._wait(*key) for key in self._keys(who))

    def take(self, who: Who) -> float:
        """Counts an attempt if one is taken now, in one step: two at the same moment do not share what is left of one.

        Seconds until another attempt is taken; 0: this one was counted.
        """
        with self._lock:
            seconds = max(self._wait(*key) for key in self._keys(who))
            if not seconds:
                self._count(who, 1)
            return seconds

    def give_back(self, who: Who) -> None:
        """Counts an attempt no more that ``take`` has counted."""
        with self._lock:
            self._count(who, -1)

    def _count(self, who: Who, attempts: int) -> None:
        for key in self._keys(who):
            used = self._left_over(*key)
            self._used.pop(key, None)
            self._used[key] = max(0.0, used + attempts), self._clock()
        while len(self._used) > _REMEMBERED:
            self._used.popitem(last=False)

    def _keys(self, who: Who) -> list[tuple[str, str]]:
        return [("everybody", ""), *((kind, name) for kind, name in who.items() if kind in self._budgets)]

    def _left_over(self, kind: str, name: str) -> float:
        used, when = self._used.get((kind, name), (0.0, 0.0))
        budget = self._budgets[kind]
        return max(0.0, used - (self._clock() - when) * budget.attempts / budget.seconds)

    def _wait(self, kind: str, name: str) -> float:
        budget = self._budgets[kind]
        return max(0.0, self._left_over(kind, name) + 1 - budget.attempts) * budget.seconds / budget.attempts
