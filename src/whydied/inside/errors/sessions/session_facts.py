"""What a session was asked, fed and had run before, at an exception of it; runs in the user's process.

Invariant: nothing is run in the session. What TensorFlow's own frames hold is read, and the graph; values of the
feed are described.
"""

from __future__ import annotations

import ast
from types import TracebackType
from typing import Any, NamedTuple

import msgspec

from whydied import redact
from whydied.inside import journal
from whydied.inside.errors.framework.looked_values import looked_at
from whydied.inside.errors.framework.value_sources import sources_of
from whydied.inside.errors.sessions import graph_owners, graph_walk, op_names, saver_facts, taken_names
from whydied.inside.errors.sessions.source_words import Words, written
from whydied.inside.errors.stack_steps import Step, frame_of, is_of, last, steps_of
from whydied.inside.guest import guard
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.value_facts import type_name
from whydied.inside.model import session_runs
from whydied.records import (
    Assigning,
    Blank,
    Fed,
    Fetched,
    Frame,
    GraphNode,
    GraphsMixed,
    SessionFacts,
    ValueSource,
    VariableTaken,
)
from whydied.texts import session_errors

LARGEST_ENTRIES = 40
LARGEST_WAY = 8
LARGEST_RUNS = 12
_BLANK = (
    session_errors.UNINITIALISED_REFERENCE.pattern,
    session_errors.VARIABLE_NOT_FOUND.pattern,
    session_errors.RESOURCE_GONE.pattern,
)
_NODES = session_errors.NODE_IN_TEXT.pattern
_REFERENCES = ("VariableV2", "Variable")
_TENSORS = ("Tensor", "SymbolicTensor", "Operation", "RefVariable", "ResourceVariable")


@guarded("session_facts.gather")
def gather(
    chain: list[tuple[BaseException, TracebackType | None, str]],
) -> list[SessionFacts | VariableTaken | GraphsMixed]:
    """The facts about each exception of a chain that rose in a session; `chain` as the record has it."""
    owner = journal.current()
    found: list[SessionFacts | VariableTaken | GraphsMixed] = []
    for number, (error, trace, _) in enumerate(chain[:6] if owner is not None else ()):
        assert owner is not None
        steps = steps_of(trace, None, owner.ownership)
        for other in (taken_names.look(number, str(error), steps), graph_owners.look(number, steps)):
            if other is not None:
                found.append(other)
        users = [one for one in steps if one.file is not None]
        run = last(steps, lambda one: one.frame.f_code.co_name == "_run" and is_of(one, "client/session.py"))
        if users and (run is not None or saver_facts.step_of(steps) is not None):
            found.append(_facts(number, str(error), run, steps, users))
    return found


class _Scene(NamedTuple):
    """What the parts of the facts are read from; `run` is the step of TensorFlow that has fetches and feeds."""

    said: str
    session: Any
    run: Step | None
    saver: Step | None
    words: Words


def _facts(number: int, said: str, run: Step | None, steps: list[Step], users: list[Step]) -> SessionFacts:
    saver = saver_facts.step_of(steps)
    library = saver or run
    assert library is not None
    # What TensorFlow calls back into has frames of the user's below the session's.
    users = [one for one in users if steps.index(one) < steps.index(library)] or users
    words = Words(users)
    session = saver.get("sess") if saver is not None else library.get("self")
    facts = SessionFacts(
        link=number,
        place=frame_of(users[-1].file or "", users[-1].line, users[-1].function),
        session=words.of(session),
        opened=_line(session_runs.line_of(session)),
        closed=bool(instance_dict(session).get("_closed")),
        operations=session.graph.version,
        in_thread=graph_owners.in_thread(steps),
    )
    scene = _Scene(said, session, run, saver, words)
    for add in (_add_saver, _add_entries, _add_unfed, _add_writers, _add_blank):
        try:
            facts = msgspec.structs.replace(facts, **add(facts, scene))
        except Exception as ours:
            if guard.is_the_users(ours):
                raise
            guard.swallowed(f"session_facts.{add.__name__.strip('_')}", ours)
    return facts


def _line(line: Any) -> Frame | None:
    return frame_of(*line) if line is not None else None


