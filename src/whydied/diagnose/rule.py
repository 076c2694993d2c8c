"""What a rule is. A rule is a module: its docstring is its documentation, `check` is the detection, and the names
beside `check` say how the rule relates to the others.

The docstring begins with a one-line summary, then has these headings, in this order: What it detects, Why it happens,
Evidence, How it is proved, Fix and, where there is something to say, Known problems and References. What several rules
say in the same words stands once: the module's `TEXTS` has it by the mark that the docstring has in its place.

    check(case)         the finding, or None
    ROLE                required:
        "death"         how the run ended; one is reported
        "memory death"  the same, for lack of memory: the rules with the role "memory" are asked what took it
        "memory"        what took the memory: asked then, and when a run kept growing; one is reported
        "explanation"   what an exception means, be it uncaught or the one in whose handler the program ended itself;
                        one is reported for an exception, however many answer
        "cause"         anything else that lies below an end; all that answer are reported
    YIELDS_TO           names of rules that are preferred to this one when both answer, and with them all that those
                        yield to. Of causes the preferred one stands deeper
    AT_ONCE             True: of the role "memory", what is needed at one time and does not pile up. Asked only where
                        memory ran out: a program that goes on after it had enough
    ASKED_WHEN_CAUGHT   True: a cause that is asked about a caught exception too, as every explanation is
    OF_ALL_PROCESSES    True: a cause that, where it is certain, says what all processes took together; then nobody
                        is asked what one of them held
    explains_end(case)  of a cause that answered: False where the run ended for another reason, so that the finding
                        stands beside the chain of causes and not in it
    came_first(case)    of a cause that answered: True where it came before the exception and brought it about, so that
                        nobody is asked what the exception by itself would mean
    check_root(case)    of a death: the finding at its root, where the same rule knows that
    is_reason(case)     of a death, where nothing deeper is known: False where what it tells is a fact, and only likely
                        the reason
    as_if_uncaught(case)  of a death: the case as if the exception that the program was handling had ended it
    check_rivals(case)  of a rule that answered: what else may have caused the same, as findings by the names of their
                        rules, each with the changes that would remove it. Nobody is shown them; a trial on the program
                        decides between them and the answer
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import Literal, NamedTuple, get_args

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
FAMILIES = {
    "GRF": "graphs and sessions",
    "DAT": "data",
    "NUM": "numerics",
    "MEM": "host memory",
    "GPU": "GPU",
    "ENV": "installation",
    "FRM": "framework use",
    "SHP": "shapes and types",
    "DST": "distributed",
    "PRC": "process",
}
"""The deepest first: where two rules answer and neither yields to the other, the deeper family is preferred. What a
graph or the data are lies deeper than what the values become, and that deeper than how the process took it."""


Role = Literal["death", "memory death", "memory", "explanation", "cause"]
DEATHS: tuple[Role, ...] = ("death", "memory death")
CAUSES: tuple[Role, ...] = ("explanation", "cause")
ATTRIBUTES = (
    "check",
    "ROLE",
    "YIELDS_TO",
    "AT_ONCE",
    "ASKED_WHEN_CAUGHT",
    "OF_ALL_PROCESSES",
    "explains_end",
    "came_first",
    "check_root",
    "is_reason",
    "as_if_uncaught",
    "check_rivals",
)


class Rule(NamedTuple):
    code: str
    name: str
    documentation: str
    check: Callable[[Case], Finding | None]
    role: Role
    yields_to: tuple[str, ...] = ()
    at_once: bool = False
    asked_when_caught: bool = False
    of_all_processes: bool = False
    explains_end: Callable[[Case], bool] = lambda case: True
    came_first: Callable[[Case], bool] = lambda case: False
    check_root: Callable[[Case], Finding | None] = lambda case: None
    is_reason: Callable[[Case], bool] = lambda case: True
    as_if_uncaught: Callable[[Case], Case | None] = lambda case: None
    check_rivals: Callable[[Case], list[tuple[str, Finding]]] = lambda case: []

    @property
    def summary(self) -> str:
        return self.documentation.strip().split("\n", 1)[0]

    @property
    def family(self) -> str:
        return re.sub(r"\d", "", self.code)


def rule_of(module: ModuleType, code: str) -> Rule:
    name = module.__name__.rsplit(".", 1)[-1].replace("_", "-")
    relations = {name.lower(): getattr(module, name) for name in ATTRIBUTES if hasattr(module, name)}
    relations.setdefault("asked_when_caught", relations.get("role") == "explanation")
    rule = Rule(code, name, _documentation(module), **relations)
    if rule.role not in get_args(Role) or rule.family not in FAMILIES:
        raise ValueError(f"{code} {name}: role {rule.role!r} or family {rule.family!r} is not known")
    return rule


def _documentation(module: ModuleType) -> str:
    """The docstring, with the texts that several rules share put in for their marks."""
    text = module.__doc__ or ""
    shared: dict[str, str] = getattr(module, "TEXTS", {})
    for mark, words in shared.items():
        text = text.replace(mark, words)
    return text
