"""Each way of ending: one case that is it, and near misses that are not."""

from __future__ import annotations

import errno
import signal

import pytest

from tests.unit.diagnose.case_of import FILE, GIB, PID, case_of, counted, line, raised, recording_of, sample
from whydied.diagnose import answers, registry
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.diagnose.rules.memory import allocation_refused
from whydied.read.faults import Fault, FaultFrame, FaultThread
from whydied.read.recording import Aftermath
from whydied.records import (
    ExceptionRaised,
    ExitRequested,
    Frame,
    KernelLogged,
    LimitApplied,
    ProcessBegan,
    ProcessExiting,
    ProgramEnded,
    ProgramNotStarted,
    RaisedException,
    Record,
    RlimitsSeen,
    SignalReceived,
    SignalSent,
)
from whydied.source.text import Source

LIMIT = LimitApplied(kind="cgroup v1", limit_bytes=GIB, ours=True, path="/sys/fs/cgroup/x")
KILL, TERM, INT = signal.SIGKILL, signal.SIGTERM, signal.SIGINT


def verdict(*supervisor: Record, **fields: object) -> Diagnosis:
    return diagnose(recording_of(*supervisor, **fields))  # type: ignore[arg-type]


def death(*supervisor: Record, **fields: object) -> str | None:
    found = verdict(*supervisor, **fields).death
    return found.name if found else None


def test_a_clean_finish_has_no_findings() -> None:
    found = verdict(*counted(3, 3), sample(GIB), exit_code=0, process=[line(), ProcessExiting()])
    assert (found.outcome, found.death, found.cause, found.findings, found.undetermined) == (
        "finished",
        None,
        None,
        [],
        None,
    )


def test_a_counter_of_the_own_cgroup_proves_an_oom_kill() -> None:
    found = verdict(LIMIT, sample(GIB - 5), *counted(0, 1), signal=KILL, process=[line()])
    assert found.outcome == "died"
    assert found.death is not None
    assert (found.death.code, found.death.name, found.death.certainty) == ("MEM001", "host-oom-kill", "certain")
    assert found.death.location is not None
    assert (found.death.location.file, found.death.location.line, found.death.location.end_line) == (FILE, 6, 7)
    assert found.death.message.startswith("train.py:6: the kernel's OOM killer killed train.py at 1.00 GiB")
    assert "--memory-limit allowed 1.00 GiB" in found.death.message
    assert found.cause == found.death


def test_the_kernels_log_proves_an_oom_kill_of_this_process_and_of_no_other() -> None:
    words = "Out of memory: Killed process {} (python) total-vm:9kB, anon-rss:8kB"
    mine, other = KernelLogged(line=words.format(PID)), KernelLogged(line=words.format(PID + 1))
    machine = counted(0, 1, scope="machine", path=None)
    assert verdict(mine, *machine, signal=KILL).death.certainty == "certain"  # type: ignore[union-attr]
    assert verdict(other, *machine, signal=KILL).death.certainty == "likely"  # type: ignore[union-attr]


def test_memory_at_its_limit_is_likely_where_no_counter_can_be_read() -> None:
    found = verdict(LIMIT, sample(int(0.97 * GIB)), signal=KILL).death
    assert found is not None
    assert (found.name, found.certainty) == ("host-oom-kill", "likely")


def test_a_kill_with_unmoved_counters_is_from_outside() -> None:
    found = verdict(LIMIT, sample(GIB), *counted(2, 2), signal=KILL, process=[line()]).death
    assert found is not None
    assert (found.name, found.certainty) == ("killed-from-outside", "likely")
    assert "did not do it" in found.message


def test_a_kill_without_any_evidence_says_so() -> None:
    found = verdict(signal=KILL)
    assert found.death is not None
    assert (found.death.name, found.death.certainty) == ("killed-from-outside", "possible")
    assert found.undetermined is not None
    assert "SIGKILL" in found.undetermined


def test_a_program_that_kills_itself_is_told_its_line() -> None:
    frame = Frame(file=FILE, line=3, function="<module>", user=True)
    asked = ExitRequested(how="os.kill", frames=[frame], signal=KILL, target_pid=PID)
    found = verdict(*counted(0, 0), signal=KILL, process=[line(), asked]).death
    assert found is not None
    assert found.name == "killed-from-outside"
    assert found.location is not None
    assert found.location.line == 3


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (signal.SIGSEGV, "segmentation-fault"),
        (signal.SIGABRT, "native-abort"),
        (signal.SIGILL, "illegal-instruction"),
        (signal.SIGBUS, "bus-error"),
        (signal.SIGFPE, "arithmetic-fault"),
        (signal.SIGXFSZ, "disk-full"),
        (signal.SIGXCPU, "cpu-time-limit"),
        (signal.SIGUSR1, "ended-by-signal"),
        (signal.SIGPIPE, "ended-by-signal"),
    ],
)
def test_crash_signals_have_the_line_of_the_dump(number: int, name: str) -> None:
    frames = [FaultFrame("/usr/lib/python3.11/ctypes/x.py", 9, "f"), FaultFrame(FILE, 3, "<module>")]
    fault = Fault(PID, "Segmentation fault", [FaultThread(True, frames)])
    found = verdict(signal=number, process=[line()], faults=[fault])
    assert found.death is not None
    assert found.death.name == name
    assert found.death.location is not None
    assert found.death.location.line == 3
    assert found.outcome == "died"


