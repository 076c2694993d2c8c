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
from whydied.source.holder_fills import HolderFill
from whydied.source.holder_uses import Uses
from whydied.source.text import Source
from whydied.source.trees import Function, across, around, walk, within, written

_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript)
_DICTS = frozenset({"dict", "OrderedDict", "defaultdict", "Counter", "_DictWrapper", "TrackedDict"})
_SETS = frozenset({"set", "TrackedSet"})
LISTS = frozenset({"list", "ListWrapper", "TrackedList"})


class _Kept(NamedTuple):
    """The statement that fills a container, and the expression that it keeps."""

    statement: ast.stmt
    value: ast.expr


def not_kept(sources: Mapping[str, Source], fill: HolderFill, uses: Uses, collect: bool = False) -> list[Edit]:
    """The items let go, where nobody reads them: the statement without the container, or with `None` in it where its
    length counts; and collected where they wait for that. What makes an item is still done."""
    source, kept = _kept(sources, fill)
    if source is None or kept is None or uses.is_read:
        return []
    done = not isinstance(kept.value, _PLAIN)
    if collect:
        after = line_after(source, fill.file, kept.statement.lineno, "gc.collect()")
        return (
            [*imported(source, fill.file, "gc"), over(source, fill.file, kept.value, "None"), after] if not done else []
        )
    if not uses.is_counted:
        gone = left_out(source, fill.file, kept.statement)
        return [over(source, fill.file, kept.statement, written_in(source, kept.value))] if done else _listed(gone)
    edits = [over(source, fill.file, kept.value, "None")]
    above = line_before(source, fill.file, kept.statement.lineno, written_in(source, kept.value))
    return [above, *edits] if done else edits


def read_anew(sources: Mapping[str, Source], file: str, name: str) -> tuple[int, list[Edit]]:
    """`itertools.cycle(load())`, which keeps all that it went through, as a generator that loads anew each time; with
    its line. Only where what it goes through is made by a call."""
    source = sources.get(file)
    for node in walk(source.tree, ast.Assign) if source is not None else []:
        call = node.value
        if source is None or not isinstance(call, ast.Call) or callee(call) != "cycle" or len(call.args) != 1:
            continue
        if [written(target) for target in node.targets] != [name]:
            continue
        if not isinstance(call.args[0], ast.Call):
            return node.lineno, []
        text = f"(one for _ in itertools.count() for one in {written_in(source, call.args[0])})"
        return node.lineno, [*imported(source, file, "itertools"), over(source, file, call, text)]
    return 0, []


def let_go(source: Source, file: str, function: str, name: str) -> list[Edit]:
    """`del name` below the last statement of a function that needs a variable, where others follow."""
    scopes = [node for node in ast.walk(source.tree) if isinstance(node, Function) and node.name == function]
    body = scopes[0].body if len(scopes) == 1 else []
    using = [one for one in body if name in {node.id for node in walk(one, ast.Name)}]
    inner = [node for one in using for node in walk(one, (ast.FunctionDef, ast.Lambda))]
    if not using or using[-1] is body[-1] or inner or isinstance(using[-1], ast.Return):
        return []
    return (
        [line_after(source, file, using[-1].end_lineno or using[-1].lineno, f"del {name}")]
        if (not hasattr(using[-1], "body"))
        else [line_before(source, file, body[body.index(using[-1]) + 1].lineno, f"del {name}")]
    )


def fills_cache(sources: Mapping[str, Source], fill: HolderFill) -> bool:
    """Whether a statement adds what is missing, and would do so again: `if k not in items: items[k] = make(k)`."""
    source = sources.get(fill.file)
    tests = [node.test for node in around(source.tree, fill.line, ast.If)] if source is not None else []
    missing = [test for test in tests if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn)]
    return any(written(test.comparators[0]) == fill.name for test in missing)


