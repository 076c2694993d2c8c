"""Edits of choices and numbers of Python that ask a tensor for its value while a graph is built. Pure.

A conditional expression becomes `where`, `and`, `or` and `not` the logical operations, `max` and `min` those of two
tensors, `float(t)` the tensor itself. An `if` with an `else` that both give one value becomes `cond`; others, `while`
and `assert` stay as they are and need a `tf.function` around them, whose AutoGraph turns all of these into operations.
What does not ask a tensor (`x is None`, `x.shape[0] > 1`) is left alone.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.edits.edit import Edit, Point, end_of, over, start_of, text_between, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.edits.statement_edits import statement_at
from whydied.source.text import Source
from whydied.source.trees import Function, function_at, last_name, walk, within, written

_ASKING = (ast.If, ast.While, ast.Assert)
_WORDS = {ast.If: "if", ast.While: "while", ast.Assert: "assert"}
_KNOWN = frozenset({"shape", "dtype", "ndim", "rank", "get_shape", "name"})
"""What a tensor knows of itself before it has values."""
_READ = ("numpy", "item")
_EXTREMES = {"max": "maximum", "min": "minimum"}
_TYPES = {"float": "float32", "int": "int32", "bool": "bool"}
_BARE = ("staticmethod", "classmethod", "property")
_BINDING = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Attribute, ast.Subscript, ast.Await, ast.IfExp)
_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.Tuple, ast.List)
_BEFORE_BRACKET = " =([{,+-*/%&|^~<>:@"


class Choice(NamedTuple):
    """What is done, in words, what to write in the place of what, and how."""

    title: str
    advice: str
    edits: list[Edit]


def graph_choices(
    source: Source, file: str, line: int, symbolic: Mapping[str, str | None], library: str = "tensorflow"
) -> list[Choice]:
    """The operations in the place of what the statement at a line asks tensors for, the least invasive first.
    `symbolic` are the parts of it that have no value, each with its type; `library` has the operations."""
    found = _Asked(source, file, line, symbolic, library)
    traced = found.traced() if library == "tensorflow" else []
    return [*found.safe_divisions(), *found.operations(), *found.branches(), *traced]


class _Asked:
    """One statement that asks."""

    def __init__(self, source: Source, file: str, line: int, symbolic: Mapping[str, str | None], library: str) -> None:
        self._source = source
        self._file = file
        self._line = line
        self._symbolic = symbolic
        self._library = library
        self._needed: list[Edit] = []
        self._as_float = False
        self._statement = statement_at(source, line)
        self._in_test = isinstance(self._statement, _ASKING)
        self._nodes = list(_own(self._statement)) if self._statement is not None else []
        self._above = {id(child): node for node in self._nodes for child in ast.iter_child_nodes(node)}

    def safe_divisions(self) -> list[Choice]:
        """`a / b if b != 0 else 0` as the division that has just this meaning, in its derivative too."""
        chosen = self._outermost([one for one in self._chosen() if isinstance(one, ast.IfExp)])
        divided = [(one, parts) for one in chosen if (parts := _safe_division(one)) is not None]
        if not divided or len(divided) != len(chosen) or self._in_test:
            return []
        self._needed = []
        name = self._name("math.divide_no_nan" if self._library == "tensorflow" else "divide_no_nan")
        texts = [(one, f"{name}({self._written(above)}, {self._written(below)})") for one, (above, below) in divided]
        return self._changed(texts, "it gives 0 where the divisor is 0, and asks for no value")

    def operations(self) -> list[Choice]:
        """All that the statement asks as operations of the graph; nothing where a statement itself asks."""
        if self._in_test:
            return []
        found: list[Choice] = []
        for as_float in (True, False):
            self._as_float, self._needed = as_float, []
            chosen = self._outermost(self._chosen())
            if not self._symbolic and len(chosen) != 1:
                continue
            texts = [(one, self._render(one)) for one in chosen]
            said = "it computes with the tensor when the graph runs"
            for choice in self._changed(texts, said):
                if choice not in found:
                    found.append(choice)
        return found

    def branches(self) -> list[Choice]:
        """An `if` and an `else` that give one name its value, or the function its result, as a choice of the graph."""
        statement = self._statement
        if not isinstance(statement, ast.If) or len(statement.body) != 1 or len(statement.orelse) != 1:
            return []
        first, second = _given(statement.body[0]), _given(statement.orelse[0])
        if first is None or second is None or first[0] != second[0] or self._in_lambda():
            return []
        self._needed, self._as_float = [], False
        test = self._render(statement.test) if statement.test in self._chosen() else self._written(statement.test)
        parts = [written_in(self._source, one[1]) for one in (first, second)]
        choice = f"{self._name('cond')}({test}, lambda: {parts[0]}, lambda: {parts[1]})"
        edit = Edit(self._file, start_of(self._source, statement), end_of(self._source, statement), first[0] + choice)
        said = "both results are part of the graph, and the condition chooses when it runs"
        title = f"Write `{first[0]}{choice}`"
        return [Choice(title, f"{title} for the `if` and its `else`: {said}.", [*self._needed, edit])]

    def traced(self) -> list[Choice]:
        """`@tf.function` above the function around it."""
        function = function_at(self._source.tree, self._line)
        statement = self._statement
        if function is None or statement is None or not _can_be_traced(function) or self._in_lambda():
            return []
        asking: list[ast.expr] = [
            one for one in self._chosen() if isinstance(one, ast.IfExp | ast.BoolOp | ast.UnaryOp)
        ]
        if not self._in_test and not asking:
            return []
        self._needed, self._as_float = [], False
        edits: list[Edit] = []
        if isinstance(statement, _ASKING):
            test = statement.test
            text = self._render_test(test)
            edits = [over(self._source, self._file, test, text)] if text != written_in(self._source, test) else []
        name = self._name("function")
        word = _WORDS.get(type(statement), "choices")
        title = f"Decorate `{function.name}` with `@{name}`"
        advice = f"{title}, which turns its `{word}` into an operation of the graph."
        if not self._in_test:
            advice = f"{title}, which turns its choices into operations of the graph."
        decorated = _decorated(self._source, self._file, function, name)
        return [Choice(title, advice, [*self._needed, decorated, *edits])]

    def _in_lambda(self) -> bool:
        """Whether what asks stands in a lambda of the statement: it is that which would need the decorator."""
        return any(
            one in ast.walk(inner) for inner in self._nodes if isinstance(inner, ast.Lambda) for one in self._chosen()
        )

    def _changed(self, texts: list[tuple[ast.expr, str]], said: str) -> list[Choice]:
        if not texts:
            return []
        edits = [self._over(node, text) for node, text in texts]
        new = " and ".join(f"`{text}`" for _, text in texts)
        old = " and ".join(f"`{written(node)}`" for node, _ in texts)
        return [Choice(f"Write {new}", f"Write {new} for {old}: {said}.", [*self._needed, *edits])]

    def _chosen(self) -> list[ast.expr]:
        """The expressions that ask a tensor."""
        return [node for node in self._nodes if isinstance(node, ast.expr) and self._asks(node)]

    def _outermost(self, chosen: list[ast.expr]) -> list[ast.expr]:
        inner = {id(part) for node in chosen for part in ast.walk(node) if part is not node}
        found = [node for node in chosen if id(node) not in inner]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def _asks(self, node: ast.AST) -> bool:
        if isinstance(node, ast.IfExp):
            return self._is_tensor(node.test) and not any(_is_nothing(one) for one in (node.body, node.orelse))
        if isinstance(node, ast.BoolOp):
            return any(self._is_tensor(one) for one in node.values[:-1])
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) and self._is_tensor(node.operand)
        if isinstance(node, ast.Compare):
            return self._is_tensor(node) and (len(node.ops) > 1 or _is_membership(node))
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and not node.keywords:
                tensors = [self._is_tensor(one) for one in node.args]
                known = len(tensors) > 1 if node.func.id in _EXTREMES else node.func.id in _TYPES and len(tensors) == 1
                return known and any(tensors) and not any(isinstance(one, ast.Starred) for one in node.args)
            return _is_read(node) and self._library == "tensorflow"
        return False

    def _is_tensor(self, node: ast.expr) -> bool:
        """Whether an expression asks for values that are not there yet."""
        if isinstance(node, ast.Compare) and any(isinstance(one, ast.Is | ast.IsNot) for one in node.ops):
            return False
        if isinstance(node, ast.Attribute) and node.attr in _KNOWN:
            return False
        if isinstance(node, ast.Call) and last_name(node.func) in ("len", "isinstance", "hasattr", "callable"):
            return False
        if not self._symbolic and isinstance(node, ast.Name | ast.Call):
            return True
        if written(node) in self._symbolic:
            return True
        return any(self._is_tensor(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))

    def _render(self, node: ast.expr) -> str:
        """An expression with operations of the graph in it."""
        if not self._asks(node):
            return self._written(node)
        if isinstance(node, ast.IfExp):
            return self._where(node)
        if isinstance(node, ast.BoolOp):
            return self._joined(node)
        if isinstance(node, ast.UnaryOp):
            if self._is_number(node.operand):
                return f"{self._render(node.operand)} == 0"
            return f"{self._name('logical_not')}({self._render(node.operand)})"
        if isinstance(node, ast.Compare):
            return self._compared(node)
        return self._called(node) if isinstance(node, ast.Call) else self._written(node)

    def _render_test(self, node: ast.expr) -> str:
        """The condition of a statement that AutoGraph turns: what it leaves as it is in operations."""
        if isinstance(node, ast.BoolOp | ast.UnaryOp | ast.IfExp) and self._asks(node):
            parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
            return self._spliced(node, {id(one): self._render_test(one) for one in parts})
        return self._condition(node)

    def _condition(self, node: ast.expr) -> str:
        """A number is none: TensorFlow asks for a bool."""
        return f"{self._render(node)} != 0" if self._is_number(node) else self._render(node)

    def _is_number(self, node: ast.expr) -> bool:
        return (self._symbolic.get(written(node)) or "bool") != "bool"

    def _where(self, node: ast.IfExp) -> str:
        test = self._condition(node.test)
        body, orelse = self._render(node.body), self._render(node.orelse)
        if self._as_float and _is_whole(node.body) and not isinstance(node.orelse, ast.Constant):
            # The first of two decides on the type.
            body = f"{body}.0"
        return f"{self._name('where')}({test}, {body}, {orelse})"

    def _joined(self, node: ast.BoolOp) -> str:
        """`a and b`; what asks no tensor stays in front of it."""
        first = next(at for at, one in enumerate(node.values) if self._is_tensor(one))
        name = self._name("logical_and" if isinstance(node.op, ast.And) else "logical_or")
        texts = [self._condition(one) for one in node.values[first:]]
        joined = texts[0]
        for text in texts[1:]:
            joined = f"{name}({joined}, {text})"
        word = "and" if isinstance(node.op, ast.And) else "or"
        plain = [f"{self._bracketed(one)} {word} " for one in node.values[:first]]
        return "".join(plain) + joined

    def _bracketed(self, node: ast.expr) -> str:
        text = self._written(node)
        return text if isinstance(node, (*_SIMPLE, ast.Compare, ast.UnaryOp)) else f"({text})"

    def _compared(self, node: ast.Compare) -> str:
        if _is_membership(node):
            among = f"{self._name('reduce_any' if self._library == 'tensorflow' else 'any')}"
            found = f"{among}({self._name('equal')}({self._render(node.left)}, {self._render(node.comparators[0])}))"
            return f"{self._name('logical_not')}({found})" if isinstance(node.ops[0], ast.NotIn) else found
        parts = [node.left, *node.comparators]
        texts = []
        for left, right in itertools.pairwise(parts):
            between = text_between(self._source, end_of(self._source, left), start_of(self._source, right))
            texts.append(f"{self._render(left)}{between}{self._render(right)}")
        joined = texts[0]
        for text in texts[1:]:
            joined = f"{self._name('logical_and')}({joined}, {text})"
        return joined

    def _called(self, node: ast.Call) -> str:
        if _is_read(node) and isinstance(node.func, ast.Attribute):
            return self._alone(node, node.func.value)
        name = last_name(node.func)
        if name in _EXTREMES:
            texts = [self._render(one) for one in node.args]
            joined = texts[0]
            for text in texts[1:]:
                joined = f"{self._name(_EXTREMES[name])}({joined}, {text})"
            return joined
        inner = node.args[0]
        while isinstance(inner, ast.Call) and _is_read(inner) and isinstance(inner.func, ast.Attribute):
            inner = inner.func.value
        dtype = self._symbolic.get(written(inner)) or ""
        is_float = name == "float" and (not dtype or "float" in dtype)
        if is_float or (name == "bool" and (not dtype or dtype == "bool")):
            return self._alone(node, inner)
        kind = f'"{_TYPES[name]}"' if self._library != "tensorflow" else self._name(_TYPES[name])
        return f"{self._name('cast')}({self._render(inner)}, {kind})"

    def _alone(self, node: ast.expr, inner: ast.expr) -> str:
        """What is left of an expression without the call around it, in brackets where these are missing then."""
        text = self._render(inner)
        binds = isinstance(self._above.get(id(node)), _BINDING)
        return f"({text})" if binds and not isinstance(inner, _SIMPLE) else text

    def _written(self, node: ast.expr) -> str:
        """An expression as it stands there, but for the parts that ask."""
        inside = [one for one in ast.walk(node) if isinstance(one, ast.expr) and one is not node and self._asks(one)]
        return self._spliced(node, {id(one): self._render(one) for one in self._outermost(inside)})

    def _spliced(self, node: ast.expr, texts: Mapping[int, str]) -> str:
        parts = sorted(
            (one for one in walk(node, ast.expr) if id(one) in texts), key=lambda one: start_of(self._source, one)
        )
        text, at = "", start_of(self._source, node)
        for part in parts:
            text += text_between(self._source, at, start_of(self._source, part)) + texts[id(part)]
            at = end_of(self._source, part)
        return text + text_between(self._source, at, end_of(self._source, node))

    def _over(self, node: ast.expr, text: str) -> Edit:
        """An expression written anew, without brackets that were its own."""
        start, end = start_of(self._source, node), end_of(self._source, node)
        if text.endswith(")") and _in_brackets(self._source, start, end):
            start, end = (start[0], start[1] - 1), (end[0], end[1] + 1)
        return Edit(self._file, start, end, text)

    def _name(self, function: str) -> str:
        named = library_name(self._source, self._file, f"{self._library}.{function}")
        self._needed += [one for one in named.needed if one not in self._needed]
        return named.text


def _given(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """What stands before the value of an assignment to one name or of a `return`, and the value."""
    if isinstance(statement, ast.Return) and statement.value is not None:
        return "return ", statement.value
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    if isinstance(statement, ast.Assign) and isinstance(target, ast.Name | ast.Attribute):
        return f"{written(target)} = ", statement.value
    return None


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, those of its lambdas too; the condition alone where that is what asks."""
    pending: list[ast.AST] = [statement.test] if isinstance(statement, _ASKING) else [statement]
    while pending:
        node = pending.pop()
        yield node
        inner = (ast.stmt, ast.ExceptHandler, ast.match_case)
        pending += [one for one in ast.iter_child_nodes(node) if not isinstance(one, inner)]


