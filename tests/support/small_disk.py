"""A small disk that can be filled, shut to writing and opened again, for the server alone: a tmpfs in its namespace.

It is gone with the server, however that ends. Root may make one, and others where users may have namespaces.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from forbidden import FORBIDDEN

NEEDS = f"{FORBIDDEN} a disk of one's own: unshare and mount, as root or where users may have namespaces"
OF_A_USER = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
MOUNT = 'mount -t tmpfs -o size=32m,mode=777 none "$1" && shift && exec "$@"'


class SmallDisk:
    """The disk at ``folder``, which processes see that begin with the words ``before``."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.before = ["unshare", "--mount", *OF_A_USER, "sh", "-c", MOUNT, "sh", str(folder)]
        if (
            shutil.which("unshare") is None
            or subprocess.run([*self.before, "true"], stderr=subprocess.DEVNULL).returncode
        ):
            pytest.skip(NEEDS)

    def belongs_to(self, process):
        """Has to be called once the process is there; ``path`` is the disk as others reach it."""
        self._process, self.path = process, Path(f"/proc/{process}/root{self.folder}")

    def leave(self, room):
        """Leaves ``room`` bytes to be written."""
        now = os.statvfs(self.path)
        size = (now.f_blocks - now.f_bfree) * now.f_frsize + room
        self._inside("mount", "--options-mode", "ignore", "-o", f"remount,size={size}")

    def shut(self):
        """Lets nobody write; a file that is open, such as a lock, stays so."""
        self._inside("mount", "--bind", str(self.folder))  # where nothing is open yet
        self._inside("mount", "-o", "remount,bind,ro")
        assert os.statvfs(self.path).f_flag & os.ST_RDONLY

    def open(self):
        """Lets everybody write again."""
        self._inside("umount", "--lazy")

    def files(self):
        """Path in the disk -> bytes of each file."""
        return {
            str(path.relative_to(self.path)): path.stat().st_size for path in self.path.rglob("*") if path.is_file()
        }

    def _inside(self, *command):
        user = ["--user", "--preserve-credentials"] if OF_A_USER else []
        inside = ["nsenter", "--target", str(self._process), "--mount", *user]
        subprocess.run([*inside, *command, str(self.folder)], check=True)
