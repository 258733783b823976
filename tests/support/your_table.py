"""The page "Your table" in a small world, opened by Streamlit's AppTest."""

import json
from importlib import import_module
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from opened import healthy, opened, text
from problems import small_universal

from metamf.checkpoints.bundled import describe, find_checkpoint
from metamf.checkpoints.files import save_checkpoint
from metamf.webapp.jobs.job import Job
from metamf.webapp.jobs.states import Event


class StraightPool:
    """A pool that does each job at once, in this process; ``upto`` messages of it, or all."""

    def __init__(self):
        self.jobs, self.upto, self.submitted, self.prepared = {}, None, 0, []

    def submit(self, owner, task, arguments, seconds=None):
        self.submitted += 1
        job = Job(f"job {self.submitted}", owner, task, json.loads(json.dumps(arguments)), 1.0, Path("."))
        job.happens(Event.START)
        module, _, name = task.partition(":")
        steps = getattr(import_module(module), name)(job.arguments, job.folder)
        try:
            message = next(steps)
            for n in count(1):
                if message:
                    job.hears(json.loads(json.dumps(message)))
                if n == self.upto:
                    break
                message = steps.send({})
        except StopIteration as end:
            job.hears({"result": end.value})
        self.jobs[job.id] = job
        return job.id

    def prepare(self, task):
        self.prepared.append(task)

    def look(self, owner, id):
        return self.jobs[id].shown(None) if id in self.jobs else None

    def forget(self, owner, id):
        self.jobs.pop(id, None)


PAGE = "pages/your_table.py"
WIDE = b"name;Tea;Coffee;Juice\nAda;4,5;;3\nBen;1;2;\nCleo;;5;4\nDev;3;4,0;2\n"


@pytest.fixture(autouse=True)
def small_world(monkeypatch, tmp_path):
    """No data sets; bundled checkpoints are a small universal one and that of ML-1M; few repeats."""
    info = describe("universal")
    model = small_universal(seed=1)  # whose estimates are not all clipped
    save_checkpoint(tmp_path / "universal.safetensors", model, info)
    (tmp_path / "ml-1m.safetensors").write_bytes(find_checkpoint("ml-1m").read_bytes())
    monkeypatch.setattr("metamf.checkpoints.bundled.PRETRAINED", tmp_path)
    monkeypatch.setenv("METAMF_DATA", str(tmp_path))
    monkeypatch.setattr("metamf.evaluate.methods.SIMPLE", ("mean", "damped_bias"))
    monkeypatch.setattr("metamf.evaluate.methods.TUNED_BASELINES", ("damped_bias", "knn"))
    monkeypatch.setattr("metamf.webapp.your_table.tuning.TUNED_UNASKED", 0)  # it takes seconds
    monkeypatch.setattr("metamf.evaluate.methods.most_members", lambda ratings: None)  # and so do more members
    monkeypatch.setattr("metamf.evaluate.methods.REPEATS_OF_FEW", 5)
    monkeypatch.setattr("metamf.webapp.your_table.best.recommended", lambda report: "universal")  # which knows little
    pool = StraightPool()
    for user in ("results", "state", "tuning"):
        monkeypatch.setattr(f"metamf.webapp.your_table.{user}.pool", lambda: pool)
    return pool


def uploaded(content, name="drinks.csv", at=None):
    at = opened(PAGE) if at is None else at
    return healthy(at.get("file_uploader")[-1].set_value((name, content, "text/csv")).run())


def keys(at):
    return {element.key for kind in ("button", "download_button", "selectbox") for element in at.get(kind)}


def file(at, kind):
    """Name and content of what a download button gives."""
    healthy(at.button(key=f"table_get_{kind}").click().run())
    made = at.session_state["table_results"]["file"][1]
    saved = [button for button in at.get("download_button") if button.proto.id.endswith(f"table_save_{made.id}")]
    assert len(saved) == 1 and saved[0].proto.url and made.name in text(at)
    return made.name, made.content


def stars(n=16, m=8, seed=0):
    rng = np.random.default_rng(seed)
    X = np.clip(np.round(3 + rng.normal(size=(n, 1)) + rng.normal(size=m) + 0.5 * rng.normal(size=(n, m))), 1, 5)
    lines = ["name," + ",".join(f"c{j}" for j in range(m))]
    lines += [f"r{i}," + ",".join(f"{x:g}" if rng.random() < 0.6 else "" for x in X[i]) for i in range(n)]
    return "\n".join(lines).encode() + b"\n"
