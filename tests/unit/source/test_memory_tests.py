"""Conditions of a program about its own memory."""

from __future__ import annotations

import pytest

from whydied.source.memory_tests import is_over_memory
from whydied.source.text import Source

FILE = "/home/ann/train.py"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\nif used > 9:\n    raise RuntimeError(used)\n", 3),
        ("if psutil.virtual_memory().percent > 90:\n    sys.exit(3)\n", 2),
        ("def rss():\n    return psutil.Process().memory_info().rss\n\n\nassert rss() < LIMIT\n", 5),
        ("def look():\n    pages = open('/proc/self/statm').read()\n    if int(pages) > 9:\n        raise Full\n", 4),
    ],
)
def test_a_line_that_ends_the_program_over_its_memory(text: str, line: int) -> None:
    assert is_over_memory({FILE: Source(text)}, FILE, line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("used = len(rows)\nif used > 9:\n    raise RuntimeError(used)\n", 3),
        ("used = psutil.virtual_memory().percent\nprint(used)\nraise RuntimeError(1)\n", 3),
        ("def rss():\n    return psutil.Process().memory_info().rss\n\n\nif loss > 3:\n    raise Diverged\n", 6),
    ],
)
def test_a_line_that_ends_it_over_something_else(text: str, line: int) -> None:
    assert not is_over_memory({FILE: Source(text)}, FILE, line)
