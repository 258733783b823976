"""Lesson: learned matrix factorization in seven steps."""

from metamf.webapp import frame
from metamf.webapp.teach.lesson.lesson_page import lesson

frame.ensure()
lesson()
