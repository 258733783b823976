"""How much memory is left: what machine, container and ulimit say, and how much a file takes."""

import gzip
import random
import subprocess
import sys

import pytest
from awkward_files import workbook, zipped

from metamf.webapp.serving import memory
from metamf.wording import MIB

GIB = 2**30
CAPTURED = {"capture_output": True, "text": True, "check": True}


@pytest.fixture
def system(tmp_path):
    """A machine with 8 GiB left, of which the container has 2 GiB, 1.5 of them used, 0.25 for files."""
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:   8388608 kB\n")
    for name, value in {"max": 2 * GIB, "current": 3 * GIB // 2, "stat": f"anon 5\ninactive_file {GIB // 4}"}.items():
        (tmp_path / f"memory.{name}").write_text(f"{value}\n")
    return tmp_path


def test_the_least_of_what_is_left_counts(system):
    assert memory.left(system, system) == 3 * GIB // 4
    (system / "memory.max").write_text("max\n")  # a container without a limit
    assert memory.left(system, system) == 8 * GIB
    assert memory.left(system / "none", system / "none") is None


def test_a_service_of_systemd_has_a_limit_of_its_own(system):
    group = system / "system.slice" / "metamf.service"
    group.mkdir(parents=True)
    (system / "self").mkdir()
    (system / "self" / "cgroup").write_text("4:memory:/old\n0::/system.slice/metamf.service\n")
    for name, value in {"max": GIB, "current": GIB // 2}.items():
        (group / f"memory.{name}").write_text(f"{value}\n")
    assert memory.left(system, system) == GIB // 2
    (group / "memory.max").write_text("max\n")
    assert memory.left(system, system) == 3 * GIB // 4  # of the group around it


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_ulimit_counts():
    program = "from metamf.webapp.serving import memory; print(memory.left())"
    said = subprocess.run(["sh", "-c", 'ulimit -v 500000; exec "$@"', "sh", sys.executable, "-c", program], **CAPTURED)
    assert 100 * MIB < int(said.stdout) < 500_000 * 1024


def test_a_packed_file_counts_as_what_it_unpacks_to_whatever_it_says_and_as_no_more_than_it_may():
    text = b"1,2,3\n" * 500_000
    plain = memory.needed(text, 64 * MIB)
    assert plain == memory.COST * len(text) > memory.BYTES_UNASKED
    assert memory.needed(gzip.compress(text), 64 * MIB) == plain
    assert memory.needed(zipped(a__xml=text), 64 * MIB) == plain
    for says_less in (b"\0\0\0\0", gzip.compress(b"")):  # its last four bytes
        assert memory.needed(gzip.compress(text) + says_less, 64 * MIB) == plain
    assert memory.needed(gzip.compress(text)[:-4] + b"\xff\xff\xff\xff", 64 * MIB) == plain
    assert memory.needed(gzip.compress(text) + gzip.compress(text), 4 * MIB) == memory.COST * 4 * MIB
    assert memory.needed(gzip.compress(zipped(a__xml=text)), 64 * MIB) == plain
    large = gzip.compress(zipped(a__xml=random.Random(0).randbytes(5 * MIB)), 1)  # too large to look into
    assert memory.needed(large, 64 * MIB) == memory.COST * 64 * MIB
    assert memory.needed(gzip.compress(text)[:-100], 64 * MIB) > memory.BYTES_UNASKED  # cut off
    assert memory.needed(workbook({"S": [["", "a"], ["x", 1]]}), 64 * MIB) < memory.BYTES_UNASKED
    assert memory.needed(b"PK\x03\x04 and no more", 64 * MIB) < memory.BYTES_UNASKED
