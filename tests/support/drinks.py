"""A small table of drinks as a file, filled in, and its manifest."""

from metamf.answer.filling import OF_THE_RATINGS, FillSettings, fill
from metamf.answer.manifest import manifest
from metamf.answer.methods import method
from metamf.tables import ReadOptions, read_table

CONTENT = b"name;Tea;=Coffee;Juice\nAda;4,5;;99\nBen;1;2,0;\nCleo;;5;4\nDev;3,5;99;2\n"
OPTIONS = ReadOptions(missing_markers=("99",), duplicates="mean")


def made(key="ml-1m", name="drinks.csv", scale=OF_THE_RATINGS, settings=FillSettings(0.8)):
    """The table as it was read, filled in, and the manifest."""
    table = read_table(CONTENT, name, OPTIONS)
    found = fill(table.ratings, key, scale=scale, settings=settings)
    return table, found, manifest(name, CONTENT, OPTIONS, table, method(key), found, settings)
