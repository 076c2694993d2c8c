"""Sessions of TensorFlow 1 in the source: placeholders, feeds, fetches, variables and their initialisers. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from whydied.source.assignments import assigned, unpacked
from whydied.source.calls import argument, callee, method_calls, passed_argument
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import across, located, nodes_at, tree_of, walk, written

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


def overwritten(sources: Mapping[str, Source], file: str, name: str) -> Location | None:
    """The statement that assigns the result of a `run` to the name of a tensor."""
    for node in walk(tree_of(sources, file), ast.Assign):
        runs = any(method_calls([node.value], ("run", "eval")))
        if runs and name in [written(part) for target in node.targets for part in ast.walk(target)]:
            return located(sources, file, node.lineno)
    return None


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


def initialisers(sources: Mapping[str, Source]) -> list[Location]:
    """The statements that make an initialiser of variables."""
    return [
        located(sources, file, call.lineno) for file, call in across(sources, ast.Call) if callee(call) in _INITIALISING
    ]


def may_initialise(sources: Mapping[str, Source]) -> bool:
    """Whether anything in the program can give variables their values."""
    text = "\n".join("\n".join(source.lines) for source in sources.values())
    return bool(initialisers(sources)) or "initializer" in text or "restore(" in text
