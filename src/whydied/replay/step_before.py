"""What the step before the captured one computed from the number of the step alone, such as its learning rate; runs in
the process of the replay.

A weight that is not finite at the start of a step was made so by the update before it. The gradients and weights of
that update are gone, but whatever depends on the counter of steps only can be computed again with the counter set back.
"""

from __future__ import annotations

from whydied.records import FoundOp
from whydied.replay import described_ops, first_bad_value
from whydied.replay.captured_step import Scene
from whydied.replay.execution.captured_graph import Program
from whydied.replay.execution.graph_nodes import Body, Source
from whydied.replay.execution.replay_errors import ReplayError
from whydied.replay.trials import Trials

_BACK = 2
"""How many steps are tried: a bad weight is noticed at the next step, or at the one after."""
_READS = ("ReadVariableOp", "Identity")


def counted_op(scene: Scene, program: Program, trials: Trials) -> FoundOp | None:
    """The first op that gave a bad value in one of the steps before, from the counter of steps and constants alone."""
    for counter, array in scene.variables.items():
        if array.dtype.kind not in "iu" or array.ndim or array < 1:
            continue
        ends = _counted(program.top, counter)
        for back in range(1, min(_BACK, int(array)) + 1) if ends else ():
            try:
                trace = trials.run_with(ends, {counter: array - back})
            except ReplayError:
                break
            roots = [trace.events[at] for at in first_bad_value.way(trace, trace.targets).roots]
            for event in roots:
                if not event.leaf:
                    return described_ops.found_op(scene, program, trace, event, trace.kept.get(event.place))
    return None


def _counted(body: Body, counter: str) -> tuple[Source, ...]:
    """The last nodes that are computed from a counter and constants alone."""
    if counter not in body.nodes:
        return ()
    plain = {name for name, node in body.nodes.items() if node.op == "Const"}
    counted = {counter}
    growing = True
    while growing:
        growing = False
        for name, node in body.nodes.items():
            behind = {source.node for source in node.inputs}
            if name in counted or not behind or not behind & counted or not behind <= counted | plain:
                continue
            if counter in behind and node.op not in _READS:
                continue
            counted.add(name)
            growing = True
    inner = {source.node for name in counted for source in body.nodes[name].inputs}
    return tuple(Source(name, 0) for name in sorted(counted - inner - {counter}) if body.nodes[name].outputs)
