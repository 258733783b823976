"""The app as deploy/Dockerfile runs it, without Docker: its command and variables, as a user who can write nothing."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from benchmarks.browser import free_port

REPOSITORY = Path(__file__).resolve().parents[2]
DOCKERFILE = (REPOSITORY / "deploy" / "Dockerfile").read_text("utf-8")
NOBODY = 65534
# May read every folder, since a clone may stand in one that is root's alone, and write to none.
AS_NOBODY = (
    f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups --bounding-set -all,+dac_read_search "
    "--inh-caps -all,+dac_read_search --ambient-caps -all,+dac_read_search"
).split()


class Served:
    """The server, its addresses and its log.

    ``before``: words before its command, of a program that makes a place for it; ``descriptors``: how many it may have
    open, and how far it may raise that; ``first``: lines of Python that it runs before it begins; ``set``: more of its
    variables.
    """

    def __init__(self, folder, port=None, visitors=2, before=(), descriptors=None, first=None, **set):
        self.port, self.metrics, self.log = port or free_port(), free_port(), folder / "log"
        said = re.search(r"^ENV (.*?)\nUSER", DOCKERFILE, re.M | re.S)[1].replace("\\\n", " ").split()
        variables = dict(word.split("=", 1) for word in said if not word.startswith("PATH="))
        variables |= {"HOME": str(folder), "TMPDIR": str(folder), "METAMF_DATA": str(folder / "data")}
        variables |= {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "METAMF_METRICS": f"127.0.0.1:{self.metrics}"}
        variables |= {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "METAMF_VISITORS": str(visitors)} | set
        program, *words = json.loads(re.search(r"^CMD (.*)$", DOCKERFILE, re.M)[1])
        assert program == "metamf"
        command = [sys.executable, "-m", "metamf", *words, "--port", str(self.port)]
        if first is not None:
            program = f"{first}\nfrom metamf.webapp.serving.__main__ import main\nmain()"
            entry = [str(REPOSITORY / "app.py"), "--server.port", str(self.port)]
            command = [sys.executable, "-c", program, "run", *entry]
        if descriptors is not None:
            command = ["prlimit", f"--nofile={descriptors[0]}:{descriptors[1]}", "--", *command]
        self.is_nobody = os.getuid() == 0 and shutil.which("setpriv") is not None
        if self.is_nobody:
            command = AS_NOBODY + command
            os.chown(folder, NOBODY, NOBODY)
        command = [*before, *command]
        with open(self.log, "w") as stream:
            self.process = subprocess.Popen(command, cwd=folder, env=variables, stdout=stream, stderr=stream)
        self.address = f"http://127.0.0.1:{self.port}"

    def ask(self, path, port=None, **headers):
        """Status and text of an answer; 0 as long as nobody answers."""
        address = f"http://127.0.0.1:{port or self.port}{path}"
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10) as answer:
                return answer.status, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            with contextlib.suppress(OSError):  # refused before all was sent
                return error.code, error.read().decode(errors="replace")
            return error.code, ""
        except OSError:
            return 0, ""

    def figure(self, name):
        """The value of a figure, the sum over its labels."""
        text = self.ask("/metrics", self.metrics)[1]
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.M))

    def events(self):
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def open_descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def answers(self):
        return self.ask("/_stcore/health")[0] == 200


def until(state, patience=180):
    end = time.monotonic() + patience
    while not state():
        assert time.monotonic() < end
        time.sleep(0.05)
