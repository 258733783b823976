"""A few bytes that stand for gigabytes are refused within two seconds and 200 MiB, for every
kind."""

import io
import re
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import pytest
from awkward_files import SHEET, edited, npz, workbook, zipped
from pace import references

from metamf.tables import WEB, TableError, read

MIB = 2**20
REFERENCES = 40  # as long as that many known pieces of work take (pace.py): some two seconds
PEAK = 200 * MIB
TEXT = "x" * (2 * MIB)


def written(write, *about, **how):
    stream = io.BytesIO()
    write(*about, stream, **how)
    return stream.getvalue()


def texts():
    """A column with the same text in 3,000 cells, kept once."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array([TEXT]))
    return pa.table({"a": column, "b": range(3000)})


def parquet(table, **how):
    return written(pyarrow.parquet.write_table, table, compression="zstd", **how)


def nested():
    """A line with a list of sixty million zeros."""
    column = pa.array([np.zeros(60_000_000, dtype=np.int8), np.zeros(1, dtype=np.int8)])
    return pa.table({"a": column, "b": [1, 2]})


def feather(table, **how):
    return written(pyarrow.feather.write_feather, table, **how)


def one_long_text():
    return pa.table({"a": pa.array(["x" * (200 * MIB), "5"]), "b": [1, 2]})


def viewed():
    """A column whose cells are views of one text."""
    view = np.array([len(TEXT), int.from_bytes(TEXT[:4].encode(), "little"), 0, 0], dtype="<i4")
    buffers = [None, pa.py_buffer(np.tile(view, 3000)), pa.py_buffer(TEXT.encode())]
    return pa.table({"a": pa.Array.from_buffers(pa.string_view(), 3000, buffers), "b": range(3000)})


def spss(tmp):
    frame = pd.DataFrame({"a": ["x" * 20_000] * 5_000, "b": 1.0})
    pyreadstat.write_sav(frame, tmp / "a.zsav", compress=True)
    return (tmp / "a.zsav").read_bytes()


SMALL = {"S": [["", "a"], ["x", 1], ["y", 2]]}
ALL = "A1:XFD1048576"  # a whole sheet


def sheet(old, new):
    return edited(workbook(SMALL), SHEET, old, new)


def merged():
    """Forty areas of fifteen million cells."""
    areas = "".join(f'<mergeCell ref="A{n}00000:O{n + 1}00000"/>' * 4 for n in range(1, 10))
    areas += '<mergeCell ref="A2:O1000001"/>' * 4
    return sheet(b"</sheetData>", f"</sheetData><mergeCells>{areas}</mergeCells>".encode())


def linked():
    link = f'<hyperlink ref="{ALL}" location="S!A1"/>'
    return sheet(b"</sheetData>", f"</sheetData><hyperlinks>{link}</hyperlinks>".encode())


def many_cells():
    row = b"<row>" + b"<c><v>1</v></c>" * 100 + b"</row>"
    return sheet(b"</sheetData>", row * 42_000 + b"</sheetData>")


def many_tags():
    return sheet(b"</sheetData>", b"</sheetData>" + b"<x/>" * (15 * MIB))


def shared_text():
    """A text of 30,000 characters, kept once, in 20,000 cells."""
    row = b'<row><c t="s"><v>0</v></c></row>'
    data = sheet(b"</sheetData>", row * 20_000 + b"</sheetData>")
    name = "xl/sharedStrings.xml"
    about = "http://schemas.openxmlformats.org/{}/2006/{}"
    relation = about.format("officeDocument", "relationships/sharedStrings")
    line = f'<Relationship Id="s" Type="{relation}" Target="/{name}"/></Relationships>'
    data = edited(data, "xl/_rels/workbook.xml.rels", b"</Relationships>", line.encode())
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    line = f'<Override PartName="/{name}" ContentType="{kind}"/></Types>'
    data = edited(data, "[Content_Types].xml", b"</Types>", line.encode())
    stream = io.BytesIO(data)
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        text = f"<si><t>{'x' * 30_000}</t></si>"
        archive.writestr(name, f'<sst xmlns="{about.format("spreadsheetml", "main")}">{text}</sst>')
    return stream.getvalue()


def ods(rows):
    names = ' xmlns:t="urn:table" xmlns:o="urn:office" xmlns:p="urn:text"'
    content = f"<o:document{names}><t:table>{rows}</t:table></o:document>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return zipped(mimetype=kind, content__xml=content)


CELL = '<t:table-cell o:value-type="float" o:value="1" t:number-columns-repeated="{}"/>'
ROW = '<t:table-row t:number-rows-repeated="{}">{}</t:table-row>'


def repeated():
    return ods(ROW.format(1_048_576, CELL.format(16_384)))


def far_right():
    """A rectangle of 100,000 x 16,384, of which all but one line and one column are blank."""
    blank = '<t:table-cell t:number-columns-repeated="16383"/>'
    return ods(ROW.format(1, blank + CELL.format(1)) + ROW.format(100_000, CELL.format(1)))


def empty_texts():
    """A matrix of 10^12 texts of no character."""
    header = str({"descr": "|S0", "fortran_order": False, "shape": (10**6, 10**6)}).ljust(117)
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.encode() + b"\n"


BOMBS = {
    "Parquet, one text in 3,000 cells": lambda: parquet(texts(), store_schema=False),
    "Parquet, a list": lambda: parquet(nested()),
    "Feather, compressed": lambda: feather(one_long_text(), compression="zstd"),
    "Feather, one text in 3,000 cells": lambda: feather(texts()),
    "Feather, views of one text": lambda: feather(viewed()),
    "xlsx, merged cells": merged,
    "xlsx, linked cells": linked,
    "xlsx, 4.2 million cells in 150 kB": many_cells,
    "xlsx, tags": many_tags,
    "xlsx, one text in 20,000 cells": shared_text,
    "zip, 200,000 members": lambda: zipped(**{f"{n}__npy": b"" for n in range(200_000)}),
    "OpenDocument, a cell repeated": repeated,
    "OpenDocument, a far cell": far_right,
    "npz, many cells": lambda: npz(X=np.zeros((8_000, 8_000), dtype=np.int8)),
    "npy, empty texts": empty_texts,
    "SPSS, compressed": spss,
}


def peak():
    """The most memory of this process since ``forget_peak``, in bytes; None where no one says."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1])


def forget_peak():
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_what_a_file_unfolds_to_is_bounded_before_it_is_unfolded(name, tmp_path):
    make = BOMBS[name]
    data = make(tmp_path) if make is spss else make()
    read(workbook(SMALL))  # loads what reads workbooks
    forget_peak()
    before = peak()
    began = time.process_time()
    with pytest.raises(TableError, match="limit"):
        read(data, limits=WEB)
    assert time.process_time() - began < references(REFERENCES)
    if before is not None:
        assert peak() - before < PEAK


def test_a_sheet_of_merged_titles_and_blank_repeats_is_read():
    title = b'</sheetData><mergeCells><mergeCell ref="A1:Z1"/></mergeCells>'
    assert read(sheet(b"</sheetData>", title)).ratings.nnz == 2


def test_the_limit_of_memory_is_gone_after_reading():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, 3.0]})
    assert read(written(frame.to_parquet)).ratings.nnz == 3
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
