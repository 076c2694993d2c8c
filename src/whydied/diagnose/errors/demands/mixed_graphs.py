"""An op that was to take tensors of two graphs: which of them is in the wrong one, and why. Pure.

A thread that the program started has a default graph of its own, which is where its tensors go.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.session_error import created, made_at, v1
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import GraphsMixed, OwnedTensor, RaisedException
from whydied.source.calls import receiver
from whydied.source.edits.edit import Change, Edit, line_after
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.statement_edits import around_statements, statement_at
from whydied.source.trees import around, function_at, walk, written

CALLS = ("predict", "predict_on_batch", "evaluate", "fit", "train_on_batch", "test_on_batch", "save", "get_weights")


def mixed(case: Case) -> Finding | None:
    raised = case.uncaught
    found = [one for one in case.records.all(GraphsMixed) if raised and one.link < len(raised.chain)]
    if raised is None or not found or len(found[-1].tensors) not in (1, 2):
        return None
    facts, link = found[-1], raised.chain[found[-1].link]
    place = case.locate(facts.place) if facts.place is not None else None
    if len(facts.tensors) == 1:
        return _not_in_default(case, link, place, facts)
    first, second = facts.tensors
    strangers = [one for one in facts.tensors if one.in_thread]
    if facts.in_thread and len(strangers) == 1:
        stranger = strangers[0]
        return _in_thread(case, link, place, stranger, second if stranger is first else first)
    return _two_graphs(case, link, place, first, second)


def _in_thread(
    case: Case, link: RaisedException, place: Location | None, stranger: OwnedTensor, known: OwnedTensor
) -> Finding:
    made = made_at(case, stranger.node)
    beside = made is not None and place is not None and (made.file, made.function) == (place.file, place.function)
    at = made if beside else place
    name, owner = _name(stranger), _name(known)
    graph = known.graph or (f"{known.node.text}.graph" if known.node.text else "")
    where = f", made on {line_words(known_at)}," if (known_at := made_at(case, known.node)) is not None else ""
    header = f"with {graph}.as_default():"
    return Finding(
        message=f"{prefix(at)}{name} is made in a worker thread and goes to the default graph of that thread; {owner}"
        f"{where} is in the graph of the thread that built the model; expected both in the same graph",
        certainty="certain",
        location=at,
        culprit=Culprit(kind="tensor", name=stranger.node.text or stranger.node.name),
        evidence=_evidence(case, link, stranger, known),
        advice=[
            f"Put `{header}` around {line_words(at)} and the lines after it in `{at.function}`: each thread begins "
            "with a new default graph."
            if graph and at is not None
            else "Keep the model's graph (`tf.compat.v1.get_default_graph()` where it is built) and enter it in the "
            "thread with `as_default()`."
        ],
        changes=entered(case, at, header) if graph else [],
    )


def _not_in_default(case: Case, link: RaisedException, place: Location | None, facts: GraphsMixed) -> Finding | None:
    """A model, or a tensor, that is used where another graph is the default one."""
    tensor = facts.tensors[0]
    here = facts.in_thread and not tensor.in_thread
    if not here and not tensor.in_thread:
        return None
    name = receiver(case.sources, place, CALLS) if place is not None else None
    made = made_at(case, tensor.node)
    where = f", made on {line_words(made)}," if made is not None else ""
    what = f"the model `{name}`" if name else _name(tensor)
    graph = "the default graph of the main thread" if here else "the default graph of a worker thread"
    runs = "in a worker thread, which has" if here else "in another thread, which has"
    keep, edits = kept_with_model(case, place, name) if name is not None else ("", [])
    return Finding(
        message=f"{prefix(place)}{what}{where} is in {graph}; it is used here {runs} a default graph of its own; "
        "expected the graph and the session of the model",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="tensor", name=name or tensor.node.name),
        evidence=_evidence(case, link, tensor),
        advice=[
            keep
            or f"Keep the model's graph and session where it is made (`{v1(case, 'get_default_graph()')}`, "
            f"`{v1(case, 'keras.backend.get_session()')}`), and enter both in the thread: "
            "`with graph.as_default(), session.as_default():`."
        ],
        changes=[Change(title=keep.removesuffix("."), kind="statement", edits=edits)] if edits else [],
    )


def kept_with_model(case: Case, place: Location | None, name: str) -> tuple[str, list[Edit]]:
    """Graph and session kept beside the model, where the line that uses it can read them, and entered around it."""
    source = case.sources.get(place.file) if place is not None else None
    owner, _, last = name.rpartition(".")
    if place is None or source is None or owner not in ("", "self"):
        return "", []
    classes = around(source.tree, place.line, ast.ClassDef)
    scope: ast.AST | None = source.tree if not owner else classes[-1] if classes else None
    made = [one for one in walk(scope, ast.Assign) if written(one.targets[0]) == name] if scope is not None else []
    if not owner:
        made = [one for one in made if one in source.tree.body]
    statement = statement_at(source, place.line)
    if len(made) != 1 or statement is None or hasattr(statement, "body") or statement is made[0]:
        return "", []
    dot = f"{owner}." if owner else ""
    taken = {one.attr if owner else "" for one in walk(source.tree, ast.Attribute)}
    taken |= {one.id for one in walk(source.tree, ast.Name)} if not owner else set()
    graph = next(one for one in ("graph", f"{last}_graph", f"graph_of_{last}") if one not in taken)
    session = next(one for one in ("session", f"{last}_session", f"session_of_{last}") if one not in taken)
    header = f"with {dot}{graph}.as_default(), {dot}{session}.as_default():"
    edits = around_statements(source, place.file, statement, statement, header)
    lines = [f"{dot}{graph} = {v1(case, 'get_default_graph()')}"]
    separator = f"\n{' ' * made[0].col_offset}"
    if name_of(source, "tf_keras") is not None:
        # It gives its session to nobody: the model is made in one of the program's own.
        lines += [f"{dot}{session} = {v1(case, 'Session')}(graph={dot}{graph})", f"with {dot}{session}.as_default():"]
        kept = around_statements(source, place.file, made[0], made[0], separator.join(lines))
    else:
        lines.append(f"{dot}{session} = {v1(case, 'keras.backend.get_session()')}")
        kept = [line_after(source, place.file, made[0].lineno, separator.join(lines))]
    words = f"Keep the graph and session of `{name}` on line {made[0].lineno}, and enter them: `{header}`."
    return words, [*kept, *edits] if edits and kept else []


def _two_graphs(
    case: Case, link: RaisedException, place: Location | None, first: OwnedTensor, second: OwnedTensor
) -> Finding:
    words = []
    for one in (first, second):
        made = made_at(case, one.node)
        line = f", made on {line_words(made)}," if made is not None else ""
        words.append(f"{_name(one)}{line} is in {f'graph `{one.graph}`' if one.graph else 'another graph'}")
    graph = second.graph or first.graph
    return Finding(
        message=f"{prefix(place)}{words[0]} and {words[1]}; expected both in the same graph",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="tensor", name=first.node.text or first.node.name),
        evidence=_evidence(case, link, first, second),
        advice=[
            f"Build both in one graph{f' (`with {graph}.as_default():`)' if graph else ''}; or run one in a session of "
            "its own graph and feed the value to the other."
        ],
    )


def entered(case: Case, at: Location | None, header: str) -> list[Change]:
    """The rest of the function from a line on, inside of a `with`."""
    source = case.sources.get(at.file) if at is not None else None
    function = function_at(source.tree, at.line) if at is not None and source is not None else None
    if at is None or source is None or function is None:
        return []
    moved = [one for one in function.body if (one.end_lineno or one.lineno) >= at.line]
    edits = around_statements(source, at.file, moved[0], moved[-1], header) if moved else []
    return [Change(title=f"Build in `{header[:-1]}`", kind="statement", edits=edits)] if edits else []


def _name(one: OwnedTensor) -> str:
    return f"`{one.node.text}`" if one.node.text else f"tensor '{one.node.name}'"


def _evidence(case: Case, link: RaisedException, *tensors: OwnedTensor) -> list[Evidence]:
    raised = case.uncaught
    assert raised is not None
    told = [evidence for one in tensors for evidence in created(case, one.node, _name(one))]
    return [*evidence_of(link, raised)[:1], *told]
