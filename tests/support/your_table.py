"""The page "Your table" in a small world, opened by Streamlit's AppTest."""

import shlex

import pytest
from made_up import stars  # noqa: F401  for the tests of this page
from opened import given_to, healthy, opened
from problems import small_universal

from metamf.checkpoints.bundled import describe, find_checkpoint
from metamf.checkpoints.files import save_checkpoint
from metamf.webapp import files
from metamf.webapp.choices import DEFAULT

DONE = {"check": {}}  # measurements, which are the same for every test of this world
OFFERED = {}  # key of a file's button -> its name and what makes it, as it was drawn last
PAGE = "pages/your_table.py"
WIDE = b"name;Tea;Coffee;Juice\nAda;4,5;;3\nBen;1;2;\nCleo;;5;4\nDev;3;4,0;2\n"


@pytest.fixture(autouse=True)
def small_world(monkeypatch, tmp_path, straight_engine):
    """No data sets; bundled checkpoints are a small universal one, Explore's and that of ML-1M; few
    repeats.

    Errors are measured when a visitor asks: it takes a second (``test_verdict`` measures unasked).
    """
    info = describe("universal")
    model = small_universal(seed=1)  # whose estimates are not all clipped
    save_checkpoint(tmp_path / "universal.safetensors", model, info)
    for name in (DEFAULT.model, "ml-1m"):
        (tmp_path / f"{name}.safetensors").write_bytes(find_checkpoint(name).read_bytes())
    monkeypatch.setattr("metamf.checkpoints.bundled.PRETRAINED", tmp_path)
    monkeypatch.setenv("METAMF_DATA", str(tmp_path))
    monkeypatch.setattr("metamf.answer.methods.SIMPLE", ("mean", "damped_bias"))
    monkeypatch.setattr("metamf.answer.methods.TUNED_BASELINES", ("damped_bias", "knn"))
    monkeypatch.setattr("metamf.webapp.your_table.check._UNASKED", 0)
    # and so does a model of the columns
    monkeypatch.setattr("metamf.answer.adaptation.is_table", lambda ratings: False)
    monkeypatch.setattr("metamf.answer.methods.REPEATS_OF_FEW", 5)
    straight_engine.done = DONE
    draw = files.offer

    def offer(label, make, name, *, key, **more):
        OFFERED[key] = name, make
        draw(label, make, name, key=key, **more)

    monkeypatch.setattr(files, "offer", offer)
    return straight_engine


def uploaded(content, name="drinks.csv", at=None):
    at = opened(PAGE) if at is None else at
    return healthy(at.get("file_uploader")[-1].set_value((name, content, "text/csv")).run())


def preview(at):
    """What the preview was given: columns, lines and what is amber."""
    [data] = given_to(at, "metamf_preview")
    return data


def edited(at, *edits):
    """The page after clicks of these edits."""
    before = at.session_state._state.filtered_state.get("table_edits", ())
    at.session_state["table_edits"] = (*before, *edits)
    return healthy(at.run())


def keys(at):
    return {
        element.key for kind in ("button", "link_button", "selectbox") for element in at.get(kind)
    }


def command(at):
    """The words of the command that fills in the table in the same way."""
    return shlex.split(next(code.value for code in at.code if "metamf impute" in code.value))


def file(at, kind):
    """Name and content of what the button of a file gives."""
    name, make = OFFERED[f"table_get_{kind}"]
    made = make()
    return name, made.outcome() if hasattr(made, "outcome") else made
