"""Files in the form that public reports describe, as the command reads them: at once, or after one sheet of questions,
answered as a person would by options that the message offers; or refused, with what is to be done."""

import shlex
from pathlib import Path

import numpy as np
import pytest

from metamf.cli.impute import error_sentence
from metamf.cli.options import build_parser, read_options
from metamf.tables import TableError, read_table

FILES = Path(__file__).parents[1] / "forms"
# name, options, (rows, columns, ratings, the lowest and the highest one), the first and the last column
READ = [
    (
        "01-bgg-collection.csv",
        "--missing rating=0 --ratings all-numbers",
        (12, 9, 104, 0, 3924),
        "rating ... bggrecagerange",
    ),
    ("02-game-night.csv", "", (12, 6, 60, 3, 10), "Ann ... Flo"),
    ("02b-group-avg-gaps.csv", "", (12, 6, 60, 3, 10), "Ann ... Flo"),
    ("03-imdb-several.csv", "", (4, 8, 22, 3, 10), "Alien ... Casablanca"),
    (
        "04-google-form-grid.csv",
        "--leave-alone 'How likely are you to recommend us?'",
        (16, 5, 72, 1, 5),
        "How satisfied are you with ... [Rooms] ... How satisfied are you with ... [Location]",
    ),
    ("05-ms-forms.xlsx", "--ratings 'Overall rating'", (14, 5, 59, 1, 5), "The tool is easy ... Overall rating"),
    ("06-bookcrossing-ratings.csv", "--missing 0", (8, 7, 27, 3, 9), "0155061224 ... 2080674722"),
    ("06b-bookcrossing-zeros.csv", "--missing 0", (8, 7, 15, 6, 8), "0155061224 ... 2080674722"),
    ("07-backslash-quotes.csv", "", (9, 5, 34, 2, 10), "R1 ... R5"),
    ("08-codes-8-9.csv", "--missing 8 --missing 9", (24, 6, 114, 1, 4), "q1 ... q6"),
    ("10-parentheses.csv", "", (10, 5, 43, -4.9, 5), "2019 ... 2023"),
    ("11-arabic-digits.csv", "", (12, 5, 45, 1, 5), "الخدمة ... النظافة"),
    ("14-thumbs.csv", "", (14, 5, 57, 0, 1), "Monday ... Friday"),
    ("15-emoji-stars-long.csv", "", (10, 6, 44, 1, 5), "Rice ... Soup"),
    ("16-durations.csv", "", (12, 5, 55, 62, 95), "Heat 1 ... Final"),
    (
        "16b-durations-mmss.csv",
        "--ratings 'Heat 1' --ratings 'Heat 2' --ratings 'Heat 3' --ratings Semi --ratings Final",
        (12, 5, 55, 62, 95),
        "Heat 1 ... Final",
    ),
    ("17-out-of-ten.csv", "", (12, 5, 53, 3, 10), "Ann ... Ed"),
    ("18-out-of-5-stars.csv", "", (10, 6, 38, 1, 5), "P1 ... P6"),
    ("20-subscales.csv", "", (18, 8, 134, 1, 5), "bfi_1 ... bfi_8"),
    ("20b-subscale-halves.csv", "", (18, 8, 131, 1, 5), "bfi_1 ... bfi_8"),
    ("21-sci-comma.csv", "", (10, 5, 43, 0.0001, 0.1), "A ... E"),
    ("22-robot-judges.csv", "", (12, 6, 41, 1, 4), "Design - J1 ... Project - J3"),
    (
        "23-brew-sheets.csv",
        "--ratings 'Appearance (3)' --ratings 'Flavor (20)'",
        (16, 5, 67, 1, 16),
        "Aroma (12) ... Overall (10)",
    ),
    ("24-lastfm.dat", "", (10, 8, 49, 7, 6760), "51 ... 53"),
    ("26-databank.csv", "--missing ..", (10, 7, 59, 9.6385, 88.2387), "2012 [YR2012] ... 2018 [YR2018]"),
    ("27-qpcr.csv", "--missing Undetermined", (14, 5, 60, 18, 36), "GAPDH ... CCL2"),
    (
        "28-proteomics-zero.txt",
        "--missing 0",
        (16, 6, 83, 1584890.0, 1000000000.0),
        "LFQ intensity A1 ... LFQ intensity B3",
    ),
    (
        "28b-proteomics-zero.txt",
        "--missing 0",
        (16, 6, 83, 1584890.0, 1000000000.0),
        "LFQ intensity A1 ... LFQ intensity B3",
    ),
    ("29-proteomics-nan.txt", "", (16, 6, 83, 1584890.0, 1000000000.0), "LFQ intensity A1 ... LFQ intensity B3"),
    ("29b-proteomics-nan.txt", "", (16, 6, 83, 1584890.0, 1000000000.0), "LFQ intensity A1 ... LFQ intensity B3"),
    ("30-moodle-quiz.csv", "", (14, 5, 57, 0, 2), "Q. 1 /2.00 ... Q. 5 /2.00"),
    ("30b-moodle-quiz.csv", "", (14, 5, 69, 0, 2), "Q. 1 /2.00 ... Q. 5 /2.00"),
    ("33-irt-rt.csv", "--columns id item resp --ratings resp", (12, 6, 58, 0, 4), "item_1 ... item_6"),
    ("34-atomic.inter", "", (10, 7, 50, 1, 4), "242 ... 308"),
    (
        "36-weather-sentinels.csv",
        "--ratings all-numbers --missing 99.99 --missing 999.9 --missing 9999.9",
        (20, 5, 89, 0.02, 1018.4),
        "TEMP ... PRCP",
    ),
    (
        "36c-weather-blanks.csv",
        "--ratings all-numbers --missing 99.99 --missing 999.9 --missing 9999.9",
        (20, 5, 85, 0.02, 1018.4),
        "TEMP ... PRCP",
    ),
    ("38-ordinals.csv", "", (12, 5, 51, 1, 5), "Dish A ... Dish E"),
    ("39-markdown.md", "", (9, 4, 29, 1, 5), "tea ... mate"),
    ("40-steam.csv", "--duplicates last", (9, 6, 43, 0.4, 194.2), "The Elder Scrolls V Skyrim ... Left 4 Dead 2"),
    ("41-sheet-per-judge.xlsx", "", (9, 4, 33, 1, 10), "Rhythm ... Idea"),
    (
        "42-k-A.csv",
        "--missing DK --missing N.A. --missing 'k. A.' --missing k.A. --missing n.a. --missing 'not rated'",
        (20, 6, 91, 1, 6),
        "Fach 1 ... Fach 6",
    ),
    ("42b-k-A.csv", "--missing k.A. --missing n.a.", (20, 6, 91, 1, 6), "Fach 1 ... Fach 6"),
    ("43-apostrophe.csv", "", (10, 5, 45, 794, 39810), "2018 ... 2022"),
    ("43b-apostrophe-six-years.csv", "", (10, 6, 54, 794, 39810), "2018 ... 2023"),
    ("43c-country-years.csv", "", (8, 5, 36, 918.9, 54027.4), "2018 ... 2022"),
    ("44-rtl-marks.csv", "", (12, 5, 52, 1, 5), "שירות ... ניקיון"),
    ("46-mixed-decimal.csv", "--decimal ,.", (14, 5, 61, 1.033, 6), "L1 ... L5"),
    ("47-odk.csv", "", (16, 5, 69, 1, 5), "grp-water ... grp-market"),
    ("48-jester-count.csv", "--missing 99", (18, 10, 118, -9.5, 9.5), ""),
    ("49-epinions.txt", "", (9, 7, 41, 1, 5), "113 ... 152"),
    (
        "50-wine-critics.csv",
        "--missing 90-92 --missing 92-94 --missing 94-96 --missing 95+ --missing 95-97 --missing NR",
        (14, 5, 42, 84, 98),
        "WA ... JD",
    ),
    ("50b-wine-ranges-halved.csv", "--missing 95+ --missing NR", (14, 5, 47, 84, 98), "WA ... JD"),
    ("50c-wine-plus-removed.csv", "--missing NR", (14, 5, 48, 84, 98), "WA ... JD"),
    ("52-rain.csv", "", (30, 6, 154, 0, 126.8), "station A ... station F"),
    ("54-panel.csv", "--ratings all-numbers", (40, 4, 142, 0.25, 2173.15), "tariff ... usheg"),
    ("54c-panel-pop-gaps.csv", "--ratings all-numbers", (40, 5, 179, 0.25, 1003000000.0), "tariff ... usheg"),
    ("55-yes-no-dk.csv", "--missing 'Don'\"'\"'t know' --missing 'Prefer not to say'", (18, 5, 71, 0, 1), "q1 ... q5"),
    ("56-days-77-88-99.csv", "--missing 77 --missing 88 --missing 99", (30, 4, 87, 2, 30), "physhlth ... sleptim"),
    (
        "58-coded-demographics.csv",
        "--leave-alone sex --leave-alone agegrp --leave-alone region --leave-alone educ --leave-alone kids",
        (24, 8, 175, 1, 5),
        "v1 ... v8",
    ),
]
REFUSED = [
    ("19-fixed-width.txt", "write NA into empty cells, or save the table with commas or tabs"),
    ("35-matrix-market.mtx", "in the Matrix Market format"),
    ("35c-matrix-market.mtx", "in the Matrix Market format"),
]


