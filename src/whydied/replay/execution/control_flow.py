"""Calls, branches and loops of a step, entered and not executed as a whole; used in the process of the replay.

Invariant: the ops inside are executed one by one, with the functions around them and the round of the loop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from whydied.replay.execution import op_kinds
from whydied.replay.execution.captured_graph import LOOP, Program
from whydied.replay.execution.execution_trace import Ref, Scope
from whydied.replay.execution.graph_nodes import Body, Node, Schedule, Source
from whydied.replay.execution.op_kernels import Kernels
from whydied.replay.execution.value_slots import Slot, dead, missing

_Round = Callable[[list[Slot], int], list[Slot]]
"""What some values become in a round of a loop."""


class ControlFlow(ABC):
    """What an interpreter does with nodes that only say which others are executed."""

    def __init__(self, program: Program, kernels: Kernels) -> None:
        self._program = program
        self._kernels = kernels

    @abstractmethod
    def _body(
        self, body: Body, order: Schedule, arguments: list[Slot], scope: Scope, results: tuple[Source, ...]
    ) -> list[Slot]:
        """Execute a body."""

    def _entered(self, node: Node, inputs: list[Slot], scope: Scope) -> list[Slot] | None:
        """What a call, branch or loop gives; None for any other node."""
        op = node.op
        if op in op_kinds.CALLS or self._program.is_function(op):
            return self._call(node.attr["f"].func.name if op in op_kinds.CALLS else op, inputs, scope)
        if op in op_kinds.BRANCHES or op in op_kinds.CASES:
            return self._branch(node, inputs, scope)
        if op in op_kinds.LOOPS:
            return self._loop(node, inputs, scope)
        if op == LOOP:
            return self._classic_loop(node, inputs, scope)
        if op in op_kinds.CLASSIC_BRANCHES:
            return self._classic_branch(node, inputs)
        return self._stack(node, inputs) if op in op_kinds.STACKS else None

    def _call(self, name: str, inputs: list[Slot], scope: Scope, turn: int = 0) -> list[Slot]:
        body = self._program.function(name)
        inner = Scope((*scope.functions, name), (*scope.rounds, turn))
        return self._body(body, body.schedule(), inputs, inner, body.results)

    def _branch(self, node: Node, inputs: list[Slot], scope: Scope) -> list[Slot]:
        chooser = inputs[0]
        if chooser.reason:
            return missing(chooser.reason, node.outputs)
        if node.op in op_kinds.CASES:
            branches = [function.name for function in node.attr["branches"].list.func]
            chosen = int(self._kernels.array(chooser.value))
            name = branches[chosen if 0 <= chosen < len(branches) else -1]
        else:
            name = node.attr["then_branch" if self._is_true(chooser.value) else "else_branch"].func.name
        return self._call(name, inputs[1:], scope)

    def _loop(self, node: Node, inputs: list[Slot], scope: Scope) -> list[Slot]:
        condition, body = node.attr["cond"].func.name, node.attr["body"].func.name
        return self._rounds(
            inputs,
            lambda given, turn: self._call(condition, given, scope, turn),
            lambda given, turn: self._call(body, given, scope, turn),
        )

    def _classic_loop(self, node: Node, inputs: list[Slot], scope: Scope) -> list[Slot]:
        loop = self._program.loops[node.name]
        constants = inputs[: loop.constants]
        return self._rounds(
            inputs[loop.constants :],
            lambda given, turn: self._round(loop.condition, [*constants, *given], scope, turn),
            lambda given, turn: self._round(loop.body, [*constants, *given], scope, turn),
        )

    def _rounds(self, inputs: list[Slot], condition: _Round, body: _Round) -> list[Slot]:
        turn = 0
        while True:
            answer = condition(inputs, turn)[0]
            if answer.reason:
                return missing(answer.reason, len(inputs))
            if not self._is_true(answer.value):
                return inputs
            inputs = body(inputs, turn)
            turn += 1

    def _round(self, body: Body, inputs: list[Slot], scope: Scope, turn: int) -> list[Slot]:
        # Its nodes are the outer graph's, and so are their lines.
        inner = Scope(scope.functions, (*scope.rounds, turn))
        return self._body(body, body.schedule(), inputs, inner, body.results)

    def _is_true(self, tensor: Any) -> bool:
        array = self._kernels.array(tensor)
        return bool(array.item()) if array.ndim == 0 else array.size > 0

    def _classic_branch(self, node: Node, inputs: list[Slot]) -> list[Slot]:
        if node.op in ("Merge", "RefMerge"):
            at = next(at for at, slot in enumerate(inputs) if not slot.dead)
            return [inputs[at], Slot(Ref(0, 0), self._kernels.tensor(at))]
        if inputs[1].reason:
            return missing(inputs[1].reason, 2)
        taken = self._is_true(inputs[1].value)
        return [dead(), inputs[0]] if taken else [inputs[0], dead()]

    def _stack(self, node: Node, inputs: list[Slot]) -> list[Slot]:
        """Stacks, on which a loop of TensorFlow 1 keeps values for its gradient: here with where they came from."""
        if node.op == "StackV2":
            slot = Slot(Ref(0, 0), None)
            slot.stack = []
            return [slot]
        stack = inputs[0].stack
        if stack is None:
            return missing(f"the stack of {node.name} is not known", node.outputs)
        if node.op == "StackPushV2":
            stack.append(inputs[1])
            return [inputs[1]]
        if node.op == "StackPopV2":
            return [stack.pop()] if stack else missing(f"the stack of {node.name} is empty", 1)
        return []
