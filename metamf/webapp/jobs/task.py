"""The form of a task: a generator that yields messages, gets orders, and returns a result, all of them JSON values."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

Message = dict[str, Any]  # {"facts": {...}} once and for all, {"row": {...}} of a curve, {"now": {...}} of the moment
Orders = dict[str, Any]  # settings that have changed, and {"stop": True}
Steps = Generator[Message | None, Orders, dict[str, Any]]
TaskFunction = Callable[[dict[str, Any], Path], Steps]


class RefusedError(Exception):
    """Raised by a task that cannot do what it was asked for; the message is a sentence for the visitor."""
