"""The census names the true holder and the true bytes, in a process with TensorFlow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from whydied.records import CensusTaken, Holder, ObjectGroup

pytestmark = pytest.mark.tensorflow

SCENARIOS = Path(__file__).with_name("census_scenarios.py")
ONE = 256 * 1024 * 4
KEPT = 40


@pytest.fixture(scope="module")
def taken() -> dict[str, CensusTaken]:
    environment = {
        **os.environ,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run([sys.executable, SCENARIOS], env=environment, capture_output=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    censuses = [json.loads(line) for line in done.stdout.splitlines()]
    return {record.pop("name"): msgspec.convert(record, CensusTaken) for record in censuses}


def _largest(census: CensusTaken, kind: str, count: int = KEPT) -> ObjectGroup:
    groups = [group for group in census.groups if group.kind == kind and group.count >= count * 0.9]
    assert groups, census.groups
    return max(groups, key=lambda group: group.size_bytes)


def _holder(group: ObjectGroup) -> Holder:
    assert group.holders, group
    return max(group.holders, key=lambda holder: holder.share)


@pytest.mark.parametrize(
    ("name", "kind", "path", "container"),
    [
        ("module level", "tensor", "tensors", "list"),
        ("function", "tensor", "kept", "list"),
        ("attribute", "tensor", "self.debug", "list"),
        ("dictionary of lists", "tensor", "outputs['activation']", "list"),
        ("closure", "tensor", "history", "list"),
        ("deque", "tensor", "recent", "collections.deque"),
        ("dataclass", "tensor", "statistics.values", "list"),
        ("records of arrays", "array", "samples", "list"),
        ("variables", "variable", "made", "list"),
        ("callback", "tensor", "self.outputs", "list"),
        ("history", "tensor", "history.history['outputs']", "list"),
        ("models", "variable", "candidates", "list"),
    ],
)
def test_the_holder_is_named(taken: dict[str, CensusTaken], name: str, kind: str, path: str, container: str) -> None:
    group = _largest(taken[name], kind)
    holder = _holder(group)
    assert holder.path == path
    assert holder.container == container
    assert holder.length == KEPT
    assert holder.share > 0.9
    assert holder.file == str(SCENARIOS)
    assert abs(group.size_bytes - KEPT * ONE) <= 0.1 * KEPT * ONE
    assert group.shape == [256, 1024]
    assert group.dtype == "float32"


def test_a_custom_layer_is_named_from_inside_and_from_outside(taken: dict[str, CensusTaken]) -> None:
    holder = _holder(_largest(taken["custom layer"], "tensor"))
    assert holder.path == "self.cache"
    assert holder.reached == "model.layers[1].cache"
    assert holder.function == "Remembering"
    assert holder.length == KEPT


def test_a_callback_is_told_as_one(taken: dict[str, CensusTaken]) -> None:
    assert _holder(_largest(taken["callback"], "tensor")).root == "callback"


def test_models_are_counted_with_their_holder(taken: dict[str, CensusTaken]) -> None:
    group = _largest(taken["models"], "model")
    assert group.count == KEPT
    assert _holder(group).path == "candidates"


def test_graphs_and_sessions_are_counted(taken: dict[str, CensusTaken]) -> None:
    census = taken["graph"]
    assert census.sessions == 3
    assert census.graph_operations is not None
    assert census.graph_operations >= 1000
    assert _holder(_largest(census, "session", 3)).path == "sessions"


def test_twenty_thousand_tensors_are_counted(taken: dict[str, CensusTaken]) -> None:
    group = _largest(taken["crowd"], "tensor", 20_000)
    assert group.count == 20_000
    assert group.size_bytes == 20_000 * 64 * 4
    assert _holder(group).path == "crowd"


def test_memory_with_two_names_is_counted_once(taken: dict[str, CensusTaken]) -> None:
    large = [g for g in taken["aliases"].groups if g.kind == "tensor" and g.size_bytes == 4 << 20]
    assert sum(group.count for group in large) == 1


def test_copies_point_at_their_original(taken: dict[str, CensusTaken]) -> None:
    groups = {(g.kind, g.dtype): g for g in taken["copies"].groups if g.shape == [2000, 784]}
    assert groups["array", "float64"].copies_of is not None
    told = [group.copies_of or "" for group in groups.values()]
    assert sum(bool(words) for words in told) == 2
    assert any("single" in words or "tensor" in words for words in told)
    assert not [g for g in taken["module level"].groups if g.copies_of]
