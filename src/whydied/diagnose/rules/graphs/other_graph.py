"""A session was given something of another graph than its own.

## What it detects
A fetch, a key of a feed or a saver whose tensors belong to another graph than the one that the session runs; an op
that was to take tensors of two graphs; a model that is called where another graph is the default one; a name that the
default graph of a thread is asked for and the graph of the session has.

## Why it happens
A session takes the graph that is the default one when it is opened. It was opened outside of the `with` block of the
model's graph, or `reset_default_graph` was called between the model and the session. The default graph is one per
thread: what a worker thread makes, and a session that it opens, is not in the graph of the main thread.

## Evidence
The graph of each fetch and key against the session's; the lines that opened the session and made the tensor; the name
that the code has for the other graph; the line that resets the default graph between them; whether the stack of a
tensor begins in a thread that the program started.

## How it is proved
The graphs are compared as objects when the run fails: certain. Where TensorFlow only says that a name is not there:
likely, if the change works that is tried.

## Fix
Open the session with that graph (`Session(graph=…)`), or reset the graph before the model is built. In a thread: `with
graph.as_default():` around what it makes; around the call of a model also its session, which has the weights; in a
generator that Keras draws from, before its loop.

## Known problems
Where neither the other graph has a name nor a reset lies between, only both lines are told.

## References
TensorFlow documentation: tf.compat.v1.Session, tf.Graph.as_default.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.demands import default_graphs, mixed_graphs, thread_graphs
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.errors.session_error import created, session_facts, v1
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import Fed, Fetched, GraphNode, SessionFacts
from whydied.source.calls import argument, callee
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.session_edits import with_graph
from whydied.source.edits.statement_edits import move_above, statement_at
from whydied.source.trees import tree_of, walk
from whydied.texts import session_errors

_FETCH = session_errors.FETCH_OF_OTHER_GRAPH.pattern
_KEY = session_errors.FEED_KEY.pattern
_EMPTY = session_errors.EMPTY_GRAPH.pattern
_NOT_FOUND = session_errors.NOT_FOUND_IN_GRAPH.pattern

ROLE = "explanation"
YIELDS_TO = ("symbolic-as-value",)


def check(case: Case) -> Finding | None:
    if (mixed := mixed_graphs.mixed(case)) is not None:
        return mixed
    if (lost := quoted(case, _NOT_FOUND)) is not None:
        return default_graphs.model_elsewhere(case, lost)
    said = quoted(case, _FETCH, _KEY, _EMPTY)
    if said is None or "EagerTensor" in said.match[0]:
        return None
    facts = session_facts(case)
    foreign: list[Fed | Fetched] = [one for one in facts.feeds if one.foreign] if facts is not None else []
    foreign += [one for one in facts.fetches if one.foreign] if facts is not None else []
    node = foreign[0].node if foreign else None
    # A graph that has a name was chosen by the program, and is not the default one of a thread.
    if facts is not None and node is not None and node.in_thread and not facts.graph:
        found = thread_graphs.made_in_thread(case, said, facts, node)
        if found is not None:
            return found
    if facts is not None and node is not None:
        return _tensor(case, said, facts, foreign[0], node)
    if said.match.re is _EMPTY:
        return None
    if facts is not None and facts.call != "run":
        return _saver(case, said, facts)
    if said.match.re is _FETCH or session_errors.NOT_OF_THIS_GRAPH.pattern.search(said.match["why"]):
        return _unknown(case, said)
    return None


def _tensor(case: Case, said: Quotation, facts: SessionFacts, one: Fed | Fetched, node: GraphNode) -> Finding:
    name, session = one.text or node.name, facts.session or "the session"
    opened = case.locate(facts.opened) if facts.opened is not None else None
    reset = _reset_between(case, opened, node)
    place = reset or (opened if facts.graph or facts.in_thread else None) or said.place
    whose = f"graph `{facts.graph}`" if facts.graph else "another graph"
    where = f", opened on {line_words(opened)}," if opened is not None and place != opened else ""
    because = f": {line_words(reset)} resets the default graph between the two" if reset is not None else ""
    if reset is None and facts.in_thread:
        because = ": it is opened in another thread, and each thread has a default graph of its own"
    return Finding(
        message=f"{prefix(place)}`{name}` belongs to {whose}, and `{session}`{where} runs a different one{because}; "
        "expected both in the same graph",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="session", name=facts.session or None)
        if facts.graph and not reset
        else Culprit(kind="tensor", name=name),
        evidence=[*evidence_of(said.link, said.raised), *created(case, node, f"`{name}`"), *_opening(opened)],
        advice=[_advice(case, facts, opened, reset, node)],
        changes=_changes(case, facts, opened, reset, node),
    )


def _changes(
    case: Case, facts: SessionFacts, opened: Location | None, reset: Location | None, node: GraphNode
) -> list[Change]:
    """The reset above what is built, or the session on the graph that has the tensor."""
    source = case.sources.get(opened.file) if opened is not None else None
    if opened is None or source is None:
        return []
    if reset is None:
        return _on_graph(case, facts, opened, node)
    first = next((frame for frame in node.made if frame.function == opened.function), None)
    statement = statement_at(source, reset.line)
    if first is None or first.line >= reset.line or statement is None:
        return []
    edits = move_above(source, opened.file, statement, first.line)
    return [Change(title="Reset the graph before it is built", kind="statement", edits=edits)] if edits else []


def _on_graph(case: Case, facts: SessionFacts, opened: Location | None, node: GraphNode | None = None) -> list[Change]:
    source = case.sources.get(opened.file) if opened is not None else None
    graph = facts.graph or (f"{node.text}.graph" if node and node.text.replace(".", "").isidentifier() else "")
    if opened is None or source is None or not graph:
        return []
    edit = with_graph(source, opened.file, opened.line, graph)
    title = f"Open the session with `graph={graph}`"
    return [Change(title=title, kind="argument", edits=[edit])] if edit is not None else []


def _advice(case: Case, facts: SessionFacts, opened: Location | None, reset: Location | None, node: GraphNode) -> str:
    if reset is not None and opened is not None:
        first = next((frame for frame in node.made if frame.function == opened.function), None)
        if first is not None and first.line < reset.line:
            return (
                f"Move {line_words(reset)} above {line_words(case.locate(first))}: the graph is built after the reset."
            )
        return f"Open the session after {line_words(reset)}, in the graph that is built after it."
    graph = facts.graph or (f"{node.text}.graph" if node.text.replace(".", "").isidentifier() else "")
    if graph:
        at = f" on {line_words(opened)}" if opened is not None else ""
        return f"Open the session with that graph{at}: `{v1(case, f'Session(graph={graph})')}`."
    return (
        f"Open the session with the tensor's graph: `{v1(case, 'Session(graph=…graph)')}`, or build both in one graph."
    )


def _saver(case: Case, said: Quotation, facts: SessionFacts) -> Finding | None:
    """A saver feeds a tensor of its own, which only its graph has."""
    opened = case.locate(facts.opened) if facts.opened is not None else None
    place = opened or said.place
    whose = f"graph `{facts.graph}`" if facts.graph else "another graph"
    session = f"`{facts.session}`" if facts.session else "the session"
    call = f"Saver.{facts.call}"
    advice = (
        f"Open the session with that graph: `{v1(case, f'Session(graph={facts.graph})')}`."
        if facts.graph
        else "Open the session while the graph of the saver's variables is the default one, or give it that graph "
        f"(`{v1(case, 'Session(graph=…)')}`)."
    )
    where = f" ({line_words(said.place)})" if said.place is not None and place != said.place else ""
    return Finding(
        message=f"{prefix(place)}{session} runs a different graph than the one the saver was made for: `{call}`{where} "
        f"needs ops of {whose}; expected a session on the saver's graph",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="session", name=facts.session or None),
        evidence=[*evidence_of(said.link, said.raised), *_opening(opened)],
        advice=[advice],
        changes=_on_graph(case, facts, opened),
    )


def _unknown(case: Case, said: Quotation) -> Finding:
    """Of a recording that has no facts about the session."""
    name = argument(case.sources, said.place, "run", "0") if said.place and said.match.re is _FETCH else None
    shown = session_errors.TENSOR_SHOWN.pattern.search(said.link.message)
    what = f"`{name}`" if name else f"tensor {shown['name']}" if shown else "what the session was given"
    return Finding(
        message=f"{prefix(said.place)}{what} belongs to a different graph than the session; expected one in the "
        "session's graph",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="tensor", name=name or (shown["name"] if shown else None)),
        evidence=evidence_of(said.link, said.raised),
        advice=[
            "Create the session with that graph (`tf.compat.v1.Session(graph=…)`), or the tensor in the "
            "session's graph."
        ],
    )


def _reset_between(case: Case, opened: Location | None, node: GraphNode) -> Location | None:
    """A reset of the default graph between the opening of a session and the making of a tensor, in one function."""
    if opened is None:
        return None
    made = [frame.line for frame in node.made if (frame.file, frame.function) == (opened.file, opened.function)]
    if not made:
        return None
    first, last = sorted((made[0], opened.line))
    for call in walk(tree_of(case.sources, opened.file), ast.Call):
        if callee(call) == "reset_default_graph" and first < call.lineno < last:
            return Location(file=opened.file, line=call.lineno, function=opened.function, source=ast.unparse(call))
    return None


def _opening(opened: Location | None) -> list[Evidence]:
    if opened is None:
        return []
    return [Evidence(fact="session opened at", value=f"{opened.file}:{opened.line}", source="SessionFacts")]
