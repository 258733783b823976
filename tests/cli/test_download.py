"""metamf download."""

from commands import failure, in_an_empty_folder, run  # noqa: F401  fixtures

from metamf import datasets
from metamf.datasets import DownloadError


def test_download_prints_the_path_and_says_the_licence(run, tmp_path, monkeypatch):
    def download(name, folder, progress):
        for done in (0, 1_000_000, 4_924_029):
            progress(done, 4_924_029)
        return folder / "ml-100k.zip"

    monkeypatch.setattr(datasets, "download", download)
    result = run("download", "ml-100k", "--folder", tmp_path)
    assert result.code == 0 and result.out == f"{tmp_path / 'ml-100k.zip'}\n"
    assert "ml-100k.zip: 100%" in result.said and "4.92M/4.92M" in result.said
    assert "no redistribution" in result.said and "Please cite: F. Maxwell Harper" in result.said
    (tmp_path / "ml-100k.zip").touch()
    assert "MovieLens 100K is here already." in run("download", "ml-100k", "--folder", tmp_path).said


def test_a_download_that_fails_or_is_stopped(run, tmp_path, monkeypatch):
    def fail(error):
        def download(name, folder, progress):
            raise error

        return download

    monkeypatch.setattr(datasets, "download", fail(DownloadError("Jester could not be\ndownloaded: no connection")))
    assert failure(run("download", "jester", "--folder", tmp_path)) == (
        "error: Jester could not be downloaded: no connection"
    )
    monkeypatch.setattr(datasets, "download", fail(KeyboardInterrupt()))
    result = run("download", "jester", "--folder", tmp_path)
    assert result.code == 130 and result.said.endswith("stopped\n")
