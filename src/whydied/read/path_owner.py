"""Whose file a path is, told by the path alone: for texts in which no recorder marked the frames."""

from __future__ import annotations

import os
import re

_NOT_THE_USERS = re.compile(
    r"^<(?!string>|stdin>)"
    r"|[/\\](?:site|dist)-packages[/\\]"
    r"|[/\\]lib(?:64)?[/\\]python\d+(?:\.\d+)?[/\\]"
    r"|[/\\]whydied[/\\](?:inside|run|cli)[/\\]"
    r"|[/\\]__autograph_generated_file"
)


def is_user_path(path: str) -> bool:
    """Outside installed packages, the standard library, ourselves and what AutoGraph makes of the user's functions."""
    return bool(path) and not _NOT_THE_USERS.search(path)


def real_path(path: str, cwd: str) -> str:
    """The absolute real path of a file, as far as it exists; names such as `<string>` stay."""
    return path if path.startswith("<") else os.path.realpath(os.path.join(cwd, path))