def without_parts(
    sources: Mapping[str, Source], fill: HolderFill, collect: bool = False
) -> tuple[list[str], list[Edit]]:
    """`None` for the entries of a dictionary written out, here or in the function that gives it, that the program never
    reads by their keys; with those keys. Only where entries are read by keys alone."""
    source, kept = _kept(sources, fill)
    file, record = _record(sources, fill.file, kept.value) if kept is not None else ("", None)
    if source is None or kept is None or record is None:
        return [], []
    read = {
        node.value
        for one in sources.values()
        for holder in ast.walk(one.tree)
        for node in _keys(holder)
        if isinstance(node, ast.Constant)
    }
    entries = zip(record.keys, record.values, strict=True)
    unread = [
        (str(key.value), value)
        for key, value in entries
        if isinstance(key, ast.Constant) and key.value not in read and isinstance(value, _PLAIN)
        if not isinstance(value, ast.Constant)
    ]
    whole = any(
        callee(call) in ("values", "items", "DataFrame", "dump", "dumps") for _, call in across(sources, ast.Call)
    )
    if whole:
        return [], []
    edits = [over(sources[file], file, value, "None") for _, value in unread]
    if collect and edits:
        after = line_after(source, fill.file, kept.statement.lineno, "gc.collect()")
        edits = [*imported(source, fill.file, "gc"), *edits, after]
    return [key for key, _ in unread], edits


def _record(sources: Mapping[str, Source], file: str, value: ast.expr) -> tuple[str, ast.Dict | None]:
    """A dictionary as it is written out, and its file."""
    if isinstance(value, ast.Dict):
        return file, value
    name = callee(value) if isinstance(value, ast.Call) else ""
    found = [(where, one) for where, one in across(sources, ast.FunctionDef) if name and one.name == name]
    returned = [one.value for one in within(found[0][1]) if isinstance(one, ast.Return)] if len(found) == 1 else []
    record = returned[0] if len(returned) == 1 else None
    return found[0][0] if found else file, record if isinstance(record, ast.Dict) else None


def _keys(node: ast.AST) -> list[ast.expr]:
    """What a node asks a dictionary for."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return [node.slice]
    if isinstance(node, ast.Call) and callee(node) in ("get", "pop", "itemgetter"):
        return node.args
    return []


def reduced(sources: Mapping[str, Source], fill: HolderFill, uses: Uses) -> list[Edit]:
    """A mean, a sum or an extreme of each item instead of the item, where the program takes just that of all."""
    source, kept = _kept(sources, fill)
    if source is None or kept is None or not uses.statistic:
        return []
    return [over(source, fill.file, kept.value, f"{uses.statistic}({written_in(source, kept.value)})")]


def narrowed_items(sources: Mapping[str, Source], fill: HolderFill, dtype: str) -> list[Edit]:
    """The items of a smaller type, where a comprehension or a loop over something that ends fills the container."""
    source = sources.get(fill.file)
    if source is None:
        return []
    value = _item(source, fill)
    if value is None or isinstance(value, ast.Tuple | ast.List | ast.Dict | ast.Starred):
        return []
    return [_called_on(source, fill, value, f'astype("{dtype}")')]


def _item(source: Source, fill: HolderFill) -> ast.expr | None:
    node = statement_at(source, fill.line)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.ListComp):
        return node.value.elt
    kept = _kept({fill.file: source}, fill)[1]
    is_bounded = bool(around(source.tree, fill.line, ast.For)) and not around(source.tree, fill.line, ast.While)
    return kept.value if kept is not None and is_bounded else None


def detached(sources: Mapping[str, Source], fill: HolderFill) -> list[Edit]:
    """A tensor of PyTorch without the graph that it was computed by."""
    source, kept = _kept(sources, fill)
    if source is None or kept is None or isinstance(kept.value, ast.Tuple | ast.List | ast.Dict):
        return []
    return [_called_on(source, fill, kept.value, "detach()")]


def _called_on(source: Source, fill: HolderFill, value: ast.expr, method: str) -> Edit:
    """What a method of an item gives, in the place of the item."""
    text = written_in(source, value)
    whole = text if isinstance(value, (*_PLAIN, ast.Call)) else f"({text})"
    return over(source, fill.file, value, f"{whole}.{method}")


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
    if container in LISTS:
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
