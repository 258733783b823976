"""The manifest of a filled table, and the program that makes the table again.

Texts of strangers come back from a manifest as they are, and are never code in a program.
"""

import hashlib
import json
import runpy

import numpy as np
import pytest
from drinks import CONTENT, OPTIONS, made
from holdouts import holdout_report
from hostile import CODE, NAME, TEXTS, book_with_sheets, shape

from metamf.answer.filling import FillSettings, fill, filled_table
from metamf.answer.manifest import manifest, snippet
from metamf.answer.methods import method, offered, tuned_baseline
from metamf.checkpoints.bundled import find_checkpoint
from metamf.ratings.scale import RatingScale
from metamf.tables import ReadOptions, read_table, write


def test_the_manifest_says_what_went_in_and_what_came_out():
    table, found, values = made()
    assert values["input"] == {
        "name": "drinks.csv",
        "bytes": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    path = find_checkpoint("ml-1m")
    assert values["method"]["checkpoint"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert values["reading"] == {"missing_markers": ("99",), "duplicates": "mean"}
    assert values["settings"]["scale"] == {"minimum": 0.5, "maximum": 5, "step": 0.5}
    counts = values["counts"]
    assert (counts["rows"], counts["columns"], counts["observed"], counts["estimated"]) == (4, 3, 7, 5)
    assert counts["missing markers"] == {"": 3, "99": 2} or counts["missing markers"]["99"] == 2
    assert counts["clipped"] == found.clipped.sum()
    assert set(values["versions"]) == {"metamf", "python", "torch", "numpy"}
    assert json.loads(json.dumps(values))["input"] == values["input"]
    assert not any(name in json.dumps(values) for name in ("Ada", "Tea", "Coffee", "4.5", "4,5"))  # nor any rating


def test_the_manifest_holds_the_errors_on_held_out_cells():
    rng = np.random.default_rng(3)
    rows = "\n".join(f"r{i}," + ",".join(map(str, rng.integers(1, 6, 6))) for i in range(6))
    content = ("name,a,b,c,d,e,f\n" + rows + "\n").encode()
    table = read_table(content, "t.csv", OPTIONS)
    found = fill(table.ratings, "mean")
    report = holdout_report(table.ratings, offered(table.ratings)[-3:], 0.9, 2, rng=np.random.default_rng(7))
    values = manifest("t.csv", content, OPTIONS, table, method("mean"), found, FillSettings(), holdout=report, seed=7)
    held_out = values["held-out cells"]
    assert held_out["seed"] == 7 and held_out["repeats"] == 2 and held_out["verdict"] == report.verdict()
    assert held_out["rmse"] == {e.method.key: pytest.approx(e.rmse.mean(), abs=1e-6) for e in report.errors}


def test_the_program_keeps_all_settings_and_refuses_another_file(tmp_path, monkeypatch):
    settings = FillSettings(None, False, True, outside="hide")
    table, found, values = made("crossed_effects", scale=RatingScale(0, 4, 1), settings=settings)
    (tmp_path / "drinks.csv").write_bytes(CONTENT)
    (tmp_path / "fill.py").write_text(snippet(json.loads(json.dumps(values))))
    monkeypatch.chdir(tmp_path)
    runpy.run_path("fill.py")
    assert (tmp_path / "drinks-filled.csv").read_bytes() == write.to_csv_wide(filled_table(table, found))
    assert values["counts"]["rounded"] == 5 and values["counts"]["held out"] == 2
    (tmp_path / "drinks.csv").write_bytes(CONTENT + b"Ema;1;1;1\n")
    with pytest.raises(SystemExit, match="drinks.csv is not the file that was filled in"):
        runpy.run_path("fill.py")


def test_the_program_of_a_method_that_chose_its_settings_on_the_table_chooses_them_again(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.round(3 + rng.normal(size=(14, 1)) * rng.normal(size=6) + 0.3 * rng.normal(size=(14, 6)), 1)
    lines = [",".join("" if rng.random() < 0.3 else f"{x:g}" for x in row) for row in X]
    content = "\n".join([",".join("abcdef"), *lines, ""]).encode()
    table = read_table(content, "in.csv")
    how = tuned_baseline("soft_impute", own_units=True)
    found = fill(table.ratings, how)
    values = json.loads(json.dumps(manifest("in.csv", content, ReadOptions(), table, how, found, FillSettings())))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_bytes(content)
    (tmp_path / "fill.py").write_text(snippet(values))
    runpy.run_path("fill.py")
    assert (tmp_path / "in-filled.csv").read_bytes() == write.to_csv_wide(filled_table(table, found))
    assert not np.allclose(fill(table.ratings, "soft_impute").mean, found.mean)


@pytest.mark.parametrize("name", ["../../etc/passwd.csv", 'it\'s "quoted".csv', "\n'''import os.csv", "a{name}.csv"])
def test_a_file_name_cannot_become_code_or_a_path(name):
    _, _, values = made("mean", name)
    program = snippet(values)
    compiled = compile(program, "fill.py", "exec")
    assert "/etc" not in program and repr(name.rpartition("/")[2]) in program
    assert {"fill", "read_table", "write"} <= set(compiled.co_names)


NUMBERS = [[4, None, 2], [1, 2, None], [None, 5, 3], [3, 4, 4]]


def rows(text, marks=(None, None)):
    """A table whose names and whose cells without a rating are a text of a stranger's."""
    table = [[text, f"{text} a", f"{text} b", f"{text} c"]]
    table += [[f"{text} {n}", *line] for n, line in enumerate(NUMBERS)]
    table[1][2], table[2][3] = marks
    return table


def accounts(name, content, options):
    """The manifest as it is read from its file, and the program that is made of it."""
    table = read_table(content, name, options)
    made = json.loads(
        json.dumps(
            manifest(name, content, options, table, method("mean"), fill(table.ratings, "mean"), FillSettings()),
            indent=2,
        )
    )
    return made, snippet(made)


@pytest.mark.parametrize("text", [*TEXTS, NAME, *CODE], ids=range(len(TEXTS) + 1 + len(CODE)))
def test_names_and_markers_come_back_exactly_and_are_never_code(text):
    plain = book_with_sheets(["one", "two"], rows("x", ("n/a", "k.A.")))
    expected, _ = shape(accounts("plain.xlsx", plain, ReadOptions(sheet="two", missing_markers=("n/a", "k.A.")))[1])
    inside = text.translate(dict.fromkeys(range(32)))  # a workbook holds no control characters
    name, sheet, markers = f"{text}.xlsx", f"{inside} two", (f"{inside} means none".strip(), "n/a")
    content = book_with_sheets(["one", sheet], rows(inside, markers))
    made, program = accounts(name, content, ReadOptions(sheet=sheet, missing_markers=markers))
    last = name.rpartition("/")[2]  # the name without folders
    assert made["input"]["name"] == last
    assert made["reading"] == {"sheet": sheet, "missing_markers": [*markers]}
    assert {marker: made["counts"]["missing markers"][marker] for marker in markers} == dict.fromkeys(markers, 1)
    found, literals = shape(program)
    assert found == expected, "the same program, but for its texts"
    assert {last, sheet, *markers} <= set(literals)
    assert f"{last.removesuffix('.xlsx')}-filled.csv" in literals