def _add_saver(facts: SessionFacts, scene: _Scene) -> dict[str, Any]:
    return saver_facts.look(scene.saver, scene.session.graph, scene.words) if scene.saver is not None else {}


def _add_entries(facts: SessionFacts, scene: _Scene) -> dict[str, Any]:
    """Feeds and fetches. Those of a saver are its own."""
    graph, words = scene.session.graph, scene.words
    if scene.saver is not None or scene.run is None:
        return {}
    feeds: dict[Any, Any] = scene.run.get("feed_dict") or {}
    asked = leaves(scene.run.get("fetches"))[:LARGEST_ENTRIES]
    nodes = words.fetched()
    foreign = [one for one in (*feeds, *asked) if _is_foreign(one, graph)]
    return {
        "feeds": [_fed(key, value, graph, words) for key, value in list(feeds.items())[:LARGEST_ENTRIES]],
        "fetches": [_fetched(one, graph, nodes, words) for one in asked],
        "graph": words.of(foreign[0].graph) if foreign else "",
    }


def _fed(key: Any, value: Any, graph: Any, words: Words) -> Fed:
    entry = words.entry(key)
    text = written(entry.key) if entry is not None else words.of(key)
    expression = entry.value if entry is not None else None
    party = looked_at("feed", _as_array(value), expression, entry.users if entry else words.users)
    element = _element(key, graph)
    return Fed(
        text=redact.text(text),
        type=type_name(type(key)),
        node=graph_walk.node_of(element, text) if element is not None else None,
        foreign=_is_foreign(key, graph),
        value=msgspec.structs.replace(party, type=type_name(type(value)), text=party.text or words.of(value)),
        tensor=graph_walk.node_of(value, words.of(value)) if _is_of_graph(value) else None,
        near=op_names.near(key, graph, "Placeholder") if element is None else [],
        written=entry.written if entry is not None else None,
    )


def _fetched(fetch: Any, graph: Any, nodes: Any, words: Words) -> Fetched:
    text = words.among(nodes, fetch)
    element = _element(fetch, graph)
    plain = type(fetch) in (int, float, bool, str) or type(fetch).__module__ == "numpy"
    return Fetched(
        text=redact.text(text),
        type=type_name(type(fetch)),
        node=graph_walk.node_of(element, text) if element is not None else None,
        foreign=_is_foreign(fetch, graph),
        value=redact.text(" ".join(str(fetch).split())[:60]) if plain else None,
        near=op_names.near(fetch, graph) if element is None else [],
        sources=_sources(text, words) if element is None else [],
    )


def _sources(text: str, words: Words) -> list[ValueSource]:
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return []
    return sources_of(node, words.users[-1], words.users[:-1])


def leaves(fetches: Any) -> list[Any]:
    """What is fetched, without the lists and dictionaries around it."""
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if not isinstance(fetches, (list, tuple)):
        return [fetches]
    return [leaf for one in list(fetches)[:LARGEST_ENTRIES] for leaf in leaves(one)]


def _is_of_graph(thing: Any) -> bool:
    return type(thing).__name__ in _TENSORS and type(thing).__module__.startswith("tensorflow.")


def _is_foreign(thing: Any, graph: Any) -> bool:
    return _is_of_graph(thing) and thing.graph is not graph


def _element(thing: Any, graph: Any) -> Any:
    """A tensor or op: itself, or the one that a text names."""
    if _is_of_graph(thing):
        return thing
    if not isinstance(thing, str):
        return None
    name, _, index = thing.partition(":")
    op = _by_name(graph, name)
    if op is None or not index:
        return op
    return op.outputs[int(index)] if index.isdigit() and int(index) < len(op.outputs) else None


def _by_name(graph: Any, name: str) -> Any:
    try:
        return graph.get_operation_by_name(name)
    except (KeyError, ValueError):
        return None


def _as_array(value: Any) -> Any:
    """Lists of plain numbers as an array; anything else as it is."""
    if type(value) in (int, float, bool) or (type(value) in (list, tuple) and _is_plain(value, 0)):
        import numpy

        try:
            return numpy.asarray(value)
        except ValueError:
            # Rows of several lengths.
            ragged = numpy.empty(len(value), object)
            ragged[:] = value
            return ragged
    return value


