"""Coverage-guided fuzzing of what reads strangers' bytes: atheris changes inputs so that they reach ever more branches.

    pip install atheris
    python tests/fuzz.py table --seconds 600        # or checkpoint, address, room; --seconds for each

A target calls a parser and lets through only the errors that it promises; anything else, and an input that takes longer
than ten seconds or more than 2 GiB, ends the run with the input in ``runs/fuzz``. Such an input goes into
``tests/support/fuzzed``, under the name that it has: ``tests/test_fuzz.py`` reads it from then on, and the next run
begins with it. (atheris is not in requirements.txt: this script alone needs it, and it comes for some versions of
Python only.)
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOUND, KEPT = REPOSITORY / "runs" / "fuzz", REPOSITORY / "tests" / "support" / "fuzzed"


def table(data: bytes) -> None:
    """A file that somebody uploads: a Table, which is written again, or a TableError."""
    import numpy as np

    from metamf.tables import Limits, ReadOptions, TableError, read_table, write
    from metamf.tables.write import Filled

    small = Limits(bytes=200_000, expanded=400_000, rows=5_000, columns=500, cells=50_000, workbook_cells=20_000)
    with contextlib.suppress(TableError):
        table = read_table(data, "x", ReadOptions(limits=small))
        table.report.sentences()
        if np.prod(table.ratings.shape) <= 10_000:
            filled = Filled(table, np.zeros(table.ratings.shape))
            write.to_csv_wide(filled), write.to_csv_long(filled)


def checkpoint(data: bytes) -> None:
    """A file in the folder of checkpoints: loaded, or a CheckpointError."""
    from metamf.checkpoints.files import load_checkpoint
    from metamf.checkpoints.info import CheckpointError

    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(data)
        file.flush()
        with contextlib.suppress(CheckpointError):
            load_checkpoint(file.name)


def address(data: bytes) -> None:
    """What a link says of edits and of a typed sheet: taken, or refused in a sentence."""
    import numpy as np

    from metamf.ratings.matrix import Ratings
    from metamf.webapp.experiments.edits import Edits
    from metamf.webapp.matrix.grid import Sheet, TypedError

    text = data.decode("utf-8", "replace")
    edits, note = Edits.from_text(text, Ratings.from_dense(np.array([[5.0, np.nan], [3.0, 1.0]])))
    assert isinstance(note, str) and all(0 <= edit.row < 2 and 0 <= edit.col < 2 for edit in edits.made)
    with contextlib.suppress(TypedError):
        Sheet.from_text(text).matrix()


def room(data: bytes) -> None:
    """A code that somebody types, a list of things to rate, a nickname: a room, or a sentence why not."""
    from metamf.webapp.rooms.results import matrix_table
    from metamf.webapp.rooms.room import Room, RoomError
    from metamf.webapp.rooms.store import parse_code

    text = data.decode("utf-8", "replace")
    parse_code(text)
    Room.from_text(text)
    title, *names = text.split("\n")
    try:
        found = Room.new(title, names, range(1, 6), "x").join("a", title).start().rate("a", 0, 3)
    except RoomError:
        return
    assert Room.from_text(found.to_text()) == found
    matrix_table(found)


TARGETS = {target.__name__: target for target in (table, checkpoint, address, room)}


def seeds(name: str) -> list[bytes]:
    """Inputs to begin with: what people have, and what was found before."""
    kept = [path.read_bytes() for path in sorted(KEPT.glob(f"{name}-*"))]
    if name == "table":
        from tables_corpus import CORPUS

        return kept + [case.data for case in CORPUS]
    if name == "checkpoint":
        whole = (REPOSITORY / "pretrained" / "ml-1m.safetensors").read_bytes()
        return [*kept, whole[:3000], whole]
    return [*kept, b"0.1.4~1.0.", b"Tea_Coffee~Ada_5_~Ben__2", b"Films\nAlien\nPsycho", b"BKTM-WXRD"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600)
    arguments = parser.parse_args()
    import atheris

    sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests" / "support")]
    target, corpus = TARGETS[arguments.target], FOUND / f"corpus-{arguments.target}"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(seeds(arguments.target)):
        (corpus / f"seed-{number}").write_bytes(content)
    with atheris.instrument_imports(include=["metamf"]):
        target(b"")  # imports what it needs
    limits = [f"-max_total_time={arguments.seconds}", "-timeout=10", "-rss_limit_mb=2048"]
    atheris.Setup([sys.argv[0], str(corpus), *limits, f"-artifact_prefix={FOUND}/{arguments.target}-"], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
