"""The calls of Keras that read labels from directories and tables, with the form in which they give these. Pure.

Invariant: the calls of a program that give the same form are changed together, since a model is trained and evaluated
on the same form.
"""

from __future__ import annotations

import ast

from whydied.diagnose.errors.advice import Sources, Way
from whydied.source.calls import callee
from whydied.source.edits.call_edits import constant_behind, set_argument
from whydied.source.edits.edit import Edit
from whydied.source.text import Source
from whydied.source.trees import walk

_ITERATORS = frozenset({"flow_from_directory", "flow_from_dataframe"})
_NUMBERS = frozenset({"binary", "sparse", "int"})


def as_rows(sources: Sources) -> Way | None:
    """One-hot rows where class numbers are read."""
    return _changed(sources, _NUMBERS, "categorical", "gives one-hot rows")


def as_numbers(sources: Sources) -> Way | None:
    """Class numbers where one-hot rows are read."""
    return _changed(sources, frozenset({"categorical"}), "", "gives class numbers")


def _changed(sources: Sources, was: frozenset[str], now: str, meaning: str) -> Way | None:
    edits: list[Edit] = []
    words = ""
    for file, source in sources.items():
        for call in walk(source.tree, ast.Call):
            word, plain = _word(call)
            if not word or _mode(source, call, word) not in was:
                continue
            value = now or plain
            edit = set_argument(source, file, call, word, None, f'"{value}"')
            if edit is None:
                return None
            # Two calls may read the form from one name.
            edits += [edit] if edit not in edits else []
            words = words or f'`{word}="{value}"` of `{callee(call)}` {meaning}'
    return Way(words, edits) if edits else None


def _word(call: ast.Call) -> tuple[str, str]:
    """The argument that says the form, and what it is for class numbers."""
    name = callee(call) or ""
    if name in _ITERATORS:
        return "class_mode", "sparse"
    return ("label_mode", "int") if name.endswith("_dataset_from_directory") else ("", "")


def _mode(source: Source, call: ast.Call, word: str) -> str:
    """The form that a call gives; empty where the source does not tell."""
    given = next((one.value for one in call.keywords if one.arg == word), None)
    if given is None:
        # What stands without its name may be the one.
        return "" if len(call.args) > 2 else "categorical" if word == "class_mode" else "int"
    value = constant_behind(source.tree, given) or given
    return str(value.value) if isinstance(value, ast.Constant) else ""