def _is_plain(value: Any, depth: int) -> bool:
    if type(value) not in (list, tuple):
        return type(value) in (int, float, bool)
    return depth < 6 and len(value) <= 10_000 and all(_is_plain(one, depth + 1) for one in value)


def _add_unfed(facts: SessionFacts, scene: _Scene) -> dict[str, Any]:
    """The placeholders that the fetches need and that were not fed, with the way to the one that is missed."""
    missed = session_errors.NOT_FED.pattern.search(scene.said)
    graph, words = scene.session.graph, scene.words
    if missed is None or scene.run is None:
        return {}
    fed = {f"{one.node.name}:0" for one in facts.feeds if one.node is not None}
    fetches: list[Fetched] = []
    lacking: dict[str, Any] = {}
    reached: set[str] = set()
    way: list[Any] = []
    for leaf, fetch in zip(leaves(scene.run.get("fetches")), facts.fetches, strict=False):
        element = _element(leaf, graph)
        if element is None or fetch.foreign:
            fetches.append(fetch)
            continue
        needs = graph_walk.needed(graph_walk.op_of(element), fed)
        reached |= _touched(needs, graph)
        mine = [name for name in needs if _is_placeholder(graph, name) and f"{name}:0" not in fed]
        lacking |= {name: _by_name(graph, name) for name in mine}
        if missed["name"] in mine and not way:
            way = graph_walk.way(needs, missed["name"])
        fetches.append(_with_parts(fetch, element, mine, fed, graph, words))
    ordered = sorted(lacking, key=lambda name: name != missed["name"])
    feeds = [
        msgspec.structs.replace(one, used=f"{one.node.name}:0" in reached) if one.node is not None else one
        for one in facts.feeds
    ]
    return {
        "fetches": fetches,
        "feeds": feeds,
        "unfed": [_named(lacking[name], words) for name in ordered[:LARGEST_ENTRIES]],
        "way": _lines_of(way, words),
    }


def _add_writers(facts: SessionFacts, scene: _Scene) -> dict[str, Any]:
    """For each variable that was fed the op of the run that writes it by reference."""
    graph, words = scene.session.graph, scene.words
    variables = {f"{one.node.name}:0" for one in facts.feeds if one.node is not None and one.node.op in _REFERENCES}
    if not variables or scene.run is None:
        return {}
    fed = {f"{one.node.name}:0" for one in facts.feeds if one.node is not None}
    writers: dict[str, Any] = {}
    for leaf in leaves(scene.run.get("fetches")):
        element = _element(leaf, graph)
        for name in graph_walk.needed(graph_walk.op_of(element), fed) if element is not None else ():
            op = _by_name(graph, name)
            target = str(op.inputs[0].name) if op is not None and op.inputs else ""
            if target in variables and op.op_def.input_arg[0].is_ref:
                writers.setdefault(target, op)
    nodes = {target: graph_walk.node_of(op, words.of(op.outputs[0])) for target, op in writers.items()}
    return {
        "feeds": [
            msgspec.structs.replace(one, writer=nodes.get(f"{one.node.name}:0")) if one.node is not None else one
            for one in facts.feeds
        ]
    }


def _touched(needs: dict[str, Any], graph: Any) -> set[str]:
    """The tensors that the needed ops take."""
    found: set[str] = set()
    for name in needs:
        op = _by_name(graph, name)
        found |= {str(tensor.name) for tensor in op.inputs} if op is not None else set()
    return found


def _with_parts(fetch: Fetched, element: Any, unfed: list[str], fed: set[str], graph: Any, words: Words) -> Fetched:
    op = graph_walk.op_of(element)
    free: list[GraphNode] = []
    if unfed and op.type == "MergeSummary":
        for tensor in op.inputs[:LARGEST_ENTRIES]:
            own = graph_walk.needed(tensor.op, fed)
            if not any(_is_placeholder(graph, name) and f"{name}:0" not in fed for name in own):
                free.append(graph_walk.node_of(tensor, words.of(tensor)))
    return msgspec.structs.replace(fetch, unfed=unfed[:LARGEST_ENTRIES], free=free)


