from __future__ import annotations

import ast

import pytest

from whydied.source.assignments import assigned, last_assignment, targets, unpacked
from whydied.source.calls import bound_arguments, method_calls
from whydied.source.statements import (
    argument_texts,
    changing_names,
    in_loop_body,
    in_one_loop,
    method_in_loop,
    operand_texts,
    parsed_statement,
    statement_at,
)
from whydied.source.text import Source
from whydied.source.trees import across, enclosing, function_at, nodes_on, tree_of, walk, within, written

PROGRAM = """\
x = 1
def outer(a):
    def inner(b):
        return b
    y = a
    for i in a:
        y = inner(
            i)
        y.write(i)
    else:
        y = 2
    return y
"""
TREE = ast.parse(PROGRAM)


@pytest.mark.parametrize(
    ("line", "name"), [(1, "<module>"), (2, "outer"), (4, "inner"), (5, "outer"), (12, "outer"), (99, "<module>")]
)
def test_the_function_around_a_line(line: int, name: str) -> None:
    assert enclosing(TREE, line) == name


def test_the_nodes_of_a_function_are_not_those_of_the_functions_in_it() -> None:
    outer = function_at(TREE, 5)
    assert outer is not None
    assert [written(node) for node in within(outer) if isinstance(node, ast.Return)] == ["return y"]


def test_the_nodes_of_the_statement_of_a_line() -> None:
    names = {node.id for node in nodes_on(Source(PROGRAM), 8) if isinstance(node, ast.Name)}
    assert names == {"y", "inner", "i"}


def test_a_file_that_is_not_known_has_no_nodes() -> None:
    assert list(ast.walk(tree_of({}, "a.py"))) != []
    assert walk(tree_of({}, "a.py"), ast.stmt) == []
    assert list(across({"a.py": Source("x = = 1")}, ast.stmt)) == []


@pytest.mark.parametrize(("line", "inside"), [(5, False), (6, False), (7, True), (9, True), (11, False)])
def test_only_the_body_of_a_loop_runs_in_each_round(line: int, inside: bool) -> None:
    assert in_loop_body(TREE, line) is inside


def test_lines_of_one_loop() -> None:
    assert in_one_loop(TREE, 7, 9)
    assert not in_one_loop(TREE, 5, 9)
    assert changing_names(TREE) == {"i", "y"}
    assert method_in_loop(TREE, 6, "write") == 9
    assert method_in_loop(TREE, 1, "write") is None


def test_what_names_are_assigned_from() -> None:
    tree = ast.parse("a, (b, *c) = 1, (2, 3)\nfor a in rows:\n    pass\n(d, e) = pair\n")
    values = {name: [written(one.value) for one in assigned(name, tree)] for name in "abcde"}
    assert values == {"a": ["1", "rows"], "b": ["2"], "c": ["3"], "d": ["pair"], "e": ["pair"]}
    found = last_assignment("a", tree, 4)
    assert isinstance(found, ast.For)
    assert last_assignment("a", tree, 1) is None


def test_targets_with_their_own_values() -> None:
    statement = ast.parse("a, b.c = b.c, a[0]").body[0]
    assert isinstance(statement, ast.Assign)
    pairs = [(written(one), written(other)) for one, other in unpacked(targets(statement)[0], statement.value)]
    assert pairs == [("a", "b.c"), ("b.c", "a[0]")]
    assert targets(ast.parse("f(x)").body[0]) == []


@pytest.mark.parametrize(
    ("call", "bound"),
    [
        ("f(1, c=3)", {"a": "1", "c": "3"}),
        ("f(1, 2, 3)", {"a": "1", "b": "2"}),
        ("f(*rows, 2)", {"a": "*rows"}),
        ("f(**more)", {}),
    ],
)
def test_arguments_by_the_parameters(call: str, bound: dict[str, str]) -> None:
    function = walk(ast.parse("class A:\n    def f(self, a, b=0, *, c=1): pass"), ast.FunctionDef)[0]
    found = bound_arguments(walk(ast.parse(call), ast.Call)[0], function)
    assert {name: written(value) for name, value in found.items()} == bound


def test_methods_with_what_they_are_called_on() -> None:
    found = method_calls(ast.walk(ast.parse("model.fit(x)\nfit(y)\na[0].fit(z)")), ("fit",))
    assert [written(owner) for owner, _ in found] == ["model", "a[0]"]


@pytest.mark.parametrize(
    ("line", "text"), [(4, "b"), (8, "y = inner(i)"), (9, "y.write(i)"), (12, "y"), (6, "for i in a:"), (99, None)]
)
def test_the_statement_or_the_expression_that_it_is(line: int, text: str | None) -> None:
    found = statement_at(TREE, line)
    assert (written(found).splitlines()[0] if found is not None else None) == text


def test_a_header_alone_is_a_statement() -> None:
    assert isinstance(parsed_statement("    with a as b:"), ast.With)
    assert parsed_statement("") is None
    assert parsed_statement("else:") is None


def test_operands_and_arguments_of_the_only_one() -> None:
    assert operand_texts("  z = (a + b) @ c", "@") == ["a + b", "c"]
    assert operand_texts("z = a + b + c", "+") == []
    assert argument_texts("y = tf.reshape(x, [n, 2])", "reshape", 2) == ["x", "[n, 2]"]
    assert argument_texts("y = x.reshape(n)", "reshape", 2) == []
