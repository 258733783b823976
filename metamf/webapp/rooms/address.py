"""Addresses: what a phone needs to come into a room, as a link and as a QR code."""

from __future__ import annotations

import socket
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

import segno

LONGEST = 300  # characters of an address; what a QR code holds that is read from the last row
_HERE = ("localhost", "127.0.0.1", "::1")


def joining(page: str, code: str) -> str:
    """The address by which students come in; ``page``: that of the page Room."""
    return f"{page.partition('?')[0].partition('#')[0].rstrip('/')}?{urlencode({'room': code})}"


def is_here(page: str) -> bool:
    """Whether the address works on the server's own machine alone."""
    parts = _parts(page)
    return parts is not None and parts.hostname in _HERE


def for_phones(page: str, machine: str | None) -> str:
    """The address of the page as other machines of the network know it, where it names only this one; ``machine``: the
    address of this machine in its network."""
    parts = _parts(page)
    if machine is None or parts is None or parts.hostname not in _HERE:
        return page
    return urlunsplit(parts._replace(netloc=machine if parts.port is None else f"{machine}:{parts.port}"))


def this_machine() -> str | None:
    """The address of this machine in its network; None without a network. Nothing is sent."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # an address kept for documentation (RFC 5737); UDP connects without a word
            found = probe.getsockname()[0]
    except OSError:
        return None
    return None if found in (*_HERE, "0.0.0.0") else found


def is_address(text: str) -> bool:
    """Whether somebody typed an address of the web that fits into a QR code."""
    parts = _parts(text.strip())
    plain = text.strip().isprintable() and " " not in text.strip() and len(text) <= LONGEST
    return plain and parts is not None and parts.scheme in ("http", "https") and bool(parts.hostname)


def _parts(address: str) -> SplitResult | None:
    """The parts of an address; None where it cannot be divided, or its port is not a number that ports have."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts


def without_scheme(address: str) -> str:
    """The address as people read it out: without 'https://'."""
    return address.partition("://")[2]


def qr_code(address: str) -> str:
    """The QR code of an address as an SVG image, dark on white with the quiet zone of the standard, as a data URI."""
    return segno.make(address, error="m", micro=False).svg_data_uri(scale=8, border=4, dark="#000", light="#fff")
