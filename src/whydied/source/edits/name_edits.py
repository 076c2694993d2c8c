"""Edits of names: a variable, an attribute, an imported name or a key written otherwise. Pure.

What is not plain, such as a text that stands in two places, gives no edit.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from whydied.source.edits.edit import Edit, end_of, over, written_in
from whydied.source.text import Source
from whydied.source.trees import across, nodes_on, walk, written


def rename_name(source: Source, file: str, line: int, old: str, new: str) -> list[Edit]:
    """A variable that is read: everywhere in the file where nothing gives it a value, else in the statement alone."""
    every = [node for node in walk(source.tree, ast.Name) if node.id == old]
    if any(isinstance(node.ctx, ast.Store) for node in every) or _is_bound(source.tree, old):
        every = [node for node in nodes_on(source, line) if isinstance(node, ast.Name) and node.id == old]
    return [over(source, file, node, new) for node in every if isinstance(node.ctx, ast.Load)]


def _is_bound(tree: ast.Module, name: str) -> bool:
    """Whether a parameter or an import has a name."""
    parameters = {node.arg for node in walk(tree, ast.arg)}
    imported = {alias.asname or alias.name for alias in walk(tree, ast.alias)}
    return name in parameters | imported


def rename_attribute(sources: Mapping[str, Source], file: str, line: int, old: str, new: str) -> list[Edit]:
    """An attribute that is missing, wherever the file reads it of that object. Where several lines read it and nothing
    reads the other, the one assignment of the other is at fault."""
    stored = [(where, node) for where, node in across(sources, ast.Attribute) if node.attr == new]
    read = [node for _, node in across(sources, ast.Attribute) if node.attr == old]
    if len(read) > 1 and len(stored) == 1 and isinstance(stored[0][1].ctx, ast.Store):
        where, node = stored[0]
        return [attribute_name(sources[where], where, node, old)]
    here = [node for node in nodes_on(sources[file], line) if isinstance(node, ast.Attribute) and node.attr == old]
    objects = {written(node.value) for node in here}
    if len(objects) != 1:
        return []
    every = [node for node in walk(sources[file].tree, ast.Attribute) if node.attr == old]
    return [attribute_name(sources[file], file, node, new) for node in every if written(node.value) in objects]


def attribute_name(source: Source, file: str, node: ast.Attribute, new: str) -> Edit:
    """The name behind the point."""
    line, column = end_of(source, node)
    return Edit(file, (line, column - len(node.attr)), (line, column), new)


def rename_imported(source: Source, file: str, line: int, old: str, new: str) -> list[Edit]:
    """A name in an import, and where the file uses it."""
    found = [node for node in nodes_on(source, line) if isinstance(node, ast.Import | ast.ImportFrom)]
    if len(found) != 1:
        return []
    node = found[0]
    if isinstance(node, ast.Import) and "." in old and not all(alias.asname for alias in node.names):
        return []
    text = written_in(source, node)
    changed = re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w])", lambda _: new, text)
    hidden = any(alias.asname for alias in node.names if alias.name == old)
    of_module = isinstance(node, ast.ImportFrom) and node.module is not None and _begins(node.module, old)
    used = [] if hidden or of_module else [one for one in walk(source.tree, ast.Name) if one.id == old]
    return [over(source, file, node, changed), *(over(source, file, one, new) for one in used)]


def _begins(module: str, name: str) -> bool:
    return f"{module}.".startswith(f"{name}.")


def rename_key(sources: Mapping[str, Source], file: str, line: int, old: str, new: str) -> list[Edit]:
    """A key that is missing: where it is asked for; where the program has it elsewhere too, the one place that gives
    the other its value. What nothing writes was made of the one that is asked for (columns in lower case)."""
    given, other = _given(sources, old), _given(sources, new)
    if given and other:
        return _in_text(sources, *other[0], new, old) if len(other) == 1 and _times(sources, new) == 1 else []
    source = sources[file]
    asked = [node for node in nodes_on(source, line) if isinstance(node, ast.Constant) and node.value == old]
    asked = [node for node in asked if not any(node is one for _, one in given)]
    if len(asked) == 1:
        return _in_text(sources, file, asked[0], old, new)
    if not given:
        return replace_text(sources, old, new)
    constants = [(where, one) for where, one in across(sources, ast.Constant) if one.value == old]
    others = [(where, node) for where, node in constants if not any(node is one for _, one in given)]
    return _in_text(sources, *others[0], old, new) if len(others) == 1 and not asked else []


def _given(sources: Mapping[str, Source], key: str) -> list[tuple[str, ast.Constant]]:
    """The places that give a key a value."""
    found = [(file, one) for file, node in across(sources, ast.Dict) for one in node.keys]
    found += [(file, node.slice) for file, node in across(sources, ast.Subscript) if isinstance(node.ctx, ast.Store)]
    return [(file, one) for file, one in found if isinstance(one, ast.Constant) and one.value == key]


def _times(sources: Mapping[str, Source], text: str) -> int:
    return sum(node.value == text for _, node in across(sources, ast.Constant))


def replace_text(sources: Mapping[str, Source], old: str, new: str) -> list[Edit]:
    """A text of the program, where just one has `old` as a word of its own."""
    word = _word(old)
    found = [
        (file, node)
        for file, node in across(sources, ast.Constant)
        if isinstance(node.value, str) and word.search(node.value) and "\n" not in node.value
    ]
    return _in_text(sources, *found[0], old, new) if len(found) == 1 else []


def replace_text_on(sources: Mapping[str, Source], file: str, line: int, old: str, new: str) -> list[Edit]:
    """The same in the statement at a line alone."""
    source = sources[file]
    texts = [node for node in nodes_on(source, line) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    found = [node for node in texts if _word(old).search(str(node.value))]
    return _in_text(sources, file, found[0], old, new) if len(found) == 1 else []


def replace_ending(sources: Mapping[str, Source], old: str, new: str) -> list[Edit]:
    """The last part of a path, in every text that is it or ends in it, but for keys, names and what is compared."""
    others = {
        node
        for _, part in across(sources, (ast.Dict, ast.Subscript, ast.Compare, ast.keyword))
        for node in _plain(part)
    }
    whole = re.compile(rf"(?s)(.*(?:/|[\"'])){re.escape(old)}([\"']+)")
    edits = []
    for file, node in across(sources, ast.Constant):
        if node in others or not isinstance(node.value, str):
            continue
        if node.value == old or node.value.endswith(f"/{old}"):
            found = whole.fullmatch(written_in(sources[file], node))
            if found is not None:
                edits.append(over(sources[file], file, node, f"{found[1]}{new}{found[2]}"))
    return edits


def _plain(node: ast.AST) -> list[ast.expr | None]:
    """What is no path in a node: keys of a dict, an index, what is compared, an argument that is called otherwise."""
    if isinstance(node, ast.Dict):
        return list(node.keys)
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    is_path = isinstance(node, ast.keyword) and ("path" in (node.arg or "") or "file" in (node.arg or ""))
    return [node.value] if isinstance(node, ast.keyword) and not is_path else []


def _in_text(sources: Mapping[str, Source], file: str, node: ast.Constant, old: str, new: str) -> list[Edit]:
    """A part of a constant, whose quotes and prefix stay."""
    text = written_in(sources[file], node)
    changed, number = _word(old).subn(lambda _: new, text)
    return [over(sources[file], file, node, changed)] if number == 1 else []


def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
