"""A graph was built a second time in the same default graph.

## What it detects
Variables, placeholders or summaries of an earlier build that are in the way of a later one: a variable whose name is
taken, a checkpoint that knows `v1` where the graph has `v1_1`, a merged summary that needs placeholders of the build
before.

## Why it happens
Ops go into the default graph, and that stays the same until it is reset: a loop over settings, a second function that
builds the same model, or a notebook's cell that is run again adds to what is there. A second variable of the same name
is refused by `get_variable`, and renamed by `Variable`.

## Evidence
The stacks that made both nodes, kept by the graph; how often a session ran the graph between them; names and shapes of
the checkpoint.

## How it is proved
Both nodes exist in the graph, each with its line: certain.

## Fix
`reset_default_graph()` before the second build, or a graph of its own for each; where both builds are parts of one
model, a scope for each, or one that shares its variables (`reuse=AUTO_REUSE`). In a loop through which a session stays
open, the build is moved above the loop.

## Known problems
Builds whose lines are the same and in no loop are told by that line alone.

## References
TensorFlow documentation: tf.compat.v1.reset_default_graph, tf.compat.v1.variable_scope.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.errors.session_error import (
    Builds,
    builds,
    created,
    graph_changes,
    graph_of_its_own,
    made_at,
    node_name,
    session_facts,
    v1,
)
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import Frame, GraphNode, SessionFacts, VariableTaken
from whydied.source.assignments import target
from whydied.source.calls import callee
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.runs.block_edits import before_loop, built_before_loop, outlived_by_session
from whydied.source.edits.statement_edits import around_statements, statement_at
from whydied.source.text import Source
from whydied.source.training.session_calls import in_graph_block
from whydied.source.trees import around, function_at, scope_at, walk
from whydied.texts import session_errors

_TAKEN = session_errors.VARIABLE_EXISTS.pattern
_UNSAVED = session_errors.KEY_NOT_IN_CHECKPOINT.pattern
_NOT_FED = session_errors.NOT_FED.pattern
_INITIALISING = ("global_variables_initializer", "initialize_all_variables")
_MOST_SCOPES = 2
_COLLECTING = ("MergeSummary",)
"""What is made of everything that the graph has, from whichever build."""

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    if (said := quoted(case, _TAKEN)) is not None:
        return _taken(case, said)
    facts = session_facts(case)
    if facts is None:
        return None
    if (said := quoted(case, _UNSAVED)) is not None:
        return _renamed(case, said, facts)
    if (said := quoted(case, _NOT_FED)) is not None:
        return _left_over(case, said, facts)
    return None


def _taken(case: Case, said: Quotation) -> Finding | None:
    found = case.principal.all(VariableTaken) if case.principal is not None else []
    if not found:
        return None
    taken = found[-1]
    second = _frames(said)
    ways = builds(case, taken.first.made, second)
    if ways is None:
        return None
    name = taken.first.name
    fits = taken.shape in (None, taken.first.shape)
    shared = _reused(case, second if taken.runs else _of_line(second, ways.second)) if fits else []
    if taken.runs:
        once = _once(case, ways)
        advice, changes = once or ([graph_of_its_own(case, ways)], graph_changes(case, ways))
        wanted = "one build before the loop" if once else "an empty graph for each build"
        wrapped = _in_reusing_scope(case, ways.second) if fits and not shared else []
        if (shared or wrapped) and (not ways.again or (once is None and _outlives(case, ways))):
            # What does not begin anew may be to use what the first build has learnt.
            anew = _begins_anew(case, ways.second) or not shared
            shared = shared or wrapped
            words = f"If it is to use the variables that are there: `with {v1(case, 'variable_scope')}(…, "
            words = f"{words}reuse={v1(case, 'AUTO_REUSE')}):`."
            advice = [*advice, words] if anew else [words, *advice]
            changes = [*changes, *shared] if anew else [*shared, *changes]
            wanted = f"{wanted}, or a scope that reuses it"
        since = f", and {taken.runs:,} session runs later" if not ways.again else " in each pass"
        return _finding(
            case,
            said,
            ways,
            f"the model is built again in the same default graph{since}: `{name}` already exists there; expected "
            f"{wanted}",
            taken.first,
            advice,
            changes,
        )
    scope = v1(case, "variable_scope")
    advice = [f"If both are separate: give each build a scope of its own, `with {scope}(…):`."]
    if taken.shape is None or taken.first.shape is None or taken.shape == taken.first.shape:
        advice.insert(0, f"If both are to share `{name}`: `with {scope}(…, reuse={v1(case, 'AUTO_REUSE')}):`.")
    where = f"{line_words(ways.first)} made it" if not ways.again else "an earlier call of this line made it"
    return _finding(
        case,
        said,
        ways,
        f"variable `{name}` already exists in the graph: {where}; expected a new name, or a scope that reuses it",
        taken.first,
        advice,
        shared if len(advice) > 1 else [],
    )


def _once(case: Case, ways: Builds) -> tuple[list[str], list[Change]] | None:
    """The build above the loop, where an open session or graph keeps the program from beginning a new one in each pass
    and the build needs nothing of the loop."""
    place = ways.second
    source = case.sources.get(place.file) if ways.again else None
    if source is None or not _outlives(case, ways):
        return None
    edits = before_loop(source, place.file, place.line) if in_graph_block(source, place.line) else []
    edits = edits or built_before_loop(source, place.file, place.line)
    words = f"Build it once: move {line_words(place)} above its loop."
    return ([words], [Change(title="Build it once, above the loop", kind="statement", edits=edits)]) if edits else None


def _outlives(case: Case, ways: Builds) -> bool:
    """Whether a session or graph stays open from one pass to the next: a reset would pull the graph from under it."""
    source = case.sources.get(ways.second.file)
    if source is None or not ways.again:
        return False
    return in_graph_block(source, ways.second.line) or outlived_by_session(source, ways.second.line)


def _of_line(frames: list[Frame], place: Location) -> list[Frame]:
    return [one for one in frames if (one.file, one.line) == (place.file, place.line)]


def _reused(case: Case, second: list[Frame]) -> list[Change]:
    """The scopes that the second build goes through, in the line that builds or in what that calls, so that they take
    the variables that are there; the innermost first."""
    reuse = v1(case, "AUTO_REUSE")
    found: dict[Edit, Change] = {}
    for frame in reversed(second):
        source = case.sources.get(frame.file)
        for call in reversed(_scopes(source, frame.line)) if source is not None else ():
            edit = set_argument(source, frame.file, call, "reuse", None, reuse) if source is not None else None
            title = f"Let the scope of line {call.lineno} reuse its variables: `reuse={reuse}`"
            if edit is not None:
                found.setdefault(edit, Change(title=title, kind="argument", edits=[edit]))
    return [*found.values()][:_MOST_SCOPES]


def _in_reusing_scope(case: Case, place: Location) -> list[Change]:
    """The second build in a scope that reuses, where it goes through none."""
    source = case.sources.get(place.file)
    node = statement_at(source, place.line) if source is not None else None
    if source is None or node is None or hasattr(node, "body"):
        return []
    scope = f"with {v1(case, 'variable_scope')}({v1(case, 'get_variable_scope()')}, reuse={v1(case, 'AUTO_REUSE')}):"
    edits = around_statements(source, place.file, node, node, scope)
    return [Change(title=f"Build it with `{scope}`", kind="argument", edits=edits)] if edits else []


def _scopes(source: Source, line: int) -> list[ast.Call]:
    """The variable scopes that are opened around a line in its function."""
    function = function_at(source.tree, line)
    return [
        item.context_expr
        for block in around(source.tree, line, ast.With)
        if function_at(source.tree, block.lineno) is function
        for item in block.items
        if isinstance(item.context_expr, ast.Call) and callee(item.context_expr) == "variable_scope"
    ]


def _begins_anew(case: Case, place: Location) -> bool:
    """Whether what follows a build initialises all variables again."""
    source = case.sources.get(place.file)
    calls = walk(scope_at(source.tree, place.line), ast.Call) if source is not None else []
    return any(call.lineno > place.line and callee(call) in _INITIALISING for call in calls)


def _renamed(case: Case, said: Quotation, facts: SessionFacts) -> Finding | None:
    """Variables that have a number in their names because the graph had them already."""
    twins = [one for one in facts.unsaved if one.twin is not None and one.near and one.near[0] == one.twin.name]
    if not twins or twins[0].twin is None:
        return None
    one, twin = twins[0], twins[0].twin
    ways = builds(case, twin.made, one.node.made)
    if ways is None:
        return None
    return _finding(
        case,
        said,
        ways,
        f"the variables were created a second time in the same default graph, so `{twin.name}` is now called "
        f"`{one.node.name}`, a name that the checkpoint does not have ({ways.words}); expected the saved names",
        twin,
        [graph_of_its_own(case, ways)],
        graph_changes(case, ways),
    )


def _left_over(case: Case, said: Quotation, facts: SessionFacts) -> Finding | None:
    """A placeholder of an earlier build that something which collects from the whole graph still needs."""
    missed = next((one for one in facts.unfed if one.name == said.match["name"]), None)
    if missed is None:
        return None
    fetch = next((one for one in facts.fetches if missed.name in one.unfed), None)
    collected = fetch is not None and fetch.node is not None and fetch.node.op in _COLLECTING
    fed = [one.node for one in facts.feeds if one.node is not None]
    twin = next((one for one in fed if _is_twin(missed, one) or (collected and _is_namesake(case, missed, one))), None)
    ways = builds(case, missed.made, twin.made) if twin is not None else None
    if twin is None or ways is None:
        return None
    needs = f"`{fetch.text}` still needs it" if fetch is not None and fetch.text else "the run still needs it"
    name = node_name(case, twin)
    return _finding(
        case,
        said,
        ways,
        f"the graph was built a second time in the same default graph: `{missed.name}` is the `{name}` of the earlier "
        f"build, {needs}, and only that of the last build is fed; expected an empty graph for each build",
        missed,
        [graph_of_its_own(case, ways)],
        graph_changes(case, ways),
    )


def _is_twin(one: GraphNode, other: GraphNode) -> bool:
    """Whether two placeholders are the same of two builds: made by the same line, or by names that differ in their
    numbers alone."""
    if one.name == other.name or one.dtype != other.dtype:
        return False
    line = [(node.made[-1].file, node.made[-1].line) if node.made else None for node in (one, other)]
    return line[0] is not None and line[0] == line[1] and _bare(one.name) == _bare(other.name)


def _is_namesake(case: Case, one: GraphNode, other: GraphNode) -> bool:
    """Whether two placeholders of different lines are the same of two builds that were written twice: one name in the
    source, and names in the graph that differ in their numbers alone."""
    places = made_at(case, one), made_at(case, other)
    if one.name == other.name or one.dtype != other.dtype or _bare(one.name) != _bare(other.name):
        return False
    names = {target(case.sources, place) for place in places if place is not None}
    return None not in places and len(names) == 1 and None not in names


def _bare(name: str) -> str:
    return "/".join(re.sub(r"_\d+$", "", part) for part in name.split("/"))


def _frames(said: Quotation) -> list[Frame]:
    return [frame for frame in said.link.frames if frame.user]


def _finding(
    case: Case,
    said: Quotation,
    ways: Builds,
    words: str,
    first: GraphNode,
    advice: list[str],
    changes: list[Change],
) -> Finding:
    lines = Evidence(fact="built at", value=ways.words, source="SessionFacts")
    return Finding(
        message=f"{prefix(ways.second)}{words}",
        certainty="certain",
        location=ways.second,
        culprit=Culprit(kind="graph", name=first.name),
        evidence=[*evidence_of(said.link, said.raised), *created(case, first, f"`{first.name}`"), lines],
        advice=advice,
        changes=changes,
    )
