"""Writes docs/lesson.md, the speaker's notes: ``python -m metamf.webapp.lesson``."""

from pathlib import Path

from metamf.webapp.lesson.notes import document

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "lesson.md"

if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")
