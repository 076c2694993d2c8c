"""Why a step was refused, in one line; runs in the user's process."""

from __future__ import annotations

from whydied.errors import WhydiedError

LONGEST_REASON = 500


class NotTraceable(WhydiedError):
    """TensorFlow refuses to trace the step; the text is its own."""


class OwnBatchOnly(WhydiedError):
    """The step takes no other number of rows than the program's."""


def told(error: Exception) -> str:
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    text, kind = lines[-1] if lines else "", type(error).__name__
    # What is ours says itself what it is, and what AutoGraph raises again has the type in its text.
    is_whole = isinstance(error, WhydiedError) or text.startswith(kind)
    return (text if is_whole else f"{kind}: {text}")[:LONGEST_REASON]
