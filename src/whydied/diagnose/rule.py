"""What a rule is. A rule is a module: its docstring is its documentation, its `check` the detection.

The docstring begins with a one-line summary, then has these headings, in this order: What it detects, Why it happens,
Evidence, How it is proved, Fix, Known problems, References.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import Literal, NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding

HEADINGS = (
    "What it detects",
    "Why it happens",
    "Evidence",
    "How it is proved",
    "Fix",
    "Known problems",
    "References",
)


Role = Literal["death", "cause", "memory"]


class Rule(NamedTuple):
    """`role` is "death" for how a run ended, "cause" for what lies below any end, and "memory" for what took the
    memory, asked only where memory ended the run or kept growing. Of deaths and of memory rules the first that answers
    counts."""

    code: str
    name: str
    role: Role
    check: Callable[[Case], Finding | None]
    documentation: str

    @property
    def summary(self) -> str:
        return self.documentation.strip().split("\n", 1)[0]

    @property
    def family(self) -> str:
        return re.sub(r"\d", "", self.code)


def rule_of(module: ModuleType, code: str, role: Role = "death") -> Rule:
    name = module.__name__.rsplit(".", 1)[-1].replace("_", "-")
    return Rule(code, name, role, module.check, module.__doc__ or "")
