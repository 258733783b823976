"""What each method does, in words; and its label inside a sentence."""

from metamf.baselines import METHODS
from metamf.checkpoints.bundled import list_pretrained
from metamf.webapp.your_table.keys import TUNED
from metamf.webapp.your_table.words import SAID, label_in_sentence


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


def test_a_label_is_small_inside_a_sentence_unless_it_is_a_name():
    labels = {"Mean": "mean", "Row means": "row means", "Damped biases": "Damped biases", "ALS": "ALS", "kNN": "knn"}
    assert {label: label_in_sentence(label) for label in labels} == labels
