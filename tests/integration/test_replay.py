"""Captured steps are run again, and the first bad op, its line and what brought it are found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from whydied.records import Replay

pytestmark = pytest.mark.tensorflow

SCRIPT = Path(__file__).with_name("replay_scenarios.py")


class Expected(NamedTuple):
    """Of a replay: the first op, whose fault it is, its rows and columns, and the mark on the line of the op."""

    op: str
    kind: str
    name: str
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    phase: str = "forward"
    mark: str = ""


EXPECTED = {
    "log_of_zero": Expected("Log", "rows", "x", (3,), (2,), mark="log"),
    "sqrt_of_negative": Expected("Sqrt", "rows", "x", (5,), (1,)),
    "zero_by_zero": Expected("RealDiv", "rows", "x", (2,)),
    "divided_by_zero": Expected("RealDiv", "rows", "y", (6,), (3,)),
    "pow_of_negative": Expected("Pow", "rows", "x", (1,), (0,)),
    "exp_overflow": Expected("Exp", "rows", "x", (4,), (2,)),
    "acos_of_two": Expected("Acos", "rows", "x", (7,), (1,)),
    "norm_at_zero": Expected("SqrtGrad", "rows", "x", (3,), phase="backward", mark="norm"),
    "where_with_division": Expected("RealDiv", "rows", "x", (2,), (1,), phase="backward", mark="division"),
    "where_with_log": Expected("Reciprocal", "rows", "x", (6,), (3,), phase="backward", mark="log in where"),
    "masked_labels_squared": Expected("Sub", "data", "y", (5,)),
    "half_overflow": Expected("MatMul", "precision", "float16", (4,)),
    "cast_overflow": Expected("Cast", "precision", "float16"),
    "nan_row": Expected("MatMul", "data", "x", (3,)),
    "inf_value": Expected("MatMul", "data", "x", (1,), (2,)),
    "nan_column": Expected("MatMul", "data", "x", tuple(range(8)), (2,)),
    "nan_weight": Expected("MatMul", "weight", "w"),
    "exploded_weight": Expected("Exp", "weights", "w"),
    "zero_scale_weight": Expected("RealDiv", "weights", "w"),
    "inf_constant": Expected("AddV2", "constant", "add/y"),
    "inf_times_mask": Expected("Mul", "constant", "mul_1/y", mark="mask"),
    "fully_masked_row": Expected("Softmax", "rows", "mask", (5,), mark="softmax"),
    "several_bad_rows": Expected("Log", "rows", "x", (2, 9, 13), (0, 1)),
    "all_rows_zero": Expected("Log", "rows", "x", tuple(range(8))),
    "flattened_batch": Expected("Log", "rows", "x", (4,)),
    "transposed_flattened_batch": Expected("Log", "rows", "x", (4,)),
    "whole_batch_statistic": Expected("Log", "rows", "x", (11,), (3,)),
    "called_functions": Expected("Log", "rows", "x", (3,), (0,), mark="inner log"),
    "embedding_lstm": Expected("MatMul", "weight", "sequential/words/embeddings"),
    "lstm_nan_row": Expected("MatMul", "data", "x", (2,)),
    "bidirectional_overflow": Expected("Exp", "rows", "x", (6,)),
    "target_far_out": Expected("Log", "rows", "y", (5,)),
    "all_tokens_padded": Expected("Softmax", "rows", "tokens", (5,)),
    "mean_of_nothing": Expected("Mean", "rows", "y", tuple(range(8))),
    "batch_normalised": Expected("MatMul", "rows", "x", (9,)),
    "convolution_nan_image": Expected("Conv2D", "data", "x", (17,)),
    "softmax_cross_entropy": Expected("Log", "rows", "x", (6,), (3,), mark="cross entropy"),
    "session_log": Expected("Log", "rows", "data", (3,), (2,), mark="session log"),
    "session_ref_variable": Expected("Log", "rows", "data", (3,), (2,)),
    "session_sqrt_gradient": Expected("SqrtGrad", "rows", "data", (5,), phase="backward", mark="session sqrt"),
    "session_branch": Expected("Log", "rows", "data", (3,), (2,)),
    "session_loop": Expected("Log", "rows", "data", (3,), (2,), mark="session loop"),
    "session_loop_of_functions": Expected("Log", "rows", "data", (3,), (2,)),
    "session_loop_gradient": Expected("SqrtGrad", "rows", "data", (6,), (1,), phase="backward"),
    "session_recurrent": Expected("Log", "rows", "data", (3,), (2,)),
}
HEALTHY = ("attention_mask", "where_with_sqrt", "convolution_healthy")
UNPROVED = ("cast_overflow",)
"""All rows are to blame, and there is nothing to put in their place."""


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All scenarios, captured and replayed in one process."""
    directory = tmp_path_factory.mktemp("captures")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(directory)],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return directory