def test_an_abort_quotes_its_last_words() -> None:
    text = "step 1\n2024-01-01 00:00:00.1: F tensorflow/core/x.cc:12] Check failed: n > 0 (0 vs. 0)\n"
    found = verdict(signal=signal.SIGABRT, process=[line()], output=text).death
    assert found is not None
    assert any("Check failed: n > 0" in str(evidence.value) for evidence in found.evidence)
    assert not any("step 1" in str(evidence.value) for evidence in found.evidence)


def test_a_stop_through_us_names_its_sender() -> None:
    received = SignalReceived(signal=TERM, sender_pid=77, sender_uid=1000, sender_name="slurmstepd")
    found = verdict(received, signal=TERM, process=[line()])
    assert found.outcome == "stopped"
    assert found.death is not None
    assert found.death.name == "terminated"
    assert "process 77 (slurmstepd)" in found.death.message


def test_a_stop_that_the_program_answers_with_a_status_is_likely() -> None:
    found = verdict(SignalReceived(signal=TERM), exit_code=3, process=[line(), ProcessExiting()])
    assert found.outcome == "stopped"
    assert found.death is not None
    assert (found.death.name, found.death.certainty) == ("terminated", "likely")


def test_an_exception_after_a_stop_is_still_a_failure() -> None:
    found = verdict(SignalReceived(signal=TERM), exit_code=1, process=[raised("ValueError", "no")])
    assert found.outcome == "failed"


def test_ctrl_c_is_a_stop_by_a_person() -> None:
    found = verdict(signal=INT, process=[line(), raised("KeyboardInterrupt")])
    assert (found.outcome, found.death.name if found.death else None) == ("stopped", "interrupted")
    assert verdict(exit_code=130, process=[raised("KeyboardInterrupt")]).outcome == "stopped"


def test_the_time_limit_wins_over_the_signal_that_it_sent() -> None:
    sent = SignalSent(signal=TERM, why="time limit")
    found = verdict(sent, signal=TERM, process=[line()], timeout_s=2.0)
    assert (found.outcome, found.death.name if found.death else None) == ("hung", "time-limit")


def test_a_watched_limit_is_our_own_guard() -> None:
    limit = LimitApplied(kind="watched", limit_bytes=GIB, ours=True, reason="no permission")
    found = verdict(limit, SignalSent(signal=KILL, why="memory limit"), sample(2 * GIB), signal=KILL)
    assert (found.outcome, found.death.name if found.death else None) == ("stopped", "memory-limit-reached")
    assert any("no permission" in note for note in found.notes)


def test_processor_time_at_the_hard_limit_is_no_kill_from_outside() -> None:
    limits = RlimitsSeen(cpu_soft_s=2, cpu_hard_s=2)
    spent = ProgramEnded(pid=PID, signal=KILL, user_s=1.9, system_s=0.2)
    early = ProgramEnded(pid=PID, signal=KILL, user_s=0.4, system_s=0.2)
    assert death(limits, *counted(0, 0), ended=spent) == "cpu-time-limit"
    assert death(limits, *counted(0, 0), ended=early) == "killed-from-outside"


def test_an_uncaught_exception_has_its_line_and_near_name() -> None:
    exception = raised("NameError", "name 'tesnors' is not defined", wanted="tesnors", near=["tensors"])
    found = verdict(exit_code=1, process=[line(), exception])
    assert found.outcome == "failed"
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("uncaught-exception", "certain")
    assert found.cause.culprit is not None
    assert (found.cause.culprit.name, found.cause.culprit.near) == ("tesnors", ["tensors"])
    assert "did you mean 'tensors'?" in found.cause.message


def chain(link: str, source: str) -> ExceptionRaised:
    inner = Frame(file=FILE, line=3, function="load", user=True, source="return config['lable']")
    outer = Frame(file=FILE, line=6, function="<module>", user=True, source=source)
    return ExceptionRaised(
        where="main",
        chain=[
            RaisedException(type="RuntimeError", module="builtins", message="bad", frames=[outer], link=link),
            RaisedException(type="KeyError", module="builtins", message="'lable'", frames=[inner]),
        ],
    )


