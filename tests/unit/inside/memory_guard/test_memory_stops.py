"""When the guard raises, and where: with invented looks at the memory and a real interrupt of this thread."""

from __future__ import annotations

import resource
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from whydied.inside import journal
from whydied.inside.memory_guard import memory_stops, program_guard
from whydied.inside.memory_guard.memory_stops import Scope, State, Ward
from whydied.inside.process import process_memory

MIB = 1 << 20


@pytest.fixture(autouse=True)
def _recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "streams").mkdir()
    journal.open_journal(str(tmp_path))
    # Else the limit would hold for the tests that follow, and for this one.
    monkeypatch.setattr(process_memory, "data_bytes", lambda: None)
    for name in ("ward", "on", "stopped", "former"):
        monkeypatch.setattr(State, name, getattr(State, name))
    monkeypatch.setattr(State, "stopped", 0)
    yield
    journal.close()


def ward(scope: Scope | None, owns: bool = True) -> Ward:
    def owned(frame: FrameType) -> bool:
        return owns

    return Ward(lambda: scope, owned, lambda rss, limit, kept, saved: f"{limit - rss} left{saved}", MemoryError)


def looked(rss: int, limit: int = 1000 * MIB) -> bool:
    """A look from another thread, as the sampler's is, and time for Python to call us."""
    found: list[bool] = []
    looking = threading.Thread(target=lambda: found.append(memory_stops.look(rss, limit)))
    looking.start()
    looking.join()
    return found[0]


def test_it_raises_once_for_a_scope_with_no_frame_of_ours() -> None:
    memory_stops.turn(True, ward(Scope(1, 0, 0)))
    assert not looked(919 * MIB)
    with pytest.raises(MemoryError, match="left") as caught:
        looked(921 * MIB)
    assert not any("memory_stops" in step.filename for step in traceback.extract_tb(caught.tb)[-1:])
    assert not looked(950 * MIB)


@pytest.mark.parametrize(("scope", "owns"), [(None, True), (Scope(1, 0, 900 * MIB), True), (Scope(1, 0, 0), False)])
def test_nothing_is_raised_outside_of_the_ward(scope: Scope | None, owns: bool) -> None:
    memory_stops.turn(True, ward(scope, owns))
    looked(930 * MIB)
    assert State.stopped == 0


def test_what_would_not_fit_is_refused_and_granted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(process_memory, "data_bytes", lambda: 100 * MIB)
    monkeypatch.setattr(resource, "setrlimit", lambda kind, wanted: limits.append(wanted))
    memory_stops.turn(True, ward(None))
    memory_stops.look(200 * MIB, 1000 * MIB)
    assert 900 * MIB <= limits[-1][0] < 2000 * MIB
    memory_stops.turn(False, ward(None))
    assert limits[-1] == resource.getrlimit(resource.RLIMIT_DATA)


def test_a_program_that_freed_memory_is_guarded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_guard, "_mark", 1)
    State.stopped = 1
    program_guard.noticed(950 * MIB, 1000 * MIB)
    assert program_guard._running().mark == 1
    program_guard.noticed(500 * MIB, 1000 * MIB)
    assert program_guard._running().mark == 2


def test_without_a_training_nothing_is_saved(tmp_path: Path) -> None:
    assert program_guard.saved_weights() == ""
    assert not (tmp_path / program_guard.FOLDER).exists()
