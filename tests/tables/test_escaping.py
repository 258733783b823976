"""No text of a file becomes a formula, and escaping can be undone."""

import io

import numpy as np
import openpyxl
import pandas as pd
import pytest
from exports import again, assert_same_observed, fill
from hypothesis import given
from hypothesis import strategies as st

from metamf.tables import ReadOptions, read_table
from metamf.tables.escaping import escape, unescape
from metamf.tables.writing.filled import Filled
from metamf.tables.writing.text import to_csv_long, to_csv_wide
from metamf.tables.writing.workbook import to_excel

DANGEROUS = ("=1+1", "+1", "-1+cmd", "@SUM(1)", "\t=1", "\r=1", " =1", "'=1", "''=1", "\uff1d1+1")


@pytest.mark.parametrize("name", DANGEROUS)
def test_no_name_becomes_a_formula(name):
    table = read_table(f'user,"{name}",B\n"{name}",5,-3.5\nbob,,+1\n'.encode())
    for export in (to_csv_wide, to_csv_long):
        cells = (
            pd.read_csv(io.BytesIO(export(fill(table))), header=None, dtype=str, keep_default_na=False)
            .to_numpy()
            .ravel()
        )
        risky = {c for c in cells if c.lstrip(" ")[:1] in tuple("=+-@\t\r\uff1d")} - {""}
        assert risky <= {"-3.5", "+1"}
    assert "-3.5" in to_csv_wide(fill(table)).decode()
    assert_same_observed(fill(table), again(fill(table), to_csv_wide(fill(table))))
    book = openpyxl.load_workbook(io.BytesIO(to_excel(fill(table, method=name))))
    for sheet in book:
        for cell in (cell for row in sheet for cell in row):
            assert cell.data_type != "f"
            assert not isinstance(cell.value, str) or cell.value.lstrip()[:1] not in tuple("=+-@\uff1d")
    assert book["Filled"]["C2"].value == -3.5


def test_a_missing_marker_that_is_a_formula_is_escaped_on_its_way_out():
    table = read_table(b"user,A,B\nann,=NA(),5\nbob,-,1\n", options=ReadOptions(missing_markers=("=NA()",)))
    nothing = Filled(table, np.full((2, 2), np.nan))
    assert to_csv_wide(nothing).decode() == "user,A,B\nann,'=NA(),5\nbob,-,1\n"


def test_no_cell_of_a_comment_becomes_a_formula():
    """A spreadsheet takes a comment for a line of cells."""
    lines = ["# note,=1+1", '# a;"=1+1";\t@SUM(1)|+cmd', "# -1 and, -2.5, +1e-3,---,5,-\t6", "% -1,-1+cmd", '# ," "=1']
    table = read_table(("\n".join(lines) + "\nuser,A,B\nann,5,\nbob,,1\n").encode())
    written = to_csv_wide(fill(table)).decode()
    safe = ["# note,'=1+1", "# a;\"'=1+1\";\t'@SUM(1)|'+cmd", lines[2], "% -1,'-1+cmd", '# ," "\'=1']
    assert written.splitlines()[:5] == safe
    assert to_csv_wide(fill(again(fill(table), written.encode()))).decode().splitlines()[:5] == safe


@given(st.text(alphabet="'=+-@\t\r\n a1", max_size=6))
def test_escaping_can_always_be_undone(text):
    assert unescape(escape(text)) == text
    assert escape(text).lstrip(" ")[:1] not in tuple("=+-@") and escape(text)[:1] not in tuple("\t\r\n")
