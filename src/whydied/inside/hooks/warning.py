"""Warnings that the program shows; runs in the user's process.

Invariant: filters, `catch_warnings`, `simplefilter("error")` and `logging.captureWarnings` decide as without
us, because the hook sits where a warning that passed them is shown.
"""

from __future__ import annotations

import warnings
from types import FrameType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless
from whydied.inside.guest.guard import guarded
from whydied.records import WarningIssued

LARGEST_COUNT = 500
_count = 0


def install() -> None:
    frameless.final(warnings, "_showwarnmsg", _shown)


@guarded("warning.shown")
def _shown(args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    global _count
    _count += 1
    message = args[0] if args else None
    text = getattr(message, "message", None)
    if _count > LARGEST_COUNT or not isinstance(text, (Warning, str)):
        return
    from whydied import redact

    # A subclass may have a `__str__` of its own, which is the user's code: the arguments will do.
    words = text if isinstance(text, str) else " ".join(a for a in text.args if isinstance(a, str))
    journal.write(
        WarningIssued(
            category=getattr(getattr(message, "category", None), "__name__", "Warning"),
            message=redact.text(words[:2000]),
            file=str(getattr(message, "filename", "")),
            line=int(getattr(message, "lineno", 0) or 0),
        )
    )
