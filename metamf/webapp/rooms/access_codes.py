"""Codes that open a room, secrets that belong to one person, and a throttle on guessing.

A code is eight letters of twenty: 20^8 = 2.6e10 codes, 34.6 bits. There are no vowels, so that no word comes out, and
no L, which looks like I; letters alone suit a phone's keyboard. The secrets of lecturers and students have 128 bits.

A session may try 5 wrong codes a minute, an address (of IPv6: its network of 64 bits) 60, and a network of 48 bits 120.
While 100 rooms are open, an address that guesses for four hours hits any of them with a probability of 6e-5, a thousand
networks with 1e-1. Who hits a room is a student whom the lecturer sees and can remove. Each replica of a server counts
for itself.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping

ALPHABET = "BCDFGHJKMNPQRSTVWXYZ"
LENGTH = 8  # letters
Who = Mapping[str, str]  # kind of visitor ('session', 'address', 'network') -> which one
# A class of forty behind one address may mistype the code once each in a minute.
WRONG_CODES = {"session": 5, "address": 60, "network": 120}  # a minute
NEW_ROOMS = {"session": 5, "address": 20}  # an hour


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


def digest(secret: str, key: str = "") -> str:
    """Returns the keyed digest (HMAC) of a secret or an address that a room keeps, from which nobody can find a secret,
    nor an address without the key."""
    return hmac.new(key.encode(), secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:32]


def is_secret(secret: str, kept: str) -> bool:
    """Whether ``kept`` is the digest of the secret, compared in constant time."""
    return hmac.compare_digest(digest(secret), kept)


def network(address: str, bits: int = 64) -> str:
    """Returns the network of an IPv6 address, since one computer has a network of addresses; other texts unchanged."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, bits), strict=False))
    return str(getattr(parsed, "ipv4_mapped", parsed))  # an IPv4 address may come through an IPv6 socket


class Throttle:
    """Limits attempts in periods of ``seconds``; each kind of visitor has ``most`` in one. Safe for threads."""

    def __init__(self, most: Mapping[str, int], seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock, self._lock = most, seconds, clock, threading.Lock()
        self._end, self._used = clock(), Counter[tuple[str, str]]()

    def wait(self, who: Who) -> float:
        """Returns the seconds until another attempt is allowed, 0 if it is now."""
        with self._lock:
            if (left := self._end - self._clock()) <= 0:
                left, self._used = self._seconds, Counter()
                self._end = self._clock() + left
            return left if any(self._used[kind, who[kind]] >= most for kind, most in self._most.items()) else 0.0

    def count(self, who: Who) -> None:
        """Counts an attempt."""
        with self._lock:
            self._used.update((kind, who[kind]) for kind in self._most)
