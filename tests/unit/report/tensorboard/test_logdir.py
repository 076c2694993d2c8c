"""What is written for TensorBoard, read back with its own messages."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recordings import path_of, unpack
from tests import handmade
from tests.unit.test_imports import loaded_after
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Evidence
from whydied.errors import NoRoom, UsageError
from whydied.places import RunDirectory
from whydied.read.recording import load
from whydied.records import Numbers, Record, TensorLogged
from whydied.report.finish import compose
from whydied.report.tensorboard import logdir
from whydied.report.tensorboard.finding_moments import moment_of
from whydied.report.tensorboard.requirement import prepare
from whydied.report.tensorboard.step_clock import StepClock
from whydied.stream import Stream

pytest.importorskip("tensorboard")
LEAK, BAD_STEP = "leaks/callback_keeps_predictions", "numerics/learning_rate_too_large"


def events(file: Path) -> Iterator[Any]:
    from tensorboard.compat.proto import event_pb2
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    data, at = file.read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        body = data[at + 12 : at + 12 + length]
        assert struct.unpack_from("<I", data, at + 12 + length) == (masked_crc32c(body),)
        yield event_pb2.Event.FromString(body)
        at += 16 + length


def values(file: Path) -> dict[str, list[tuple[int, Any]]]:
    found: dict[str, list[tuple[int, Any]]] = {}
    for event in events(file):
        for value in event.summary.value:
            found.setdefault(value.tag, []).append((event.step, value))
    return found


def stored(name: str, place: Path) -> RunDirectory:
    return unpack(path_of(name).read_bytes(), place).run


def written(directory: RunDirectory, place: Path) -> Path:
    return logdir.write(directory, compose(load(directory)), place).file


def with_process(runs: Path, *records: Record) -> RunDirectory:
    directory = handmade.recorded_run(runs)
    stream = Stream(directory.streams, f"process-{handmade.a_dead_pid()}-1", segment_bytes=1 << 20)
    for record in records:
        stream.write(record)
    return directory


def test_a_killed_run_has_curves_graph_and_findings_at_their_steps(tmp_path: Path) -> None:
    file = written(stored(LEAK, tmp_path), tmp_path / "logs")
    assert file.parent == tmp_path / "logs" / "whydied" / "run"
    found = values(file)
    assert {"memory_GiB/process", "memory_GiB/tensors", "memory_GiB/limit", "step_s/train", "report"} <= set(found)
    steps = [step for step, _ in found["memory_by_step_GiB/process"]]
    assert steps == sorted(set(steps))
    assert steps[-1] > 50
    [(step, text)] = found["findings/MEM005 tensors-kept-in-container"]
    assert steps[-2] <= step <= steps[-1] + 1
    assert text.metadata.plugin_data.plugin_name == "text"
    assert "the list `self.seen` of Watch holds 49 tensors" in text.tensor.string_val[0].decode()
    peak = max(value.tensor.float_val[0] for _, value in found["memory_GiB/process"])
    assert peak == pytest.approx(1.33, abs=0.01)
    [graph] = [event.graph_def for event in events(file) if event.graph_def]
    assert b"sequential_1/dense_1/MatMul" in graph


def test_a_value_that_was_not_finite_is_told_at_its_step(tmp_path: Path) -> None:
    directory = stored(BAD_STEP, tmp_path)
    recording = load(directory)
    report = compose(recording)
    assert report.cause is not None
    found = values(logdir.write(directory, report, tmp_path / "logs").file)
    [(step, _)] = found["findings/NUM005 exploding-gradients"]
    assert step == 16
    assert "at step 16 of fit" in report.cause.message
    assert len(found["gradient_norm/sequential/dense/kernel"]) >= 17


def test_a_finding_without_a_time_belongs_to_the_end(tmp_path: Path) -> None:
    case = Case(load(stored(LEAK, tmp_path)))
    silent = handmade.finding(evidence=[Evidence(fact="a", value=1, source="the source")])
    timed = handmade.finding(evidence=[Evidence(fact="a", value=1, source="RunStarted")])
    clock = StepClock(case.records)
    end_s = max(case.records.last_at_s, case.recording.supervisor.last_at_s)
    assert moment_of(silent, case, clock) == (end_s, clock.steps - 1)
    assert moment_of(timed, case, clock) == (case.recording.supervisor.entries[0].at_ns / 1e9, 0)


def test_watched_tensors_are_histograms(tmp_path: Path) -> None:
    numbers = Numbers(shape=[3], dtype="float32", count=3, mean=1.0, norm=2.0, nan=1)
    logged = [
        TensorLogged(
            name="dense/kernel", role="weight", step=step, numbers=numbers, edges=[0.0, 1.0, 2.0], counts=[1, 1]
        )
        for step in range(1, 1001)
    ]
    directory = with_process(tmp_path / "runs", *logged)
    result = logdir.write(directory, compose(load(directory)), tmp_path / "logs")
    assert not result.unwatched
    found = values(result.file)
    histograms = found["watched/dense/kernel"]
    assert len(histograms) <= logdir.MOST_HISTOGRAMS
    assert histograms[-1][0] == 1000
    assert list(histograms[-1][1].histo.bucket) == [1.0, 1.0]
    assert {value.tensor.float_val[0] for _, value in found["watched/dense/kernel/nonfinite"]} == {1.0}


def test_written_again_it_is_replaced_and_nothing_else_is_touched(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    (logs / "train").mkdir(parents=True)
    (logs / "train" / "events.out.tfevents.1.me").write_bytes(b"mine")
    directory = stored(LEAK, tmp_path)
    first = written(directory, logs)
    second = written(directory, logs)
    assert first == second
    assert sorted(path.name for path in logs.rglob("*") if path.is_file()) == sorted(
        ["events.out.tfevents.1.me", first.name]
    )
    assert (logs / "train" / "events.out.tfevents.1.me").read_bytes() == b"mine"


def test_a_run_without_a_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recording"):
        logdir.write(RunDirectory(tmp_path / "gone"), handmade.report(), tmp_path / "logs")


def test_a_directory_that_cannot_be_written_is_found_out_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NoRoom, match="cannot write to"):
        prepare(tmp_path / "file" / "logs")
    prepare(tmp_path / "new" / "logs")
    assert (tmp_path / "new" / "logs").is_dir()


def command(*words: str | Path) -> str:
    """Statements that call our command line with its output on standard error."""
    argv = ["whydied", *map(str, words)]
    return f"""
