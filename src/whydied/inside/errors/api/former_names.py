"""Old code on a new library of data: what a missing name, argument or value of pandas, NumPy, scikit-learn, SciPy or
Matplotlib is called now; runs in the user's process, at an uncaught exception.

Invariant: the installed package has refused the old one itself, and has every name that is offered. No code of the
user's runs; the libraries' modules are looked into.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import warnings
from collections.abc import Iterator
from types import FrameType, ModuleType, TracebackType
from typing import Any

import msgspec

from whydied import redact
from whydied.inside.errors import exception_chain, operands
from whydied.inside.guest import guard, live_source
from whydied.inside.guest.lookup import MISSING, Missing, evaluate, instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.records import ApiMissed, Frame
from whydied.source.former.former_entry import Former
from whydied.source.former.table import BY_KEY, LIBRARIES, MODULES, of_argument, of_name
from whydied.texts import python_errors
from whydied.texts.entry import any_of

_TABLE = "whydied's table of former names"
_REFUSED = any_of(python_errors.UNEXPECTED_ARGUMENT, python_errors.INVALID_ARGUMENT)
_TOO_MANY = python_errors.TAKES_OTHER_NUMBER.pattern
_MOST_HELD = 100


def look(error: BaseException, index: int, steps: list[TracebackType], ownership: Ownership) -> ApiMissed | None:
    """What one exception of a chain misses of the libraries of data."""
    step = next((one for one in reversed(steps) if ownership.user_file(one.tb_frame) is not None), None)
    file = ownership.user_file(step.tb_frame) if step is not None else None
    failure = operands.failing(step, file) if step is not None and file is not None else None
    if step is None or file is None or failure is None:
        return None
    place = _Place(index, failure, file, step.tb_lineno)
    message = error.args[0] if error.args and isinstance(error.args[0], str) else exception_chain.text_of(error)
    if isinstance(error, ImportError):
        return _imported(error, message, place)
    found = _attribute(error, message, place) if isinstance(error, AttributeError) else None
    if found is None and isinstance(error, (TypeError, ValueError, AttributeError, OSError)):
        found = _argument(message, place) or _value(message, place)
        found = found or (_position(message, place) if isinstance(error, TypeError) else None)
    return found


def is_rewritten(found: ApiMissed) -> bool:
    """Whether more changes than the name."""
    return any(form for key in found.former for form in BY_KEY[key].forms if not form.startswith("<") or "(" in form)


class _Place:
    """The user's expression that failed."""

    def __init__(self, index: int, failure: operands.Failure, file: str, line: int) -> None:
        self.index, self.failure, self.file, self.line = index, failure, file, line

    def at(self, line: int) -> _Place:
        """Another line of the same file."""
        return _Place(self.index, self.failure, self.file, line)

    @property
    def node(self) -> ast.AST:
        return self.failure.node

    @property
    def frame(self) -> FrameType:
        return self.failure.frame

    def told(
        self, kind: str, old: str, library: str, found: list[Former], written: str = "", callee: str = ""
    ) -> ApiMissed:
        first, last, text = live_source.statement(self.file, self.line)
        frame = Frame(
            file=self.file,
            line=first,
            function=self.frame.f_code.co_name,
            user=True,
            source=redact.text(text[:500]),
            end_line=last,
        )
        module = sys.modules.get(library)
        version = getattr(module, "__version__", "") if module is not None else ""
        return ApiMissed(
            link=self.index,
            kind=kind,
            old=old,
            written=written or old,
            callee=callee,
            library=library,
            version=version if isinstance(version, str) else "",
            new=list(dict.fromkeys(_shown(form) for one in found for form in one.forms if form)),
            known_from=_TABLE,
            note=next((one.note for one in found if one.note), ""),
            frame=frame,
            former=[one.key for one in found],
        )


def _shown(form: str) -> str:
    """A form without its marks: `pandas.concat` of a call, `on_bad_lines="skip"`."""
    name, _, rest = form.partition(">")
    if form.startswith("<") and (not rest or rest.startswith("(")):
        return name[1:]
    if form.startswith("{base}.") and "{" not in form[6:] and "(" not in form:
        return form.removeprefix("{base}.")
    return form.replace("{base}", "…").replace("<", "").replace(">", "").replace("{value}", "…").replace("{rest}", "")


def _offered(found: list[Former]) -> list[Former]:
    """Those whose new names the installed packages have."""
    return [one for one in found if all(_exists(name) for name in one.names)]


def _exists(name: str) -> bool:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value: Any = importlib.import_module(".".join(parts[:length]))
                for part in parts[length:]:
                    value = getattr(value, part)
            except Exception as error:
                if guard.is_the_users(error):
                    raise
                continue
            return True
    return False


