"""The pictures of stored recordings show what is known of their programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from recordings import path_of, stored_names, unpack
from whydied.read.recording import load
from whydied.report.finish import compose
from whydied.report.views.run_views import Views, views_of

MIB = 1 << 20
EVERY = 25
"""A part of the corpus, spread over its kinds: each has its own records."""


def views(name: str, folder: Path) -> Views:
    recording = load(unpack(path_of(name).read_bytes(), folder).run)
    return views_of(recording, compose(recording))


@pytest.mark.parametrize("name", stored_names()[::EVERY])
def test_no_picture_fails(name: str, tmp_path: Path) -> None:
    assert views(name, tmp_path).errors == []


def test_memory_over_time_has_the_call_the_census_and_the_end(tmp_path: Path) -> None:
    timeline = views("memory/batch_of_1024", tmp_path).timeline
    assert timeline is not None
    assert [line.kind for line in timeline.lines] == ["process", "allocator"]
    assert timeline.limit_bytes == 2048 * MIB
    peak = max(value for _, value in timeline.lines[0].points)
    assert peak > 2048 * MIB
    kinds = [mark.kind for mark in timeline.marks]
    assert kinds.count("call") == 1
    assert "census" in kinds
    assert kinds[-1] == "end"
    fit = next(mark for mark in timeline.marks if mark.kind == "call")
    assert fit.label == "fit"
    assert fit.until is not None
    assert fit.until > fit.at
    assert "batch_of_1024.py:23" in fit.words


def test_a_jump_names_the_line_that_ran(tmp_path: Path) -> None:
    timeline = views("memory/batch_of_1024", tmp_path).timeline
    assert timeline is not None
    assert any(mark.kind == "jump" and "batch_of_1024.py:23 ran" in mark.words for mark in timeline.marks)


def test_child_processes_have_a_line_of_their_own(tmp_path: Path) -> None:
    timeline = views("memory/worker_out_of_memory", tmp_path).timeline
    assert timeline is not None
    assert [line.kind for line in timeline.lines] == ["process", "children"]


def test_what_was_alive_is_told_by_its_holder_and_adds_up(tmp_path: Path) -> None:
    found = {one.by: one for one in views("memory/arrays_kept", tmp_path).alive}
    largest = found["holder"].parts[0]
    assert largest.name == "self.activations"
    assert 300 * MIB < largest.bytes < 400 * MIB
    assert sum(part.bytes for part in found["holder"].parts) == pytest.approx(380 * MIB, rel=0.02)
    assert found["line"].parts[0].name == "arrays_kept.py:11"


def test_the_step_is_told_by_layer(tmp_path: Path) -> None:
    found = {one.by: one for one in views("memory/batch_of_1024", tmp_path).alive}
    assert {"conv2d", "conv2d_1"} <= {part.name for part in found["layer"].parts}


def test_who_held_memory_is_not_asked_where_memory_had_no_part(tmp_path: Path) -> None:
    found = views("framework/fit_wrong_shape", tmp_path)
    assert found.alive == []
    assert all(not line.bytes for file in found.sources for part in file.stretches for line in part)


def test_the_chain_goes_from_the_row_to_the_gradient(tmp_path: Path) -> None:
    found = views("numerics/nan_in_one_row", tmp_path).bad_value
    assert found is not None
    assert [stop.kind for stop in found.chain] == ["data", "op", "gradient", "gradient"]
    assert "row 217 of x" in found.chain[0].words


def test_norms_of_several_records_are_one_course(tmp_path: Path) -> None:
    """One record ends at the bad step, another has the last steps of the run: the course begins at step 0."""
    found = views("numerics/learning_rate_too_large", tmp_path).bad_value
    assert found is not None
    loss = found.courses[0]
    assert loss.of == "loss"
    assert loss.points[0][0] == 0
    assert loss.points[0][1] is not None
    assert any(value is None for _, value in loss.points)
    assert [step for step, _ in loss.points] == sorted(step for step, _ in loss.points)


def test_shapes_part_at_the_layer_that_refused(tmp_path: Path) -> None:
    found = views("framework/fit_wrong_shape", tmp_path).shapes
    assert found is not None
    apart = [layer for layer in found.layers if layer.parts]
    assert [(layer.name, layer.given) for layer in apart] == [("dense", "(16, 9)")]
    assert "8 on axis -1" in apart[0].wanted


def test_a_deadlock_is_a_ring(tmp_path: Path) -> None:
    found = views("hangs/deadlock", tmp_path).waiting
    assert found is not None
    names = [node.name for node in found.nodes]
    assert sorted(names) == ["Thread-1 (take)", "main thread", "one", "other"]
    ring = {(edge.begin, edge.end) for edge in found.edges}
    ids = [node.id for node in found.nodes]
    assert all((ids[at], ids[(at + 1) % 4]) in ring for at in range(4))


def test_a_run_that_did_not_hang_has_no_graph_of_threads(tmp_path: Path) -> None:
    assert views("memory/arrays_kept", tmp_path).waiting is None


def test_the_source_marks_the_cause_and_the_growth(tmp_path: Path) -> None:
    file = views("memory/arrays_kept", tmp_path).sources[0]
    marked = {line.number: line for part in file.stretches for line in part if line.mark}
    assert marked[11].mark == "cause"
    assert marked[11].heat == 1.0
    assert marked[11].bytes.startswith("+")
