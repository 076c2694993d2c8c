"""A function of the user's that could not take what it was called with: Python refused the arguments before its first
line ran; runs in the user's process, at an uncaught exception.

Invariant: nothing of the user's is called. The function is found by the name that the exception has, among those that
live; signatures of the libraries' methods are read with `inspect.signature`.
"""

from __future__ import annotations

import ast
import gc
import inspect
from types import FunctionType
from typing import Any

from whydied import redact
from whydied.inside.errors import exception_chain, near_names
from whydied.inside.errors.api.api_arguments import callee_of, parameters_of
from whydied.inside.errors.api.api_names import canonical, library_of
from whydied.inside.errors.operands import Failure
from whydied.inside.errors.stack_steps import Step, frame_of
from whydied.inside.guest.lookup import Missing, evaluate
from whydied.inside.guest.ownership import Ownership
from whydied.records import ApiCalled, Frame
from whydied.source.trees import last_name
from whydied.texts import python_errors
from whydied.texts.entry import any_of

LARGEST_OBJECTS = 3_000_000
_KNOWN = frozenset(dir(type))
_REFUSED = any_of(
    python_errors.UNEXPECTED_ARGUMENT,
    python_errors.MISSING_ARGUMENT,
    python_errors.TAKES_OTHER_NUMBER,
    python_errors.SEVERAL_VALUES,
    python_errors.TAKES_NONE,
    python_errors.NOT_BOUND,
)


def look(
    index: int, error: BaseException, steps: list[Step], failure: Failure | None, ownership: Ownership
) -> ApiCalled | None:
    """The user's function that an exception says was called wrongly, with the call if that is the user's, too."""
    if not isinstance(error, TypeError) or not steps:
        return None
    words = _message(error)
    named = python_errors.CALLED.pattern.search(words)
    user = next(step for step in reversed(steps) if step.file is not None)
    node = failure.node if failure is not None else None
    name = _plain(named[1]) if named else _layer_call(node, failure) if words and failure is not None else ""
    if not name:
        return None
    callee: Any = callee_of(node.func, failure) if failure is not None and isinstance(node, ast.Call) else Missing()
    if name == "<lambda>":
        return _of_lambda(index, node, callee, user)
    kind = type.__dict__["__name__"].__get__(callee) if issubclass(type(callee), type) else ""
    made = callee if kind and name.endswith(("__init__", kind)) else None
    if made is not None and (misspelt := _misspelt(made)) is not None and failure is not None:
        return ApiCalled(
            link=index,
            callee=kind,
            function=f"{kind}.{misspelt.__name__}",
            frame=frame_of(user.file or "", user.line, user.function),
            call=redact.text(ast.unparse(failure.node)[:300]),
            defined=_defined(misspelt, ownership),
            misspelt=misspelt.__name__,
        )
    functions, kinds = _living(name, ownership)
    if len({function.__code__ for function in functions}) != 1:
        return None
    function = functions[0]
    owner = kinds[0] if kinds else None
    return ApiCalled(
        link=index,
        callee=ast.unparse(node.func) if isinstance(node, ast.Call) else "",
        function=name,
        parameters=_positional(function),
        frame=frame_of(user.file or "", user.line, user.function),
        call=redact.text(ast.unparse(node)[:300]) if isinstance(node, ast.Call) else "",
        defined=_defined(function, ownership),
        overridden=_overridden(owner, function.__name__),
        accepted=parameters_of(owner) if owner is not None and function.__name__ == "__init__" else [],
        caller=_caller(node, callee, owner, function, steps),
    )


def _layer_call(node: ast.AST | None, failure: Failure) -> str:
    """The method `call` of a layer of the user's that the failing call is of: Keras binds its arguments itself, and the
    exception has no name."""
    func = node.func if isinstance(node, ast.Call) else None
    kind = evaluate(func.func, failure.frame) if isinstance(func, ast.Call) else type(evaluate(func, failure.frame))
    own = type.__dict__["__dict__"].__get__(kind).get("call") if issubclass(type(kind), type) else None
    return own.__qualname__ if isinstance(own, FunctionType) else ""


def _misspelt(kind: type) -> FunctionType | None:
    """A method of a class without a constructor whose name is nearly that of one."""
    own = type.__dict__["__dict__"].__get__(kind)
    near = near_names.close("__init__", [name for name in own if name not in _KNOWN]) if "__init__" not in own else ()
    found = own.get(near[0]) if near else None
    return found if isinstance(found, FunctionType) and library_of(kind.__module__) is None else None


