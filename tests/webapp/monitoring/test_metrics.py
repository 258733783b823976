"""Figures for Prometheus, as it reads them from the port."""

import socket
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from metamf.webapp.monitoring import observing
from metamf.webapp.monitoring.metrics import Metrics, place


def asked(port):
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode()
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_figures_count_what_happens_and_ask_when_they_are_read(monkeypatch):
    waiting = [3]
    figures = Metrics({"visitors_waiting": ("Who waits", lambda: waiting[0]), "gone": ("Fails", lambda: 1 / 0)})
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    end = figures.serve("127.0.0.1", port)
    try:
        monkeypatch.setattr(observing, "_metrics", figures)
        observing.ran("Watch", 0.03)
        observing.ran("Watch", 3)
        observing.failed("Watch", KeyError("Ada"))
        observing.refused("full", waiting=1)
        observing.ended("train.task:train", "failed", "time", 1.0)
        found = asked(port)
        waiting[0] = 5
        again = asked(port)
    finally:
        end()
    assert found["metamf_run_seconds_count", "Watch"] == 2 and found["metamf_run_seconds_sum", "Watch"] == 3.03
    assert found["metamf_run_seconds_bucket", "0.05", "Watch"] == 1
    assert found["metamf_errors_total", "KeyError", "Watch"] == found["metamf_refused_total", "full"] == 1
    assert found["metamf_jobs_total", "failed", "time", "train.task:train"] == 1
    assert found["process_resident_memory_bytes",] > 10**6
    assert (found["metamf_visitors_waiting",], again["metamf_visitors_waiting",]) == (3, 5)
    assert found["metamf_gone",] != found["metamf_gone",]  # what cannot be told is not a number, and disturbs nothing


def test_the_place_is_this_machine_alone_unless_it_is_said():
    assert place("9100") == ("127.0.0.1", 9100) and place("0.0.0.0:9100") == ("0.0.0.0", 9100)
    for text in ("yes", "99999", "0.0.0.0:", ""):
        with pytest.raises(ValueError, match="METAMF_METRICS is"):
            place(text)
