"""The variables of a saver against the names of a checkpoint, where a `restore` failed; runs in the user's process.

Invariant: the index of the checkpoint is read by TensorFlow's own reader, the values are not.
"""

from __future__ import annotations

import os
import re
from typing import Any

from whydied import redact
from whydied.inside.errors.sessions import graph_walk
from whydied.inside.errors.sessions.source_words import Words
from whydied.inside.errors.stack_steps import Step, is_of, last
from whydied.inside.guest import lookup
from whydied.inside.guest.value_facts import describe
from whydied.inside.model import checkpoint_names
from whydied.records import Unsaved

LARGEST_VARIABLES = 5000
LARGEST_UNSAVED = 20
LARGEST_NEAR = 4
_NUMBERED = re.compile(r"^(.*?)_\d+$")


def step_of(steps: list[Step]) -> Step | None:
    """The saver at work."""
    return last(steps, lambda one: one.frame.f_code.co_name in ("restore", "save") and is_of(one, "training/saver.py"))


def look(step: Step, graph: Any, words: Words) -> dict[str, Any]:
    """Fields of `SessionFacts`."""
    saver, path = step.get("self"), step.get("save_path")
    fields: dict[str, Any] = {"call": step.frame.f_code.co_name, "graph": _holder(saver, graph, words)}
    if step.frame.f_code.co_name == "restore" and isinstance(path, (str, os.PathLike)):
        fields |= _compared(saver, graph, os.fspath(path))
    return fields


def _holder(saver: Any, graph: Any, words: Words) -> str:
    """The graph in sight, other than the session's, that has the ops of the saver."""
    definition = lookup.instance_dict(saver).get("saver_def")
    name = getattr(definition, "restore_op_name", "")
    if not name or _has(graph, name):
        return ""
    for step in words.users[::-1]:
        own = lookup.instance_dict(step.names["self"]) if "self" in step.names else {}
        for value in [*step.names.values(), *own.values()]:
            is_graph = type(value).__name__ == "Graph" and type(value).__module__.startswith("tensorflow.")
            if is_graph and value is not graph and _has(value, name):
                return words.of(value)
    return ""


def _has(graph: Any, name: str) -> bool:
    try:
        graph.get_operation_by_name(name)
    except (KeyError, ValueError):
        return False
    return True


def _compared(saver: Any, graph: Any, path: str) -> dict[str, Any]:
    stored = checkpoint_names.names_in(path)
    if stored is None:
        return {"path": redact.text(path)}
    mine = _variables(saver, graph)
    unsaved = []
    for name, variable in mine.items():
        shape = describe(variable).shape
        kept = stored.get(name)
        if kept is None or (shape is not None and list(kept) != shape):
            unsaved.append(
                Unsaved(
                    node=graph_walk.node_of(variable.op),
                    stored=list(kept) if kept is not None else None,
                    near=_near(name, shape, stored, mine) if kept is None else [],
                    twin=_twin(str(variable.op.name), graph) if kept is None else None,
                )
            )
    return {
        "path": redact.text(path),
        "variables": len(mine),
        "stored": len(stored),
        "unsaved": unsaved[:LARGEST_UNSAVED],
    }


def _variables(saver: Any, graph: Any) -> dict[str, Any]:
    listed = lookup.instance_dict(saver).get("_var_list")
    if isinstance(listed, dict):
        return {name: one for name, one in list(listed.items())[:LARGEST_VARIABLES] if hasattr(one, "op")}
    every = listed if isinstance(listed, (list, tuple)) else graph.get_collection("variables")
    return {str(one.op.name): one for one in list(every)[:LARGEST_VARIABLES] if hasattr(one, "op")}


def _near(name: str, shape: Any, stored: dict[str, list[int]], mine: dict[str, Any]) -> list[str]:
    """Names in the checkpoint of the same shape: without the numbers that a second build adds, or, where no variable
    has them, with other scopes around the same last part."""
    fitting = [one for one, sizes in stored.items() if shape is None or list(sizes) == shape]
    free = [one for one in fitting if one not in mine]
    numberless = "/".join(_bare(part) for part in name.split("/"))
    exact = [one for one in fitting if one == numberless]
    scoped = [one for one in free if one.endswith(f"/{name}") or name.endswith(f"/{one}")]
    last_part = [one for one in free if one.rpartition("/")[2] == name.rpartition("/")[2]]
    return list(dict.fromkeys([*exact, *scoped, *last_part]))[:LARGEST_NEAR]


def _bare(part: str) -> str:
    found = _NUMBERED.match(part)
    return found[1] if found else part


def _twin(name: str, graph: Any) -> Any:
    """The variable that has the name without numbers."""
    numberless = "/".join(_bare(part) for part in name.split("/"))
    if numberless == name or not _has(graph, numberless):
        return None
    return graph_walk.node_of(graph.get_operation_by_name(numberless))
