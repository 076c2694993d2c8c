"""Runs a step on paper: which buffers live when, and the moment of the peak. Pure and deterministic.

The order of ops is that of TensorFlow's executor: as many workers as inter-op threads, each with a queue of
its own that it takes from at the front while others steal from the back; cheap ops run at once on the worker
that made them ready. The time of an op is an estimate, varied a little by a seeded generator: the peak of
small steps depends on such luck, and the caller takes the median of several steps. The allocator lives
through them all, as in the process.
"""

from __future__ import annotations

import bisect
import heapq
import random
from collections import deque
from typing import NamedTuple

from whydied.graph import buffers
from whydied.graph.allocator_model import COUNTED_BYTES, Allocator
from whydied.graph.expansion import Expansion, Node
from whydied.graph.step_work import Work

_JITTER = 0.2
_PAUSE_S = 10e-3


class Peak(NamedTuple):
    """The highest moment of one step. `counted_bytes` is what the allocator counts above the start of the step,
    `tensor_bytes` the plain sum of live tensors, small ones included; `alive` are the cells that own live buffers."""

    counted_bytes: int
    tensor_bytes: int
    alive: tuple[int, ...]
    above_bytes: int = 0
    """The same above the very start, with the inputs and what earlier steps left."""


class Start(NamedTuple):
    """What a step finds: the allocator's free chunks and the size of its next region, and the address of each variable
    by its number. `ready` batches of the inputs are alive at a time, made one by one ahead of the steps; where none is,
    they are there all the time and count for nothing."""

    free: tuple[tuple[int, int], ...] = ()
    next_region_bytes: int = 0
    variables: tuple[tuple[int, int], ...] = ()
    ready: int = 0
    jitter: float = _JITTER
    """By how much of itself the time of an op varies, up or down."""
    paused: float = 0.0
    """The part of the ops that wait for a processor, some milliseconds each."""
    keeps_results: bool = False
    """Whether the results of each step stay, as those of `predict` do."""


