"""The control groups of Linux that this process is in: what a container, or a service of systemd, may take.

Version 2 of them; elsewhere there are none, and nothing is limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROC, CONTROL = Path("/proc"), Path("/sys/fs/cgroup")  # folders in which the system tells of itself and of its groups


def figures(name: str, proc: Path = PROC, control: Path = CONTROL) -> Iterator[tuple[Path, str]]:
    """The text of a figure such as 'memory.max' in each group that this process is in, and the group's folder.

    A container sees its own group as the topmost; a service of systemd stands in one further down.
    """
    own = control
    with suppress(OSError):
        for line in (proc / "self" / "cgroup").read_text().splitlines():
            if line.startswith("0::/"):
                own = control / line[4:]
    for group in (control, *(group for group in (own, *own.parents) if control in group.parents)):
        with suppress(OSError):
            yield group, (group / name).read_text()
