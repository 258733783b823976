"""The findings of the reveal, in sentences."""

import numpy as np
from classroom import room  # noqa: F401  a fixture

from metamf.webapp.experiments.agreement import Agreement
from metamf.webapp.rooms import expectations
from metamf.webapp.rooms.findings import findings, own_surprise


def test_findings_name_who_disagrees_and_what_the_expectations_are_worth(room):
    found = Agreement(expectations.matrix(room), np.array([[2.0, 1.5, 3], [1, 2, 3], [4, 2, 2]]))
    said = dict(findings(room, found))
    assert said["The largest surprise"].startswith("Ada gave Alien 5.") and "2.00" in said["The largest surprise"]
    assert said["Furthest apart"] == "Ada and <b>Bo</b>: 2.67 apart on average over the 3 things that both rated."
    assert said["What divides the class"] == "Alien: from 1 to 5."
    assert "Student 1 gave Alien" in dict(findings(room, found, named=False))["The largest surprise"]
    assert "do not believe" not in said["How good are the expectations?"]
    useless = Agreement(found.X, np.full(found.X.shape, 1.0))
    assert "the mean does no worse" in dict(findings(room, useless))["How good are the expectations?"]


def test_a_student_s_own_surprise_is_only_told_where_there_is_one():
    items, expected = {0: "Alien", 1: "Psycho"}, {0: 3.0, 1: 3.2}
    assert own_surprise(items, {0: 5, 1: 3}, expected) == (
        "Your largest surprise: you gave Alien 5, and we expected 3.0."
    )
    assert own_surprise(items, {0: 3, 1: 3}, expected) == "" and own_surprise(items, {}, expected) == ""
