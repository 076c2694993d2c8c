"""What a rule is. A rule is a module: its docstring is its documentation, its `check` the detection.

The docstring begins with a one-line summary, then has these headings, in this order: What it detects, Why it happens,
Evidence, How it is proved, Fix, Known problems, References. What several rules say in the same words stands once: the
module's `TEXTS` has it by the mark that the docstring has in its place.
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
    counts. `explains_end` is asked of a cause that was found: where it says no, the finding stands beside how the run
    ended and not below it."""

    code: str
    name: str
    role: Role
    check: Callable[[Case], Finding | None]
    documentation: str
    explains_end: Callable[[Case], bool] = lambda case: True

    @property
    def summary(self) -> str:
        return self.documentation.strip().split("\n", 1)[0]

    @property
    def family(self) -> str:
        return re.sub(r"\d", "", self.code)


def rule_of(
    module: ModuleType, code: str, role: Role = "death", explains_end: Callable[[Case], bool] = lambda case: True
) -> Rule:
    name = module.__name__.rsplit(".", 1)[-1].replace("_", "-")
    return Rule(code, name, role, module.check, _documentation(module), explains_end)


def _documentation(module: ModuleType) -> str:
    """The docstring, with the texts that several rules share put in for their marks."""
    text = module.__doc__ or ""
    shared: dict[str, str] = getattr(module, "TEXTS", {})
    for mark, words in shared.items():
        text = text.replace(mark, words)
    return text
