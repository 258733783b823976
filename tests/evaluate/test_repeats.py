"""Number of times ratings are hidden for a verdict."""

from metamf.evaluate.methods import usual_repeats


def test_ratings_of_a_small_table_are_hidden_more_often():
    assert (usual_repeats(2_000), usual_repeats(2_001)) == (20, 5)
