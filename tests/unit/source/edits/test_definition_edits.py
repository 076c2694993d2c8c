"""Edits of functions and classes."""

from __future__ import annotations

import ast

import pytest

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits.programs import definition_edits as edits
from whydied.source.text import Source
from whydied.source.trees import walk

LAYER = """
class Gain(Layer):
    '''Multiplies.'''

    def __init__(self, gain: float = f(1, (2, 3)), *, x=")"):
        '''Begins.'''
        self.gain = gain

    def forward(self, x):
        y = x * self.gain

    def test(self): return self.forward(1)
"""


def _owner(source: Source) -> ast.ClassDef:
    return walk(source.tree, ast.ClassDef)[0]


def _method(source: Source, name: str) -> ast.FunctionDef:
    found = edits.method_in(_owner(source), name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f = g(lambda a: a + 1, 2)", "f = g(lambda a, b: a + 1, 2)"),
        ("f = lambda: {1: 2}", "f = lambda a, b: {1: 2}"),
        ("f = lambda a=d[1:2]: a", "f = lambda a, b: a"),
    ],
)
def test_parameters_of_a_lambda(text: str, expected: str) -> None:
    source = source_of(text)
    edit = edits.set_parameters(source, FILE, walk(source.tree, ast.Lambda)[0], "a, b")
    assert lines_of(source, edit) == [expected]


def test_parameters_and_name_of_a_method() -> None:
    source = source_of(LAYER)
    changed = edits.set_parameters(source, FILE, _method(source, "__init__"), "self, **kwargs")
    renamed = edits.rename_definition(source, FILE, _method(source, "forward"), "call")
    lines = lines_of(source, changed, *renamed)
    assert lines[3] == "    def __init__(self, **kwargs):"
    assert lines[7] == "    def call(self, x):"
    assert lines[10] == "    def test(self): return self.call(1)"


def test_statements_at_the_ends_of_a_body() -> None:
    source = source_of(LAYER)
    begun = edits.first_statement(source, FILE, _method(source, "__init__"), "super().__init__()")
    ended = edits.returned(source, FILE, _method(source, "forward"))
    owner = _owner(source)
    added = edits.add_method(source, FILE, owner, "def get_config(self):\n    return {}")
    lines = lines_of(source, begun, ended, added, edits.decorate(source, FILE, owner, "register()"))
    assert lines[0] == "@register()"
    assert lines[6:8] == ["        super().__init__()", "        self.gain = gain"]
    assert lines[10:12] == ["        y = x * self.gain", "        return y"]
    assert lines[-3:] == ["", "    def get_config(self):", "        return {}"]
    assert edits.first_statement(source, FILE, _method(source, "test"), "pass") is None


def test_a_name_that_two_definitions_have_is_not_renamed() -> None:
    source = source_of("def f(): pass\nclass A:\n    def f(self): pass\n")
    assert edits.rename_definition(source, FILE, walk(source.tree, ast.FunctionDef)[0], "g") == []


def test_an_expression_at_the_end_is_returned() -> None:
    source = source_of("def loss(a, b):\n    (a -\n     b)\n")
    assert lines_of(source, edits.returned(source, FILE, walk(source.tree, ast.FunctionDef)[0])) == [
        "def loss(a, b):",
        "    return (a -",
        "     b)",
    ]
    empty = source_of("def loss(a, b):\n    '''Only this.'''\n")
    assert edits.returned(empty, FILE, walk(empty.tree, ast.FunctionDef)[0]) is None
