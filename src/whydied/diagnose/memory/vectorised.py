"""Statements that TensorFlow vectorises: `jacobian` computes the gradients of all outputs at once, each with its own
copy of what the backward pass needs. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.last_statement import last_statement_growth
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change, Edit
from whydied.source.trees import nodes_at, scope_at, within, written

_VECTORISES = frozenset({"jacobian", "batch_jacobian"})
_WORD = "experimental_use_pfor"


class Vectorised(NamedTuple):
    """The call, and the tape that it is asked of, as written."""

    place: Location
    call: ast.Call
    tape: str

    @property
    def advice(self) -> str:
        return (
            f"Pass `{_WORD}=False` to `{callee(self.call)}`, with `persistent=True` for the tape `{self.tape}`: the "
            "gradients are then computed one output after another, slower and in the memory of one. Or give it fewer "
            "rows at a time."
        )

    def changes(self, case: Case) -> list[Change]:
        source = case.sources.get(self.place.file)
        made = self._tape_call(case)
        if source is None or made is None:
            return []
        file = self.place.file
        edits: list[Edit | None] = [
            set_argument(source, file, self.call, _WORD, None, "False"),
            set_argument(source, file, made, "persistent", 0, "True"),
        ]
        known = [one for one in edits if one is not None]
        title = "Compute the gradients of one output after another"
        return [Change(title=title, kind="argument", edits=known)] if len(known) == len(edits) else []

    def _tape_call(self, case: Case) -> ast.Call | None:
        """The only call that makes the tape in the same function."""
        scope = scope_at(case.sources[self.place.file].tree, self.place.line)
        found = [
            item.context_expr
            for node in within(scope)
            if isinstance(node, ast.With)
            for item in node.items
            if item.optional_vars is not None and written(item.optional_vars) == self.tape
        ]
        return found[0] if len(found) == 1 and isinstance(found[0], ast.Call) else None


def vectorised(case: Case) -> Vectorised | None:
    """The last statement, where it asks a tape for a Jacobian and leaves it to TensorFlow how."""
    growth = last_statement_growth(case)
    if growth is None:
        return None
    for call in nodes_at(case.sources, growth.place):
        if isinstance(call, ast.Call) and callee(call) in _VECTORISES and isinstance(call.func, ast.Attribute):
            left = passed_argument(call, _WORD) is None
            return Vectorised(growth.place, call, written(call.func.value)) if left else None
    return None