@pytest.mark.parametrize(
    ("link", "source", "root"),
    [
        ("cause", "raise RuntimeError('bad') from error", "KeyError"),
        ("context", "raise RuntimeError('bad')", "KeyError"),
        ("context", "log(error.mesage)", "RuntimeError"),
    ],
)
def test_a_wrapped_exception_is_followed_to_its_root(link: str, source: str, root: str) -> None:
    found = verdict(exit_code=1, process=[chain(link, source)])
    assert found.death is not None
    assert found.cause is not None
    assert "RuntimeError" in found.death.message
    assert root in found.cause.message
    assert found.cause.location is not None
    assert found.cause.location.line == (3 if root == "KeyError" else 6)
    assert found.death.because_of == (found.cause.id if root == "KeyError" else None)


def test_a_caught_exception_is_no_death() -> None:
    assert death(exit_code=0, process=[raised("ValueError", where="thread"), ProcessExiting()]) is None


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_room_on_the_disk(number: int) -> None:
    assert death(exit_code=1, process=[raised("OSError", "x", errno=number)]) == "disk-full"
    assert death(exit_code=1, process=[raised("OSError", "x", errno=errno.EACCES)]) == "uncaught-exception"


def test_a_refused_allocation_tells_its_size() -> None:
    message = "{{function_node x}} OOM when allocating tensor with shape[1000000,1000000] and type float on CPU:0"
    found = verdict(sample(GIB), exit_code=1, process=[raised("ResourceExhaustedError", message)]).death
    assert found is not None
    assert found.name == "allocation-refused"
    assert found.culprit is not None
    assert (found.culprit.shape, found.culprit.bytes) == ([1000000, 1000000], 4 * 10**12)
    numpy = "Unable to allocate 3.64 TiB for an array with shape (1000000, 500000) and data type float64"
    array = verdict(exit_code=1, process=[raised("_ArrayMemoryError", numpy)]).death
    assert array is not None
    assert array.culprit is not None
    assert array.culprit.bytes == 4 * 10**12


def test_a_resource_error_that_is_not_memory_is_a_plain_exception() -> None:
    exhausted = raised("ResourceExhaustedError", "The stream is exhausted; try later")
    assert death(exit_code=1, process=[exhausted]) == "uncaught-exception"


def test_an_exit_on_purpose_has_the_line_of_the_call() -> None:
    frame = Frame(file=FILE, line=3, function="main", user=True)
    asked = ExitRequested(how="sys.exit", frames=[frame], status="3")
    found = verdict(exit_code=3, process=[line(), asked, ProcessExiting()])
    assert (found.outcome, found.death.name if found.death else None) == ("failed", "exited-early")
    assert found.death is not None
    assert found.death.location is not None
    assert (found.death.location.line, found.death.certainty) == (3, "certain")


def test_the_only_raise_of_system_exit_is_the_likely_line() -> None:
    recording = recording_of(exit_code=5, process=[ProcessExiting()])
    recording.sources[FILE] = Source("def f():\n    raise SystemExit(5)\nf()\n")
    found = diagnose(recording).death
    assert found is not None
    assert found.location is not None
    assert (found.name, found.location.line, found.certainty) == ("exited-early", 2, "likely")
    recording.sources[FILE] = Source("def f():\n    raise SystemExit(5)\nraise SystemExit\n")
    assert diagnose(recording).death.location is None  # type: ignore[union-attr]


def test_without_a_recorder_the_printed_traceback_tells() -> None:
    frame = f'  File "{FILE}", line 3, in <module>'
    text = f"Traceback (most recent call last):\n{frame}\n    1/0\nZeroDivisionError: division by zero\n"
    found = verdict(exit_code=1, process=None, output=text)
    assert found.death is not None
    assert (found.death.name, found.death.certainty) == ("uncaught-exception", "likely")
    assert found.death.location is not None
    assert found.death.location.line == 3
    assert any("could not record inside" in note for note in found.notes)


def test_a_program_that_was_not_there() -> None:
    missed = ProgramNotStarted(reason="no such file", wanted="trian.py", near=["train.py"])
    found = verdict(missed, process=None, unfinished=True)
    assert (found.outcome, found.death.name if found.death else None) == ("failed", "program-not-found")


def test_a_run_without_an_end_on_the_same_boot_ended_with_its_group() -> None:
    found = verdict(sample(GIB), unfinished=True, process=[line()], aftermath=Aftermath(boot_id="boot-1"))
    assert (found.outcome, found.death.name if found.death else None) == ("died", "whole-group-died")


