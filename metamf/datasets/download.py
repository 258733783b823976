"""Downloads of the archives from their publishers by pooch: checked, then put in place at once.

pooch fetches an archive to a temporary file and compares its digest. The archive gets its final name after its contents
(zip, members, number of ratings) have been checked, too.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from metamf.datasets import archives, loading
from metamf.datasets.archives import Archive

TIMEOUT = 30.0  # seconds without a byte after which a connection counts as lost
LIMIT = 900.0  # seconds after which a download ends, or the wait for another one
_LOOK = 0.5  # seconds between two calls of ``waits``
_CHUNK = 64 * 1024  # bytes
_one_at_a_time = threading.Lock()  # visitors of one app who press the same button share one download

ReportBytes = Callable[[int, int], None]


class DownloadError(RuntimeError):
    """The archive could not be fetched from any address; the message gives the reason for each."""


def download(
    name: str,
    folder: str | os.PathLike | None = None,
    progress: ReportBytes | None = None,
    *,
    waits: Callable[[], None] | None = None,
) -> Path:
    """Downloads an archive from its publisher into the data folder, unless it is there, and returns its path.

    Only one download runs at a time in a process. It takes ``LIMIT`` seconds at most, and so does the wait for it.

    Parameters
    ----------
    name : name of the archive, one of ``NAMES``
    folder : folder for it; None: the environment variable METAMF_DATA, or else the user's cache folder
    progress : called with (bytes so far, bytes in all); an exception that it raises ends the download
    waits : called repeatedly while another download runs; an exception that it raises ends the wait

    Raises
    ------
    DownloadError
        if neither the publisher nor the mirror sent the archive, or it took too long.
    OSError
        if the file cannot be written.
    ValueError
        if ``name`` is unknown.
    """
    import requests
    from pooch import HTTPDownloader, get_logger, retrieve

    get_logger().setLevel("WARNING")
    archive = archives.find(name)
    target = archives.data_folder(folder) / archive.file_name
    part = target.with_name(f"{target.name}.part")
    failures: list[str] = []
    with _alone(archive, waits or (lambda: None)):
        if target.exists():
            return target
        watch = _Watch(archive.size, progress, time.monotonic() + LIMIT)
        fetch = HTTPDownloader(progressbar=watch, chunk_size=_CHUNK, timeout=TIMEOUT, headers={"User-Agent": "metamf"})
        for address in (archive.url, archive.mirror):
            try:
                watch.start()
                retrieve(address, archive.digest, part.name, part.parent, downloader=fetch)
                _check(part, archive)
                os.replace(part, target)
                return target
            except requests.HTTPError as error:
                failures.append(f"{address}: the server answered {getattr(error.response, 'status_code', error)}")
            except (requests.ConnectionError, requests.Timeout):
                failures.append(f"{address}: no connection")
            except requests.RequestException as error:
                failures.append(f"{address}: the connection broke ({error})")
            except (_WrongSizeError, ValueError) as error:
                failures.append(f"{address}: {error}")
            except TimeoutError as error:
                failures.append(f"{address}: {error}")
                break
            finally:
                part.unlink(missing_ok=True)
    raise DownloadError(
        f"{archive.title} could not be downloaded. " + "; ".join(failures) + f". You can fetch it by hand from "
        f"{archive.page}: put {archive.file_name} into {target.parent}."
    )


@contextmanager
def _alone(archive: Archive, waits: Callable[[], None]) -> Iterator[None]:
    """Waits until no other download runs."""
    end = time.monotonic() + LIMIT
    while not _one_at_a_time.acquire(timeout=_LOOK):
        if time.monotonic() > end:
            raise DownloadError(f"{archive.title} could not be downloaded: another download has not ended. Try again.")
        waits()
    try:
        yield
    finally:
        _one_at_a_time.release()


class _WrongSizeError(Exception):
    """The server offers or sends another number of bytes than the archive has."""


class _Watch:
    """The progress bar that pooch calls: reports bytes, and ends what is too long or takes too long.

    pooch sets ``total`` to the size that the server declares (0: none), and calls ``update`` with each chunk's size.
    """

    def __init__(self, size: int, progress: ReportBytes | None, end: float) -> None:
        self.size, self.progress, self.end, self.total, self.done = (
            size,
            progress or (lambda done, total: None),
            end,
            0,
            0,
        )

    def start(self) -> None:
        self.total = self.done = 0
        self.progress(0, self.size)

    def update(self, n: int) -> None:
        if self.total not in (0, self.size):
            raise _WrongSizeError(f"the server offers {self.total:,} bytes, and the archive has {self.size:,}")
        if self.done > self.size:
            raise _WrongSizeError(f"the server sent more than the archive's {self.size:,} bytes")
        if time.monotonic() > self.end:
            raise TimeoutError(f"it took longer than {LIMIT:.0f} s, {self.done:,} of {self.size:,} bytes")
        self.done += n
        self.progress(min(self.done, self.size), self.size)

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        pass


def _check(part: Path, archive: Archive) -> None:
    """Raises ValueError unless all members can be read and the ratings are the publisher's."""
    for member in archive.members:
        archives.read_member(part, member)
    loading.parsed_ratings(part, archive)  # fills the cache for the first load
