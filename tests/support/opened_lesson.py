"""The page Lesson, opened."""

from opened import healthy, opened

PAGE = "pages/lesson.py"


def lesson(at=None, **query):
    at = opened(PAGE) if at is None else at
    for name, value in query.items():
        at.query_params[name] = str(value)
    return healthy(at.run())
