"""A recursion limit that the program raised beyond what the stack has room for. Pure.

Python raises RecursionError at its own limit. A program that sets a far higher one takes that check away, and native
code that calls itself then runs into the end of the stack.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Location
from whydied.source.calls import callee
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.deep_stacks import STACK_BYTES, in_deep_stack
from whydied.source.numbers import constants, evaluate
from whydied.source.trees import across, located

DEFAULT = 1000
"""What Python begins with."""


class RaisedLimit(NamedTuple):
    place: Location
    limit: int
    changes: list[Change]

    @property
    def words(self) -> str:
        return (
            f": `sys.setrecursionlimit({self.limit})` on {line_words(self.place)} lets calls go deeper than the stack "
            "has room for, where Python would have raised RecursionError"
        )

    @property
    def advice(self) -> list[str]:
        mebibytes = STACK_BYTES >> 20
        return [
            f"Leave the limit at {DEFAULT:,}, and keep what is nested flat: a list or a loop instead of the recursion.",
            f"If the depth is meant, run it in a thread with a stack for it: `threading.stack_size({mebibytes} << 20)` "
            "before `threading.Thread(target=…)`.",
        ]


def raised_limit(case: Case) -> RaisedLimit | None:
    """The last statement of the program that sets a higher limit."""
    found = [
        (file, call, round(value))
        for file, call in across(case.sources, ast.Call)
        if callee(call) == "setrecursionlimit" and len(call.args) == 1
        if (value := evaluate(call.args[0], constants(case.sources[file].tree))) is not None and value > DEFAULT
    ]
    if not found:
        return None
    file, call, limit = found[-1]
    main = case.records.main_file
    source = case.sources.get(main) if main is not None else None
    edits = in_deep_stack(source, main) if source is not None and main is not None else []
    title = f"Run the program in a thread with a stack of {STACK_BYTES >> 20} MiB"
    changes = [Change(title=title, kind="stack", edits=edits, harm="exact")] if edits else []
    return RaisedLimit(located(case.sources, file, call.lineno), limit, changes)
