"""Downloads of the archives from their publishers: resumed after a broken connection, checked, then put in place.

The bytes go to ``NAME.zip.part``; beside it, ``NAME.zip.part.validator`` keeps the server's ETag (or Last-Modified).
A later call asks for the rest with Range and If-Range (RFC 9110, sections 13 and 14), so that a server whose file has
changed, or that does not support ranges, sends the whole file again and never the second half of another one. The file
gets its final name after its size, its digest and its contents (zip, members, number of ratings) have been checked.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from metamf.datasets import archives, loading
from metamf.datasets.archives import Archive

# Chosen by hand: a visitor of the app waits for these.
ATTEMPTS = 3  # at one address; each continues where the previous one stopped
PAUSE = 1.0  # seconds before the second attempt; the pause doubles before each further one
TIMEOUT = 30.0  # seconds without a byte after which a connection counts as lost
LIMIT = 900.0  # seconds after which a download ends, or the wait for another one; a later call goes on
_LOOK = 0.5  # seconds between two looks whether another download has ended
_CHUNK = 64 * 1024  # bytes
_one_at_a_time = threading.Lock()  # visitors of one app who press the same button share one download

ReportBytes = Callable[[int, int], None]


class DownloadError(RuntimeError):
    """The archive could not be fetched from any address; the message gives the reason for each."""


class _TooLongError(Exception):
    """The download has taken too long; the next one goes on where it ended."""


class _ConnectionLostError(Exception):
    """The connection failed or ended early; another attempt may help."""


class _RefusedError(Exception):
    """The server offers something else than the archive; another attempt at the same address does not help."""


def download(
    name: str,
    folder: str | os.PathLike | None = None,
    progress: ReportBytes | None = None,
    *,
    waits: Callable[[], None] | None = None,
    base_url: str | None = None,
) -> Path:
    """Downloads an archive from its publisher into the data folder, unless it is there, and returns its path.

    One download goes on at a time. It takes ``LIMIT`` seconds at most, and so does the wait for another one.

    Parameters
    ----------
    name : name of the archive, one of ``NAMES``
    folder : folder for it; None: the environment variable METAMF_DATA, or else the user's cache folder
    progress : called with (bytes so far, bytes in all); an exception that it raises stops the download, and a later
        call continues it
    waits : called again and again while another download is on its way; an exception that it raises ends the wait
    base_url : address of a folder that has the file, asked instead of the publisher and the mirror

    Raises
    ------
    DownloadError
        if no address could be reached, none sent the archive, or it took too long; then no file has its name.
    OSError
        if the folder takes no file, or not all of it; what was fetched is removed, since the room is wanted elsewhere.
    ValueError
        if ``name`` is unknown, or ``base_url`` is not an http or https address.
    """
    archive = archives.find(name)
    target = archives.data_folder(folder) / archive.file_name
    part = target.with_name(target.name + ".part")
    addresses = [f"{base_url.rstrip('/')}/{archive.file_name}"] if base_url else [archive.url, archive.mirror]
    for address in addresses:
        if not address.startswith(("https://", "http://")):
            raise ValueError(f"an archive is fetched over http or https, not from {address!r}")
    failures: list[str] = []
    with _alone(archive, waits or (lambda: None)):
        end = time.monotonic() + LIMIT
        if target.exists():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        for address in addresses:
            try:
                _fetch(address, part, archive.size, _ending(progress, end))
                _verify(part, archive)
            except (_ConnectionLostError, _RefusedError) as failure:
                failures.append(f"{address}: {failure}")
            except _TooLongError as failure:
                failures.append(f"{address}: {failure}")
                break
            except OSError:
                with contextlib.suppress(OSError):
                    _forget(part)
                raise
            else:
                os.replace(part, target)
                _validator(part).unlink(missing_ok=True)
                return target
    raise DownloadError(
        f"{archive.title} could not be downloaded. " + "; ".join(failures) + f". It can be fetched by hand from "
        f"{archive.page}: put {archive.file_name} into {target.parent}."
    )


@contextlib.contextmanager
def _alone(archive: Archive, waits: Callable[[], None]) -> Iterator[None]:
    """The time in which no other download goes on, once the one that is on its way has ended."""
    end = time.monotonic() + LIMIT
    while not _one_at_a_time.acquire(timeout=_LOOK):
        if time.monotonic() > end:
            raise DownloadError(f"{archive.title} could not be downloaded: another download has not ended. Try again.")
        waits()
    try:
        yield
    finally:
        _one_at_a_time.release()


def _ending(progress: ReportBytes | None, end: float) -> ReportBytes:
    """``progress``, which ends the download at a time of the monotonic clock."""

    def report(done: int, total: int) -> None:
        if done < total and time.monotonic() > end:
            raise _TooLongError(
                f"it took longer than {LIMIT:.0f} s, {done:,} of {total:,} bytes; the next call goes on"
            )
        if progress is not None:
            progress(done, total)

    return report


def _fetch(address: str, part: Path, size: int, progress: ReportBytes) -> None:
    """Fills ``part`` with ``size`` bytes, continuing where an earlier attempt stopped."""
    if part.exists() and part.stat().st_size == size:
        return  # an earlier call ended after the last byte and before the check
    for attempt in range(ATTEMPTS):
        try:
            _fetch_once(address, part, size, progress)
            return
        except _ConnectionLostError:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(PAUSE * 2**attempt)


def _fetch_once(address: str, part: Path, size: int, progress: ReportBytes) -> None:
    validator = _validator(part)
    start = part.stat().st_size if part.exists() and validator.exists() else 0
    headers = {"User-Agent": "metamf", "Accept-Encoding": "identity"}
    if start:
        headers |= {"Range": f"bytes={start}-", "If-Range": validator.read_text("latin-1")}
    with _open(urllib.request.Request(address, headers=headers), part) as response:
        resumed = start > 0 and response.status == 206
        if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            _forget(part)
            raise _ConnectionLostError(f"the server sent another range than bytes {start}- of the file")
        done = start if resumed else 0
        length = response.headers.get("Content-Length")
        if length is not None and done + int(length) != size:
            if resumed:
                _forget(part)
            raise _RefusedError(f"the server offers {done + int(length):,} bytes, and the archive has {size:,}")
        if not resumed:
            _forget(part)
        with open(part, "ab" if resumed else "wb") as file:
            if not resumed and (tag := _tag(response.headers)):
                validator.write_text(tag, "latin-1")
            progress(done, size)
            while chunk := _read(response):
                file.write(chunk)
                done += len(chunk)
                if done > size:
                    break
                progress(done, size)
            file.flush()
            os.fsync(file.fileno())
    if done > size:
        _forget(part)
        raise _RefusedError(f"the server sent more than the archive's {size:,} bytes")
    if done < size:
        raise _ConnectionLostError(f"the connection ended after {done:,} of {size:,} bytes")


def _open(request: urllib.request.Request, part: Path) -> http.client.HTTPResponse:
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the part is not the beginning of what is there now
            _forget(part)
        elif 400 <= error.code < 500 and error.code not in (408, 429):
            raise _RefusedError(f"the server answered {error.code} {error.reason}") from error
        raise _ConnectionLostError(f"the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:  # URLError and the time-out are OSErrors
        raise _ConnectionLostError(f"no connection ({getattr(error, 'reason', error)})") from error


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read1(_CHUNK)  # what has come: a slow publisher's bytes are not waited for in a block
    except (OSError, http.client.HTTPException) as error:
        raise _ConnectionLostError(f"the connection broke ({error})") from error


def _verify(part: Path, archive: Archive) -> None:
    algorithm, expected = archive.digest.split(":")
    found = hashlib.new(algorithm, part.read_bytes(), usedforsecurity=False).hexdigest()
    if found != expected:
        _forget(part)
        raise _RefusedError(f"the file's {algorithm} is {found}, and the archive's is {expected}")
    try:
        for member in archive.members:
            archives.read_member(part, member)
        loading.parsed_ratings(part, archive)  # counts the ratings, and fills the cache for the first load
    except ValueError as error:
        _forget(part)
        raise _RefusedError(str(error)) from error


def _tag(headers: http.client.HTTPMessage) -> str | None:
    """The value for If-Range: a strong ETag, else the date, else None (RFC 9110, section 13.1.5)."""
    etag = headers.get("ETag")
    return etag if etag and not etag.startswith("W/") else headers.get("Last-Modified")


def _validator(part: Path) -> Path:
    return part.with_name(part.name + ".validator")


def _forget(part: Path) -> None:
    for path in (_validator(part), part):
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
