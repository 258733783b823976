"""Downloads of the archives from their publishers by pooch, which compares digests and puts files
in place at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from metamf.datasets.archives import Archive, data_folder, find

TIMEOUT = 30.0  # seconds without a byte after which a connection counts as lost
_CHUNK = 64 * 1024  # bytes

# visitors of one app who press the same button share one download
_one_at_a_time = threading.Lock()

ReportBytes = Callable[[int, int], None]


class DownloadError(RuntimeError):
    """The archive could not be fetched from any address; the message gives the reason for each."""


def download(
    name: str, folder: str | os.PathLike | None = None, progress: ReportBytes | None = None
) -> Path:
    """Downloads an archive from its publisher into the data folder, unless it is there, and returns
    its path.

    Only one download runs at a time in a process; others wait for it. ``folder`` is as for
    ``data_folder``. ``progress`` is called with (bytes so far, bytes in all); an exception that it
    raises ends the download.

    Raises DownloadError if neither the publisher nor the mirror sent the archive, OSError if the
    file cannot be written, and ValueError if ``name`` is none of ``NAMES``.
    """
    archive, folder = find(name), data_folder(folder)
    with _one_at_a_time:
        target = folder / archive.file_name
        return target if target.exists() else _fetched(archive, folder, progress)


def _fetched(archive: Archive, folder: Path, progress: ReportBytes | None) -> Path:
    import requests
    from pooch import HTTPDownloader, get_logger, retrieve

    get_logger().setLevel("WARNING")
    failures: list[str] = []
    for address in (archive.url, archive.mirror):
        bar = _Bar(archive.size, progress)
        fetch = HTTPDownloader(
            progressbar=bar, chunk_size=_CHUNK, timeout=TIMEOUT, headers={"User-Agent": "metamf"}
        )
        try:
            found = retrieve(address, archive.digest, archive.file_name, folder, downloader=fetch)
            return Path(found)
        except requests.HTTPError as error:
            status = getattr(error.response, "status_code", error)
            failures.append(f"{address}: the server answered {status}")
        except (requests.ConnectionError, requests.Timeout):
            failures.append(f"{address}: no connection")
        except (requests.RequestException, ValueError) as error:
            failures.append(f"{address}: {error}")
    raise DownloadError(
        f"{archive.title} could not be downloaded. {'; '.join(failures)}. You can fetch it by hand "
        f"from {archive.page}: put {archive.file_name} into {folder}."
    )


class _Bar:
    """The progress bar that pooch calls: reports bytes, and ends what is longer than the
    archive."""

    total = 0  # the size that the server declares; pooch sets it

    def __init__(self, size: int, progress: ReportBytes | None) -> None:
        self.size = size
        self.progress = progress or (lambda done, total: None)
        self.reset()
        self.progress(0, size)

    def update(self, n: int) -> None:
        if self.done > self.size:
            raise ValueError(f"the server sent more than the archive's {self.size:,} bytes")
        self.done += n
        self.progress(min(self.done, self.size), self.size)

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        pass
