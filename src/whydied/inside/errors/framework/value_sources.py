"""Where a value of the user's came from, by the source: the last assignment before the line that failed, the caller of
a function for its parameter, the class for an attribute; runs in the user's process, after an exception.

Invariant: the source is only read; a name that is assigned in more ways than can be followed has no origin.
"""

from __future__ import annotations

import ast
from types import FunctionType, MethodType
from typing import Any

from whydied import redact
from whydied.inside import journal
from whydied.inside.errors import operands
from whydied.inside.errors.stack_steps import Step, frame_of
from whydied.inside.guest import live_source, lookup
from whydied.inside.guest.lookup import Missing
from whydied.inside.model import layer_lines
from whydied.records import Frame, ValueSource
from whydied.source.assignments import last_assignment, part_for, returned
from whydied.source.calls import bound_arguments, callee, own_names
from whydied.source.trees import around, nodes_on, walk

LARGEST_SOURCES = 4
_LARGEST_TEXT = 120
_LOADERS = (
    *("load", "loadtxt", "genfromtxt", "fromfile", "memmap", "load_data", "open", "File", "loadmat"),
    *("read_csv", "read_table", "read_excel", "read_parquet", "read_json", "read_pickle", "read_hdf", "read_file"),
    *("imread", "load_img", "decode_image"),
)


def sources_of(node: ast.AST, step: Step, outer: list[Step]) -> list[ValueSource]:
    """The origins of an expression of a step, nearest first; `outer` are the user's steps around it."""
    return _followed_back(node, step, outer)[0]


def made_by(node: ast.AST, step: Step, outer: list[Step]) -> tuple[ast.Call, Step] | None:
    """The call whose very result an expression is, and the step that it stands in."""
    for _ in range(LARGEST_SOURCES):
        if not isinstance(node, (ast.Name, ast.Attribute)):
            break
        origin = _origin(node, step, outer)
        if origin is None or origin[0].kind not in ("variable", "parameter", "file", "layer"):
            return None
        _, node, step, outer = origin
    return (node, step) if isinstance(node, ast.Call) and step.file is not None else None


def size_makers(
    node: ast.AST, step: Step, outer: list[Step], shape: list[int | None] | None
) -> list[list[ValueSource]]:
    """Where the size of each axis comes from, for a value that is made with a shape written out (`tf.zeros([n, 4])`):
    the expressions behind the size, nearest first. Empty where no shape is written out."""
    _, node, step, outer = _followed_back(node, step, outer)
    parts = _written_shape(node, len(shape or []))
    if not shape or not parts or step.file is None:
        return []
    found = []
    for part in parts:
        here = ValueSource(
            kind="size",
            name=ast.unparse(part)[:_LARGEST_TEXT],
            text=ast.unparse(node)[:_LARGEST_TEXT],
            frame=frame_of(step.file, getattr(part, "lineno", step.line), step.function),
        )
        found.append([here, *_followed_back(part, step, outer, plain=True)[0]])
    return found


def _written_shape(node: ast.AST, rank: int) -> list[ast.expr]:
    """The sizes of the only list or tuple of as many in a call."""
    given = [*node.args, *(word.value for word in node.keywords)] if isinstance(node, ast.Call) else []
    shapes = [one for one in given if isinstance(one, (ast.List, ast.Tuple)) and len(one.elts) == rank]
    plain = len(shapes) == 1 and not any(
        isinstance(part, (ast.Starred, ast.List, ast.Tuple)) for part in shapes[0].elts
    )
    return list(shapes[0].elts) if plain and rank else []


def _followed_back(
    node: ast.AST, step: Step, outer: list[Step], plain: bool = False
) -> tuple[list[ValueSource], ast.AST, Step, list[Step]]:
    """The origins, and the expression at the end of them, with the step that it belongs to. `plain` follows names only:
    what is computed of another value, such as its length, is where a number is made."""
    found: list[ValueSource] = []
    for _ in range(LARGEST_SOURCES):
        if plain and not isinstance(node, (ast.Name, ast.Attribute)):
            break
        origin = _origin(node, step, outer)
        if origin is None or origin[0] in found:
            break
        source, node, step, outer = origin
        found.append(source)
    return found, node, step, outer


