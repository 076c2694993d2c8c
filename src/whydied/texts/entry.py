"""One entry of the catalogue: what a library says, and how we know that it says so. Pure."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Library = Literal[
    "cuda",
    "glibc",
    "jupyter",
    "kernel",
    "keras",
    "libstdc++",
    "numpy",
    "openblas",
    "openmp",
    "protobuf",
    "python",
    "rust",
    "tensorflow",
    "tf_keras",
]


class Text(NamedTuple):
    """`example` is what the library says, cut to what matters. `provoked_by` makes it say so: a program under
    tests/programs (`native/unbatch_rank.py`), or a few lines of Python that find `tf`, `v1`, `keras` and `np` imported.
    `alone` are lines that get a process of their own, with nothing imported, because they end it or set it up.
    `seen` are the versions that have said it; `scripts/texts.py --record` adds to them. `known_from` says where a text
    is from that nothing here provokes: the version, the hardware or the report that has it."""

    library: Library
    regex: str
    example: str
    seen: tuple[str, ...] = ()
    provoked_by: str = ""
    alone: bool = False
    known_from: str = ""
    flags: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when asked for: the user's process reads entries of which it needs a few."""
        return re.compile(self.regex, self.flags)


def any_of(*texts: Text) -> re.Pattern[str]:
    """One pattern for several texts, with the flags of the first; of two in one place the earlier is found."""
    return re.compile("|".join(text.regex for text in texts), texts[0].flags)
