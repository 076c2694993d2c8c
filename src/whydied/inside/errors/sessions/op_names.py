"""Names of a graph's ops that are like one which it does not have; runs in the user's process, after an exception."""

from __future__ import annotations

import difflib
from typing import Any

LARGEST_NAMES = 20_000
LARGEST_NEAR = 3


def near(name: Any, graph: Any, kind: str = "") -> list[str]:
    """What a scope of that name gives first, since a layer's name is that of a scope and not of an op; then names that
    end or are written like it. With the output's number where the name has one."""
    if not isinstance(name, str):
        return []
    ops = [op for op in graph.get_operations()[:LARGEST_NAMES] if not kind or op.type == kind]
    wanted, colon, _ = name.partition(":")
    names = [str(op.name) for op in ops]
    ends = [one for one in names if one.endswith(f"/{wanted}")]
    alike = difflib.get_close_matches(wanted, names, LARGEST_NEAR, 0.7)
    found = dict.fromkeys([*([] if kind or ends else _given_by(wanted, ops)), *ends, *alike])
    return [f"{one}:0" if colon else one for one in found][:LARGEST_NEAR]


def _given_by(scope: str, ops: list[Any]) -> list[str]:
    """The last op of a scope that ops outside of it read, or nobody does; gradients and what savers read aside."""
    inside = [op for op in ops if f"/{scope}/" in f"/{op.name}" and not op.name.startswith(("gradients", "save/"))]
    first = f"/{inside[0].name}".partition(f"/{scope}/")[0] if inside else ""
    prefix = f"{first[1:]}/{scope}/" if first else f"{scope}/"
    giving = [
        op.name
        for op in inside
        if op.outputs
        and op.name.startswith(prefix)
        and op.inputs
        and not any(
            one.name.startswith(prefix) for tensor in op.outputs for one in tensor.consumers() if one.type != "Assign"
        )
    ]
    return giving[-1:]
