"""Changes of the program's own classes: what Keras needs of their constructors, methods and configurations. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from whydied.diagnose.case import Case
from whydied.records import Frame
from whydied.source.edits.created_per_use import created_per_use
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.programs import class_edits
from whydied.source.edits.programs import definition_edits as definitions
from whydied.source.text import Source
from whydied.source.trees import across, walk

_Edits = Callable[[Source, str, ast.ClassDef], list[Edit]]


def owner_of(case: Case, name: str | None) -> tuple[Source, str, ast.ClassDef] | None:
    """The only class of a name in the program."""
    found = [(case.sources[file], file, node) for file, node in across(case.sources, ast.ClassDef) if node.name == name]
    return found[0] if len(found) == 1 else None


def begin_parent(case: Case, name: str | None) -> list[Change]:
    return _of_class(case, name, f"Begin `__init__` of {name} with `super().__init__()`", class_edits.begin_parent)


def pass_keywords_on(case: Case, name: str | None) -> list[Change]:
    title = f"Let `__init__` of {name} take `**kwargs` and pass them to its parent"
    return _of_class(case, name, title, class_edits.pass_keywords_on)


def rename_method(case: Case, name: str | None, old: str, new: str, parameters: int | None = None) -> list[Change]:
    """A method under the name that Keras calls, where it takes as many arguments as Keras passes."""

    def edits(source: Source, file: str, owner: ast.ClassDef) -> list[Edit]:
        method = definitions.method_in(owner, old)
        if method is None or (parameters is not None and len(method.args.args) != parameters):
            return []
        return definitions.rename_definition(source, file, method, new)

    return _of_class(case, name, f"Rename `{old}` to `{new}`", edits)


def configure(
    case: Case,
    name: str | None,
    wanted: list[str],
    objects: Mapping[str, ast.ClassDef] | None = None,
    *,
    extends: bool = True,
) -> list[Change]:
    entries = " and ".join(f"`{one}`" for one in wanted) or "what makes it again"
    title = f"Let `get_config` of {name} return {entries}"
    made = "".join(f", and `from_config` make the {one.name}" for one in (objects or {}).values())
    return _of_class(
        case,
        name,
        title + made,
        lambda source, file, owner: class_edits.configuration(source, file, owner, wanted, objects, extends=extends),
    )


def leave_out_of_configuration(case: Case, name: str | None, key: str) -> tuple[Frame, list[Change]] | None:
    """The line of `get_config` that writes a key, and the change that leaves it out."""
    found = owner_of(case, name)
    method = definitions.method_in(found[2], "get_config") if found is not None else None
    literals = walk(method, ast.Dict) if method is not None else []
    entries = [(literal, at) for literal in literals for at, word in enumerate(literal.keys) if _is_text(word, key)]
    if found is None or len(entries) != 1:
        return None
    source, file, _ = found
    literal, at = entries[0]
    edit = class_edits.without_entry(source, file, literal, at)
    frame = Frame(file=file, line=literal.lineno, function="get_config", user=True)
    return frame, [Change(title=f"Leave `{key}` out of the configuration", kind="definition", edits=[edit])]


def _is_text(node: ast.expr | None, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def create_once(case: Case, name: str | None, method: str) -> list[Change]:
    title = f"Create them once, in `__init__` of {name}, and use them in `{method}`"

    def edits(source: Source, file: str, owner: ast.ClassDef) -> list[Edit]:
        once = class_edits.create_once(source, file, owner, method)
        return once or created_per_use(source, file, owner, method)

    return _of_class(case, name, title, edits)


def return_result(case: Case, file: str, line: int) -> list[Change]:
    """`return` at the end of the function whose `def` stands at a line."""
    source = case.sources.get(file)
    for node in ast.walk(source.tree) if source is not None else ():
        if source is not None and isinstance(node, ast.FunctionDef) and node.lineno == line:
            edit = definitions.returned(source, file, node)
            title = f"Let `{node.name}` return its result"
            return [Change(title=title, kind="definition", edits=[edit])] if edit is not None else []
    return []


def _of_class(case: Case, name: str | None, title: str, edits: _Edits) -> list[Change]:
    found = owner_of(case, name)
    made = edits(*found) if found is not None else []
    return [Change(title=title, kind="definition", edits=made)] if made else []
