"""The parts of the diagnosis that can be left out one at a time: rules, and functions that may say "not known".

Runs in the harness. A rule is left out by its code. A function of `PACKAGES` is a heuristic that can be switched off
where its return type has a word for no answer (None, an empty collection, False); left out, it always says that.
`CONSTANTS` are switched by giving them another value. Nothing in the product knows of this: names are replaced in the
modules that use them, for the time of a `with` block.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from whydied.diagnose import answers
from whydied.diagnose.registry import all_rules
from whydied.diagnose.rule import Rule

PACKAGES = ("whydied.diagnose", "whydied.source", "whydied.graph")
MACHINERY = ("answers", "case", "engine", "finding", "memo", "outcome", "registry", "rule")
"""Modules of `diagnose` without which there is no diagnosis at all."""
CONSTANTS: dict[str, object] = {
    "whydied.diagnose.memory.step_need.MARGIN": 1.0,
    "whydied.diagnose.memory.step_need._NORMALISES": 1.0,
    "whydied.diagnose.memory.step_need._ONCE": (),
    "whydied.diagnose.memory.step_need._NOTHING": (),
}
"""Figures and lists that were fitted, with the value that they have without the fit."""
_NO_ANSWERS: dict[Any, Callable[[], object]] = {list: list, set: set, frozenset: frozenset, dict: dict, bool: bool}


class Part(NamedTuple):
    """`nothing` makes its word for no answer. A constant has no answers to look at: it is always in use."""

    name: str
    original: Any
    nothing: Callable[[], object]
    is_constant: bool = False


def rules() -> list[Part]:
    return [Part(f"{rule.code} {rule.name}", rule, lambda: None) for rule in all_rules()]


def heuristics() -> list[Part]:
    """All functions that can be switched off, by module, then the constants."""
    found = []
    for module in _modules():
        for name, value in vars(module).items():
            own = inspect.isfunction(value) and value.__module__ == module.__name__
            nothing = _no_answer(value) if own and name != "check" else None
            if nothing is not None:
                found.append(Part(f"{module.__name__.removeprefix('whydied.')}.{name}", value, nothing))
    for path, value in CONSTANTS.items():
        place, _, name = path.rpartition(".")
        original = getattr(importlib.import_module(place), name)
        found.append(Part(path.removeprefix("whydied."), original, functools.partial(_same, value), is_constant=True))
    return found


@contextlib.contextmanager
def left_out(part: Part) -> Iterator[None]:
    """The diagnosis without a part."""
    with contextlib.ExitStack() as stack:
        if part.is_constant:
            name = part.name.rpartition(".")[2]
            for module in _loaded():
                if vars(module).get(name) is part.original:
                    stack.enter_context(_bound(module, name, part.nothing()))
        else:
            stack.enter_context(_replaced({id(_function(part)): _silent(part)}))
        if isinstance(part.original, Rule):
            others = tuple(rule for rule in _asked() if rule.code != part.original.code)
            stack.enter_context(_bound(answers, "RULES", others))
        yield


@contextlib.contextmanager
def watched(parts: list[Part], seen: set[str]) -> Iterator[None]:
    """Fills `seen` with the names of those parts that answer meanwhile; constants are always among them."""
    seen.update(part.name for part in parts if part.is_constant)
    with _replaced({id(_function(part)): _noting(part, seen) for part in parts if not part.is_constant}):
        yield


def _asked() -> tuple[Rule, ...]:
    rules: tuple[Rule, ...] = vars(answers)["RULES"]
    return rules


def _function(part: Part) -> Callable[..., object]:
    return part.original.check if isinstance(part.original, Rule) else part.original


def _modules() -> list[ModuleType]:
    found = []
    for package in map(importlib.import_module, PACKAGES):
        for _, name, _ in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if name.removeprefix("whydied.diagnose.") not in MACHINERY:
                found.append(importlib.import_module(name))
    return found


def _loaded() -> list[ModuleType]:
    return [module for name, module in sys.modules.items() if name.partition(".")[0] == "whydied"]


def _no_answer(function: Callable[..., object]) -> Callable[[], object] | None:
    hint = get_type_hints(function).get("return")
    if type(None) in get_args(hint):
        return lambda: None
    return _NO_ANSWERS.get(get_origin(hint) or hint)


def _same(value: object) -> object:
    return value


def _silent(part: Part) -> Callable[..., object]:
    return lambda *values, **named: part.nothing()


def _noting(part: Part, seen: set[str]) -> Callable[..., object]:
    function = _function(part)

    @functools.wraps(function)
    def noting(*values: object, **named: object) -> object:
        found = function(*values, **named)
        if found:
            seen.add(part.name)
        return found

    return noting


@contextlib.contextmanager
def _replaced(changes: dict[int, Callable[..., object]]) -> Iterator[None]:
    """Puts other functions in the place of some, in every module and rule that knows them, under whatever name."""
    known = tuple(Rule._make(changes.get(id(value), value) for value in rule) for rule in _asked())
    with contextlib.ExitStack() as stack:
        stack.enter_context(_bound(answers, "RULES", known))
        for module in _loaded():
            for name, value in list(vars(module).items()):
                if id(value) in changes:
                    stack.enter_context(_bound(module, name, changes[id(value)]))
        yield


@contextlib.contextmanager
def _bound(module: ModuleType, name: str, value: object) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)