def _attribute(error: AttributeError, message: str, place: _Place) -> ApiMissed | None:
    """`np.product`, `frame.append`: of a module, or of an object of a library's class."""
    said = python_errors.NO_ATTRIBUTE.pattern.search(message) or python_errors.MODULE_WITHOUT_ATTRIBUTE.pattern.search(
        message
    )
    name = getattr(error, "name", None) or (said[said.lastindex or 0] if said else "")
    nodes = [node for node in ast.walk(place.node) if isinstance(node, ast.Attribute) and node.attr == name]
    if not name or not nodes:
        return None
    thing = getattr(error, "obj", None)
    thing = evaluate(nodes[0].value, place.frame) if thing is None else thing
    written = ast.unparse(nodes[0])
    if isinstance(thing, ModuleType):
        module = str(instance_dict(thing).get("__name__", ""))
        found = _offered(of_name(f"{module}.{name}")) if module.partition(".")[0] in LIBRARIES else []
        return place.told("name", written, module.partition(".")[0], found, written=written) if found else None
    call = next((one for one in ast.walk(place.failure.source.tree) if _is_call_of(one, nodes[0])), None)
    given = _given(call, place.frame)
    for library, owner in _owners(type(thing)):
        found = _offered(of_name(f"{library}.{owner}.{name}", given))
        if found:
            return place.told("method", f"{owner}.{name}", library, found[:1], written=written)
    return None


def _is_call_of(node: ast.AST, func: ast.Attribute) -> bool:
    return isinstance(node, ast.Call) and ast.dump(node.func) == ast.dump(func) and node.lineno == func.lineno


def _owners(kind: type) -> Iterator[tuple[str, str]]:
    """The library and the name of each class that a class is or is made of."""
    for one in type.__dict__["__mro__"].__get__(kind):
        library = str(one.__module__).partition(".")[0]
        if library in LIBRARIES:
            yield library, one.__name__


def _given(call: ast.AST | None, frame: FrameType) -> str:
    """The type of the first argument; of a list also what all of it is."""
    if not isinstance(call, ast.Call) or not (call.args or call.keywords):
        return ""
    node = call.args[0] if call.args else call.keywords[0].value
    value = evaluate(node, frame)
    if isinstance(value, Missing):
        if isinstance(node, ast.Call):
            func = evaluate(node.func, frame)
            return str(getattr(func, "__name__", "")) if isinstance(func, type) else ""
        if isinstance(node, (ast.List, ast.Tuple)):
            held = [type(evaluate(one, frame)).__name__ for one in node.elts]
            return _listed(type(node).__name__.lower(), held)
        return "dict" if isinstance(node, ast.Dict) else ""
    kind = type(value).__name__
    if type(value) in (list, tuple):
        return _listed(kind, [type(one).__name__ for one in value[:_MOST_HELD]])
    return kind


def _listed(kind: str, held: list[str]) -> str:
    return f"{kind} of DataFrame" if set(held) == {"DataFrame"} else kind


def _imported(error: ImportError, message: str, place: _Place) -> ApiMissed | None:
    """`from sklearn.cross_validation import train_test_split`: of a name that moved, or of a module that went."""
    node = place.node
    if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in LIBRARIES:
        names = [alias.name for alias in node.names]
        found = [one for name in names for one in _offered(of_name(f"{node.module}.{name}"))]
        moved = MODULES.get(node.module)
        if found or (moved and all(_exists(f"{moved}.{name}") for name in names)):
            gone = next((name for name in names if f"{node.module}.{name}" in {one.old for one in found}), names[0])
            told = place.told("name", f"{node.module}.{gone}", node.module.partition(".")[0], found)
            return told if found else msgspec.structs.replace(told, new=[f"{moved}.{names[0]}"])
    if isinstance(node, ast.Import):
        gone = next((alias.name for alias in node.names if alias.name in MODULES), "")
        if gone and _exists(MODULES[gone]):
            return msgspec.structs.replace(place.told("name", gone, gone.partition(".")[0], []), new=[MODULES[gone]])
    return None


def _calls(place: _Place) -> list[ast.Call]:
    """The failing call; before the interpreter tells its position, all of the statement."""
    if isinstance(place.node, ast.Call):
        return [place.node]
    return [one for one in ast.walk(place.node) if isinstance(one, ast.Call)]


def _names_of(callee: Any) -> list[str]:
    """What the tables call a function, a class, or a method of one."""
    if isinstance(callee, type):
        return [f"{library}.{name}" for library, name in _owners(callee)]
    owner = getattr(callee, "__self__", None)
    name = str(getattr(callee, "__name__", ""))
    if owner is not None and not isinstance(owner, ModuleType):
        kind = owner if isinstance(owner, type) else type(owner)
        return [f"{library}.{one}.{name}" for library, one in _owners(kind)]
    library = str(getattr(callee, "__module__", "") or "").partition(".")[0]
    return [f"{library}.{name}"] if library in LIBRARIES else []