def _message(error: TypeError) -> str:
    """The line that Python said; AutoGraph and Keras put lines of their own around it."""
    text = exception_chain.text_of(error)
    return next((line for line in reversed(text.splitlines()) if _REFUSED.search(line)), "")


def _plain(name: str) -> str:
    """A function's name as it is written, where AutoGraph made a copy of it."""
    last = name.rpartition(".")[2]
    return last.removeprefix("tf__") if last.startswith(("tf__", "<lambda>")) else name


def _living(name: str, ownership: Ownership) -> tuple[list[FunctionType], list[type]]:
    """The user's functions of a qualified name, or of a last name where only that is known, and the classes that they
    are methods of."""
    objects = gc.get_objects()
    if len(objects) > LARGEST_OBJECTS:
        return [], []
    functions = [
        one
        for one in objects
        if type(one) is FunctionType
        and (one.__qualname__ == name or ("." not in name and one.__name__ == name))
        and _is_users(one, ownership)
    ]
    exact = [one for one in functions if one.__qualname__ == name]
    functions = exact or functions
    kinds = []
    if functions:
        inside = functions[0].__qualname__.rpartition(".")[0]
        kinds = [
            one
            for one in objects
            if issubclass(type(one), type)
            and type.__dict__["__qualname__"].__get__(one) == inside
            and functions[0].__name__ in type.__dict__["__dict__"].__get__(one)
        ]
    return functions, kinds


def _is_users(function: FunctionType, ownership: Ownership) -> bool:
    file = function.__code__.co_filename
    return not file.startswith("<") and ownership.is_user_path(ownership.resolve(file))


def _positional(function: FunctionType) -> list[str]:
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])


def _defined(function: FunctionType, ownership: Ownership) -> Frame:
    code = function.__code__
    return frame_of(ownership.resolve(code.co_filename), code.co_firstlineno, code.co_name)


def _overridden(owner: type | None, name: str) -> str:
    """The method of a library's class that the user's class has its own of, as the library writes it."""
    if owner is None or name == "__init__":
        return ""
    for base in type.__dict__["__mro__"].__get__(owner)[1:]:
        method = type.__dict__["__dict__"].__get__(base).get(name)
        if not isinstance(method, FunctionType) or library_of(base.__module__) is None:
            continue
        plain = [
            one.replace(annotation=inspect.Parameter.empty) for one in inspect.signature(method).parameters.values()
        ]
        if all(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or one.name == "self" for one in plain[1:]):
            return ""
        library = canonical(base.__module__.partition(".")[0])
        return f"{library}.{base.__name__}.{name}{inspect.Signature(plain)}"
    return ""


def _caller(node: ast.AST | None, callee: Any, owner: type | None, function: FunctionType, steps: list[Step]) -> str:
    """The package that made the call; empty where the user's line did."""
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    direct = callee is owner or type(callee) is owner or name == function.__name__
    if function.__name__ == "call" and (type(callee) is owner or isinstance(callee, Missing)):
        # A layer is called by the user's line, and its `call` by Keras with the same arguments.
        return ""
    if steps[-1].file is not None and (direct or callee is function):
        return ""
    # The frames of a library may have been cut off: what the user's line calls is what made the call.
    module = (
        steps[-1].frame.f_globals.get("__name__") if steps[-1].file is None else getattr(callee, "__module__", None)
    )
    return module.partition(".")[0] if isinstance(module, str) and module != "__main__" else "a library"


def _of_lambda(index: int, node: ast.AST | None, callee: Any, user: Step) -> ApiCalled | None:
    """A lambda that the failing call hands to a library."""
    inner = [part for part in ast.walk(node) if isinstance(part, ast.Lambda)] if isinstance(node, ast.Call) else []
    library = library_of(str(getattr(callee, "__module__", "") or ""))
    if len(inner) != 1 or library is None or not isinstance(node, ast.Call):
        return None
    return ApiCalled(
        link=index,
        callee=ast.unparse(node.func),
        function="<lambda>",
        parameters=[one.arg for one in inner[0].args.args],
        frame=frame_of(user.file or "", user.line, user.function),
        call=redact.text(ast.unparse(node)[:300]),
        defined=frame_of(user.file or "", inner[0].lineno, "<lambda>"),
        caller=library,
    )
