"""What is kept of a visitor's table, forgotten, shown to nobody else, and logged."""

import gzip

import pytest
from opened import healthy, opened, players, text
from your_table import (  # noqa: F401  a fixture
    PAGE,
    WIDE,
    edited,
    file,
    keys,
    preview,
    small_world,
    stars,
    uploaded,
)

from metamf.tables.limits import WEB, WINDOW, TableError
from metamf.tables.table import read
from metamf.webapp.data import own
from metamf.webapp.data.own import Upload

pytestmark = pytest.mark.slow


def test_file_plan_and_settings_survive_a_change_of_page_until_the_button_forgets_everything():
    at = edited(uploaded(WIDE), "Juice: keep")
    healthy(at.selectbox(key="table_method").select("ml-1m").run())
    before = text(at)
    healthy(at.button(key="table_explore").click().run())
    # named in the URL at once: a fragment that still runs brings the URL as the browser knew it
    assert "Your own table" in at.query_params["data"]
    [player] = players(at)
    assert player["run"]["cols"] == ["Tea", "Coffee"]
    assert player["run"]["n_given"] == 6
    healthy(at.switch_page(PAGE).run())
    assert text(at) == before
    assert at.selectbox(key="table_method").value == "ml-1m"
    healthy(at.button(key="table_forget").click().run())
    assert "Cleo" not in text(at)
    held = at.session_state._state.filtered_state
    kept = [key for key in held if key.startswith("table_") and held[key]]
    assert set(kept) <= {"table_example", "table_example_file"}
    again = uploaded(WIDE, "again.csv", at)
    assert next(c for c in preview(again)["columns"] if c["name"] == "Juice")["role"] == "fill"


def test_nothing_is_computed_twice(monkeypatch):
    at = uploaded(stars(), "stars.csv")
    healthy(at.button(key="table_measure").click().run())

    def refuse(*_, **__):
        raise AssertionError("computed again")

    for name in ("data.own._read", "your_table.filling.filled", "your_table.measuring.check"):
        monkeypatch.setattr(f"metamf.webapp.{name}", refuse)
    healthy(at.run())


def test_a_second_session_never_sees_the_first_ones_data(capfd, tmp_path):
    secret = WIDE.replace(b"Ada", b"Wilhelmina").replace(b"4,5", b"4,37")
    first = uploaded(secret, "secret-drinks.csv")
    assert preview(first)["lines"][0]["cells"][0][0] == "Wilhelmina"
    second = opened(PAGE)
    uploaded(WIDE, "other.csv", second)
    state = repr(second.session_state._state.filtered_state)
    everything = text(second) + str(preview(second)) + state + str(second.query_params)
    for word in ("Wilhelmina", "secret-drinks", "4,37", "4.37"):
        assert word not in everything
    out, err = capfd.readouterr()
    for word in ("Wilhelmina", "secret-drinks"):
        assert word not in out + err
        assert word not in str(first.query_params)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"Wilhelmina" in path.read_bytes()]


CELLS = "name\ta\tb\n" + "".join(f"p{i}\t{1 + i % 5}\t{i % 3 or ''}\n" for i in range(9))


def test_cells_are_pasted_on_explore_and_filled_in_on_your_table():
    at = healthy(opened(data="Your own table"))
    at.text_area(key="table_cells_0").set_value(CELLS)
    healthy(at.button(key="table_paste").click().run())
    [player] = players(at)
    assert player["run"]["rows"] == [f"p{i}" for i in range(9)]
    healthy(at.switch_page(PAGE).run())
    assert file(at, "csv")[1].startswith(b"name\ta\tb\np0\t1\t")


def test_what_goes_wrong_unforeseen_is_logged_without_a_word_of_the_table(monkeypatch, caplog):
    def fails(*_, **__):
        raise ValueError("Ada gave 4.5")

    monkeypatch.setattr("metamf.webapp.your_table.filling.fill_in", fails)
    at = uploaded(WIDE)
    assert "could not be filled in" in text(at)
    [record] = [record for record in caplog.records if record.name == "metamf.webapp"]
    said = record.getMessage()
    assert "ValueError in fails, test_own.py" in said
    assert "Ada" not in said
    assert "4.5" not in said


BAD = ((b"PK\x03\x04nonsense", "x.xlsx"), (b"<script>alert(1)</script>", "<b>.csv"))


def test_a_bad_file_or_change_gives_one_sentence_and_a_way_back():
    at = opened(PAGE)
    for content, name in BAD:
        uploaded(content, name, at)
        notes = [e.proto.body for e in at.get("html") if "mf-note mf-warning" in e.proto.body]
        assert len(notes) == 1, name
        for bad in ("Traceback", "<script", "<b>"):
            assert bad not in notes[0]
        assert at.get("file_uploader")
        healthy(at.button(key="table_forget").click().run())
    edited(uploaded(WIDE, at=at), "form: long No,Such,Thing")
    assert "table_get_csv" not in keys(at)
    healthy(at.button(key="table_undo").click().run())
    assert "table_get_csv" in keys(at)


@pytest.fixture
def session(monkeypatch, straight_engine):
    """A session without a page."""
    state = {}
    for module in (own.st, own.jobs.st):
        monkeypatch.setattr(module, "session_state", state)
    return state


def test_a_small_text_is_read_here_and_all_else_by_the_engine_a_refused_file_once(
    session, straight_engine, monkeypatch
):
    small = b"a,b\n1,2\n3,\n5,4\n"
    own.table(Upload("small.csv", small), WEB)
    assert straight_engine.called == []
    own.table(Upload("small.csv.gz", gzip.compress(small)), WEB)
    assert len(straight_engine.called) == 1
    said = []
    for _ in range(2):
        with pytest.raises(TableError) as refused:
            own.table(Upload("bad.csv", b"a,b\nx,y\n"), WEB)
        said.append(str(refused.value))
        monkeypatch.setattr(own, "_read", lambda *_: pytest.fail("read again"))
    assert said[0] == said[1]


def test_a_table_for_a_window_may_be_larger_than_one_that_is_filled_in_whole(session, monkeypatch):
    monkeypatch.setattr("metamf.tables.limits.Limits.within", lambda limits, memory: limits)
    rows = b"\n".join(b"%d,%d,%d" % (i, i * 7 % 3001, i % 5) for i in range(6000))
    large = Upload("large.csv", b"who,what,stars\n" + rows)
    own.edit(read(large.content).plan, "form: long who,what,stars")
    assert own.table(large, WINDOW).ratings.shape[0] == 6000
    with pytest.raises(TableError, match="above the limit"):
        own.table(large, WEB)


def test_an_edit_that_names_nothing_known_is_said_and_changes_nothing(session):
    plan = read(WIDE).plan
    own.edit(plan, "Milk: keep")
    assert own.edits() == ()
    assert "names nothing known" in own.said()
    own.edit(plan, "Tea: keep")
    assert own.said() == "Changed: Tea: keep."
    own.edit(plan, own.PROPOSED)
    assert own.edits() == ()
