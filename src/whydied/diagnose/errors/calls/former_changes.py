"""What became of a former name, argument or value of a library of data, as changes of source. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from whydied.records import ApiMissed, Frame
from whydied.source.edits.call_edits import walk_calls
from whydied.source.edits.edit import Change, Edit, Harm, over, start_of, written_in
from whydied.source.former import present_forms as forms
from whydied.source.former.column_encoders import ARGUMENT, as_column_transformer
from whydied.source.former.former_entry import Former
from whydied.source.former.present_forms import Names
from whydied.source.former.table import BY_KEY, MODULES
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk, written

_KIND = "api-name"
_ALSO_OF_LISTS = frozenset({"append", "sort", "first", "last", "select"})
"""Methods that lists and other objects have too: only the failing one is known to be of a table."""
_AS_BEFORE: Harm = "same result"


def former_changes(sources: Mapping[str, Source], found: ApiMissed) -> list[Change]:
    """The failing statement, and those that are sure to fail likewise, in their new forms; one change for each form."""
    frame = found.frame
    source = sources.get(frame.file) if frame is not None else None
    if frame is None or source is None:
        return []
    if found.by_position:
        return _by_position(source, frame, found)
    entries = [BY_KEY[key] for key in found.former if key in BY_KEY]
    imported = [
        node
        for node in nodes_on(source, frame.line)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == found.library
    ]
    if imported:
        return _imports(sources, source, frame, imported[0])
    made: list[Change] = []
    for entry in entries:
        for form in entry.forms:
            names = Names(sources, frame.file)
            edits = _edits(source, frame, found, entry, form, names)
            if edits:
                made.append(Change(title=_title(source, form, edits), kind=_KIND, edits=edits, harm=_AS_BEFORE))
    return made


def _edits(source: Source, frame: Frame, found: ApiMissed, entry: Former, form: str, names: Names) -> list[Edit]:
    file = frame.file
    if entry.argument == ARGUMENT:
        calls = [one for one in walk_calls(source, frame.line) if ARGUMENT in {word.arg for word in one.keywords}]
        return forms.together(names, as_column_transformer(source, file, names, calls[0])) if len(calls) == 1 else []
    if entry.old == "matplotlib.use":
        literals = [one for one in walk(source.tree, ast.Constant) if repr(one.value) == entry.value]
        return [over(source, file, one, form) for one in literals]
    if entry.argument:
        return _arguments(source, file, frame, found, entry, form, names)
    uses = forms.uses(source.tree, found.written)
    on_line = [one for one in nodes_on(source, frame.line) if one in uses]
    last = found.written.rpartition(".")[2]
    if found.kind == "method":
        uses = on_line if last in _ALSO_OF_LISTS else [*on_line, *_of_any_object(source, last, on_line)]
    # A whole statement, such as one that sets a value, is one only where it stands by itself.
    edits = [forms.of_use(source, file, names, one, entry, form) for one in uses]
    return forms.together(names, edits) if on_line else []


def _of_any_object(source: Source, name: str, known: Sequence[ast.AST]) -> list[ast.Attribute]:
    """The same method of other objects: tables alone ever had one of that name."""
    found = [one for one in walk(source.tree, ast.Attribute) if one.attr == name and isinstance(one.ctx, ast.Load)]
    return [one for one in found if one not in known]


def _arguments(
    source: Source, file: str, frame: Frame, found: ApiMissed, entry: Former, form: str, names: Names
) -> list[Edit]:
    """The argument of the failing call, and of the other calls that give it to a callee of that name."""
    callee = found.callee.rpartition(".")[2]
    calls = [
        one
        for one in walk(source.tree, ast.Call)
        if written(one.func).rpartition(".")[2] == callee and _gives(one, entry)
    ]
    on_line = [one for one in walk_calls(source, frame.line) if one in calls]
    edits = [forms.of_argument(source, file, names, one, entry, form) for one in calls]
    return forms.together(names, edits) if on_line else []


def _gives(call: ast.Call, entry: Former) -> bool:
    return any(word.arg == entry.argument and entry.value in ("", ast.unparse(word.value)) for word in call.keywords)


def _title(source: Source, form: str, edits: list[Edit]) -> str:
    own = [one for one in edits if one.start != one.end]
    shown = own[0].text if own else edits[-1].text.strip()
    return f"Write `{shown}`" if shown.strip() else "Leave the argument out"


def _by_position(source: Source, frame: Frame, found: ApiMissed) -> list[Change]:
    """Positional arguments under their names, wherever the same callee is given as many."""
    calls = [one for one in walk_calls(source, frame.line) if written(one.func) == found.callee]
    if not calls:
        return []
    count, names = len(calls[0].args), found.by_position
    last = found.callee.rpartition(".")[2]
    alike = [
        one
        for one in walk(source.tree, ast.Call)
        if written(one.func).rpartition(".")[2] == last
        and len(one.args) == count
        and one not in calls
        and not any(isinstance(arg, ast.Starred) for arg in one.args)
        and not {word.arg for word in one.keywords} & set(names)
    ]
    edits = []
    for call in [*calls[:1], *alike]:
        for name, value in zip(names, call.args[-len(names) :], strict=True):
            edits.append(over(source, frame.file, value, f"{name}={written_in(source, value)}"))
    shown = ", ".join(edit.text for edit in edits[: len(names)])
    return [Change(title=f"Write `{shown}`", kind=_KIND, edits=edits, harm=_AS_BEFORE)]


def _imports(sources: Mapping[str, Source], source: Source, frame: Frame, node: ast.ImportFrom) -> list[Change]:
    """An import with every name from where it is now, and the uses of those that are written otherwise."""
    names, edits = Names(sources, frame.file), list[Edit]()
    lines: dict[str, list[str]] = {}
    for alias in node.names:
        own, old = alias.asname or alias.name, f"{node.module}.{alias.name}"
        entry = next((one for one in BY_KEY.values() if one.old == old and not one.argument), None)
        home = MODULES.get(node.module or "", node.module or "")
        if entry is None:
            lines.setdefault(f"from {home} import ", []).append(_aliased(alias.name, alias.asname))
            continue
        if not entry.forms:
            return []
        form = entry.forms[0]
        plain = form.strip("<>")
        if form == f"<{plain}>":
            module, _, name = plain.rpartition(".")
            if not module:
                lines[f"import {plain}" + (f" as {own}" if own != plain else "")] = []
                continue
            if name == alias.name or alias.asname:
                lines.setdefault(f"from {module} import ", []).append(_aliased(name, alias.asname))
                continue
        uses = [one for one in walk(source.tree, ast.Name) if one.id == own and isinstance(one.ctx, ast.Load)]
        texts = [forms.of_use(source, frame.file, names, one, entry, form) for one in uses]
        if None in texts:
            return []
        edits += [one for one in texts if one is not None]
    needed = list(names.imports)
    text = [*(head + ", ".join(shown) for head, shown in lines.items()), *needed]
    if not text:
        return []
    place = over(source, frame.file, node, "\n".join(text).replace("\n", f"\n{' ' * start_of(source, node)[1]}"))
    title = f"Write `{'; '.join(text)}`" + (" and use it" if edits else "")
    return [Change(title=title, kind=_KIND, edits=[place, *dict.fromkeys(edits)], harm=_AS_BEFORE)]


def _aliased(name: str, own: str | None) -> str:
    return f"{name} as {own}" if own and own != name else name
