"""What an eager step is estimated to need, from the outputs of the model's layers."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.memory_runs import MIB, got, killed, seen
from whydied.diagnose.case import Case
from whydied.diagnose.memory.call_at_death import running_call
from whydied.diagnose.memory.step_need import MARGIN, Estimate, estimate_of
from whydied.diagnose.rules.memory.at_once import batch_too_large
from whydied.records import LayerOutput, LayersPlanned, Record

SOURCE = "with tape:\n    y = net(x)\nslopes = tape.gradient(y, weights)\n"
MILLION = LayerOutput(type="Conv2D", elements=MIB // 4)


def _case(*layers: LayerOutput, taped: bool = True, model: str = "net") -> Case:
    plan: list[Record] = [LayersPlanned(model=model, layers=list(layers))] if layers else []
    return killed(SOURCE, seen(2, 200), *plan, got(2, [1000, 8], taped=taped), seen(2, 900))


def _estimate(case: Case) -> Estimate | None:
    running = running_call(case)
    assert running is not None
    return estimate_of(case, running)


def test_outputs_are_kept_and_the_largest_has_two_gradients() -> None:
    layers = (LayerOutput(type="InputLayer", elements=MIB), MILLION, LayerOutput(type="ReLU", elements=MIB // 2))
    case = _case(*layers)
    found = _estimate(case)
    running = running_call(case)
    assert found is not None
    assert running is not None
    each = MIB + 2 * MIB + 2 * 2 * MIB
    assert (found.needed_bytes, found.fits) == (1000 * each, int(MARGIN * running.grown_bytes / each))


def test_the_finding_says_that_it_is_an_estimate() -> None:
    found = batch_too_large.check(_case(MILLION))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.bytes == 3000 * MIB
    assert found.certainty == "likely"
    assert "needs about 2.93 GiB" in found.message
    assert "a batch of about" in found.message


@pytest.mark.parametrize("kind", ["LSTM", "ConvLSTM2D", "MultiHeadAttention", "Waves"])
def test_a_layer_with_insides_is_not_estimated(kind: str) -> None:
    assert _estimate(_case(MILLION, LayerOutput(type=kind, elements=1))) is None


@pytest.mark.parametrize(
    "case", [_case(), _case(MILLION, model="another"), _case(MILLION, taped=False)], ids=["no plan", "other", "no tape"]
)
def test_without_a_plan_of_the_model_there_is_no_estimate(case: Case) -> None:
    assert _estimate(case) is None
