"""The page Teach: ways into a class."""

from opened import healthy, opened

from metamf.webapp.teach.lesson.steps import STEPS


def test_each_step_of_the_lesson_is_one_click_away():
    links = [link.proto for link in healthy(opened("pages/teach.py")).get("page_link")]
    titles = {link.query_string: link.label for link in links if link.page == "lesson"}
    for number, step in enumerate(STEPS, 1):
        assert step.title in titles[f"lesson={number}"]
