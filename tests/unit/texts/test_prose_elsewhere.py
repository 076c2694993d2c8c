"""What libraries say is quoted in whydied.texts alone, where the catalogue can be checked against their versions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SEARCHES = {"compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "split"}
COMPARES = {"startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "find", "index"}
PROSE = re.compile(r"[A-Za-z]{2,}:? [A-Za-z]+")
OTHERS = (
    # Files of the system.
    r"^model name\s*:",
    r"Kernel Module\D*?",
    # Names that Python has for its own files.
    "<frozen ",
    # Our own words: a reason that the doctor passes on, a comment for lint, and assertions as TensorFlow prints them.
    r"whydied:\s*ignore",
    "not installed",
    "bad values of",
    "the first at",
    r"\[whydied\.expect: ",
    # Our own words behind what an exception says: a near name.
    "did you mean",
    # What anybody says of NaN, the user's own messages included.
    "not finite|non-finite",
)
"""Parts of texts that no library says."""


def prose(source: str) -> list[str]:
    """The texts of two words or more that a module looks for in others."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    named = {
        node.targets[0].id: _literals(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.comprehension | ast.For) and isinstance(node.target, ast.Name):
            over = node.iter.id if isinstance(node.iter, ast.Name) else ""
            named[node.target.id] = named.get(node.target.id, []) + named.get(over, [])
    asked = [one for node in nodes for one in _looked_for(node)]
    texts = [text for one in asked for text in (named.get(one.id, []) if isinstance(one, ast.Name) else _literals(one))]
    return [text for text in texts if PROSE.search(re.sub(r"\\s[+*]?", " ", text))]


def _looked_for(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        yield node.left
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        if node.func.attr in (SEARCHES if of_re else COMPARES):
            yield node.args[0]


def _literals(node: ast.AST) -> list[str]:
    values = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
    return [
        value if isinstance(value, str) else value.decode("latin-1")
        for value in values
        if isinstance(value, str | bytes)
    ]


def test_no_module_quotes_a_library_by_itself(project: Path) -> None:
    source = project / "src" / "whydied"
    paths = [path for path in source.rglob("*.py") if path.parent != source / "texts"]
    found = [(path.name, text) for path in paths for text in prose(path.read_text("utf-8"))]
    assert [one for one in found if not any(other in one[1] for other in OTHERS)] == [], "belongs into whydied.texts"
    assert [other for other in OTHERS if not any(other in text for _, text in found)] == [], "no longer needed"


@pytest.mark.parametrize(
    "source",
    [
        'import re\n_END = re.compile(r"End of sequence")',
        'import re\n_END = re.compile(rf"{_WORD}End of\\s+sequence")',
        'def f(text):\n    return "not a failure" in text',
        'def f(text):\n    return text.startswith(("Input is empty", "x"))',
        '_EMPTY = b"Input is empty"\ndef f(text):\n    return _EMPTY in text',
        '_SAID = ("one", "has length 0")\ndef f(text):\n    return any(word in text for word in _SAID)',
    ],
)
def test_a_quotation_is_noticed(source: str) -> None:
    assert len(prose(source)) >= 1


@pytest.mark.parametrize(
    "source",
    [
        'import re\n_WORD = re.compile(r"[A-Za-z_]+")',
        'def f(table):\n    return "runs" in table',
        'def f():\n    return "There is no file"',
        '_WORDS = {"a": "out of memory"}\ndef f(key):\n    return _WORDS[key]',
    ],
)
def test_our_own_words_are_none(source: str) -> None:
    assert prose(source) == []
