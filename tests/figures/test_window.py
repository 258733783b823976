"""The part of a large matrix that is drawn."""

import numpy as np

from metamf.figures.window import Window


def test_a_window_lies_inside_the_matrix():
    assert Window.of((5, 7)) == Window(0, 0, 5, 7)
    assert Window.of((1000, 700), 990, 650) == Window(700, 400, 300, 300)
    assert Window.of((1000, 20), -5, 3) == Window(0, 0, 300, 20)
    X = np.arange(700_000).reshape(1000, 700)
    window = Window.of(X.shape, 10, 20)
    assert X[window.rows, window.cols].shape == (300, 300) and X[window.rows, window.cols][0, 0] == 10 * 700 + 20
    assert Window.of((60, 60)).dotted and not Window.of((61, 2)).dotted
