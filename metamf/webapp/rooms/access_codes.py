"""Codes that open a room, secrets that belong to one person, and a throttle on guessing.

A code is eight letters of twenty: 20^8 = 2.6e10 codes, 34.6 bits. There are no vowels, so that no word comes out, and
no L, which looks like I; letters alone suit a phone's keyboard. The secrets of lecturers and students have 128 bits.

A session may try 5 wrong codes a minute, an address (of IPv6: its network of 64 bits) 60, a network of 48 bits 120, and
everybody together 600. When everybody's are used up, each address of IPv4 and each network of 48 bits may still try 10
a minute, so that nobody can lock out a class from elsewhere. While 100 rooms are open, an address that guesses for four
hours hits any of them with a probability of 6e-5, a thousand networks with 1e-2. Who hits a room is a student whom the
lecturer sees and can remove. Each replica of a server counts for itself.
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

ALPHABET = "BCDFGHJKMNPQRSTVWXYZ"
LENGTH = 8  # letters
Who = Mapping[str, str]  # kind of visitor ('session', 'address', 'network', 'everybody') -> which one
Budgets = Mapping[str, tuple[int, float]]  # kind of visitor -> attempts at once, seconds in which all of them come back
# A class of forty behind one address may mistype the code once each in a minute.
WRONG_CODES: Budgets = {"network": (120, 60), "address": (60, 60), "session": (5, 60)}
ALL_WRONG_CODES: Budgets = {"everybody": (600, 60)}
RESERVE: Budgets = {"network": (10, 60)}  # when everybody's wrong codes are used up
NEW_ROOMS: Budgets = {"everybody": (100, 3600), "address": (20, 3600), "session": (5, 3600)}


def new_code() -> str:
    """Returns a random code."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def hyphenated(code: str) -> str:
    """Returns the code as people read it: 'BKTM-WXRD'."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


def parse_code(text: str) -> str | None:
    """Returns the code that somebody typed, with or without hyphen, in any case; None if it cannot be a code."""
    letters = "".join(c for c in unicodedata.normalize("NFKC", text[:100]).upper() if c.isalnum())
    return letters if len(letters) == LENGTH and set(letters) <= set(ALPHABET) else None


def new_secret() -> str:
    """Returns a random text of 128 bits that fits into an address."""
    return secrets.token_urlsafe(16)


def digest(secret: str) -> str:
    """Returns the digest of a secret that a room keeps: half of its SHA-256, from which nobody can find the secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()[:32]


def is_secret(secret: str, kept: str) -> bool:
    """Whether ``kept`` is the digest of the secret, compared in constant time."""
    return bool(kept) and hmac.compare_digest(digest(secret), kept)


def address_tag(key: str, address: str) -> str:
    """Returns a keyed digest (HMAC) of an address, from which nobody without the key can find the address."""
    return hmac.new(key.encode(), address.encode("utf-8", "replace"), "sha256").hexdigest()[:32]


def network(address: str, bits: int = 64) -> str:
    """Returns the network of an IPv6 address, since one computer has a network of addresses; other texts unchanged."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    mapped = parsed.ipv4_mapped  # an IPv4 address that came through an IPv6 socket
    host = 128 - bits
    return str(ipaddress.IPv6Network((int(parsed) >> host << host, bits)) if mapped is None else mapped)


class Throttle:
    """Limits attempts by ``budgets``, safe for threads. ``clock`` gives seconds and must not jump.

    It remembers ``most`` visitors and forgets the one counted longest ago first.
    """

    def __init__(self, budgets: Budgets, clock: Callable[[], float] = time.monotonic, most: int = 10_000) -> None:
        self._budgets, self._clock, self._most, self._lock = budgets, clock, most, threading.Lock()
        self._used: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()  # -> (attempts, when)

    def take(self, who: Who) -> float:
        """Counts an attempt and returns 0, or returns the seconds until the next attempt is allowed."""
        with self._lock:
            seconds = max((self._wait(kind, who[kind]) for kind in self._budgets if kind in who), default=0.0)
            if not seconds:
                self._count(who, 1)
            return seconds

    def give_back(self, who: Who) -> None:
        """Undoes an attempt that ``take`` has counted."""
        with self._lock:
            self._count(who, -1)

    def _count(self, who: Who, attempts: int) -> None:
        for key in ((kind, who[kind]) for kind in self._budgets if kind in who):
            self._used[key] = max(0.0, self._still_used(*key) + attempts), self._clock()
            self._used.move_to_end(key)
        while len(self._used) > self._most:
            self._used.popitem(last=False)

    def _still_used(self, kind: str, name: str) -> float:
        used, when = self._used.get((kind, name), (0.0, 0.0))
        attempts, seconds = self._budgets[kind]
        return max(0.0, used - (self._clock() - when) * attempts / seconds)

    def _wait(self, kind: str, name: str) -> float:
        attempts, seconds = self._budgets[kind]
        return max(0.0, self._still_used(kind, name) + 1 - attempts) * seconds / attempts
