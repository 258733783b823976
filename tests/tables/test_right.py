"""Files with what is right for them: the proposed plan is right, or one click away and amber there.

What is right is data, in the folder ``right``; a new file comes in as an entry there. Files of
../shared are read where they are at hand.
"""

import pytest

import metamf.tables as reader
from benchmarks.tables.right import FOLDERS, clicks, content, right_files

FILES = right_files()
MOST_CLICKS = 1
LONGER = ("cases", "forms")  # sets that take more than a moment


def param(key):
    of, name = key
    marks = [pytest.mark.slow] if of in LONGER else []
    return pytest.param(of, name, marks=marks, id=f"{of}/{name}")


@pytest.mark.parametrize(("of", "name"), [param(key) for key in FILES])
def test_a_file_is_read_as_it_is_meant(of, name):
    right = FILES[of, name]
    data = content(of, name, right)
    if data is None:
        pytest.skip(f"{FOLDERS[of]} is not at hand")
    found = clicks(data, right, reader)
    assert found.lost == ()
    assert found.silent == ()
    assert found.alarms == ()
    assert found.n <= MOST_CLICKS
