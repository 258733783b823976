"""Contenders take turns, the first round is thrown away, and the median counts."""

from benchmarks import timing


def test_contenders_take_turns_and_the_median_counts(monkeypatch):
    clock, order = [0.0], []
    seconds = {"a": iter([9.0, 1.0, 5.0, 2.0]), "b": iter([7.0, 4.0, 4.0, 10.0])}

    def work(name):
        order.append(name)
        clock[0] += next(seconds[name])

    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock[0])
    found = timing.median_seconds({name: lambda name=name: work(name) for name in seconds}, 3)
    assert found == {"a": 2.0, "b": 4.0} and "".join(order) == "ab" * 4
