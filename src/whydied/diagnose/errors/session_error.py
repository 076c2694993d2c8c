"""An exception of a session with what was recorded of the session, and graphs that were built twice. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Evidence, Location
from whydied.records import Frame, GraphNode, SessionFacts
from whydied.source.assignments import target
from whydied.source.bindings import cell_number
from whydied.source.edits.edit import Change, line_before
from whydied.source.edits.programs.session_edits import build_begins
from whydied.source.statements import in_loop_body
from whydied.source.training.session_calls import in_graph_block, variable
from whydied.source.trees import located, tree_of


def session_facts(case: Case) -> SessionFacts | None:
    """Those of the uncaught exception, of the link nearest to its root."""
    found = case.principal.all(SessionFacts) if case.principal is not None and case.uncaught is not None else []
    return max(found, key=lambda one: one.link, default=None)


def made_at(case: Case, node: GraphNode | None) -> Location | None:
    """The innermost line of the user's that made a node."""
    return case.locate(node.made[-1]) if node is not None and node.made else None


def node_name(case: Case, node: GraphNode) -> str:
    """A node as the source calls it: in the failing code, else where it was made, else as the graph does."""
    if node.text:
        return node.text
    if "Variable" in node.op or node.op == "VarHandleOp":
        known = variable(case.sources, node.name)
        return known[0] if known is not None else node.name
    place = made_at(case, node)
    name = target(case.sources, place) if place is not None and node.op == "Placeholder" else None
    return name if name is not None and name.replace(".", "").replace("_", "").isalnum() else node.name


def created(case: Case, node: GraphNode | None, what: str) -> list[Evidence]:
    place = made_at(case, node)
    if place is None:
        return []
    return [Evidence(fact=f"{what} created at", value=f"{place.file}:{place.line}", source="SessionFacts")]


def v1(case: Case, name: str) -> str:
    """A function of TensorFlow 1 as this program would write it."""
    for source in case.sources.values():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name == "tensorflow.compat.v1" and alias.asname:
                        return f"{alias.asname}.{name}"
    return f"tf.compat.v1.{name}"


class Builds(NamedTuple):
    """Two builds of one graph: the lines at which their ways part. `again` is one line that ran twice, `copied` says
    that the second stands in a cell of a notebook, whose build begins where the cell does."""

    first: Location
    second: Location
    again: bool

    @property
    def copied(self) -> bool:
        return self.first.file != self.second.file and cell_number(self.second.file) is not None

    @property
    def words(self) -> str:
        if self.again:
            return f"{line_words(self.second)} builds it again"
        return f"{line_words(self.first)} and {line_words(self.second)} both build it"


def builds(case: Case, first: list[Frame], second: list[Frame]) -> Builds | None:
    """Where two stacks that lead to the same kind of node part: above what both have at their end; where they are the
    same, the line in a loop."""
    one, other = [case.locate(frame) for frame in first], [case.locate(frame) for frame in second]
    if not one or not other:
        return None
    ends = 0
    while ends < min(len(one), len(other)) and _same(one[-1 - ends], other[-1 - ends]):
        ends += 1
    if ends < min(len(one), len(other)):
        return Builds(one[-1 - ends], other[-1 - ends], False)
    looped = [place for place in other if in_loop_body(tree_of(case.sources, place.file), place.line)]
    return Builds(looped[0], looped[0], True) if looped else Builds(one[-1], other[-1], True)


def _same(one: Location, other: Location) -> bool:
    return (one.file, one.line) == (other.file, other.line)


def graph_of_its_own(case: Case, found: Builds) -> str:
    """How the second build gets a graph for itself: a reset is refused inside of a graph, and pulls it from under a
    session that is open."""
    source = case.sources.get(found.second.file)
    if source is not None and in_graph_block(source, found.second.line):
        return f"Build it in a graph of its own: `with tf.Graph().as_default():` around {line_words(found.second)}."
    when = "in each pass" if found.again else "so that it starts from an empty graph"
    place = found.second
    if source is not None:
        place = located(case.sources, place.file, build_begins(source, place.line, found.copied))
    return f"Call `{v1(case, 'reset_default_graph()')}` right before {line_words(place)}, {when}."


def graph_changes(case: Case, found: Builds) -> list[Change]:
    """A new default graph right before the second build, where no session or graph is open around it."""
    source = case.sources.get(found.second.file)
    if source is None or in_graph_block(source, found.second.line):
        return []
    text = v1(case, "reset_default_graph()")
    line = build_begins(source, found.second.line, found.copied)
    edit = line_before(source, found.second.file, line, text)
    return [Change(title=f"Call `{text}` before it is built again", kind="statement", edits=[edit])]
