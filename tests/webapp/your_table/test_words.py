"""What each method does, in words."""

from metamf.baselines import METHODS
from metamf.checkpoints.bundled import list_pretrained
from metamf.webapp.your_table.state import TUNED
from metamf.webapp.your_table.verdict import SAID


def test_every_method_that_is_described_is_one_that_can_fill_in():
    assert set(SAID) <= {
        "row_means",
        "col_means",
        "universal+normal",
        "universal+trees",
        TUNED,
        *METHODS,
        *list_pretrained(),
    }
