"""Half of the activations, or activations that are computed again: offered where the graph says that it is enough."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.memory_runs import MIB, killed
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.memory.lighter_changes import lighter_changes
from whydied.diagnose.memory.step_need import Need
from whydied.graph.op_table import Layer
from whydied.graph.step_memory import LiveTensor, StepMemory
from whydied.records import VersionsSeen
from whydied.source.location import Location

SOURCE = """import keras

class Block(keras.layers.Layer):
    def call(self, x):
        return x

model = keras.Sequential([Block(), Block()])
model.fit(x, y)
"""
PLACE = Location(file=FILE, line=8)


def _alive(name: str, size: int, dtype: str = "float32", phase: str = "forward", grows: bool = True) -> LiveTensor:
    layer = Layer(name="dense", type="Dense", path=f"sequential/{name}/dense")
    return LiveTensor("op", "MatMul", (1, 8), dtype, size * MIB, 1, phase, layer, None, grows)


def _need(*alive: LiveTensor, peak: int = 900, trains: bool = True) -> Need:
    memory = StepMemory(
        batch=1,
        peak_bytes=peak * MIB,
        tensor_bytes=peak * MIB,
        alive=alive,
        by_layer=[],
        weights_bytes=0,
        slots_bytes=0,
        input_bytes=0,
        batch_scaled_bytes=sum(one.size_bytes for one in alive if one.grows),
        constant_bytes=0,
    )
    return Need("step", memory, None, trains)


def _case(keras: str = "3.15.0") -> Case:
    return killed(SOURCE, VersionsSeen(versions={"keras": keras}))


INNER = [_alive(name, size) for name in ("block", "block_1") for size in (100, 100, 100)]
SCOPE = '+with keras.RematScope(mode="list_of_layers", layer_names=["block", "block_1"]):'
MIXED = '+keras.mixed_precision.set_global_policy("mixed_bfloat16")'


def _added(need: Need, room: int, keras: str = "3.15.0") -> list[list[str]]:
    case = _case(keras)
    changes = lighter_changes(case, need, PLACE, room * MIB)
    return [[line for line in lines if line.startswith("+") and len(line) > 1] for lines in patches_of(case, changes)]


def test_both_are_offered_where_both_are_enough() -> None:
    # Two of three tensors of one block are freed while the other's gradients are computed; half of all is 300.
    assert [lines[0] for lines in _added(_need(*INNER), 700)] == [SCOPE, MIXED]
    assert [lines[0] for lines in _added(_need(*INNER), 650)] == [MIXED]
    assert _added(_need(*INNER), 500) == []


@pytest.mark.parametrize(
    "need",
    [
        _need(*INNER, trains=False),
        _need(*(_alive("block", 300, dtype="bfloat16") for _ in range(3))),
        _need(*(_alive("block", 300, grows=False) for _ in range(3))),
    ],
)
def test_nothing_is_offered_for_what_it_would_not_free(need: Need) -> None:
    assert _added(need, 700) == []


def test_an_older_keras_does_not_recompute() -> None:
    assert [lines[0] for lines in _added(_need(*INNER), 700, keras="3.8.1")] == [MIXED]