class Simulation:
    """A step that can be run repeatedly with one allocator."""

    def __init__(self, step: Expansion | Work, threads: int, seed: int = 0, start: Start | None = None) -> None:
        work = step if isinstance(step, Work) else Work(step)
        self._work = work
        self._nodes = work.nodes
        self._cells = work.cells
        self._results = work.results
        self._uses = work.links.uses
        self._threads = max(1, threads)
        self._random = random.Random(seed)
        self._allocator = Allocator.restored(start.free, start.next_region_bytes) if start else Allocator()
        self._address: list[int] = []
        self._owner: list[int] = []
        self._size: list[int] = []
        self._holds: list[int] = []
        self._variables: dict[int, int] = {}
        self._log: list[int] = []
        self._buffer: list[int] = []
        self._tensor_bytes = self._tensor_peak = 0
        self._small_bytes = self.most_small_bytes = 0
        self._peak = self._peak_at = 0
        self._scattered: set[int] = set()
        self._left: dict[int, int] = {}
        """Memory that a variable leaves, or that an op took for itself, until the op is over."""
        self._place_variables(dict(start.variables) if start else {})
        self._sources = [number for number, cell in enumerate(self._cells) if cell.source]
        self._ahead: deque[dict[int, int]] = deque()
        self._inputs: dict[int, int] = {}
        self._ready = start.ready if start else 0
        self._jitter = start.jitter if start else _JITTER
        self._paused = start.paused if start else 0.0
        self._keeps_results = start.keeps_results if start else False
        self.base_bytes = self._allocator.used_bytes
        if not self._ready:
            self._inputs = self._fed()
            self.base_bytes = self._allocator.used_bytes

    def _place_variables(self, addresses: dict[int, int]) -> None:
        """Each in its own buffer, or where it really is: several may share one until they are written."""
        shared: dict[int, int] = {}
        ends = sorted({*addresses.values()})
        for cell in self._cells:
            if cell.node >= 0 or cell.variable < 0 or cell.variable in self._variables:
                continue
            address = addresses.get(cell.variable)
            if address is None or cell.size_bytes < COUNTED_BYTES:
                self._variables[cell.variable] = self._new(cell.size_bytes, -1)
                continue
            if address in shared:
                buffer = shared[address]
                self._holds[buffer] += 1
            else:
                most = ends[bisect.bisect_right(ends, address)] if address < ends[-1] else address + (1 << 50)
                self._allocator.holds(address, cell.size_bytes, most)
                self._address.append(address)
                self._owner.append(-1)
                self._size.append(cell.size_bytes)
                self._holds.append(1)
                buffer = shared[address] = len(self._size) - 1
            self._variables[cell.variable] = buffer

    def _fed(self) -> dict[int, int]:
        return {number: self._new(self._cells[number].size_bytes, -1) for number in self._sources}

    # Buffers

    def _new(self, size_bytes: int, owner: int, counts: bool = True) -> int:
        self._address.append(self._allocator.take(size_bytes) if counts else -1)
        self._owner.append(owner)
        self._size.append(size_bytes)
        self._holds.append(1)
        return len(self._size) - 1

    def _release(self, buffer: int) -> None:
        self._holds[buffer] -= 1
        if self._holds[buffer] == 0:
            address = self._address[buffer]
            if address >= 0:
                self._allocator.give_back(address)
            elif self._owner[buffer] >= 0:
                self._small_bytes -= self._size[buffer]
            self._tensor_bytes -= self._size[buffer]
            self._log.append(~buffer)

    def _allocate(self, size_bytes: int, owner: int, counts: bool = True) -> int:
        buffer = self._new(size_bytes, owner, counts)
        if self._address[buffer] < 0:
            self._small_bytes += size_bytes
            self.most_small_bytes = max(self.most_small_bytes, self._small_bytes)
        self._tensor_bytes += size_bytes
        self._log.append(buffer)
        if self._allocator.used_bytes > self._peak or (
            self._allocator.used_bytes == self._peak and self._tensor_bytes > self._tensor_peak
        ):
            self._peak, self._tensor_peak = self._allocator.used_bytes, self._tensor_bytes
            self._peak_at = len(self._log)
        return buffer

    @property
    def touched_bytes(self) -> int:
        """What the process has more than before, after the steps so far: the allocator gives nothing back."""
        return self._allocator.touched_bytes

    # A step

    def step(self) -> Peak:
        """Run the step once more."""
        start = self._allocator.used_bytes
        self._tensor_bytes = self._tensor_peak = 0
        self._log = []
        self._buffer = [-1] * len(self._cells)
        inputs = self._inputs
        if self._ready:
            while len(self._ahead) < self._ready:
                self._ahead.append(self._fed())
            inputs = self._ahead.popleft()
        self._peak, self._peak_at = self._allocator.used_bytes, 0
        for number, buffer in inputs.items():
            self._buffer[number] = buffer
            self._holds[buffer] = 1 + self._uses[number]
        if self._ready > 1:
            self._let_go(inputs)
        self._execute()
        if self._ready == 1:
            self._let_go(inputs)
        for cell in self._results if not self._keeps_results else ():
            if self._buffer[cell] >= 0:
                self._release(self._buffer[cell])
        return Peak(self._peak - start, self._tensor_peak, self._alive(), self._peak - self.base_bytes)

    def _let_go(self, inputs: dict[int, int]) -> None:
        """A pipeline keeps nothing of a batch that it gave; a caller keeps it until the step is over."""
        for buffer in inputs.values():
            self._release(buffer)

    def _alive(self) -> tuple[int, ...]:
        living: dict[int, None] = {}
        for entry in self._log[: self._peak_at]:
            if entry >= 0:
                living[entry] = None
            else:
                living.pop(~entry, None)
        return tuple(self._owner[buffer] for buffer in living if self._owner[buffer] >= 0)

    def _execute(self) -> None:
        links, seconds_of, random = self._work.links, self._work.seconds, self._random.random
        jitter, paused = self._jitter, self._paused
        waits = list(links.waits)
        queues: list[deque[int]] = [deque() for _ in range(self._threads)]
        inline: list[deque[int]] = [deque() for _ in range(self._threads)]
        for number, count in enumerate(waits):
            if count == 0:
                queues[self._random.randrange(self._threads)].append(number)
        running: list[tuple[float, int, int, int]] = []
        idle = list(range(self._threads))
        now, turn = 0.0, 0
        while True:
            waiting = []
            for worker in sorted(idle) if len(idle) > 1 else idle:
                taken = _pick(worker, inline, queues)
                if taken is None:
                    waiting.append(worker)
                    continue
                self._start(taken)
                turn += 1
                seconds = seconds_of[taken] * (1 + jitter * (2 * random() - 1))
                if paused and random() < paused:
                    seconds += self._random.expovariate(1 / _PAUSE_S)
                heapq.heappush(running, (now + seconds, turn, worker, taken))
            if not running:
                return
            now, _, worker, done = heapq.heappop(running)
            self._finish(done)
            ready = []
            for user in links.users[done]:
                waits[user] -= 1
                if waits[user] == 0:
                    ready.append(user)
            if ready:
                self._queue(ready, inline[worker], queues[worker])
            waiting.append(worker)
            idle = waiting

    def _queue(self, ready: list[int], inline: deque[int], queue: deque[int]) -> None:
        last, is_cheap = None, self._work.links.is_cheap
        for number in ready:
            if is_cheap[number]:
                inline.append(number)
                continue
            if last is not None:
                queue.appendleft(last)
            last = number
        if last is not None:
            if inline:
                queue.appendleft(last)
            else:
                inline.append(last)

    def _start(self, number: int) -> None:
        """Give every output its memory: shared, taken over from an input, or new."""
        node = self._nodes[number]
        kind = node.op.type
        if kind == "ReadVariableOp":
            self._read(node)
            return
        if kind.startswith(("Assign", "Resource")):
            self._update(number, node)
        buffer_of, holds = self._buffer, self._holds
        taken: list[int] = []
        for output in self._work.outputs[number]:
            if output.shared >= 0:
                buffer = buffer_of[output.shared]
                if buffer < 0:
                    continue
                holds[buffer] += 1
            else:
                buffer = self._reused(output.reusable, taken) if output.reusable else -1
                if buffer >= 0:
                    holds[buffer] += 1
                else:
                    buffer = self._allocate(output.size_bytes, output.cell, output.counts)
            taken.append(buffer)
            buffer_of[output.cell] = buffer
        scratch = self._work.scratch[number]
        if scratch >= COUNTED_BYTES:
            self._left[number] = self._allocate(scratch, node.outputs[0])

    def _reused(self, sources: tuple[int, ...], taken: list[int]) -> int:
        for source in sources:
            buffer = self._buffer[source]
            if buffer >= 0 and self._holds[buffer] == 1 and buffer not in taken:
                return buffer
        return -1

    def _read(self, node: Node) -> None:
        variable = self._cells[node.inputs[0]].variable if node.inputs and node.outputs else -1
        if variable < 0 or variable not in self._variables:
            return
        cell = node.outputs[0]
        if variable in self._work.copied_variables and variable in self._scattered:
            self._buffer[cell] = self._allocate(self._cells[cell].size_bytes, cell)
            return
        self._buffer[cell] = self._variables[variable]
        self._holds[self._variables[variable]] += 1

    def _update(self, number: int, node: Node) -> None:
        """A variable changes: in place if nobody else holds its memory, else in a copy; or it takes over a tensor."""
        variable = self._cells[node.inputs[0]].variable if node.inputs else -1
        old = self._variables.get(variable, -1)
        if old < 0:
            return
        if node.op.type == "AssignVariableOp" and len(node.inputs) > 1 and self._buffer[node.inputs[1]] >= 0:
            new = self._buffer[node.inputs[1]]
            self._holds[new] += 1
        elif self._holds[old] > 1 and self._is_written(node.op.type, variable):
            # The old memory is there until it is copied: another that shares it finds it shared, and copies too.
            self._variables[variable] = self._allocate(self._size[old], self._owner[old])
            self._left[number] = old
            return
        else:
            return
        self._variables[variable] = new
        self._release(old)

    def _is_written(self, kind: str, variable: int) -> bool:
        """Whether an op writes into a variable's memory, so that it needs one that nobody else reads. From the first
        op on that writes single rows, readers get copies instead."""
        if buffers.copies_on_read(kind):
            first = variable not in self._scattered
            self._scattered.add(variable)
            return first
        return kind in ("AssignAddVariableOp", "AssignSubVariableOp") or kind.startswith("ResourceApply")

    def _finish(self, number: int) -> None:
        node = self._nodes[number]
        if number in self._left:
            self._release(self._left.pop(number))
        for cell in node.outputs:
            buffer = self._buffer[cell]
            if buffer >= 0:
                self._holds[buffer] += self._uses[cell]
        for cell in node.inputs:
            if self._buffer[cell] >= 0:
                self._release(self._buffer[cell])
        for cell in node.outputs:
            if self._buffer[cell] >= 0:
                self._release(self._buffer[cell])


def _pick(worker: int, inline: list[deque[int]], queues: list[deque[int]]) -> int | None:
    if inline[worker]:
        return inline[worker].popleft()
    if queues[worker]:
        return queues[worker].popleft()
    for other, queue in enumerate(queues):
        if other != worker and queue:
            return queue.pop()
    return None