def found(captures: Path, name: str) -> Replay:
    return msgspec.json.decode((captures / name / "replay.json").read_bytes(), type=Replay)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_first_op_and_what_brought_it(captures: Path, name: str) -> None:
    replay, expected = found(captures, name), EXPECTED[name]
    assert replay.status == "reproduced", replay.reason
    assert replay.first is not None
    assert replay.blame is not None
    assert (replay.first.op, replay.first.phase) == (expected.op, expected.phase)
    assert (replay.blame.kind, replay.blame.name) == (expected.kind, expected.name)
    assert tuple(replay.blame.rows) == expected.rows
    assert tuple(replay.blame.columns) == expected.columns
    assert replay.blame.tried == (name not in UNPROVED)


@pytest.mark.parametrize("name", [name for name, expected in EXPECTED.items() if expected.mark])
def test_the_line_is_that_of_the_forward_op(captures: Path, name: str) -> None:
    replay = found(captures, name)
    assert replay.first is not None
    assert replay.first.line is not None
    frame = replay.first.line.frames[-1]
    line = Path(frame.file).read_text().splitlines()[frame.line - 1]
    assert line.endswith(f"# <- {EXPECTED[name].mark}")


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_step_is_finite(captures: Path, name: str) -> None:
    replay = found(captures, name)
    assert replay.status == "finite"
    assert replay.first is None
    assert replay.blame is None


@pytest.mark.parametrize("name", EXPECTED)
def test_the_chain_goes_from_the_source_to_the_symptom(captures: Path, name: str) -> None:
    chain = found(captures, name).chain
    assert 2 <= len(chain) <= 7
    assert chain[-1].kind in ("gradient", "loss", "weight")
    assert all(link.words for link in chain)


def test_a_softmax_at_its_end_is_told_before_the_logarithm(captures: Path) -> None:
    words = [link.words for link in found(captures, "softmax_cross_entropy").chain]
    assert [text.partition(" of")[0] for text in words[1:2]] == ["softmax"]
    assert words[1].endswith(" is 0 at [6, 0]")
    assert words[2].startswith("log(0) = -inf")


def test_the_words_have_values(captures: Path) -> None:
    words = [link.words for link in found(captures, "log_of_zero").chain]
    assert words == [
        "row 3 of the batch (row 103 of x), column 2: 0",
        "log(0) = -inf at [3, 2] (1 -Inf of 32)",
        "the loss is -Inf",
        "the gradient of w has 1 -Inf of 4",
    ]


def test_rows_of_the_data_set(captures: Path) -> None:
    blame = found(captures, "nan_row").blame
    assert blame is not None
    assert (blame.data_set, blame.data_set_rows) == ("x", [53])


def test_layers_are_named_on_the_way(captures: Path) -> None:
    chain = found(captures, "embedding_lstm").chain
    assert any(link.name == "logarithm" for link in chain)


def test_a_python_function_is_not_run(captures: Path) -> None:
    replay = found(captures, "python_function")
    assert replay.status == "failed"
    assert "Python function" in replay.reason


def run_module(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "whydied.replay", str(directory), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_command_writes_the_same(captures: Path) -> None:
    before = found(captures, "log_of_zero")
    (captures / "log_of_zero" / "replay.json").unlink()
    done = run_module(captures / "log_of_zero")
    assert done.returncode == 0, done.stderr
    after = found(captures, "log_of_zero")
    assert msgspec.structs.replace(after, wall_s=0) == msgspec.structs.replace(before, wall_s=0)
    assert (captures / "log_of_zero" / "replay.json").stat().st_mode & 0o777 == 0o600


def test_a_torn_capture_is_a_failure_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "step.json").write_text('{"kind": "traced", "susp')
    done = run_module(tmp_path)
    assert done.returncode == 0, done.stderr
    replay = msgspec.json.decode((tmp_path / "replay.json").read_bytes(), type=Replay)
    assert replay.status == "failed"
    assert "step.json" in replay.reason


def test_no_time_is_a_failure_with_a_reason(captures: Path, tmp_path: Path) -> None:
    copy = tmp_path / "capture"
    copy.mkdir()
    for file in (captures / "lstm_nan_row").iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "replay.json").unlink()
    done = run_module(copy, "--seconds", "0")
    assert done.returncode == 0, done.stderr
    replay = msgspec.json.decode((copy / "replay.json").read_bytes(), type=Replay)
    assert (replay.status, replay.reason) == ("failed", "the replay ran out of time")
