"""Edits of the statement that fills a container: less is kept of each item, or only the last ones stay. Pure.

What else the program does with the container decides: what nobody reads need not be kept, what is only counted needs
no content, and of what only a mean or a sum is taken that is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, line_after, line_before, over, written_in
from whydied.source.edits.import_edits import imported
from whydied.source.edits.statement_edits import left_out, statement_at
from whydied.source.holder_fills import HolderFill, HolderName
from whydied.source.text import Source
from whydied.source.trees import Function, across, last_name, walk, written

_MAKERS = frozenset({"list", "dict", "set", "deque", "OrderedDict", "defaultdict"})
_JOINING = frozenset({"stack", "concatenate", "concat", "array", "asarray", "vstack", "hstack"})
_STATISTICS = frozenset({"mean", "sum", "max", "min", "amax", "amin"})
_IN_TENSORFLOW = "reduce_"
_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript)
_DICTS = frozenset({"dict", "OrderedDict", "defaultdict", "Counter", "_DictWrapper", "TrackedDict"})
_SETS = frozenset({"set", "TrackedSet"})
_LISTS = frozenset({"list", "ListWrapper", "TrackedList"})


class Uses(NamedTuple):
    """What a program does with a container besides filling it. `statistic` is the function that is all that it is
    handed to, as it is written (`np.mean`)."""

    is_read: bool
    is_counted: bool
    statistic: str = ""


class _Kept(NamedTuple):
    """The statement that fills a container, and the expression that it keeps."""

    statement: ast.stmt
    value: ast.expr


def uses_of(sources: Mapping[str, Source], path: str) -> Uses | None:
    """None where the container is made at several places or at none, so that its uses are not to be told apart from
    another's of the same name."""
    name = HolderName.of(path)
    if name is None:
        return None
    made, read, counted = 0, [], False
    for source in sources.values():
        parents = {id(child): node for node in ast.walk(source.tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.Name | ast.Attribute) or not name.is_written(node):
                continue
            if _is_made(node, parents):
                made += 1
            elif _is_count(node, parents):
                counted = True
            elif not _is_fill(node, parents) and not _is_returned_to_nobody(node, parents, sources):
                read.append(_statistic(node, parents))
    if made != 1:
        return None
    return Uses(bool(read), counted, read[0] if read and len(set(read)) == 1 else "")


def not_kept(sources: Mapping[str, Source], fill: HolderFill, uses: Uses) -> list[Edit]:
    """The items let go, where nobody reads them: the statement without the container, or with `None` in it where its
    length counts. What makes an item is still done."""
    source, kept = _kept(sources, fill)
    if source is None or kept is None or uses.is_read:
        return []
    done = not isinstance(kept.value, _PLAIN)
    if not uses.is_counted:
        gone = left_out(source, fill.file, kept.statement)
        return [over(source, fill.file, kept.statement, written_in(source, kept.value))] if done else _listed(gone)
    edits = [over(source, fill.file, kept.value, "None")]
    above = line_before(source, fill.file, kept.statement.lineno, written_in(source, kept.value))
    return [above, *edits] if done else edits


def reduced(sources: Mapping[str, Source], fill: HolderFill, uses: Uses) -> list[Edit]:
    """A mean, a sum or an extreme of each item instead of the item, where the program takes just that of all."""
    source, kept = _kept(sources, fill)
    if source is None or kept is None or not uses.statistic:
        return []
    return [over(source, fill.file, kept.value, f"{uses.statistic}({written_in(source, kept.value)})")]


def detached(sources: Mapping[str, Source], fill: HolderFill) -> list[Edit]:
    """A tensor of PyTorch without the graph that it was computed by."""
    source, kept = _kept(sources, fill)
    if source is None or kept is None or isinstance(kept.value, ast.Tuple | ast.List | ast.Dict):
        return []
    text = written_in(source, kept.value)
    plain = isinstance(kept.value, (*_PLAIN, ast.Call))
    return [over(source, fill.file, kept.value, f"{text}.detach()" if plain else f"({text}).detach()")]


def trimmed(
    sources: Mapping[str, Source], fill: HolderFill, name: str, container: str, most: int, collect: bool = False
) -> list[Edit]:
    """All but the last items dropped each time that one is added, and collected where they wait for it."""
    source = sources.get(fill.file)
    node = statement_at(source, fill.line) if source is not None else None
    if source is None or node is None or hasattr(node, "body") or hasattr(node, "cases"):
        return []
    numbered = _numbered(source, fill, node, most)
    if numbered is not None:
        return [numbered]
    if container in _LISTS:
        lines = [f"del {name}[:-{most}]"]
    elif container in _DICTS:
        lines = [f"while len({name}) > {most}:", f"    del {name}[next(iter({name}))]"]
    elif container in _SETS:
        lines = [f"while len({name}) > {most}:", f"    {name}.pop()"]
    else:
        return []
    if isinstance(node, ast.Assign) and not any(isinstance(one, ast.Subscript) for one in node.targets):
        # It makes the whole container at once.
        return []
    indent = source.lines[node.lineno - 1][: node.col_offset]
    if indent.strip():
        return []
    text = f"\n{indent}".join([*lines, "gc.collect()"] if collect else lines)
    if isinstance(node, ast.Return):
        edit = line_before(source, fill.file, node.lineno, text)
    else:
        edit = line_after(source, fill.file, node.lineno, text)
    return [*(imported(source, fill.file, "gc") if collect else []), edit]


def _numbered(source: Source, fill: HolderFill, node: ast.stmt, most: int) -> Edit | None:
    """`words.setdefault(word, len(words))` numbers what it has not seen: what comes when it is full gets 0."""
    for call in walk(node, ast.Call):
        if callee(call) != "setdefault" or len(call.args) != 2 or not isinstance(call.func, ast.Attribute):
            continue
        key, number = call.args
        holder = written_in(source, call.func.value)
        if holder == fill.name and isinstance(number, ast.Call) and callee(number) == "len":
            known = f"{holder}.get({written_in(source, key)}, 0)"
            whole = written_in(source, call)
            return over(source, fill.file, call, f"({whole} if len({holder}) < {most} else {known})")
    return None


def _kept(sources: Mapping[str, Source], fill: HolderFill) -> tuple[Source | None, _Kept | None]:
    """What a statement of its own keeps: of `items.append(x)` and `items[key] = x` it is `x`."""
    source = sources.get(fill.file)
    node = statement_at(source, fill.line) if source is not None else None
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    if isinstance(node, ast.Expr) and call is not None and isinstance(call.func, ast.Attribute):
        adds = call.func.attr in ("append", "appendleft", "add") and written(call.func.value) == fill.name
        if adds and len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred):
            return source, _Kept(node, call.args[0])
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if isinstance(node, ast.Assign) and isinstance(target, ast.Subscript) and written(target.value) == fill.name:
        return source, _Kept(node, node.value)
    return source, None


