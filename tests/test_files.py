"""The one atomic writer."""

import os

import pytest

from metamf.files import write_atomically


def test_writing_is_atomic_and_keeps_the_mode(tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    write_atomically(path, b"first")
    umask = os.umask(0)
    os.umask(umask)
    assert path.read_bytes() == b"first" and path.stat().st_mode & 0o777 == 0o666 & ~umask
    path.chmod(0o640)
    write_atomically(str(path), b"second")
    assert path.read_bytes() == b"second" and path.stat().st_mode & 0o777 == 0o640

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, b"third")
    assert path.read_bytes() == b"second" and [p.name for p in tmp_path.iterdir()] == ["out.csv"]


def test_a_pipe_is_written_to_and_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, b"filled")
    assert os.read(reader, 100) == b"filled" and pipe.is_fifo()
    os.close(reader)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path, b"filled")


def test_a_link_is_followed_and_stays_a_link(tmp_path):
    (tmp_path / "file").write_bytes(b"first")
    (tmp_path / "link").symlink_to("file")
    write_atomically(tmp_path / "link", b"second")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes() == b"second"
