"""What a training left, offered as a file that is still there when the pool has removed the training."""

import shutil
import zipfile
from io import BytesIO

from opened import no_data_sets  # noqa: F401  a fixture
from streamlit.testing.v1 import AppTest


def page(folder):
    from pathlib import Path

    from metamf.webapp.train import result

    path = Path(folder, "Trained by you.safetensors")
    result.checkpoint_of = lambda job: path if path.is_file() else None
    result.draw(None)


def test_the_download_outlives_the_files_of_the_training(tmp_path, monkeypatch):
    offered = []
    monkeypatch.setattr(
        "metamf.webapp.train.result.st.download_button", lambda label, data, *_, **__: offered.append(data)
    )
    monkeypatch.setattr("metamf.webapp.train.result.checkpoint_of", None)
    for suffix in ("safetensors", "md"):
        (tmp_path / f"Trained by you.{suffix}").write_text(suffix)
    at = AppTest.from_function(page, args=(str(tmp_path),)).run()
    assert not at.exception
    shutil.rmtree(tmp_path)  # a minute without a connection
    [data] = offered
    with zipfile.ZipFile(BytesIO(data() if callable(data) else data)) as file:
        assert file.read("trained-by-you.safetensors") == b"safetensors"
