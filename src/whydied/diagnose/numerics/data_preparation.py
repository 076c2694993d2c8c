"""Where the data of a step was made bad: in the code that prepared it. Pure.

Two things tell: a warning that NumPy gave at a line of the user's, of the kind that leaves such values behind, and a
statement that writes such a value into the data by name. Both must lie on the way of the data, as far as the source
shows it: names are followed through assignments, loops, parameters and the user's own functions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.numerics.bad_steps import Story, bad_feeds
from whydied.diagnose.numerics.symptom import data_set_of, fed_of
from whydied.records import Frame, Numbers, StepCaptured, WarningIssued
from whydied.source.trees import enclosing, nodes_at, tree_of

_WARNING = re.compile(r"(invalid value|divide by zero|overflow) encountered in (?:scalar )?(\w+)")
_LITERAL = re.compile(r"^[-+]?(?:nan|inf|infinity)$", re.IGNORECASE)
_CONSTANTS = frozenset({"nan", "NaN", "NAN", "inf", "Inf", "Infinity", "PINF", "NINF"})
_CAREFUL = frozenset({"isnan", "isfinite", "isinf", "nan_to_num", "fillna", "replace"})
_MAPPING = frozenset({"map", "from_generator", "py_function", "numpy_function", "flat_map", "interleave"})
_RISKY_CALLS = frozenset({"log", "log1p", "log2", "log10", "sqrt", "rsqrt", "divide", "truediv", "reciprocal", "pow"})
_DIVISION = "Guard the division against a divisor of zero: `a / np.where(b == 0, 1, b)`."
_ADVICE = {
    "divide": _DIVISION,
    "true_divide": _DIVISION,
    "log": "Keep the argument of the logarithm above zero: `np.log(np.maximum(x, 1e-7))`.",
    "log10": "Keep the argument of the logarithm above zero: `np.log10(np.maximum(x, 1e-7))`.",
    "log2": "Keep the argument of the logarithm above zero: `np.log2(np.maximum(x, 1e-7))`.",
    "sqrt": "Keep the argument of the root from being negative: `np.sqrt(np.maximum(x, 0))`.",
    "exp": "Bound the argument: `np.exp(np.minimum(x, 80))`.",
}
"""By what NumPy says that it was doing."""
_MAPPED_ADVICE = "Guard the division against a divisor of zero: `tf.math.divide_no_nan(a, b)`."
_DEEPEST = 12
Statement = ast.Assign | ast.AnnAssign | ast.AugAssign
_WRITING = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return


class Maker(NamedTuple):
    """A line that made data bad. `fact` and `source` are its evidence, `words` end a sentence about the data."""

    location: Location
    words: str
    fact: str
    source: str
    advice: str = ""


def maker_of(case: Case, story: Story, passed: Location | None) -> Maker | None:
    """The line that made the data of the step bad, where one can be found."""
    way = _Way(case, _first_names(case, story, passed))
    return _warned(case, story, way) or _written(case, way) or _mapped(case, way)


def _numbers(story: Story) -> Numbers | None:
    fed = fed_of(story)
    if fed is not None and fed.numbers is not None and fed.numbers.nonfinite:
        return fed.numbers
    bad = bad_feeds(story.step)
    return bad[0].numbers if bad else None


def _warned(case: Case, story: Story, way: _Way) -> Maker | None:
    """The last line on the way of the data at which NumPy warned of such values, before the step."""
    numbers = _numbers(story)
    times = [at_s for at_s, step in story.step.process.timed(StepCaptured) if step == story.step.captured]
    found: list[Maker] = []
    related: list[Maker] = []
    for at_s, warned in story.step.process.timed(WarningIssued):
        match = _WARNING.search(warned.message)
        file = _source_file(case, warned.file)
        if match is None or file is None or (times and at_s > times[0]) or not _agrees(match[1], numbers):
            continue
        place = case.locate(Frame(file=file, line=warned.line, function=_function(case, file, warned.line), user=True))
        maker = Maker(place, f"which `{match[2]}` made here", f"NumPy warned: {warned.message}", "WarningIssued")
        maker = maker._replace(advice=_ADVICE.get(match[2], ""))
        found.append(maker)
        if way.holds(file, place.line):
            related.append(maker)
    chosen = related or (found if len(found) == 1 else [])
    return chosen[-1] if chosen else None


def _agrees(kind: str, numbers: Numbers | None) -> bool:
    """Whether a sort of warning leaves the sort of values that are there. An infinite one can become NaN later."""
    if numbers is None or kind != "invalid value":
        return True
    return numbers.nan > 0


def _written(case: Case, way: _Way) -> Maker | None:
    """The only statement on the way of the data that writes a NaN or an infinite value by name."""
    found = [
        (file, node)
        for file, node in way.statements
        if isinstance(node, _WRITING) and node.value is not None and _has_literal(node.value)
    ]
    if len({(file, node.lineno) for file, node in found}) != 1:
        return None
    file, node = found[0]
    place = case.locate(Frame(file=file, line=node.lineno, function=_function(case, file, node.lineno), user=True))
    return Maker(place, "which this line writes", "the statement writes such a value", "source")


def _has_literal(value: ast.expr) -> bool:
    """Whether an expression names a NaN or an infinite value, and not in order to look for one or to replace it."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and _name(node.func) in _CAREFUL:
            return False
    for node in ast.walk(value):
        if isinstance(node, ast.Attribute) and node.attr in _CONSTANTS:
            return True
        if isinstance(node, ast.Call) and _name(node.func) == "float" and node.args:
            text = node.args[0]
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and _LITERAL.match(text.value.strip()):
                return True
    return False