def test_a_program_that_ends_its_own_group_is_told_its_line() -> None:
    frame = Frame(file=FILE, line=3, function="<module>", user=True)
    asked = ExitRequested(how="os.killpg", frames=[frame], signal=KILL)
    found = verdict(unfinished=True, process=[line(), asked], aftermath=Aftermath(boot_id="boot-1")).death
    assert found is not None
    assert (found.name, found.certainty) == ("whole-group-died", "certain")
    assert found.location is not None
    assert found.location.line == 3


def test_a_run_without_an_end_on_another_boot_lost_its_machine() -> None:
    found = verdict(sample(GIB), unfinished=True, process=[line()], aftermath=Aftermath(boot_id="boot-2"))
    assert (found.outcome, found.death.name if found.death else None) == ("died", "machine-went-down")


def test_a_killed_worker_is_the_cause_of_a_broken_pool() -> None:
    killed = KernelLogged(line="Memory cgroup out of memory: Killed process 77 (python) anon-rss:8kB")
    broken = raised("BrokenProcessPool", "A process in the process pool was terminated abruptly")
    found = verdict(killed, *counted(0, 1), exit_code=1, process=[broken], others={77: [line(3)]})
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("host-oom-kill", "certain")
    assert found.cause.location is not None
    assert found.cause.location.line == 3
    assert [finding.name for finding in found.findings] == ["host-oom-kill", "child-process-died", "uncaught-exception"]
    assert [finding.because_of for finding in found.findings] == [None, "F1", "F2"]
    assert found.death == found.findings[-1]


def test_a_worker_that_raised_is_the_root_of_a_failed_command() -> None:
    failed = raised("CalledProcessError", "Command 'x' returned non-zero exit status 1.")
    found = verdict(exit_code=1, process=[failed], others={77: [raised("KeyError", "'a'", number=3)]})
    assert found.cause is not None
    assert found.cause.message.startswith("train.py:3: KeyError")


def test_a_worker_that_killed_itself_is_told_its_line() -> None:
    frame = Frame(file=FILE, line=3, function="work", user=True)
    asked = ExitRequested(how="os.kill", frames=[frame], signal=KILL, target_pid=77)
    found = verdict(exit_code=1, process=[raised("BrokenProcessPool", "x")], others={77: [asked]})
    assert found.cause is not None
    assert found.cause.name == "killed-from-outside"
    assert found.cause.location is not None
    assert found.cause.location.line == 3


def test_a_worker_that_ended_in_order_is_no_cause() -> None:
    broken = raised("BrokenProcessPool", "x")
    found = verdict(exit_code=1, process=[broken], others={77: [line(3), ProcessExiting()]})
    assert found.cause == found.death


def test_a_shell_passes_a_signal_on_as_a_status() -> None:
    shell = ProgramEnded(pid=PID, exit_code=137)
    below = ProcessBegan(pid=77, ppid=PID, start="exec")
    found = verdict(LIMIT, sample(GIB), *counted(0, 1), ended=shell, process=None, others={77: [below, line()]})
    assert (found.outcome, found.death.name if found.death else None) == ("died", "host-oom-kill")
    chosen = verdict(ended=shell, process=None, others={77: [below, line(), ProcessExiting()]})
    assert (chosen.outcome, chosen.death.name if chosen.death else None) == ("failed", "exited-early")


def test_a_silenced_finding_says_so() -> None:
    recording = recording_of(exit_code=1, process=[raised("ValueError", "x")])
    found = diagnose(recording, ("PRC008",))
    assert found.findings == []
    assert any("silenced" in note for note in found.notes)


def test_a_rule_that_fails_is_told_and_takes_nothing_from_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: Case) -> None:
        raise ZeroDivisionError("ours")

    rules = tuple(rule._replace(check=broken) if rule.name == "time-limit" else rule for rule in registry.RULES)
    monkeypatch.setattr(answers, "RULES", rules)
    found = verdict(exit_code=1, process=[raised("ValueError", "x")])
    assert found.death is not None
    assert found.death.name == "uncaught-exception"
    (error,) = found.errors
    assert error.startswith("rule PRC003: ZeroDivisionError('ours') at test_deaths.py")


def test_a_refusal_without_words_has_the_size_that_the_source_gives() -> None:
    case = case_of(exit_code=1, process=[raised("MemoryError", number=2)])
    case.recording.sources = {FILE: Source("SIZE = 4 << 30\ntable = bytearray(SIZE)\n")}
    found = allocation_refused.check(case)
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.shape, found.culprit.bytes) == ([4 << 30], 4 << 30)