def _callee(call: ast.Call, frame: FrameType) -> Any:
    """What is called; the method of an object of the libraries' own is looked up in its class."""
    found = evaluate(call.func, frame)
    if isinstance(call.func, ast.Attribute):
        owner = evaluate(call.func.value, frame)
        if isinstance(owner, (Missing, ModuleType, type)) or not list(_owners(type(owner))):
            return found
        function = inspect.getattr_static(type(owner), call.func.attr, MISSING)
        return function.__get__(owner) if inspect.isfunction(function) else found
    return found


def _argument(message: str, place: _Place) -> ApiMissed | None:
    """An argument that is refused by its name."""
    said = _REFUSED.search(message)
    for call in _calls(place) if said is not None else []:
        callee = _callee(call, place.frame)
        names = _names_of(callee)
        for word in call.keywords if names else []:
            if said is None or word.arg not in said.groups():
                continue
            known = of_argument(names, word.arg or "", ast.unparse(word.value))
            found = [one for one in _offered(known) if _fits(one, callee)][:1]
            if found:
                library, written = names[0].partition(".")[0], ast.unparse(call.func)
                return place.told("argument", word.arg or "", library, found, callee=written)
    return None


def _value(message: str, place: _Place) -> ApiMissed | None:
    """A value that is refused, be it long after the object was given it: the exception names the class, the argument
    and the value."""
    for call in (node for node in ast.walk(place.failure.source.tree) if isinstance(node, ast.Call)):
        callee = _callee(call, place.frame)
        names = _names_of(callee)
        if not names:
            continue
        library, written = names[0].partition(".")[0], ast.unparse(call.func)
        if names == ["matplotlib.use"] and call.args and isinstance(call.args[0], ast.Constant):
            found = of_argument(names, "style", repr(call.args[0].value))
            if found and call in _calls(place):
                return place.told("value", "style", library, found[:1], callee=written)
        for word in call.keywords:
            value = ast.unparse(word.value)
            known = [one for one in of_argument(names, word.arg or "", value) if one.value]
            said = (str(getattr(callee, "__name__", "")), word.arg or "", value)
            if known and all(one in message for one in said):
                return place.at(call.lineno).told("value", word.arg or "", library, known[:1], callee=written)
    return None


def _fits(one: Former, callee: Any) -> bool:
    """Whether what is called has the parameter that a form names; one that takes any is asked by its documentation."""
    form = one.forms[0] if one.forms else ""
    new, equals, _ = form.partition("=")
    if not equals or not new.isidentifier():
        return True
    taken = _parameters(callee)
    return new in [name for name, _ in taken] or any(kind == inspect.Parameter.VAR_KEYWORD for _, kind in taken)


def _parameters(callee: Any) -> list[tuple[str, Any]]:
    try:
        return [(one.name, one.kind) for one in inspect.signature(callee).parameters.values()]
    except (TypeError, ValueError) as error:
        if guard.is_the_users(error):
            raise
        return []


def _position(message: str, place: _Place) -> ApiMissed | None:
    """`frame.drop("a", 1)`: arguments by position that are taken by name alone now, in the same order; and
    `train_test_split(x, y, 0.2)`."""
    for call in _calls(place):
        callee = _callee(call, place.frame)
        names = _names_of(callee)
        taken = _parameters(callee) if names else []
        by_place = [name for name, kind in taken if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        by_name = [name for name, kind in taken if kind is inspect.Parameter.KEYWORD_ONLY]
        beyond = call.args[len(by_place) :]
        if any(kind is inspect.Parameter.VAR_POSITIONAL for _, kind in taken):
            # Any number of arrays, and then a plain number that is none.
            beyond = [one for one in call.args[-1:] if isinstance(one, ast.Constant) and len(call.args) > 1]
        elif not _TOO_MANY.search(message):
            continue
        given = {word.arg for word in call.keywords}
        wanted = by_name[: len(beyond)]
        if not beyond or len(wanted) < len(beyond) or given & set(wanted):
            continue
        new = [f"{name}={ast.unparse(one)}" for name, one in zip(wanted, beyond, strict=True)]
        told = place.told("argument", ", ".join(ast.unparse(one) for one in beyond), names[0].partition(".")[0], [])
        return msgspec.structs.replace(
            told,
            new=new,
            callee=ast.unparse(call.func),
            by_position=wanted,
            known_from="its signature in the installed version",
        )
    return None
