"""A call and a definition that do not agree, as changes of either. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.refused_values import failing_call
from whydied.records import ApiCalled, Frame
from whydied.source.edits.argument_edits import drop_argument, drop_keyword
from whydied.source.edits.call_edits import only_call, rename_argument, walk_calls
from whydied.source.edits.edit import Change, Edit, end_of, over, start_of, written_in
from whydied.source.edits.programs.class_edits import add_parameter
from whydied.source.edits.programs.definition_edits import Definition, set_parameters
from whydied.source.trees import nodes_on, within, written


def with_parameters(case: Case, call: ApiCalled, node: Definition, text: str) -> list[Change]:
    """A definition with other parameters. Annotations and defaults that span lines are not written anew."""
    source = case.sources.get(call.defined.file) if call.defined is not None else None
    if source is None or call.defined is None or any(one.annotation for one in node.args.args):
        return []
    edit = set_parameters(source, call.defined.file, node, text)
    name = "lambda" if isinstance(node, ast.Lambda) else f"def {node.name}"
    shown = f"lambda {text}: …" if isinstance(node, ast.Lambda) else f"{name}({text}):"
    return [Change(title=f"Write `{shown}`", kind="definition", edits=[edit])] if edit is not None else []


def with_default(case: Case, call: ApiCalled, node: Definition, name: str, text: str) -> list[Change]:
    """A definition with one more parameter, which is None where it is not given; `text` has all of them."""
    source = case.sources.get(call.defined.file) if call.defined is not None else None
    if source is None or call.defined is None or not isinstance(node, ast.FunctionDef):
        return with_parameters(case, call, node, text)
    edit = add_parameter(source, call.defined.file, node, f"{name}=None")
    return _change(f"Write `def {node.name}({text}):`", [edit], "definition")


def overriding(case: Case, call: ApiCalled, node: Definition) -> list[Change]:
    """The parameters of the method that is overridden, where those that are there keep their names."""
    if not call.overridden or isinstance(node, ast.Lambda):
        return []
    text = call.overridden.partition("(")[2].removesuffix(")")
    try:
        theirs = ast.parse(f"def f({text}): ...").body[0]
    except SyntaxError:
        return []
    names = [one.arg for one in theirs.args.args] if isinstance(theirs, ast.FunctionDef) else []
    own = [one.arg for one in node.args.args]
    return with_parameters(case, call, node, text) if names[: len(own)] == own else []


def with_second(case: Case, call: ApiCalled, node: Definition, more: int) -> list[Change]:
    """A function of the inputs of a data set of pairs, which passes the targets on as they are."""
    if more != 1 or call.callee.rpartition(".")[2] != "map" or len(node.args.args) != 1 or call.defined is None:
        return []
    file, source = call.defined.file, case.sources[call.defined.file]
    first = node.args.args[0].arg
    if first == "y":
        return []
    edits = [set_parameters(source, file, node, f"{first}, y")]
    if isinstance(node, ast.Lambda):
        edits.append(over(source, file, node.body, f"({written_in(source, node.body)}, y)"))
    else:
        values = [one.value for one in within(node) if isinstance(one, ast.Return)]
        if len(values) != 1 or values[0] is None or isinstance(values[0], ast.Tuple):
            return []
        edits.append(over(source, file, values[0], f"{written_in(source, values[0])}, y"))
    return _change("Take both parts of an element, and return the second as it is", edits, "definition")


def renamed_or_dropped(case: Case, call: ApiCalled, near: list[str], refused: str) -> list[Change]:
    """A keyword under its right name, and without it."""
    frame = call.frame
    source = case.sources.get(frame.file) if frame is not None else None
    if frame is None or source is None:
        return []
    calls = [one for one in walk_calls(source, frame.line) if refused in {word.arg for word in one.keywords}]
    if len(calls) != 1:
        return []
    changes = []
    if near:
        edit = rename_argument(source, frame.file, calls[0], refused, near[0])
        changes += _change(f"Write `{near[0]}=` instead of `{refused}=`", [edit])
    return [*changes, *_change(f"Drop `{refused}`", [drop_keyword(source, frame.file, calls[0], refused)])]


def without_self(case: Case, call: ApiCalled) -> list[Change]:
    """`super().__init__(self)` without `self`."""
    frame = call.frame
    found = only_call(case.sources, frame.file, frame.line, call.callee.rpartition(".")[2]) if frame else None
    if frame is None or found is None or not found.args or written(found.args[0]) != "self":
        return []
    return _change("Leave `self` out", [drop_argument(case.sources[frame.file], frame.file, found, found.args[0])])


def as_one_list(case: Case, call: ApiCalled) -> list[Change]:
    """The positional arguments of the failing call as the items of one list."""
    found = failing_call(case, call)
    if found is None or call.frame is None or any(isinstance(one, ast.Starred) for one in found.args):
        return []
    file, source = call.frame.file, case.sources[call.frame.file]
    text = f"[{', '.join(written_in(source, one) for one in found.args)}]"
    edit = Edit(file, start_of(source, found.args[0]), end_of(source, found.args[-1]), text)
    return _change(f"Pass `{text}`", [edit])


def called(case: Case, frame: Frame, name: str) -> list[Change]:
    """A function that is passed on by its name, called."""
    source = case.sources[frame.file]
    calling = [node.func for node in nodes_on(source, frame.line) if isinstance(node, ast.Call)]
    found = [
        node
        for node in nodes_on(source, frame.line)
        if isinstance(node, ast.Name) and node.id == name and node not in calling
    ]
    edits = [over(source, frame.file, node, f"{name}()") for node in found]
    return _change(f"Write `{name}()`", edits) if len(edits) == 1 else []


def _change(title: str, edits: list[Edit] | list[Edit | None], kind: str = "argument") -> list[Change]:
    made = [edit for edit in edits if edit is not None]
    return [Change(title=title, kind=kind, edits=made)] if made and len(made) == len(edits) else []
