"""Sessions of TensorFlow 1 in the source: placeholders, feeds, fetches, variables and their initialisers. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from whydied.source.assignments import assigned, unpacked
from whydied.source.calls import argument, callee, method_calls, passed_argument
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import across, around, located, nodes_at, scope_at, tree_of, walk, within, written

_VARIABLES = {"Variable", "get_variable"}
_INITIALISING = {"global_variables_initializer", "initialize_all_variables", "variables_initializer"}


def placeholder(sources: Mapping[str, Source], node: str) -> tuple[str, Location | None]:
    """A placeholder as the source calls it, with its line: by its `name=`, else as the n-th that has none."""
    unnamed: list[tuple[str, Location]] = []
    for file, statement in across(sources, ast.Assign):
        for target, call in unpacked(statement.targets[0], statement.value) if len(statement.targets) == 1 else ():
            if not isinstance(call, ast.Call) or callee(call) != "placeholder":
                continue
            made = written(target), Location(file=file, line=statement.lineno)
            given = passed_argument(call, "name")
            if isinstance(given, ast.Constant) and given.value == node.rpartition("/")[2]:
                return made
            if given is None:
                unnamed.append(made)
    number = re.fullmatch(r"(?:.*/)?Placeholder(?:_(\d+))?", node)
    at = int(number[1] or 0) if number else None
    return unnamed[at] if at is not None and at < len(unnamed) else (node, None)


def as_key(sources: Mapping[str, Source], place: Location, name: str) -> str:
    """A placeholder as the feed of a line writes such: `net.rate` for `self.rate` where that is not its class."""
    if not name.startswith("self."):
        return name
    feeds = [node for node in nodes_at(sources, place) if isinstance(node, ast.Dict)]
    keys = [written(key) for feed in feeds for key in feed.keys if isinstance(key, ast.Attribute)]
    bases = {key.rpartition(".")[0] for key in keys}
    return f"{bases.pop()}.{name.removeprefix('self.')}" if len(bases) == 1 else name


def fed_for(sources: Mapping[str, Source], place: Location, name: str) -> str | None:
    """The value for a placeholder, where the feed is written out: on the line, or in a dict that it names."""
    nodes = nodes_at(sources, place)
    for variable in [node.id for node in nodes if isinstance(node, ast.Name)]:
        nodes += [one.value for one in assigned(variable, tree_of(sources, place.file))]
    for node in nodes:
        for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
            if key is not None and written(key) == name:
                return written(value)
    return None


def fed_value(sources: Mapping[str, Source], place: Location) -> str | None:
    """The first value of a feed (`{x: rows}`, `feed_dict=feed`) as the source writes it."""
    for node in nodes_at(sources, place):
        if isinstance(node, ast.Dict) and node.values:
            return written(node.values[0])
    return argument(sources, place, "run", "feed_dict") or argument(sources, place, "eval", "feed_dict")


def fetched(sources: Mapping[str, Source], place: Location) -> set[str]:
    """The expressions in the first argument of `run`."""
    given = [
        passed_argument(call, "0") or passed_argument(call, "fetches")
        for _, call in method_calls(nodes_at(sources, place), ("run",))
    ]
    return {written(part) for one in given if one is not None for part in walk(one, ast.expr)}


def variable(sources: Mapping[str, Source], node: str) -> tuple[str, Location] | None:
    """The name and the line that the source has for a variable: by its `name`, else by the name it is assigned to."""
    last = node.rpartition("/")[2]
    for file, statement in across(sources, ast.Assign):
        call, target = statement.value, written(statement.targets[0])
        if not isinstance(call, ast.Call) or callee(call) not in _VARIABLES:
            continue
        given = [*call.args, passed_argument(call, "name")]
        named = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if last in named or (not named and target == last):
            return target, located(sources, file, statement.lineno)
    return None


def in_graph_block(source: Source, line: int) -> bool:
    """Whether a line stands in a block of a session or a graph: there the default graph cannot be reset."""
    texts = [written(item.context_expr) for block in around(source.tree, line, ast.With) for item in block.items]
    return any("Session" in text or "as_default" in text for text in texts)


def initialisers(sources: Mapping[str, Source]) -> list[Location]:
    """The statements that make an initialiser of variables."""
    return [
        located(sources, file, call.lineno) for file, call in across(sources, ast.Call) if callee(call) in _INITIALISING
    ]


def initialised_on(source: Source, line: int) -> list[int]:
    """The lines that run the initialiser which the statement at a line assigns."""
    names = {written(node.targets[0]) for node in walk(source.tree, ast.Assign) if node.lineno == line and node.targets}
    runs = [call for _, call in method_calls(walk(source.tree, ast.Call), ("run",))]
    return sorted(call.lineno for call in runs if call.args and written(call.args[0]) in names)


def may_initialise(sources: Mapping[str, Source]) -> bool:
    """Whether anything in the program can give variables their values."""
    text = "\n".join("\n".join(source.lines) for source in sources.values())
    return bool(initialisers(sources)) or "initializer" in text or "restore(" in text


class Binding(NamedTuple):
    """A place that gives a name a value; `value` is the expression, `loop` says that it is a loop's variable."""

    place: Location
    value: ast.expr | None
    loop: bool


