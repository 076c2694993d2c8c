"""How a program was started, for who starts it many times from one process. Pure."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.prove.terms import Terms
from whydied.source.text import Source

_PYTHON = re.compile(r"(python|pypy)[\d.]*")
_WITH_VALUE = ("-X", "-W", "--check-hash-based-pycs")
_MODULE = "-m"


class Start(NamedTuple):
    """`python` is the interpreter with its options, `program` a file or `-m` and a module, with its arguments."""

    python: list[str]
    program: list[str]


def start_of(terms: Terms) -> Start | None:
    """None where the command is not one of Python with a file or a module: a shell script, a notebook, a kernel."""
    if terms.is_kernel or terms.words[:1] != ["--"] or len(terms.words) < 3:
        return None
    python, *rest = terms.words[1:]
    if not _PYTHON.fullmatch(os.path.basename(python)):
        return None
    options = [python]
    while rest and rest[0].startswith("-") and rest[0] != _MODULE:
        taken = 2 if rest[0] in _WITH_VALUE else 1
        options += rest[:taken]
        rest = rest[taken:]
    is_whole = len(rest) > 1 if rest[:1] == [_MODULE] else bool(rest) and rest[0].endswith(".py")
    return Start(options, rest) if is_whole else None


def library_names(sources: Mapping[str, Source], root: str) -> list[str]:
    """The modules that the files of a program import and that are none of its own, in the order of the source."""
    found = {name: None for source in sources.values() for name in _imported(source.tree)}
    return [name for name in found if not _is_own(name, root)]


def _imported(tree: ast.Module) -> Iterator[str]:
    """What is imported whenever the file is: not what stands in functions."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module
        elif isinstance(node, ast.If | ast.Try):
            waiting = [*node.body, *waiting]


def _is_own(name: str, root: str) -> bool:
    first = os.path.join(root, name.partition(".")[0])
    return os.path.exists(f"{first}.py") or os.path.isdir(first)