def options(flags):
    return read_options(build_parser(["impute"]).parse_args(["impute", "x", *flags]))


@pytest.mark.parametrize(("name", "flags", "found", "columns"), READ, ids=[row[0] for row in READ])
def test_a_form_is_read_as_it_is_meant(name, flags, found, columns):
    data = (FILES / name).read_bytes()
    flags = shlex.split(flags)
    if flags:  # nothing is taken for granted, and an answer is offered
        with pytest.raises(TableError) as caught:
            read_table(data, name, options([]))
        said = error_sentence(caught.value)
        assert all(shlex.quote(flag) in said for flag in flags)
    table = read_table(data, name, options(flags))
    values = table.ratings.values
    low, high = (float(f"{end:.6g}") for end in (values.min(), values.max()))
    assert (*table.ratings.shape, table.ratings.nnz, low, high) == found
    names = table.ratings.col_labels
    assert ("" if names is None else f"{names[0]} ... {names[-1]}") == columns


@pytest.mark.parametrize(("name", "said"), REFUSED)
def test_a_form_that_cannot_be_read_is_refused_with_what_to_do(name, said):
    with pytest.raises(TableError, match=said):
        read_table((FILES / name).read_bytes(), name)


def test_missing_values_declared_in_a_file_of_spss_are_missing():
    table = read_table((FILES / "09-codes-declared.sav").read_bytes())
    assert np.isin(table.ratings.values, [1, 2, 3, 4]).all()
