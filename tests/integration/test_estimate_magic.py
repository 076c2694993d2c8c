"""`%whydied estimate` in a real kernel: the page for a model of the notebook, and nothing of it trained."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.integration.cell_kernel import Kernel, Ran

pytestmark = pytest.mark.tensorflow
CELLS = {
    "load": "%load_ext whydied",
    "model": """\
import keras
model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(512, activation="relu"), keras.layers.Dense(10)])
model.compile("adam", "mse")
before = [one.copy() for one in model.get_weights()]""",
    "estimate": "%whydied estimate model --batch-size 16,256 --limit 4G --device-memory 8G",
    "unchanged": """\
same = all((old == new).all() for old, new in zip(before, model.get_weights()))
print(same, int(model.optimizer.iterations))""",
    "not a model": "%whydied estimate before",
    "no such name": "%whydied estimate modle --limit 4G",
    "no batches": "%whydied estimate model --batch-size many",
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Ran]]:
    place = tmp_path_factory.mktemp("estimate")
    quiet = {"WHYDIED_RUNS": str(place / "runs"), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    kernel = Kernel(place / "kernel", recorded=False, env=quiet)
    try:
        yield {name: kernel.cell(source) for name, source in CELLS.items()}
    finally:
        kernel.close()


def test_a_model_of_the_notebook_is_estimated(ran: dict[str, Ran]) -> None:
    (shown,) = ran["estimate"].results
    assert "Peak by batch size" in shown["text/plain"]
    assert "16 (as written)" in shown["text/plain"]
    assert "into 4.00 GiB; the largest batch that fits is" in " ".join(shown["text/plain"].split())
    assert "On a device of 8.00 GiB batch 16 fits" in " ".join(shown["text/plain"].split())
    assert shown["text/html"].startswith('<div class="whydied-estimate">')
    assert "<script" not in shown["text/html"]


def test_nothing_is_trained(ran: dict[str, Ran]) -> None:
    assert ran["unchanged"].stdout.split() == ["True", "0"]


def test_what_is_not_a_model_is_told(ran: dict[str, Ran]) -> None:
    assert "`before` is not a Keras model" in ran["not a model"].stdout
    assert "`modle`: NameError" in ran["no such name"].stdout
    assert "'many' is not a list of batch sizes" in ran["no batches"].stdout
