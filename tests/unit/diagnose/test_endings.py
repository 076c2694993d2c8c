"""What is blamed for an end, and what only happened at the same time."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from tests.unit.diagnose.case_of import GIB, PID, case_of, counted, line, raised, recording_of, sample
from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.growing import Timed, frame, growing, ramp
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.places import SUPERVISOR_STREAM, RunDirectory
from whydied.read.faults import Fault, FaultThread
from whydied.read.reader import StreamRead
from whydied.read.recording import Aftermath, Recording
from whydied.records import (
    CallBegan,
    ExitRequested,
    Frame,
    KernelLogged,
    LimitApplied,
    ProcessBegan,
    ProcessExiting,
    ProgramEnded,
    ProgramStarted,
    Record,
    RunStarted,
    SignalReceived,
    SignalSent,
)
from whydied.wire import Entry

LIMIT = LimitApplied(kind="cgroup v1", limit_bytes=GIB, ours=True, path="/sys/fs/cgroup/x")
KILL, TERM, INT = signal.SIGKILL, signal.SIGTERM, signal.SIGINT
MACHINE = {"scope": "machine", "path": None}


def verdict(*supervisor: Record, **fields: object) -> Diagnosis:
    return diagnose(recording_of(*supervisor, **fields))  # type: ignore[arg-type]


def called(how: str, status: str | None = None, number: int | None = None, at: int = 3) -> ExitRequested:
    return ExitRequested(how=how, frames=[frame(at)], status=status, signal=number)


def timed_run(
    processes: dict[int, Sequence[Timed]], ended_at: float, exit_code: int, supervisor: Sequence[Timed] = ()
) -> Recording:
    """A run of train.py with records at chosen moments; a process other than the program's first is a fork of that."""
    started = RunStarted(
        run_id="r",
        argv=["train.py"],
        cwd="/home/ann",
        wall_time_s=1.7e9,
        boot_id="boot-1",
        supervisor_pid=1,
        whydied_version="0",
    )
    outside: list[Timed] = [
        (0.0, started),
        (0.0, ProgramStarted(pid=PID, argv=["python", "train.py"])),
        *supervisor,
        (ended_at, ProgramEnded(pid=PID, exit_code=exit_code)),
    ]
    streams = [_stream(SUPERVISOR_STREAM, 1, outside)]
    for pid, records in processes.items():
        start = "exec" if pid == PID else "fork"
        began = ProcessBegan(pid=pid, ppid=1 if pid == PID else PID, start=start)
        streams.append(_stream(f"process-{pid}-1", pid, [(0.1, began), *records]))
    return Recording(RunDirectory(Path("/nowhere/r")), streams)


def _stream(name: str, pid: int, timed: Sequence[Timed]) -> StreamRead:
    entries = [Entry(int(at_s * 1e9), n, record) for n, (at_s, record) in enumerate(timed)]
    return StreamRead(name, pid, entries, [], 0, 0)


# Children


@pytest.mark.parametrize(
    ("child_at", "death", "roots"),
    [(1.0, "exited-early", ["exited-early"]), (59.0, "exited-early", ["uncaught-exception", "child-process-died"])],
)
def test_a_child_is_the_reason_of_an_exit_only_where_it_ended_just_before(
    child_at: float, death: str, roots: list[str]
) -> None:
    """A child that failed on purpose, a minute before `sys.exit(2)`, has nothing to do with it."""
    found = diagnose(
        timed_run(
            {PID: [(60.0, called("sys.exit", "2"))], 77: [(child_at, raised("KeyError", "'a'"))]},
            ended_at=60.1,
            exit_code=2,
        )
    )
    assert found.death is not None
    assert found.death.name == death
    assert [finding.name for finding in found.findings][: len(roots)] == roots


def test_an_error_that_names_a_child_has_it_as_the_reason_however_long_ago() -> None:
    broken = (60.0, raised("BrokenProcessPool", "A process in the process pool was terminated abruptly"))
    found = diagnose(timed_run({PID: [broken], 77: [(1.0, raised("KeyError", "'a'", number=3))]}, 60.1, 1))
    assert found.cause is not None
    assert found.cause.message.startswith("train.py:3: KeyError")
    assert (found.death.name if found.death else None) == "uncaught-exception"


