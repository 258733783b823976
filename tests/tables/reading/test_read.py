"""Reading tables: the corpus of awkward files, and the data sets as their publishers hand them out."""

from dataclasses import replace

import numpy as np
import pytest
from tables_corpus import CORPUS

from metamf import RatingScale
from metamf.tables import COMMAND_LINE, ReadOptions, TableError, read_table
from metamf.tables.reading.roles import RolesInDoubtError


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.name)
def test_the_corpus_is_read_as_meant(case):
    if case.error is not None:
        with pytest.raises(TableError) as caught:
            read_table(case.data, case.name, case.options)
        assert case.error in str(caught.value)
        assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)
        assert "upload" not in str(caught.value)  # the library reads files for programs, too
        return
    table = read_table(case.data, case.name, case.options)
    expected = np.array([[np.nan if v is None else v for v in row] for row in case.X], dtype=float)
    np.testing.assert_array_equal(table.ratings.to_dense(), expected)
    assert (table.ratings.row_labels, table.ratings.col_labels, table.report.layout.form) == (
        case.rows,
        case.cols,
        case.form,
    )
    kinds = [note.kind for note in table.report.notes]
    assert all(kinds.count(kind) >= case.notes.count(kind) for kind in case.notes), kinds
    if case.missing is not None:
        assert table.report.cells.missing == case.missing
    assert all(isinstance(s, str) and not s[0].islower() and s[-1] in ".?" for s in table.report.sentences())


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused_without_a_word_of_uploads(data):
    with pytest.raises(TableError, match="the file is empty: it must hold a table|all its lines are blank") as caught:
        read_table(data)
    assert "upload" not in str(caught.value)


def test_the_corpus_has_at_least_sixty_files_with_names_of_their_own():
    assert len({case.name for case in CORPUS}) == len(CORPUS) >= 60


@pytest.mark.data
def test_movielens_as_it_comes():
    import os
    import zipfile

    with zipfile.ZipFile(os.path.join(os.environ["METAMF_DATA"], "ml-100k.zip")) as archive:
        table = read_table(archive.read("ml-100k/u.data"))
    assert table.ratings.shape == (943, 1682) and table.ratings.nnz == 100_000 and table.report.layout.form == "long"
    assert table.ratings.scale == RatingScale(1, 5, 1)


@pytest.mark.data
@pytest.mark.slow
def test_jester_as_it_comes():
    """An .xls file without names; its first column, which counts the rated jokes, is asked about, and left alone."""
    import os
    import zipfile

    with zipfile.ZipFile(os.path.join(os.environ["METAMF_DATA"], "jester_dataset_1_1.zip")) as archive:
        data = archive.read(archive.namelist()[0])
    with pytest.raises(TableError, match="limit"):
        read_table(data)
    options = ReadOptions(missing_markers=(99,), limits=COMMAND_LINE)
    with pytest.raises(RolesInDoubtError, match="column 1"):
        read_table(data, options=options)
    table = read_table(data, options=replace(options, leave_alone=("column 1",)))
    assert table.ratings.shape == (24_983, 100) and table.report.cells.missing.keys() == {"99"}
    assert table.ratings.nnz == 1_810_455


def test_words_alone_have_the_scale_of_their_order():
    answers = "name,a,b,c\n" + "".join(f"p{i},Agree,Disagree,{('Agree', 'Disagree')[i % 2]}\n" for i in range(6))
    assert read_table(answers.encode()).ratings.scale == RatingScale(1, 2, 1)
    four = answers.replace("Disagree", "Rather not").replace("p0,Agree", "p0,Never").replace("p1,Agree", "p1,Always")
    order = ("Never", "Rather not", "Agree", "Always")
    assert read_table(four.encode(), options=ReadOptions(words=order)).ratings.scale == RatingScale(1, 4, 1)