def _listed(edit: Edit | None) -> list[Edit]:
    return [edit] if edit is not None else []


def _is_made(node: ast.expr, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    if not isinstance(parent, ast.Assign | ast.AnnAssign) or not isinstance(node.ctx, ast.Store):  # type: ignore[attr-defined]
        return False
    value = parent.value
    if isinstance(value, ast.Call):
        return callee(value) in _MAKERS
    return isinstance(value, ast.List | ast.Dict) and not (value.elts if isinstance(value, ast.List) else value.values)


def _is_count(node: ast.expr, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    return isinstance(parent, ast.Call) and callee(parent) == "len" and node in parent.args


def _is_fill(node: ast.expr, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.ctx, ast.Store) and parent.value is node
    outer = parents.get(id(parent))
    filling = isinstance(parent, ast.Attribute) and parent.attr in ("append", "appendleft", "add")
    return filling and isinstance(outer, ast.Call) and isinstance(parents.get(id(outer)), ast.Expr)


def _is_returned_to_nobody(node: ast.expr, parents: dict[int, ast.AST], sources: Mapping[str, Source]) -> bool:
    """`return items` of a function whose result no call uses."""
    parent = parents.get(id(node))
    if not isinstance(parent, ast.Return):
        return False
    function: ast.AST | None = parent
    while function is not None and not isinstance(function, Function):
        function = parents.get(id(function))
    if not isinstance(function, Function):
        return False
    named = [one for _, one in across(sources, (ast.Name, ast.Attribute)) if last_name(one) == function.name]
    alone = [
        one.value.func
        for _, one in across(sources, ast.Expr)
        if isinstance(one.value, ast.Call) and callee(one.value) == function.name
    ]
    return bool(named) and len(named) == len(alone)


def _statistic(node: ast.expr, parents: dict[int, ast.AST]) -> str:
    """The function that takes one number of the container, also of all of it joined; "" where it is used otherwise."""
    parent = parents.get(id(node))
    if isinstance(parent, ast.Call) and callee(parent) in _JOINING and parent.args[:1] == [node]:
        node, parent = parent, parents.get(id(parent))
    if not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
        return ""
    plain = callee(parent).removeprefix(_IN_TENSORFLOW)
    return written(parent.func) if plain in _STATISTICS and isinstance(parent.func, ast.Attribute) else ""