def _safe_division(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """What is divided and by what, of `a / b if b != 0 else 0` and of its like."""
    if not isinstance(node, ast.IfExp):
        return None
    division, test = node.body, node.test
    if not isinstance(division, ast.BinOp) or not isinstance(division.op, ast.Div):
        return None
    below = written(division.right)
    asked = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.NotEq)
    if isinstance(test, ast.Compare) and not (asked and written(test.left) == below and _is_zero(test.comparators[0])):
        return None
    if not isinstance(test, ast.Compare) and written(test) != below:
        return None
    otherwise = _is_zero(node.orelse) or written(node.orelse) == below
    return (division.left, division.right) if otherwise else None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 0.0) and node.value is not False


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_nothing(node: ast.expr) -> bool:
    """What no tensor can be."""
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, str | bytes)
    return isinstance(node, ast.Lambda | ast.Tuple | ast.Dict | ast.JoinedStr | ast.Starred)


def _is_membership(node: ast.Compare) -> bool:
    literal = isinstance(node.comparators[0], ast.Tuple | ast.List)
    return len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn) and literal


def _is_read(node: ast.Call) -> bool:
    """`x.numpy()`."""
    return isinstance(node.func, ast.Attribute) and node.func.attr in _READ and not node.args and not node.keywords


def _in_brackets(source: Source, start: Point, end: Point) -> bool:
    """Whether brackets stand around an expression alone, and not those of a call."""
    before, behind = source.lines[start[0] - 1][: start[1]], source.lines[end[0] - 1][end[1] :]
    return before.endswith("(") and behind.startswith(")") and (not before[:-1] or before[-2] in _BEFORE_BRACKET)


def _can_be_traced(function: Function) -> bool:
    """Whether a function may become a `tf.function`: it is none yet, and ends when it returns."""
    if isinstance(function, ast.AsyncFunctionDef) or function.name in ("__init__", "__new__"):
        return False
    called = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    parts = [*called, *(part for one in function.decorator_list for part in walk(one, ast.expr))]
    if any(written(one).endswith("tf.function") or last_name(one) in ("function", "setter") for one in parts):
        return False
    return not any(isinstance(one, ast.Yield | ast.YieldFrom | ast.Await) for one in within(function))


def _decorated(source: Source, file: str, function: Function, name: str) -> Edit:
    """A decorator above the others, but below those that make no function."""
    others = [one.lineno for one in function.decorator_list if last_name(one) not in _BARE]
    line = min([function.lineno, *others])
    indent = source.lines[line - 1][: start_of(source, function)[1]]
    return Edit(file, (line, 0), (line, 0), f"{indent}@{name}\n")