_Origin = tuple[ValueSource, ast.AST, Step, list[Step]]


def _origin(node: ast.AST, step: Step, outer: list[Step]) -> _Origin | None:
    name = _followed(node)
    if name is None or step.file is None:
        return None
    parsed = live_source.source(step.file)
    if parsed is None:
        return None
    if isinstance(name, ast.Attribute):
        return _of_attribute(name, step, outer, parsed.tree)
    function = function_at(parsed.tree, step.line, step.function)
    made = last_assignment(name.id, function or parsed.tree, step.line)
    if made is not None:
        return _assigned(name, made, step, outer)
    if function is not None and name.id in own_names(function):
        return _of_parameter(name, function, step, outer)
    made = last_assignment(name.id, parsed.tree, 1 << 30) if function is not None else None
    return _assigned(name, made, step, outer) if made is not None else None


def _followed(node: ast.AST) -> ast.Name | ast.Attribute | None:
    """The name that an expression is about: itself, what is sliced, or what a method is called on."""
    while True:
        if isinstance(node, ast.Name):
            return node
        if isinstance(node, ast.Attribute):
            return node if isinstance(node.value, ast.Name) and node.value.id == "self" else None
        if isinstance(node, (ast.Subscript, ast.Starred)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func.value
        elif isinstance(node, ast.Call) and len(node.args) >= 1 and isinstance(node.args[0], (ast.Name, ast.Attribute)):
            node = node.args[0]
        else:
            return None


def _assigned(name: ast.Name | ast.Attribute, made: ast.stmt, step: Step, outer: list[Step]) -> _Origin:
    value = getattr(made, "value", None) or getattr(made, "iter", None)
    part = part_for(made, ast.unparse(name))
    if part is not None and not isinstance(made.value, ast.Call):  # type: ignore[attr-defined]
        value = part
    assert step.file is not None
    frame = frame_of(step.file, made.lineno, step.function)
    text = redact.text(ast.unparse(value)[:_LARGEST_TEXT]) if value is not None else ""
    kind, file = _kind(value, step)
    before = Step(step.frame, made.lineno, step.file)
    source = ValueSource(kind=kind, name=ast.unparse(name), text=text, frame=frame, file=file)
    given = _given_back(made, name, before, outer) if kind == "variable" else None
    return (source, *given) if given is not None else (source, part or value or name, before, outer)


def _given_back(
    made: ast.stmt, name: ast.Name | ast.Attribute, before: Step, outer: list[Step]
) -> tuple[ast.AST, Step, list[Step]] | None:
    """What a function of the program's own returned for a name, with the step that its return would be."""
    call = made.value if isinstance(made, ast.Assign) else None
    called: Any = lookup.evaluate(call.func, before.frame) if isinstance(call, ast.Call) else None
    code = called.__code__ if type(called) in (FunctionType, MethodType) else None
    owner = journal.current()
    file = owner.ownership.resolve(code.co_filename) if owner is not None and code is not None else ""
    if owner is None or code is None or not owner.ownership.is_user_path(file):
        return None
    parsed = live_source.source(file)
    function = function_at(parsed.tree, code.co_firstlineno, code.co_name) if parsed is not None else None
    value, line = returned(function, made, ast.unparse(name)) if function is not None else (None, 0)
    if value is None:
        return None
    return value, Step(before.frame, line, file, called=code.co_name), [*outer, before]


def _kind(value: ast.AST | None, step: Step) -> tuple[str, str | None]:
    if not isinstance(value, ast.Call):
        loader = _loader(value) if value is not None else None
        return ("file", _file(loader)) if loader is not None else ("variable", None)
    called = lookup.evaluate(value.func, step.frame)
    if not isinstance(called, (Missing, type)) and is_layer(called):
        return "layer", None
    loader = _loader(value)
    if loader is not None:
        return "file", _file(loader)
    if isinstance(value.func, ast.Attribute) and value.func.attr == "placeholder":
        return "placeholder", None
    return "variable", None


def _loader(node: ast.AST) -> ast.Call | None:
    return next((call for call in walk(node, ast.Call) if callee(call) in _LOADERS), None)


def _file(call: ast.AST) -> str | None:
    texts = [part.value for part in ast.walk(call) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return redact.text(texts[0][:_LARGEST_TEXT]) if texts else None


def is_layer(value: Any) -> bool:
    """Whether something is a Keras layer or model, told by the names of its classes."""
    for kind in type.__dict__["__mro__"].__get__(type(value)):
        if kind.__name__ in ("Layer", "Operation") and kind.__module__.partition(".")[0] in ("keras", "tf_keras"):
            return bool(kind.__name__ == "Layer")
    return False


def _of_parameter(name: ast.Name, function: Any, step: Step, outer: list[Step]) -> _Origin | None:
    """What the caller passed, where the caller is the user's too."""
    if not outer:
        return None
    caller = outer[-1]
    call = _call_at(caller, step)
    if call is None or caller.file is None:
        return None
    given = bound_arguments(call, function).get(name.id)
    if given is None or isinstance(given, ast.Starred):
        return None
    frame = frame_of(caller.file, call.lineno, caller.function)
    source = ValueSource(kind="parameter", name=name.id, text=ast.unparse(given)[:_LARGEST_TEXT], frame=frame)
    return source, given, caller, outer[:-1]


def _call_at(caller: Step, step: Step) -> ast.Call | None:
    function, owner = step.function, step.get("self")
    parsed = live_source.source(caller.file or "")
    if parsed is None:
        return None
    at_work = operands.node_at(caller.frame, caller.frame.f_lasti, parsed) if not caller.is_generated else None
    if isinstance(at_work, ast.Call) and not caller.called and _called(at_work, caller) == function:
        # A line may call a function several times, each time with something else.
        return at_work
    calls = [
        node
        for node in nodes_on(parsed, caller.line)
        if isinstance(node, ast.Call) and _called(node, caller) in (function, "")
    ]
    named = [node for node in calls if _called(node, caller) == function]
    if function == "call" and is_layer(owner):
        # A line that calls several layers passes each of them something else.
        exact = [node for node in calls if _calls(node, owner, caller)]
        return (exact or named)[0] if len(exact or named) == 1 else None
    return named[0] if named else None


def _calls(node: ast.Call, owner: Any, caller: Step) -> bool:
    """Whether a call is that of a layer, also of one that is made in the same expression."""
    if isinstance(node.func, ast.Call):
        return lookup.evaluate(node.func.func, caller.frame) is type(owner)
    return lookup.evaluate(node.func, caller.frame) is owner


def _called(node: ast.Call, caller: Step) -> str:
    value = lookup.evaluate(node.func, caller.frame)
    return "call" if not isinstance(value, Missing) and is_layer(value) else callee(node)


def _of_attribute(name: ast.Attribute, step: Step, outer: list[Step], tree: ast.AST) -> _Origin | None:
    holders = around(tree, step.line, ast.ClassDef)
    made = None
    for node in walk(holders[-1], ast.Assign) if holders else ():
        if any(ast.unparse(target) == ast.unparse(name) for target in node.targets):
            made = node if made is None or node.lineno > made.lineno else made
    if made is None or step.file is None:
        return None
    frame = frame_of(step.file, made.lineno, "__init__")
    text = ast.unparse(made.value)[:_LARGEST_TEXT]
    source = ValueSource(kind="weight", name=ast.unparse(name), text=redact.text(text), frame=frame)
    return source, ast.Constant(None), step, outer


def function_at(tree: ast.AST, line: int, name: str) -> Any:
    """The function of a name that a line lies in; None at the level of the module."""
    if name == "<module>":
        return None
    found: list[Any] = around(tree, line, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    named = [node for node in found if getattr(node, "name", "<lambda>") == name]
    return max(named or found, key=lambda node: node.lineno) if found else None


def line_of_layer(layer: Any) -> Frame | None:
    """The very line that made a layer: a model of many layers is often one statement."""
    made = layer_lines.origin(layer).line
    if made is None:
        return None
    file, line, function = made
    parsed = live_source.source(file)
    text = parsed.text(line, line).strip()[:300] if parsed is not None else ""
    return Frame(file=file, line=line, function=function, user=True, source=text)
