"""Threads and locks of a program that stood still: who holds what, and who waits for whom. Pure."""

from __future__ import annotations

from typing import Literal

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.hangs.stalls import Seen, stall_of
from whydied.read.waiting import is_ours, stand_of
from whydied.records import ThreadStack

MOST_THREADS = 16
INNERMOST = 6


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A thread, with its frames as text, or a lock."""

    id: str
    kind: Literal["thread", "lock"]
    name: str
    words: str = ""
    stuck: bool = False
    stack: list[str] = []


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    begin: str
    end: str
    how: Literal["holds", "waits for"]
    place: str = ""


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    nodes: list[Node]
    edges: list[Edge] = []
    told: str = ""


def waiting(case: Case) -> Waiting | None:
    """None for a run that was not ended while it stood still."""
    seen = stall_of(case)
    if seen is None or not seen.taken:
        return None
    stuck = {knot.thread.ident for knot in seen.stall.circle}
    stuck |= {one.thread.ident for one in seen.stall.chain if one.thread is not None}
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    for taken in seen.taken:
        threads = [thread for thread in taken.threads if not is_ours(thread)]
        ranked = sorted(threads, key=lambda thread: (thread.ident not in stuck, not thread.main))
        for thread in ranked[:MOST_THREADS]:
            _thread(case, taken.pid, thread, thread.ident in stuck, nodes, edges)
    known = set(nodes)
    edges = [edge for edge in edges if edge.begin in known and edge.end in known]
    ordered = _in_a_ring(nodes, edges)
    return Waiting(nodes=ordered, edges=edges, told=_told(seen, nodes, edges)) if nodes else None


def _in_a_ring(nodes: dict[str, Node], edges: list[Edge]) -> list[Node]:
    """The nodes in the order of waiting, so that a circle of them is drawn as one."""
    after: dict[str, list[str]] = {}
    for edge in edges:
        after.setdefault(edge.begin, []).append(edge.end)
    found: dict[str, Node] = {}
    for start in nodes:
        at: str | None = start
        while at is not None and at not in found:
            found[at] = nodes[at]
            at = next((one for one in after.get(at, []) if one not in found), None)
    return list(found.values())


def _thread(case: Case, pid: int, thread: ThreadStack, stuck: bool, nodes: dict[str, Node], edges: list[Edge]) -> None:
    own = f"thread {pid}/{thread.ident}"
    place = case.locate_user(thread.frames)
    at = f" at {place.spelled}" if place else ""
    frames = [f"{frame.file.rsplit('/', 1)[-1]}:{frame.line} in {frame.function}" for frame in thread.frames]
    nodes[own] = Node(
        id=own,
        kind="thread",
        name="main thread" if thread.main else thread.name,
        words=f"waits for: {stand_of(thread).kind}{at}",
        stuck=stuck,
        stack=frames[-INNERMOST:],
    )
    for use in thread.locks:
        lock = f"lock {pid}/{use.lock}"
        nodes.setdefault(lock, Node(id=lock, kind="lock", name=use.name or "a lock", words=use.kind, stuck=stuck))
        where = f"{use.file.rsplit('/', 1)[-1]}:{use.line}"
        if use.how == "holds":
            edges.append(Edge(begin=lock, end=own, how="holds", place=where))
        else:
            edges.append(Edge(begin=own, end=lock, how="waits for", place=where))
    if thread.joins is not None:
        edges.append(
            Edge(begin=own, end=f"thread {pid}/{thread.joins}", how="waits for", place=at.removeprefix(" at "))
        )


def _told(seen: Seen, nodes: dict[str, Node], edges: list[Edge]) -> str:
    phrases = [
        f"{nodes[edge.begin].name} waits for {nodes[edge.end].name}"
        if edge.how == "waits for"
        else f"{nodes[edge.begin].name} is held by {nodes[edge.end].name}"
        for edge in edges
    ]
    return f"{'; '.join(phrases)}." if phrases else f"{len(seen.taken)} processes stood still."
