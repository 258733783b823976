"""Waits until a replica has no visitors, so that it can be stopped without anybody losing a session.

    python -m metamf.webapp.serving.drain --most 7200

runs beside the replica, in its container: deploy/drain and the hook of deploy/kubernetes call it once nobody new is
sent there. It asks the replica's own figures how many visitors there are, so METAMF_METRICS has to be set.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import urllib.request

from metamf.webapp.monitoring import observing

QUIET = 120.0  # seconds without a visitor before it is over: as long as a session is kept for one who was cut off
MOST = 2 * 3600.0  # seconds after which it is over anyway: a lecture of two hours
EVERY = 1.0  # seconds between two looks


def main(arguments: list[str] | None = None) -> None:
    """Waits for the visitors of the replica beside it; says what hinders it or how many are left, with status 1."""
    parser = argparse.ArgumentParser(prog="python -m metamf.webapp.serving.drain", description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=float, default=MOST, metavar="SECONDS", help="default: %(default)g")
    parser.add_argument("--quiet", type=float, default=QUIET, metavar="SECONDS", help="default: %(default)g")
    said = parser.parse_args(arguments)
    try:
        left = wait(figures(os.environ.get(observing.METRICS, "")), said.most, said.quiet)
    except (ValueError, LookupError) as error:
        sys.exit(f"error: {error}")
    if left:
        sys.exit(f"error: after {said.most:g} seconds the replica still has visitors: {left}")


def figures(text: str) -> str:
    """'0.0.0.0:9100' -> 'http://127.0.0.1:9100/metrics', where a replica's own machine asks for its figures.

    Raises
    ------
    ValueError
        If the text, the value of ``METAMF_METRICS``, is empty or no port.
    """
    from metamf.webapp.monitoring.metrics import place

    if not text:
        raise ValueError(f"{observing.METRICS} is not set: visitors are counted by the figures alone; set it to 9100")
    address, port = place(text)
    return f"http://{'127.0.0.1' if address == '0.0.0.0' else address}:{port}/metrics"


def wait(address: str, most: float = MOST, quiet: float = QUIET, every: float = EVERY) -> int:
    """Waits until a replica has had no visitor for a while; returns the visitors who are left, 0 if all have gone.

    Parameters
    ----------
    address : str
        Address of its figures.
    most, quiet, every : float
        Seconds after which it ends in any case, without a visitor before it ends, and between two looks.

    Raises
    ------
    LookupError
        If the figures have said nothing for ``quiet`` seconds: the replica has ended, or counts no visitors.
    """
    begun = heard = seen = time.monotonic()
    visitors = 0
    while True:
        now, told = time.monotonic(), _visitors(address)
        if told is not None:
            heard, visitors = now, told
            seen = now if told else seen
            if now - seen >= quiet:
                return 0
        elif now - heard >= quiet:
            raise LookupError(f"nobody says at {address} how many visitors there are: is the replica still there?")
        if now - begun >= most:
            return visitors
        time.sleep(every)


def _visitors(address: str) -> int | None:
    """The number that the figures tell; None if they tell none, as those of a process that is very busy may."""
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            found = re.search(r"^metamf_visitors (\d+)", answer.read().decode(), re.M)
    except (OSError, ValueError):
        return None
    return int(found[1]) if found else None


if __name__ == "__main__":
    main()
