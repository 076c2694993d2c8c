"""One entry of the catalogue: what a library says. Pure.

How we know that it says so stands in `tests/texts`: an example, what provokes it, and the versions that said it.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Library = Literal[
    "cuda",
    "glibc",
    "jupyter",
    "keras",
    "kernel",
    "libstdc++",
    "matplotlib",
    "numpy",
    "openblas",
    "openmp",
    "pandas",
    "protobuf",
    "python",
    "rust",
    "scikit-learn",
    "tensorflow",
    "tf_keras",
    "torch",
]


class Text(NamedTuple):
    library: Library
    regex: str
    flags: int = 0

    @property
    def words(self) -> str:
        """The text itself, of an entry that is one: every special character of its pattern is escaped."""
        return re.sub(r"\\(.)", r"\1", self.regex.lstrip("^"))

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when asked for: the user's process reads entries of which it needs a few."""
        return re.compile(self.regex, self.flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self.pattern.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        return self.pattern.match(text)


def any_of(*texts: Text) -> re.Pattern[str]:
    """One pattern for several texts, with the flags of the first; of two in one place the earlier is found."""
    return re.compile("|".join(text.regex for text in texts), texts[0].flags)