def _mapped(case: Case, way: _Way) -> Maker | None:
    """The only line of the functions that a data set maps over its elements that can leave its domain."""
    found: dict[tuple[str, int], ast.AST] = {}
    for file, node in way.mapped():
        if (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant)
        ) or (isinstance(node, ast.Call) and _name(node.func) in _RISKY_CALLS):
            found.setdefault((file, node.lineno), node)
    places = {
        (place.file, place.line): place
        for file, line in found
        for place in [case.locate(Frame(file=file, line=line, function=_function(case, file, line), user=True))]
    }
    if len(places) != 1:
        return None
    place = next(iter(places.values()))
    op = next(iter(found.values()))
    return Maker(
        place,
        "which the data set's function makes here",
        "the only op there with a limited domain",
        "source",
        _MAPPED_ADVICE if isinstance(op, ast.BinOp) else "",
    )


class _Way:
    """The statements that the data came through, as far as names tell. Names are not told apart by scope: this only
    narrows down what other evidence points at."""

    def __init__(self, case: Case, names: set[str]) -> None:
        self._sources = case.sources
        self.functions: set[str] = set()
        self.names = set(names)
        for _ in range(_DEEPEST):
            before = len(self.names) + len(self.functions)
            self._follow()
            if len(self.names) + len(self.functions) == before:
                break

    @property
    def statements(self) -> list[tuple[str, ast.AST]]:
        """Statements that make a value of one of the names, and those of the functions on the way."""
        found: list[tuple[str, ast.AST]] = []
        for file, tree in self._trees():
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and node.name in self.functions:
                    found.extend((file, inner) for inner in ast.walk(node) if isinstance(inner, ast.stmt))
                elif (isinstance(node, Statement) and _targets(node) & self.names) or (
                    isinstance(node, ast.Expr) and _names(node.value) & self.names
                ):
                    found.append((file, node))
        return list(dict.fromkeys(found))

    def holds(self, file: str, line: int) -> bool:
        return any(
            where == file and node.lineno <= line <= (node.end_lineno or node.lineno)
            for where, node in self.statements
            if isinstance(node, ast.stmt)
        )

    def mapped(self) -> Iterator[tuple[str, ast.AST]]:
        """What the functions do that data sets are given to map."""
        for file, tree in self._trees():
            given = [
                argument
                for node in ast.walk(tree)
                if isinstance(node, ast.Call) and _name(node.func) in _MAPPING
                for argument in node.args[:1]
            ]
            names = {_name(argument) for argument in given}
            bodies: list[ast.AST] = [argument for argument in given if isinstance(argument, ast.Lambda)]
            bodies += [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in names]
            for body in bodies:
                yield from ((file, node) for node in ast.walk(body))

    def _trees(self) -> Iterator[tuple[str, ast.Module]]:
        for file, source in self._sources.items():
            yield file, source.tree

    def _follow(self) -> None:
        for _, tree in self._trees():
            defined = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
            for node in ast.walk(tree):
                if isinstance(node, Statement) and _targets(node) & self.names and node.value is not None:
                    self._take(node.value, defined)
                elif isinstance(node, ast.For | ast.comprehension) and _names(node.target) & self.names:
                    self._take(node.iter, defined)
                elif isinstance(node, ast.Call) and _name(node.func) in defined:
                    self._enter(node, defined[_name(node.func)])

    def _take(self, value: ast.AST, defined: dict[str, ast.FunctionDef]) -> None:
        self.names |= _names(value)
        called = {_name(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)} | _names(value)
        self.functions |= called & set(defined)

    def _enter(self, call: ast.Call, function: ast.FunctionDef) -> None:
        """A parameter on the way has what the calls give for it."""
        parameters = [argument.arg for argument in function.args.args]
        for parameter, given in zip(parameters, call.args, strict=False):
            if parameter in self.names:
                self.names |= _names(given)


def _first_names(case: Case, story: Story, passed: Location | None) -> set[str]:
    """What the data is called at the step: the array that its rows were found in, and what the line is given."""
    fed = fed_of(story)
    names = {data_set_of(story)[0], fed.name if fed else ""}
    for node in nodes_at(case.sources, passed) if passed else ():
        if isinstance(node, ast.Call):
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                names |= _names(argument)
    return {re.sub(r"[^\w].*", "", name) for name in names} - {"", "self"}


def _targets(node: Statement) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    # Of `x[rows, 2] = …` the base is what is written to.
    return {name for target in targets for name in _names(target, bases_only=True)}


def _names(node: ast.AST, *, bases_only: bool = False) -> set[str]:
    """The names and attributes in an expression; of targets, those that are written to."""
    if bases_only:
        while isinstance(node, ast.Subscript | ast.Starred):
            node = node.value
        if isinstance(node, ast.Tuple | ast.List):
            return {name for item in node.elts for name in _names(item, bases_only=True)}
        return {_name(node)} - {""}
    found = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return found | {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute) and _is_self(inner)}


def _is_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _function(case: Case, file: str, line: int) -> str:
    return enclosing(tree_of(case.sources, file), line)


def _source_file(case: Case, file: str) -> str | None:
    """The user's file that a warning names, which may name it by a relative path."""
    sources = case.recording.sources
    if file in sources:
        return file
    bare = file.removeprefix("./")
    return next((known for known in sources if bare and known.endswith(f"/{bare}")), None)