@pytest.mark.parametrize(
    ("file", "cause"),
    [
        ("/usr/lib/python3.11/multiprocessing/queues.py", "KeyError"),
        ("/usr/lib/python3.11/json/decoder.py", "Empty"),
    ],
)
def test_whoever_waited_in_vain_for_a_process_has_its_end_as_the_reason(file: str, cause: str) -> None:
    empty = raised("Empty")
    link = empty.chain[0]
    waited = Frame(file=file, line=114, function="get")
    link = msgspec.structs.replace(link, frames=[*link.frames, waited])
    program = [(60.0, msgspec.structs.replace(empty, chain=[link]))]
    found = diagnose(timed_run({PID: program, 77: [(1.0, raised("KeyError", "'a'", number=3))]}, 60.1, 1))
    assert found.cause is not None
    assert cause in found.cause.message
    child = [finding for finding in found.findings if finding.name == "child-process-died"]
    assert [finding.certainty for finding in child] == (["likely"] if cause == "KeyError" else [])


def test_an_oom_kill_of_a_worker_is_below_the_broken_pool() -> None:
    broken = raised("BrokenProcessPool", "x")
    found = verdict(LIMIT, sample(GIB), *counted(0, 1), exit_code=1, process=[broken], others={77: [line(3)]})
    assert [finding.name for finding in found.findings] == ["host-oom-kill", "child-process-died", "uncaught-exception"]


def test_a_strangers_oom_kill_is_no_finding_of_a_program_that_ended_its_workers() -> None:
    workers = {77: [line(3)], 78: [line(3)]}
    found = verdict(*counted(0, 1, **MACHINE), exit_code=0, process=[line(), ProcessExiting()], others=workers)  # type: ignore[arg-type]
    assert (found.outcome, found.findings) == ("finished", [])


def test_a_worker_that_the_kernels_log_names_is_a_finding_though_the_program_finished() -> None:
    logged = KernelLogged(line="Out of memory: Killed process 77 (python) total-vm:9kB")
    program = [line(), ProcessExiting()]
    found = verdict(logged, *counted(0, 1, **MACHINE), exit_code=0, process=program, others={77: [line(3)]})  # type: ignore[arg-type]
    assert found.outcome == "finished"
    assert "host-oom-kill" in [finding.name for finding in found.findings]


# A leak beside


PREDICT = "for step in range(100):\n    model.predict(x)\n"


def leaking(*more: Timed, exit_code: int = 0) -> Diagnosis:
    calls: list[Timed] = [(1.5 + n / 10, CallBegan(call=n + 1, kind="predict", frames=[frame(2)])) for n in range(80)]
    recording = growing([*calls, *more], ramp(1000), source=PREDICT, killed=False).recording
    *entries, last = recording.supervisor.entries
    ended = last._replace(record=ProgramEnded(pid=PID, exit_code=exit_code))
    recording.supervisor.entries = [*entries, ended]
    return diagnose(recording)


def test_a_leak_is_the_cause_of_nothing_that_another_error_ended() -> None:
    found = leaking((9.9, raised("NameError", "name 'x' is not defined")), exit_code=1)
    assert found.death is not None
    assert found.death.name == "uncaught-exception"
    assert found.cause == found.death
    (death, grew) = found.findings
    assert death == found.death
    assert (grew.because_of, death.because_of) == (None, None)
    assert grew.name == "predict-in-loop"
    assert grew.id != death.id


def test_a_leak_is_the_cause_where_the_program_finished() -> None:
    found = leaking((9.95, ProcessExiting()))
    assert (found.outcome, found.death) == ("finished", None)
    (grew,) = found.findings
    assert found.cause == grew
    assert grew.name == "predict-in-loop"


# Signals


@pytest.mark.parametrize(
    ("last", "name", "outcome"),
    [
        (raised("ValueError", "no rows"), "uncaught-exception", "failed"),
        (called("sys.exit", "1"), "terminated", "stopped"),
    ],
)
def test_an_exception_after_a_handled_sigterm_is_the_death(last: Record, name: str, outcome: str) -> None:
    received = (10.0, SignalReceived(signal=TERM, sender_pid=5, sender_uid=0, sender_name="slurm"))
    found = diagnose(timed_run({PID: [(30.0, last)]}, ended_at=30.1, exit_code=1, supervisor=[received]))
    assert (found.death.name if found.death else None, found.outcome) == (name, outcome)