def _is_placeholder(graph: Any, name: str) -> bool:
    op = _by_name(graph, name)
    return op is not None and op.type == "Placeholder"


def _named(op: Any, words: Words) -> GraphNode:
    tensor = op.outputs[0] if op.outputs else op
    return graph_walk.node_of(tensor, words.of(tensor))


def _lines_of(way: list[Any], words: Words) -> list[GraphNode]:
    """A way with one op for each line of the user's, and those that have a name."""
    found: list[GraphNode] = []
    seen: set[tuple[str, int]] = set()
    for op in way[:200]:
        node = _named(op, words)
        place = (node.made[-1].file, node.made[-1].line) if node.made else ("", 0)
        if place not in seen:
            seen.add(place)
            found.append(node)
    return found[:LARGEST_WAY]


def _add_blank(facts: SessionFacts, scene: _Scene) -> dict[str, Any]:
    """What has no value, and which ops that give values ran."""
    session, graph, words = scene.session, scene.session.graph, scene.words
    op = _blank_op(scene.said, graph)
    if op is None or scene.run is None:
        return {}
    asked = [_element(leaf, graph) for leaf in leaves(scene.run.get("fetches"))]
    failed = {str(graph_walk.op_of(one).name) for one in asked if one is not None}
    variable, held = _variable(graph, str(op.name))
    initial = str(variable.initializer.name) if variable is not None else ""
    runs, mine = [], session_runs.number_of(session)
    for run in session_runs.runs_of(graph)[-100:]:
        other = _by_name(graph, run.operation)
        if other is None:
            continue
        group = graph_walk.group_of(other)
        covered = graph_walk.written_by(group)
        is_failed = run.session == mine and run.operation in failed
        if covered or (other.type == "NoOp" and not other.control_inputs):
            runs.append(
                Assigning(
                    node=run.operation,
                    frame=_line(run.line),
                    made=_innermost(graph_walk.stack_of(other)),
                    failed=is_failed,
                    here=run.session == mine,
                    # What the failing run assigns is no initial value, unless it is the variable's own.
                    covers=initial in group if is_failed else str(op.name) in covered,
                    older=_number(other) < _number(op),
                    variables=len(covered),
                )
            )
    runs.sort(key=lambda one: (not one.covers, -one.variables))
    node = graph_walk.node_of(op, words.of(variable) if variable is not None else "")
    return {"blank": Blank(node=node, collections=held, runs=runs[:LARGEST_RUNS])}


def _innermost(stack: list[Frame]) -> Frame | None:
    return stack[-1] if stack else None


def _number(op: Any) -> int:
    found = getattr(op, "_id", None)
    return found if isinstance(found, int) else 0


def _blank_op(said: str, graph: Any) -> Any:
    for pattern in _BLANK:
        told = pattern.search(said)
        if told is not None:
            return _by_name(graph, told[1]) or _of_resource(graph, told[1])
    if session_errors.ITERATOR_UNINITIALISED.pattern.search(said) or session_errors.TABLE_UNINITIALISED.pattern.search(
        said
    ):
        for told in _NODES.finditer(said):
            op = _by_name(graph, told["name"])
            if op is not None and op.inputs:
                return op.inputs[0].op
    return None


def _of_resource(graph: Any, name: str) -> Any:
    """A variable by the name that its resource has."""
    for variable in _variables(graph):
        if str(variable.op.name) == name or name in (getattr(variable, "_shared_name", ""), variable.op.name):
            return variable.op
    return None


def _variables(graph: Any) -> list[Any]:
    every = [one for name in list(graph.collections)[:50] for one in graph.get_collection(name)[:2000]]
    return [one for one in every if type(one).__name__ in _TENSORS]


def _variable(graph: Any, name: str) -> tuple[Any, list[str]]:
    """The variable of an op, and the collections that hold it."""
    found, held = None, []
    for collection in list(graph.collections)[:50]:
        for one in graph.get_collection(collection)[:2000]:
            if type(one).__name__ in _TENSORS and type(one).__name__.endswith("Variable") and one.op.name == name:
                found = one
                held.append(str(collection))
                break
    return found, held
