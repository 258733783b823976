"""The one curve of the application: what ``benchmarks.accuracy.film_nights`` has measured, in the application's folder.

    python -m benchmarks.accuracy.curve

Writes metamf/webapp/explore/curve.csv from benchmarks/results/film-nights.csv: for each world that the application
shows, way of being given and share of the cells, the errors of the checkpoints, of the best simple method, of MF with
the settings that are chosen on what is given, and of the mean of the training tables.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import rows
from metamf.answer.division import SELECTIONS
from metamf.checkpoints.bundled import list_pretrained

MEASURED, PATH = rows.RESULTS / "film-nights.csv", Path("metamf/webapp/explore/curve.csv")
COLUMNS = "matrix", "given", "percent", "method", "key", "draws", "rmse", "low", "high", "bias"


def main() -> None:
    rows.command_line(__doc__).parse_args()
    drawn = {*list_pretrained(), "simple", "mf", "training_mean"}
    kept = [row for row in rows.read(MEASURED) if row["method"] in drawn and row["given"] in SELECTIONS]
    kept.sort(key=lambda row: (row["matrix"], row["given"], float(row["percent"])))
    PATH.unlink(missing_ok=True)
    rows.append(PATH, *({name: row[name] for name in COLUMNS} for row in kept))


if __name__ == "__main__":
    main()
