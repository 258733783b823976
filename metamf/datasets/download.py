"""Archives from their publishers: resumed where a connection broke, checked, and put in place only when right.

The bytes go to ``NAME.zip.part``; beside it, ``NAME.zip.part.validator`` keeps the server's ETag (or Last-Modified).
A later call asks for the rest with Range and If-Range, so that a server whose file has changed, or that knows no
ranges, sends the whole file again and never the second half of another one. The file takes its final name after its
size, its digest and its contents (zip, members, number of ratings) have been checked.
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
from collections.abc import Callable
from pathlib import Path

from metamf.datasets import archives, loading
from metamf.datasets.archives import Archive

ATTEMPTS = 3  # at one address; each goes on where the last one stopped
PAUSE = 1.0  # seconds before the second attempt, twice that before the third
TIMEOUT = 30.0  # seconds without a byte
_CHUNK = 64 * 1024
_one_at_a_time = threading.Lock()  # visitors of one app who press the same button share one download

Progress = Callable[[int, int], None]


class DownloadError(RuntimeError):
    """No address gave the archive; the message has the reason for each."""


class _ConnectionLostError(Exception):
    """The connection failed or ended early; trying again may help."""


class _RefusedError(Exception):
    """What the server offers is not the archive; trying again there does not help."""


def download(
    name: str,
    folder: str | os.PathLike | None = None,
    progress: Progress | None = None,
    *,
    base_url: str | None = None,
) -> Path:
    """Get the archive ``name`` from its publisher into the data folder, unless it is there, and return its path.

    Parameters
    ----------
    folder : where to put it; otherwise METAMF_DATA, otherwise the user's cache folder
    progress : called with (bytes so far, bytes in all); an exception that it raises stops the download, which a later
        call takes up again
    base_url : another address that has the file, instead of the publisher's and the mirror's

    Raises
    ------
    DownloadError
        where no address could be reached, or what they sent is not the archive; nothing is left under its name.
    """
    archive = archives.find(name)
    target = archives.data_folder(folder) / archive.file_name
    part = target.with_name(target.name + ".part")
    addresses = [f"{base_url.rstrip('/')}/{archive.file_name}"] if base_url else [archive.url, archive.mirror]
    for address in addresses:
        if not address.startswith(("https://", "http://")):
            raise ValueError(f"an archive comes over http or https, not from {address!r}")
    failures = []
    with _one_at_a_time:
        if target.exists():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        for address in addresses:
            try:
                _fetch(address, part, archive.size, progress or (lambda done, total: None))
                _verify(part, archive)
            except (_ConnectionLostError, _RefusedError) as failure:
                failures.append(f"{address}: {failure}")
            else:
                os.replace(part, target)
                _validator(part).unlink(missing_ok=True)
                return target
    raise DownloadError(
        f"{archive.title} could not be downloaded. " + "; ".join(failures) + f". It can be fetched by hand from "
        f"{archive.page}: put {archive.file_name} into {target.parent}."
    )


def _fetch(address: str, part: Path, size: int, progress: Progress) -> None:
    """Fill ``part`` with ``size`` bytes, going on where an earlier attempt stopped."""
    if part.exists() and part.stat().st_size == size:
        return None  # complete, but an earlier call ended before it was checked
    for attempt in range(ATTEMPTS):
        try:
            return _fetch_once(address, part, size, progress)
        except _ConnectionLostError:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(PAUSE * 2**attempt)


def _fetch_once(address: str, part: Path, size: int, progress: Progress) -> None:
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
        if error.code == 416:  # the part is no beginning of what is there now
            _forget(part)
        elif 400 <= error.code < 500 and error.code not in (408, 429):
            raise _RefusedError(f"the server answered {error.code} {error.reason}") from error
        raise _ConnectionLostError(f"the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:  # URLError and the time-out are OSErrors
        raise _ConnectionLostError(f"no connection ({getattr(error, 'reason', error)})") from error


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(_CHUNK)
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
        loading.read_table(part, archive)  # counts the ratings, and fills the cache for the first load
    except ValueError as error:
        _forget(part)
        raise _RefusedError(str(error)) from error


def _tag(headers: http.client.HTTPMessage) -> str | None:
    """What If-Range may carry: a strong ETag, otherwise the date; None where the server gives neither."""
    etag = headers.get("ETag")
    return etag if etag and not etag.startswith("W/") else headers.get("Last-Modified")


def _validator(part: Path) -> Path:
    return part.with_name(part.name + ".validator")


def _forget(part: Path) -> None:
    for path in (_validator(part), part):
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