import contextlib, os, sys
from whydied.cli import main
sys.argv = {argv!r}
saved = os.dup(1)
os.dup2(2, 1)
with contextlib.suppress(SystemExit):
    status = main()
sys.stdout.flush()
os.dup2(saved, 1)
assert status == 0, status
"""


def test_the_parent_loads_no_tensorflow(tmp_path: Path) -> None:
    """TensorBoard's own file writer would, because it is installed here."""
    script = tmp_path / "program.py"
    script.write_text("print(1)\n")
    runs, logs = tmp_path / "runs", tmp_path / "logs"
    ran = loaded_after(command("run", "--quiet", "--runs", runs, "--logdir", logs, script), tmp_path)
    [file] = logs.rglob("*.whydied")
    file.unlink()
    shown = loaded_after(command("show", "--runs", runs, "--logdir", logs), tmp_path)
    assert [name for name in (*ran, *shown) if name != "numpy"] == []
    assert list(logs.rglob("*.whydied")) == [file]
    assert "report" in values(file)


@pytest.mark.parametrize("words", [["run", "--logdir", "logs", "program.py"], ["show", "--logdir", "logs"]])
def test_without_the_extra_nothing_starts(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("open('ran', 'w')\n")
    handmade.recorded_run(tmp_path / "runs")
    code = f"import sys; sys.modules['tensorboard'] = None\nfrom whydied.cli import main\nsys.exit(main({words!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "WHYDIED_RUNS": str(tmp_path / "runs")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == (125 if words[0] == "run" else 2)
    assert "--logdir needs tensorboard in" in done.stderr
    assert "pip install 'whydied[tensorboard]'" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_what_cannot_be_written_at_the_end_leaves_the_exit_status(
    tmp_path: Path, runs: Path, whydied: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    script = tmp_path / "program.py"
    script.write_text("import os, shutil, sys\nshutil.rmtree('logs')\nopen('logs', 'w')\nsys.exit(3)\n")
    done = whydied("run", "--quiet", "--logdir", "logs", script)
    assert done.returncode == 3
    assert b"whydied: cannot write to logs/whydied/" in done.stderr


def test_a_run_whose_supervisor_was_killed_too_is_written_later(
    tmp_path: Path, runs: Path, whydied: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    handmade.recorded_run(runs, ended=False, supervisor_pid=handmade.a_dead_pid())
    done = whydied("show", "--logdir", "logs")
    assert done.returncode == 0, done.stderr
    [file] = (tmp_path / "logs").rglob("*.whydied")
    assert f"Wrote logs/{file.relative_to(tmp_path / 'logs')}".encode() in done.stdout
    assert b"No histograms" in done.stderr
    [(_, text)] = values(file)["report"]
    assert "died together with its supervisor" in text.tensor.string_val[0].decode()
