"""What a rule of `whydied lint` is: a module whose docstring is its documentation and `check` the detection. Pure.

The docstring begins with a one-line summary, then has these headings, in this order: What it detects, Why it matters,
When it stays silent, Fix and, where there is something to say, Known problems and References.

    check(unit)     what it found: each a Hit
    SAME_FAULT      names of the rules of `whydied run` that find the same fault in a run
    ANY_CODE        True: asked about code that does not name TensorFlow or Keras, too
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import NamedTuple

from whydied.lint.unit import Unit
from whydied.source.edits.edit import Edit

HEADINGS = ("What it detects", "Why it matters", "When it stays silent", "Fix", "Known problems", "References")
REQUIRED_HEADINGS = HEADINGS[:4]
FAMILY = "LNT"
FAMILY_NAME = "lint"


class Hit(NamedTuple):
    """A place of a unit. The message is a clause that names things as the source does, the advice one sentence; `edits`
    are safe to make without asking."""

    node: ast.AST
    message: str
    advice: str
    edits: tuple[Edit, ...] = ()


class StaticRule(NamedTuple):
    code: str
    name: str
    documentation: str
    check: Callable[[Unit], Iterable[Hit]]
    same_fault: tuple[str, ...] = ()
    any_code: bool = False

    @property
    def summary(self) -> str:
        return self.documentation.strip().split("\n", 1)[0]


def static_rule_of(module: ModuleType, code: str) -> StaticRule:
    name = module.__name__.rsplit(".", 1)[-1].replace("_", "-")
    same = tuple(getattr(module, "SAME_FAULT", ()))
    return StaticRule(code, name, module.__doc__ or "", module.check, same, bool(getattr(module, "ANY_CODE", False)))