def bindings(sources: Mapping[str, Source], place: Location, name: str) -> list[Binding]:
    """What gives a name its value, as seen from a line: in the function where it is that function's own, else in the
    module; an attribute everywhere in the program's classes."""
    found: list[Binding] = []
    if "." in name:
        last = name.rpartition(".")[2]
        for file, made in across(sources, ast.Assign):
            if any(isinstance(one, ast.Attribute) and one.attr == last for one in made.targets):
                found.append(Binding(located(sources, file, made.lineno), made.value, False))
        return found
    tree = tree_of(sources, place.file)
    scope = scope_at(tree, place.line)
    if scope is not tree and name not in {one for node in within(scope) for one in _stored(node)}:
        scope = tree
    for node in within(scope):
        if name in _stored(node):
            value = getattr(node, "value", None) or getattr(node, "iter", None)
            loop = isinstance(node, ast.For | ast.AsyncFor)
            found.append(Binding(located(sources, place.file, getattr(node, "lineno", 0)), value, loop))
    return sorted(found, key=lambda one: one.place.line)


def _stored(node: ast.AST) -> set[str]:
    """The names that a statement itself binds."""
    parts: list[ast.AST] = []
    if isinstance(node, ast.Assign):
        parts = list(node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr | ast.For | ast.AsyncFor):
        parts = [node.target]
    elif isinstance(node, ast.With):
        parts = [item.optional_vars for item in node.items if item.optional_vars is not None]
    names = {one for part in parts for one in walk(part, ast.Name)}
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def calls_any(value: ast.expr | None, names: Collection[str]) -> bool:
    """Whether an expression calls a function of one of these names."""
    return value is not None and any(callee(call) in names for call in walk(value, ast.Call))


class LimitedSaver(NamedTuple):
    """A line that makes a saver for some variables, with which the program saves; `text` is what it is given."""

    file: str
    line: int
    text: str


def limited_savers(sources: Mapping[str, Source]) -> list[LimitedSaver]:
    """The savers that save less than all variables, as far as the source tells."""
    found = []
    for file, source in sources.items():
        for owner, call in method_calls(ast.walk(source.tree), ("save",)):
            scope = scope_at(source.tree, call.lineno)
            made = [one for one in assigned(written(owner), scope) if one.line <= call.lineno]
            value = made[-1].value if made else owner
            if isinstance(value, ast.Call) and callee(value) == "Saver":
                given = passed_argument(value, "var_list") or passed_argument(value, "0")
                if given is not None and "global_variables" not in written(given):
                    found.append(LimitedSaver(file, value.lineno, written(given)))
    return found
