"""The three rating archives of the paper's experiments (Section 4.1): their descriptions, and how
they are read.

Archives are zip files as their publishers distribute them. They are never unpacked to disk: members
are read straight from the zip file, and none larger than ``MAX_MEMBER_BYTES``.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from metamf.ratings.scale import RatingScale
from metamf.wording import MIB

MAX_MEMBER_BYTES = 64 * MIB  # the largest real member, ml-1m/ratings.dat, has 24 MB


@dataclass(frozen=True)
class Archive:
    """A data set as its publisher distributes it."""

    name: str  # short name, as callers write it
    title: str  # full name
    page: str  # address of the publisher's page
    url: str  # addresses of the file, the publisher's and the Internet Archive's
    mirror: str
    file_name: str  # name of the file in the data folder
    size: int  # bytes of the file
    digest: str  # "algorithm:hexadecimal digits" of the file
    shape: tuple[int, int]  # shape (N, M) of the rating matrix, the publisher's figures
    ratings: int  # number of ratings, the publisher's figure
    scale: RatingScale  # rating scale
    licence: str  # the publisher's terms, and the article to cite
    citation: str


_HARPER_KONSTAN = (
    "F. Maxwell Harper and Joseph A. Konstan. The MovieLens Datasets: History and Context. "
    "ACM Transactions on Interactive Intelligent Systems 5(4), 19:1-19:19, 2015."
)
_GROUPLENS = (
    "Free for research with acknowledgement; no redistribution, and no commercial use, "
    "without permission of GroupLens."
)

# The mirrors are the Internet Archive's captures of the publishers' own addresses. They are used
# only if the publisher does not answer; size and digest must be the same from either.
ARCHIVES: dict[str, Archive] = {
    archive.name: archive
    for archive in (
        Archive(
            name="ml-100k",
            title="MovieLens 100K",
            page="https://grouplens.org/datasets/movielens/100k/",
            url="https://files.grouplens.org/datasets/movielens/ml-100k.zip",
            mirror="https://web.archive.org/web/2025id_/https://files.grouplens.org/datasets/movielens/ml-100k.zip",
            file_name="ml-100k.zip",
            size=4_924_029,
            # From the publisher's ml-100k.zip.md5, next to the archive; Keras, Gorse and others use
            # the same.
            digest="md5:0e33842e24a9c977be4e0107933c0723",
            shape=(943, 1682),
            ratings=100_000,
            scale=RatingScale(1, 5, 1),
            licence=_GROUPLENS,
            citation=_HARPER_KONSTAN,
        ),
        Archive(
            name="ml-1m",
            title="MovieLens 1M",
            page="https://grouplens.org/datasets/movielens/1m/",
            url="https://files.grouplens.org/datasets/movielens/ml-1m.zip",
            mirror="https://web.archive.org/web/2025id_/https://files.grouplens.org/datasets/movielens/ml-1m.zip",
            file_name="ml-1m.zip",
            size=5_917_549,
            # From the publisher's ml-1m.zip.md5, next to the archive.
            digest="md5:c4d9eecfca2ab87c1945afe126590906",
            shape=(
                6040,
                3952,
            ),  # 3,952 is the highest movie id, and the paper's M; 3,706 of them are rated
            ratings=1_000_209,
            scale=RatingScale(1, 5, 1),
            licence=_GROUPLENS,
            citation=_HARPER_KONSTAN,
        ),
        Archive(
            name="jester",
            title="Jester 1, part 1",
            page="https://eigentaste.berkeley.edu/dataset/",
            url="https://eigentaste.berkeley.edu/dataset/jester_dataset_1_1.zip",
            mirror=(
                "https://web.archive.org/web/20260301101947id_/"
                "https://eigentaste.berkeley.edu/dataset/jester_dataset_1_1.zip"
            ),
            file_name="jester_dataset_1_1.zip",
            size=4_171_628,
            # The publisher does not state a digest. This one was recorded independently by the
            # library OmniRec (capture of April 2025) and by a study of August 2026 (capture of
            # March 2026), from two addresses of the publisher.
            digest="sha256:cb7841756ded125b15f3d95c9f8241224065e96354c132a46ae4214deeab7615",
            shape=(24983, 100),
            ratings=1_810_455,  # every entry that is not 99, the 5,383 zeros included
            scale=RatingScale(-10, 10),
            licence=(
                "Free for research when the paper below is cited; redistribution is not granted."
            ),
            citation=(
                "Ken Goldberg, Theresa Roeder, Dhruv Gupta and Chris Perkins. Eigentaste: A "
                "Constant Time "
                "Collaborative Filtering Algorithm. Information Retrieval 4(2), 133-151, 2001."
            ),
        ),
    )
}
NAMES = tuple(ARCHIVES)
DRAWN = (
    "film-nights",
    "film-nights-every-step",
    "jester-chosen",
)  # matrices drawn afresh, of ratings that people chose
FEATURES = ("genre", "year")  # of the films of the two MovieLens archives


def find(name: str) -> Archive:
    """The description of the archive called ``name``; ValueError if there is none."""
    if name not in ARCHIVES:
        raise ValueError(f"there is no data set {name!r}; choose one of {', '.join(NAMES)}")
    return ARCHIVES[name]


def cache_folder() -> Path:
    """The user's folder for files that can be recreated: ``$XDG_CACHE_HOME/metamf``, or
    ``~/.cache/metamf``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metamf"


def data_folder(folder: str | os.PathLike | None = None) -> Path:
    """The folder of the archives: ``folder`` if given, else the environment variable METAMF_DATA,
    else the cache."""
    folder = folder or os.environ.get("METAMF_DATA")
    return Path(folder).expanduser() if folder else cache_folder()


def available(name: str, folder: str | os.PathLike | None = None) -> bool:
    """Whether the archive ``name`` is in the data folder, and that can be looked into."""
    # Path.is_file raises where that is forbidden
    return os.path.isfile(data_folder(folder) / find(name).file_name)


def locate(name: str, folder: str | os.PathLike | None = None) -> Path:
    """The archive's path in the data folder; the FileNotFoundError for a missing one tells how to
    get it."""
    archive, place = find(name), data_folder(folder)
    if not available(name, folder):
        raise FileNotFoundError(
            f"{archive.title} is missing: there is no {archive.file_name} in {place}. Get it with "
            f"`python -m metamf download {name}`, or set METAMF_DATA to the folder that holds it."
        )
    return place / archive.file_name


def read_member(path: Path, member: str) -> bytes:
    """The bytes of one member of a zip file; ValueError if it is missing, damaged or too large."""
    try:
        with zipfile.ZipFile(path) as archive:
            # zipfile never reads past this figure, and checks the CRC
            size = archive.getinfo(member).file_size
            if size > MAX_MEMBER_BYTES:
                raise ValueError(f"{member} in {path.name} would unpack to {size:,} bytes; refused")
            return archive.read(member)
    except KeyError:
        raise ValueError(
            f"{path.name} does not hold {member}: it is not the archive that its publisher "
            "distributes"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise ValueError(
            f"{path.name} is not a readable zip archive ({error}); delete it and download it again"
        ) from error