@pytest.mark.parametrize(("number", "itself"), [(signal.SIGUSR1, False), (KILL, True)])
def test_only_a_kill_of_its_own_ended_the_whole_group(number: int, itself: bool) -> None:
    asked = called("os.killpg", number=number)
    found = verdict(unfinished=True, process=[asked, line()], aftermath=Aftermath(boot_id="boot-1")).death
    assert found is not None
    assert found.name == "whole-group-died"
    assert ("killed its whole process group" in found.message) is itself


@pytest.mark.parametrize(
    ("aftermath", "down"),
    [
        (Aftermath(boot_id="boot-2"), True),
        (Aftermath(boot_id="boot-2", same_machine=False), False),
        (Aftermath(boot_id="boot-2", supervisor_alive=True), False),
        (Aftermath(boot_id="boot-1"), False),
    ],
)
def test_the_machine_went_down_only_where_this_is_that_machine(aftermath: Aftermath, down: bool) -> None:
    found = verdict(unfinished=True, process=[line()], aftermath=aftermath)
    assert ("machine-went-down" in [finding.name for finding in found.findings]) is down


def test_a_program_that_outlived_its_supervisor_did_not_die_with_it() -> None:
    alive = verdict(unfinished=True, process=[line()], aftermath=Aftermath(boot_id="boot-1", program_alive=True))
    gone = verdict(unfinished=True, process=[line()], aftermath=Aftermath(boot_id="boot-1"))
    assert "whole-group-died" not in [finding.name for finding in alive.findings]
    assert [finding.name for finding in gone.findings] == ["whole-group-died"]


@pytest.mark.parametrize(
    ("received", "asked", "words"),
    [
        (SignalReceived(signal=INT, from_terminal=True), None, "(Ctrl-C)"),
        (SignalReceived(signal=INT, sender_pid=12, sender_uid=0, sender_name="bash"), None, "process 12 (bash)"),
        (None, called("os.kill", number=INT), "SIGINT, which it sent to itself with os.kill"),
        (None, None, "(SIGINT)"),
    ],
)
def test_an_interrupt_says_where_it_came_from(
    received: SignalReceived | None, asked: ExitRequested | None, words: str
) -> None:
    supervisor = [received] if received else []
    process = [line(), *([asked] if asked else []), raised("KeyboardInterrupt")]
    found = verdict(*supervisor, signal=INT, process=process).death
    assert found is not None
    assert found.name == "interrupted"
    assert words in found.message
    assert ("Ctrl-C" in found.message) is (words == "(Ctrl-C)")


@pytest.mark.parametrize(
    ("supervisor", "fields", "stopped"),
    [
        ([], {"signal": INT, "process": [line(), raised("KeyboardInterrupt")]}, True),
        ([], {"exit_code": 130, "process": [line(), raised("KeyboardInterrupt")]}, True),
        ([], {"signal": TERM, "process": [line()]}, True),
        ([SignalReceived(signal=TERM)], {"exit_code": 3, "process": [line(), ProcessExiting()]}, True),
        ([SignalSent(signal=TERM, why="time limit")], {"signal": TERM, "process": [line()]}, True),
        ([], {"signal": TERM, "process": [line(), called("os.kill", number=TERM)]}, False),
        ([SignalReceived(signal=TERM)], {"exit_code": 1, "process": [raised("ValueError", "no")]}, False),
        ([], {"exit_code": 0, "process": [line(), ProcessExiting()]}, False),
        ([], {"signal": KILL, "process": [line()]}, False),
    ],
)
def test_who_ended_the_program(supervisor: list[Record], fields: dict[str, object], stopped: bool) -> None:
    assert case_of(*supervisor, **fields).was_stopped is stopped


