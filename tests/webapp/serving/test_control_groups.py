"""The control groups of this process: its own and those around it, on a made-up system."""

from metamf.webapp.serving.control_groups import figures


def test_a_figure_is_read_in_the_own_group_and_in_those_around_it(tmp_path):
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    for group, text in {tmp_path: "4", tmp_path / "a": "3", inner: "1"}.items():
        (group / "pids.max").write_text(text)
    told = tmp_path / "self"
    told.mkdir()
    for line, known in {"0::/a/b/c": ["1", "3", "4"], "0::/": ["4"], "3:memory:/a": ["4"], "0::/gone": ["4"]}.items():
        (told / "cgroup").write_text(f"{line}\n")
        assert sorted(text for _, text in figures("pids.max", tmp_path, tmp_path)) == known
    assert not list(figures("none.max", tmp_path, tmp_path))
    assert not list(figures("pids.max", tmp_path / "no", tmp_path / "no"))
