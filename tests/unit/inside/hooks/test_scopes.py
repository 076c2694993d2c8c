"""The scopes of layers are kept only for a graph that will be recorded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from whydied.inside.hooks import graphs
from whydied.inside.model import layer_lines


class Layer:
    def __init__(self) -> None:
        self._parent_path = None


@pytest.fixture(autouse=True)
def _none_left() -> Iterator[None]:
    layer_lines.forget_scopes()
    yield
    layer_lines.forget_scopes()


def _trace_ends(traced_func_graph: object) -> None:
    graphs._traced(sys._getframe())


def test_scopes_are_forgotten_when_no_graph_is_recorded_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "LARGEST_FILES", 0)
    graph = SimpleNamespace(outer_graph=None)
    layer_lines.scope_opened(graph, "dense", Layer())
    _trace_ends(graph)
    assert layer_lines.scopes_of(graph) == {}


@pytest.mark.parametrize(("files", "kept"), [(32, ["dense"]), (0, [])])
def test_no_scope_is_opened_when_no_graph_is_recorded(
    files: int, kept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = SimpleNamespace(_name_stack="dense")
    ops = SimpleNamespace(get_default_graph=lambda: graph)
    monkeypatch.setitem(sys.modules, "tensorflow.python.framework.ops", ops)  # type: ignore[arg-type]
    monkeypatch.setattr(graphs, "executing_eagerly", lambda: False)
    monkeypatch.setattr(graphs, "LARGEST_FILES", files)
    graphs._called(Layer(), sys._getframe())
    assert list(layer_lines.scopes_of(graph)) == kept


def test_graphs_without_an_end_do_not_add_up() -> None:
    kept = [SimpleNamespace() for _ in range(layer_lines.LARGEST_GRAPHS * 2 + 1)]
    for graph in kept:
        layer_lines.scope_opened(graph, "dense", Layer())
    assert len(layer_lines._scopes) <= layer_lines.LARGEST_GRAPHS