def test_a_strangers_oom_kill_while_memory_was_plentiful_did_not_end_the_program() -> None:
    moved = counted(0, 1, **MACHINE)  # type: ignore[arg-type]
    plentiful = verdict(sample(GIB), *moved, signal=KILL, process=[line()]).death
    short = verdict(sample(GIB, available_bytes=GIB // 100), *moved, signal=KILL, process=[line()]).death
    assert plentiful is not None
    assert short is not None
    assert (plentiful.name, short.name) == ("killed-from-outside", "host-oom-kill")
    assert short.certainty == "likely"


# Below a wrapper: which process's end did it pass on?


def below(pid: int, *records: Record, ppid: int = PID) -> list[Record]:
    return [ProcessBegan(pid=pid, ppid=ppid, start="exec"), *records]


def wrapped(exit_code: int, others: dict[int, list[Record]], **fields: object) -> Case:
    return case_of(process=None, exit_code=exit_code, others=others, **fields)


FAILS = raised("ValueError", "x")


@pytest.mark.parametrize(
    ("exit_code", "pid"),
    [(3, 77), (1, 78), (139, 79), (137, 80), (5, None)],
)
def test_the_process_whose_end_fits_the_status_is_the_principal(exit_code: int, pid: int | None) -> None:
    others = {
        77: below(77, called("sys.exit", "3"), ProcessExiting()),
        78: below(78, FAILS),
        79: below(79, line()),
        80: below(80, line(), line()),
        81: below(81, line(), ProcessExiting()),
    }
    crashed = [Fault(79, "Segmentation fault", [FaultThread(True, [])])]
    if exit_code == 139:
        del others[80]
    case = wrapped(exit_code, others, faults=crashed)
    assert (case.principal.pid if case.principal else None) == pid


def test_a_worker_of_the_python_below_is_not_taken() -> None:
    others = {77: below(77, FAILS), 79: below(79, line(), line(), FAILS, ppid=77)}
    case = wrapped(1, others)
    assert case.principal is not None
    assert case.principal.pid == 77
    assert case.is_wrapped


def test_where_no_recorded_process_fits_the_reason_is_unknown() -> None:
    case = wrapped(5, {77: below(77, called("sys.exit", "4")), 78: below(78, line(), ProcessExiting())})
    assert case.principal is None
    found = diagnose(case.recording)
    assert (found.outcome, found.death.certainty if found.death else None) == ("failed", "possible")
    assert found.undetermined == "None of the recorded processes ended in the way that the exit status says."


# Which call ended it?


@pytest.mark.parametrize(
    ("asked", "exit_code", "told"),
    [
        (called("sys.exit", "0"), 3, False),
        (called("sys.exit", "3"), 3, True),
        (called("sys.exit", "259"), 3, True),
        (called("sys.exit", "no data"), 1, True),
        (called("sys.exit", "no data"), 3, False),
        (called("exit"), 3, True),
        (called("os.kill", number=signal.SIGUSR1), 3, False),
    ],
)
def test_a_call_counts_only_where_its_status_came_out(asked: ExitRequested, exit_code: int, told: bool) -> None:
    """`sys.exit(0)` in a thread ends that thread, and the program's status comes from elsewhere."""
    case = case_of(exit_code=exit_code, process=[line(), asked])
    assert (case.exit_call == asked) is told
    found = diagnose(case.recording).death
    assert found is not None
    assert found.name == "exited-early"
    assert ("called" in found.message) is told


# Wrappers that end with a status of their own, and programs that live


def test_the_exception_of_the_last_process_is_possibly_the_reason() -> None:
    found = diagnose(wrapped(5, {77: below(77, line(), FAILS)}).recording)
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("uncaught-exception", "possible")
    assert found.undetermined is not None


def test_a_failure_after_which_the_wrapper_went_on_is_not_the_reason() -> None:
    recording = wrapped(5, {77: below(77, line(), FAILS), 78: below(78, line(), ProcessExiting())}).recording
    later = recording.streams[-1].entries
    later[:] = [Entry(entry.at_ns + 10**9, entry.number, entry.record) for entry in later]
    found = diagnose(recording)
    assert found.cause is not None
    assert found.cause.name == "exited-early"


@pytest.mark.parametrize("alive", [Aftermath(program_alive=True), Aftermath(supervisor_alive=True)])
def test_a_program_that_lives_did_not_die(alive: Aftermath) -> None:
    found = diagnose(case_of(process=[line()], unfinished=True, aftermath=alive).recording)
    assert (found.outcome, found.death, found.undetermined) == ("running", None, None)


def test_an_exception_that_a_library_raised_is_a_fact_and_only_likely_the_reason(tmp_path: Path) -> None:
    case = died_of(tmp_path, "import statistics\ntext = '1,5'\nvalue = statistics.fmean(text)\n")
    diagnosis = diagnose(case.recording, (), case)
    assert diagnosis.death is not None
    assert diagnosis.cause is not None
    assert (diagnosis.death.certainty, diagnosis.cause.certainty) == ("certain", "likely")
    assert diagnosis.cause.id == diagnosis.death.id


def test_what_the_own_line_raised_is_certain(tmp_path: Path) -> None:
    case = died_of(tmp_path, "rows = [1, 2]\nposition = 2\nrows[position]\n")
    diagnosis = diagnose(case.recording, (), case)
    assert diagnosis.cause is not None
    assert diagnosis.cause.certainty == "certain"
