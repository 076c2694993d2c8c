"""Which graph the tensors of a refused op belong to, and in which thread they were made; runs in the user's process,
after an exception.

Invariant: graphs and tensors are only read. A tensor counts as made in a thread where its own stack begins in one.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from whydied.inside.errors.sessions import graph_walk
from whydied.inside.errors.sessions.source_words import Words
from whydied.inside.errors.stack_steps import LARGEST_STEPS, Step, frame_of, is_of, last
from whydied.inside.guest.lookup import instance_dict
from whydied.records import GraphsMixed, OwnedTensor

_SESSIONS = ("client/session.py",)
"""What asks for the tensors of fetches and feeds, of which there are other facts."""


def look(number: int, steps: list[Step]) -> GraphsMixed | None:
    """The two tensors that an op was to take, or the one that the default graph does not have, read from the frame in
    which TensorFlow compares their graphs."""
    step = last(steps[-1:], lambda one: is_of(one, "framework/ops.py"))
    users = [one for one in steps if one.file is not None]
    if step is None or not users:
        return None
    tensors = []
    if step.frame.f_code.co_name == "_assert_same_graph":
        tensors = [step.get("original_item"), step.get("item")]
    elif step.frame.f_code.co_name == "_as_graph_element_locked" and not any(is_of(one, *_SESSIONS) for one in steps):
        tensors = [step.get("obj")]
        owner = getattr(tensors[0], "graph", None)
        tensors = tensors if owner is not None and owner is not step.get("self") else []
    if not tensors or any(one is None for one in tensors):
        return None
    words = Words(users)
    return GraphsMixed(
        link=number,
        place=frame_of(users[-1].file or "", users[-1].line, users[-1].function),
        in_thread=in_thread(steps),
        tensors=[_owned(one, words) for one in tensors],
    )


def in_thread(steps: list[Step]) -> bool:
    """Whether an exception rose in a thread that the program started, and was brought to another."""
    if any(is_of(one, *graph_walk.THREAD_STARTS) for one in steps):
        return True
    # One that was kept and raised again elsewhere has only the frames below its handler; they know who called them.
    frame = steps[-1].frame if steps else None
    for _ in range(LARGEST_STEPS):
        if frame is None:
            return False
        if is_of(Step(frame, 0, None), *graph_walk.THREAD_STARTS):
            return True
        frame = frame.f_back
    return False


def _owned(tensor: Any, words: Words) -> OwnedTensor:
    text = words.of(tensor)
    return OwnedTensor(
        node=graph_walk.node_of(tensor, text),
        graph=graph_words(tensor.graph, words),
        in_thread=graph_walk.began_in_thread(graph_walk.op_of(tensor)),
    )


def graph_words(graph: Any, words: Words) -> str:
    """A graph as the code can write it: its own name, or that of the session which runs it."""
    name = words.of(graph)
    if name or not words.users:
        return name
    step = words.users[-1]
    holders = [("self.", instance_dict(step.names["self"]))] if "self" in step.names else []
    for before, names in [("", step.names), *holders, ("", step.frame.f_globals)]:
        for key, value in islice(list(names.items()), 500):
            if (
                type(value).__name__ in ("Session", "InteractiveSession")
                and instance_dict(value).get("_graph") is graph
            ):
                return f"{before}{key}.graph"
    return ""
