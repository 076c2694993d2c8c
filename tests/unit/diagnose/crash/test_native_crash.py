"""Crashes in native code: what is told of them, and what is not."""

from __future__ import annotations

import signal
from pathlib import Path

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, PID, case_of, line, recording_of
from whydied.diagnose.crash.crash_place import op_line
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.graph.op_table import Function, Line, Op, Table
from whydied.read.faults import Fault, FaultFrame, FaultThread
from whydied.read.path_owner import is_user_path
from whydied.read.steps import Graphs
from whydied.records import (
    CallBegan,
    CrashSeen,
    EpochBegan,
    FileSystemSeen,
    ForkSeen,
    Frame,
    GraphRecorded,
    KernelLogged,
    MachineSampled,
    MainFound,
    MappedFile,
    ModuleImported,
    NativeFrame,
    ProcessBegan,
    ProcessorSeen,
    Record,
    SessionRan,
    StepBegan,
)
from whydied.run.observe import crashes
from whydied.source.text import Source

TENSORFLOW = "/venv/lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2"
LIBC, PYTHON = "/usr/lib/libc.so.6", "/usr/lib/libpython3.11.so.1.0"
SEGV, ABRT, BUS, FPE, ILL = signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL
OP = [
    NativeFrame(function="", library=LIBC),
    NativeFrame(function="Eigen::internal::pdiv", library=TENSORFLOW),
    NativeFrame(function="tensorflow::FloorModOp::Compute", library=TENSORFLOW),
    NativeFrame(function="tensorflow::ThreadPoolDevice::Compute", library=TENSORFLOW),
]
CALLED = [
    NativeFrame(function="strlen", library=LIBC),
    NativeFrame(function="", library="/usr/lib/libffi.so.8"),
    NativeFrame(function="_ctypes_callproc", library="/usr/lib/python3.11/lib-dynload/_ctypes.so"),
    NativeFrame(function="_PyEval_EvalFrameDefault", library=PYTHON),
]


def crash(number: int, **fields: object) -> CrashSeen:
    given: dict[str, object] = {"pid": PID, "thread": PID, "signal": number, "code": 1}
    return CrashSeen(**{**given, **fields})  # type: ignore[arg-type]


def death(number: int, *supervisor: Record, **fields: object) -> Finding:
    fields.setdefault("process", [line()])
    found = diagnose(recording_of(*supervisor, signal=number, **fields))  # type: ignore[arg-type]
    assert found.errors == []
    assert found.death is not None
    return found.death


def cause(number: int, *supervisor: Record, **fields: object) -> Finding:
    fields.setdefault("process", [line()])
    found = diagnose(recording_of(*supervisor, signal=number, **fields))  # type: ignore[arg-type]
    assert found.errors == []
    assert found.cause is not None
    return found.cause


# What was refused.


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"address": 8, "access": "read", "memory": "null"}, "read through a null pointer (address 0x8)"),
        ({"address": 0, "access": "execute", "memory": "null"}, "called a null pointer (address 0x0)"),
        (
            {"address": 9, "access": "write", "memory": "read-only"},
            "wrote to read-only memory (address 0x9)",
        ),
        ({"address": 0x7F00, "access": "read", "memory": "unmapped"}, "read unmapped memory (address 0x7f00)"),
        ({"address": 0x7F00, "access": "write", "memory": "stack"}, "ran out of stack"),
        ({"address": 0, "code": 128}, "used an invalid address"),
    ],
)  # fmt: skip
def test_what_the_processor_refused(fields: dict[str, object], words: str) -> None:
    found = death(SEGV, crash(SEGV, frames=CALLED, **fields))
    assert found.message == f"train.py:6: train.py crashed in native code (SIGSEGV): strlen of libc.so.6 {words}"


def test_the_function_of_a_package_is_named_and_the_op_that_ran() -> None:
    found = death(SEGV, crash(SEGV, frames=OP, address=0, access="read", memory="null"))
    assert ": Eigen::internal::pdiv of libtensorflow_cc.so.2 in FloorModOp read through" in found.message
    facts = {one.fact: one.value for one in found.evidence}
    assert facts["the op that ran"] == "FloorModOp"
    assert str(facts["native frames"]).startswith("Eigen::internal::pdiv of libtensorflow_cc.so.2 <- tensorflow::Floor")


def test_of_what_ctypes_called_at_least_the_library_is_named() -> None:
    frames = [NativeFrame(function="", library=LIBC), *CALLED[1:]]
    found = death(SEGV, crash(SEGV, frames=frames, address=8, access="read", memory="null"))
    assert found.message.endswith("(SIGSEGV): libc.so.6 read through a null pointer (address 0x8)")


def test_of_an_abort_the_frames_that_carry_it_out_are_not_told() -> None:
    frames = [
        NativeFrame(function="gsignal", library=LIBC),
        NativeFrame(function="abort", library=LIBC),
        NativeFrame(function="absl::log_internal::LogMessage::Flush", library=TENSORFLOW),
        NativeFrame(function="tensorflow::Shape::dim", library=TENSORFLOW),
    ]
    found = death(ABRT, crash(ABRT, code=-6, sender=PID, frames=frames))
    assert found.message.endswith("(SIGABRT): tensorflow::Shape::dim of libtensorflow_cc.so.2")


def test_a_signal_that_somebody_sent_is_no_crash() -> None:
    found = death(SEGV, crash(SEGV, code=0, sender=77, frames=CALLED))
    assert found.message == "train.py:6: train.py was ended by SIGSEGV, which process 77 sent: nothing crashed"
    assert not any(one.fact == "native frames" for one in found.evidence)


LOGGED = "python[4242]: segfault at 10 ip 00007f0f sp 00007ffd error 6 in libm.so.6[167ad8,7f0f+156000] likely on CPU 1"
DIVIDED = "traps: python[4242] trap divide error ip:7f82 sp:7fff error:0 in libsum.so[3e263,7f82+156000]"


def test_without_a_recorder_inside_the_kernel_tells_the_library_and_the_address() -> None:
    logged = [KernelLogged(line=LOGGED), KernelLogged(line=DIVIDED)]
    found = death(SEGV, *logged, process=None)
    assert found.message == (
        "train.py crashed in native code (SIGSEGV): libm.so.6 wrote through a null pointer (address 0x10)"
    )
    assert any(one.source == "KernelLogged" and one.fact == "native frames" for one in found.evidence)
    divided = death(FPE, *logged, process=None)
    assert divided.message.endswith("overflowing result, in native code (SIGFPE): libsum.so")
    other = [KernelLogged(line=LOGGED.replace("4242", "77"))]
    assert death(SEGV, *other, process=None).message == "train.py crashed in native code (SIGSEGV)"


def test_the_crash_of_another_process_is_not_told() -> None:
    found = death(SEGV, crash(SEGV, pid=99, frames=CALLED, address=0, access="read", memory="null"))
    assert found.message == "train.py:6: train.py crashed in native code (SIGSEGV)"


def test_the_call_with_its_epoch_and_step_is_told() -> None:
    frames = [Frame(file=FILE, line=5, function="<module>", user=True)]
    process = [
        line(),
        CallBegan(call=1, kind="fit", frames=frames, model="net"),
        EpochBegan(call=1, epoch=2),
        StepBegan(unit="train", count=12, call=1, epoch=2, step=4),
    ]
    found = death(SEGV, crash(SEGV, frames=OP), process=process)
    told = {one.fact: one.value for one in found.evidence}
    assert told["in the middle of"] == "fit of net on line 5 of train.py, epoch 3, step 4"


def test_a_crash_at_an_import_names_the_module() -> None:
    inner = [
        FaultFrame("<frozen importlib._bootstrap>", 241, "_call_with_frames_removed"),
        FaultFrame("/venv/lib/python3.11/site-packages/tensorflow/__init__.py", 40, "<module>"),
        FaultFrame("<frozen importlib._bootstrap>", 1178, "_find_and_load"),
    ]
    stack = FaultThread(True, [*inner, FaultFrame(FILE, 1, "<module>")])
    found = death(SEGV, crash(SEGV, frames=OP[1:]), faults=[Fault(PID, "Segmentation fault", [stack])])
    assert {one.fact: one.value for one in found.evidence}["while importing"] == "tensorflow"
    assert found.advice[0].startswith("Try a program that imports tensorflow alone")
    later = FaultThread(True, [*inner, FaultFrame(FILE, 5, "<module>")])
    found = death(SEGV, crash(SEGV, frames=OP[1:]), faults=[Fault(PID, "Segmentation fault", [later])])
    assert "while importing" not in {one.fact for one in found.evidence}
    assert found.advice[1] == "The code that crashed belongs to tensorflow: see its newest release."


# Division.


@pytest.mark.parametrize(
    ("divisor", "words"),
    [
        (0, "divided an integer by zero"),
        (-1, "divided the smallest integer by -1, which overflows,"),
        (3, "divided an integer by 3 with an overflowing result"),
        (None, "divided an integer by zero, or with an overflowing result,"),
    ],
)
def test_a_division_is_told_with_its_divisor(divisor: int | None, words: str) -> None:
    found = death(FPE, crash(FPE, frames=OP, divisor=divisor))
    assert found.message == (
        f"train.py:6: train.py {words} in native code (SIGFPE): Eigen::internal::pdiv of libtensorflow_cc.so.2 "
        "in FloorModOp"
    )


# Memory that nothing stands behind.

SHM = FileSystemSeen(mount="/dev/shm", kind="tmpfs", total_bytes=64 << 20, free_bytes=0)


def mapped(**fields: object) -> MappedFile:
    given: dict[str, object] = {"path": "/dev/shm/ring", "offset": 8 << 20, "size_bytes": 128 << 20}
    return MappedFile(**{**given, **fields})  # type: ignore[arg-type]


def test_a_full_shared_memory_is_told_with_its_room() -> None:
    found = death(BUS, crash(BUS, code=2, access="write", file=mapped(), file_system=SHM))
    assert found.message == (
        "train.py:6: train.py wrote to byte 8,388,608 of /dev/shm/ring, which it had mapped, but there was no memory "
        "for it (SIGBUS): /dev/shm (tmpfs) has 0 B of 64.0 MiB free"
    )
    assert found.culprit is not None
    assert (found.culprit.kind, found.culprit.name) == ("file system", "/dev/shm")
    assert "--shm-size" in found.advice[0]


def test_a_file_that_became_shorter_is_told_with_its_size() -> None:
    file = mapped(path="/data/x.bin", offset=8192, size_bytes=8192)
    disk = FileSystemSeen(mount="/", kind="ext4", total_bytes=1 << 40, free_bytes=1 << 39)
    found = death(BUS, crash(BUS, code=2, access="read", file=file, file_system=disk))
    assert found.message == (
        "train.py:6: train.py read byte 8,192 of /data/x.bin, which it had mapped, but the file has only 8.00 KiB "
        "(SIGBUS): it was truncated while it was mapped"
    )
    assert found.culprit is not None
    assert found.culprit.name == "x.bin"


def test_a_byte_of_the_last_page_is_there_although_the_file_ends_before_it() -> None:
    file = mapped(path="/data/x.bin", offset=8191, size_bytes=5000)
    disk = FileSystemSeen(mount="/", kind="nfs4", total_bytes=1 << 40, free_bytes=1 << 39)
    found = death(BUS, crash(BUS, code=2, access="read", file=file, file_system=disk))
    assert found.message.endswith("which it had mapped, but its page could not be loaded (SIGBUS)")


def test_of_a_file_that_is_gone_the_last_sample_tells_the_room() -> None:
    sampled = MachineSampled(processes=[], shm_free_bytes=4096)
    freed = msgspec.structs.replace(SHM, free_bytes=64 << 20)
    file = mapped(size_bytes=None, deleted=True)
    found = death(BUS, sampled, crash(BUS, code=2, access="write", file=file, file_system=freed))
    assert "(tmpfs) has 4.00 KiB of 64.0 MiB free" in found.message


def test_a_file_that_is_gone_and_never_fitted() -> None:
    small = FileSystemSeen(mount="/scratch", kind="tmpfs", total_bytes=2 << 20, free_bytes=2 << 20)
    file = mapped(path="/scratch/ring", size_bytes=None, deleted=True, mapped_bytes=8 << 20)
    found = death(BUS, crash(BUS, code=2, access="write", file=file, file_system=small))
    assert found.message.endswith(
        "no memory for it (SIGBUS): /scratch (tmpfs) has 2.00 MiB in all, and 8.00 MiB of the file were mapped"
    )
    fits = msgspec.structs.replace(file, mapped_bytes=1 << 20)
    found = death(BUS, crash(BUS, code=2, access="write", file=fits, file_system=small))
    assert found.message.endswith("/scratch (tmpfs, 2.00 MiB) was full, or the file became shorter")


def test_without_a_dump_nothing_is_said_of_a_file() -> None:
    assert death(BUS).message == "train.py:6: train.py touched mapped memory that has no backing storage (SIGBUS)"
    full = MachineSampled(processes=[], shm_free_bytes=0)
    assert death(BUS, full).message.endswith("(SIGBUS); /dev/shm was full at the end")


def test_broken_memory_is_the_hardwares() -> None:
    assert "hardware reports as faulty" in death(BUS, crash(BUS, code=4)).message


# Instructions.

LOWEST = "processor\t: 0\nmodel name\t: QEMU Virtual CPU version 2.5+\nflags\t\t: fpu sse sse2 pni cx16 hypervisor lm\n"
IMPORTING = FaultThread(
    True,
    [
        FaultFrame("/venv/lib/python3.11/site-packages/tensorflow/python/pywrap_tensorflow.py", 73, "<module>"),
        FaultFrame(FILE, 1, "<module>"),
    ],
)


def stand_in(tmp_path: Path, text: str) -> ProcessorSeen:
    path = tmp_path / "cpuinfo"
    path.write_text(text)
    seen = crashes.processor_seen(str(path))
    assert seen is not None
    return msgspec.structs.replace(seen, architecture="x86_64")


def test_an_instruction_that_the_processor_has_not(tmp_path: Path) -> None:
    seen = crash(ILL, code=2, instruction="c5fc58c2", frames=OP[1:])
    found = cause(ILL, seen, stand_in(tmp_path, LOWEST))
    assert (found.name, found.certainty) == ("cpu-feature-missing", "certain")
    assert found.message == (
        "train.py:6: libtensorflow_cc.so.2 of tensorflow uses AVX, which this processor (QEMU Virtual CPU version "
        "2.5+) "
        "does not have"
    )
    assert "-cpu host" in found.advice[0]


@pytest.mark.parametrize(
    ("flags", "instruction", "lacking"),
    [
        ("avx", "c5fdfec2", "AVX2"),
        ("avx avx2", "c4e275b8c2", "FMA"),
        ("avx avx2 fma", "62f17448", "AVX-512F"),
        ("avx", "c5fc58c2", None),
        ("avx avx2", "c5fdfec2", None),
        ("avx", "0f0b", None),
    ],
)
def test_only_what_is_lacking_is_told(flags: str, instruction: str, lacking: str | None, tmp_path: Path) -> None:
    cpu = stand_in(tmp_path, f"flags\t: sse sse2 {flags}\n\nflags\t: sse sse2 fma avx512f {flags}\n")
    found = cause(ILL, crash(ILL, code=2, instruction=instruction + "00" * 8, frames=OP[1:]), cpu)
    assert found.name == ("cpu-feature-missing" if lacking else "illegal-instruction")
    assert lacking is None or (found.culprit is not None and found.culprit.name == lacking)


def test_at_the_import_of_tensorflow_a_processor_without_avx_is_likely_the_reason(tmp_path: Path) -> None:
    cpu, fault = stand_in(tmp_path, LOWEST), Fault(PID, "Illegal instruction", [IMPORTING])
    found = cause(ILL, cpu, faults=[fault])
    assert (found.name, found.certainty) == ("cpu-feature-missing", "likely")
    assert found.location is not None
    assert found.location.line == 1
    later = [ModuleImported(name="tensorflow", version="2.21"), line()]
    assert cause(ILL, cpu, faults=[fault], process=later).name == "illegal-instruction"
    assert cause(ILL, stand_in(tmp_path, "flags: sse avx\n"), faults=[fault]).name == "illegal-instruction"
    assert cause(ILL, faults=[fault]).name == "illegal-instruction"


def test_a_trap_is_called_one() -> None:
    found = death(ILL, crash(ILL, code=2, instruction="0f0b00", frames=OP[1:]))
    assert "hit a trap that native code sets for impossible states (SIGILL)" in found.message


# Threads.


def test_a_thread_without_python_is_not_taken_for_another() -> None:
    """The recorder's thread is the newest: it stood at the head of the dump, and was taken for the one that crashed."""
    ours = FaultThread(False, [FaultFrame("/x/whydied/inside/sampling/sampler.py", 1, "_loop")])
    other = FaultThread(False, [FaultFrame("/home/ann/other.py", 9, "wait")])
    library = FaultFrame("/usr/lib/python3.11/site-packages/tf/e.py", 1, "run")
    main = FaultThread(False, [library, FaultFrame(FILE, 1, "<module>")])
    fault = Fault(PID, "Segmentation fault", [ours, other, main])
    assert fault.current is None
    found = death(SEGV, faults=[fault], process=[line(6)])
    assert found.location is not None
    assert (found.location.file, found.location.line) == (FILE, 1)
    assert any(one.fact.startswith("the crashed thread ran no Python code of the program") for one in found.evidence)
    cut = death(SEGV, faults=[fault._replace(cut=True)], process=[line(6)])
    assert cut.location is not None
    assert cut.location.line == 6


# Lines.


def test_the_only_line_that_makes_such_an_op_is_the_place() -> None:
    ops = (Op("a", "Add", line=1), Op("m", "FloorMod", line=0))
    table = Table("f", (Function("f", ops),), (Line(FILE, 3, "step", True, 3), Line(FILE, 6, "step", True, 6)))
    recorded = GraphRecorded(function="f", file="1.bin", operations=2)
    case = case_of(crash(FPE, frames=OP), process=[recorded, line()], signal=FPE)
    case.recording.graphs = Graphs(tables={"1.bin": table})
    found = op_line(case)
    assert found is not None
    assert (found[0].line, found[1]) == (3, "FloorMod")
    twice = Table("f", (Function("f", (*ops, Op("n", "FloorMod", line=1))),), table.lines)
    case.recording.graphs = Graphs(tables={"1.bin": twice})
    assert op_line(case) is None


def test_generated_code_is_not_the_users() -> None:
    assert is_user_path(FILE)
    assert not is_user_path("/tmp/__autograph_generated_filea.py")


# Forks.

FORKED = [Frame(file=FILE, line=5, function="<module>", user=True)]


def in_child(*records: Record, output: str = "", crashed: CrashSeen | None = None, number: int = SEGV) -> Finding:
    """The cause of a run whose forked worker died, which its pool noticed."""
    from tests.unit.diagnose.case_of import raised

    began = ProcessBegan(pid=55, ppid=PID, start="fork")
    reason = {SEGV: "Segmentation fault", ABRT: "Aborted"}[signal.Signals(number)]
    found = diagnose(
        recording_of(
            *([crashed] if crashed else []),
            process=[SessionRan(count=1), raised("BrokenProcessPool")],
            others={55: [began, *records, line()]},
            exit_code=1,
            output=output,
            faults=[Fault(55, reason, [FaultThread(True, [FaultFrame(FILE, 6, "work")])])],
        )
    )
    assert found.errors == []
    assert found.cause is not None
    return found.cause


def test_a_forked_worker_that_crashes_in_tensorflow() -> None:
    forked = ForkSeen(frames=FORKED, started="context", threads=33)
    found = in_child(forked, crashed=crash(SEGV, pid=55, frames=OP, address=0, access="read", memory="null"))
    assert (found.name, found.certainty) == ("fork-after-start", "likely")
    assert found.location is not None
    assert found.location.line == 5
    assert found.message == (
        "train.py:5: process 55 was forked after TensorFlow had started its eager context, and it crashed in "
        "TensorFlow (SIGSEGV, Eigen::internal::pdiv of libtensorflow_cc.so.2)"
    )
    assert in_child(forked, crashed=crash(SEGV, pid=55, frames=CALLED)).name == "segmentation-fault"
    assert in_child(ForkSeen(frames=FORKED), crashed=crash(SEGV, pid=55, frames=OP)).name == "segmentation-fault"


def test_cuda_says_that_it_was_forked() -> None:
    words = "F0000 00:00:1.5 55 cuda_driver.cc:1] Failed setting context: CUDA_ERROR_NOT_INITIALIZED: initialization\n"
    found = in_child(ForkSeen(frames=FORKED, started="context"), output=words, number=ABRT)
    assert (found.name, found.certainty) == ("fork-after-start", "certain")
    assert "CUDA refuses to work in it: CUDA_ERROR_NOT_INITIALIZED" in found.message


def test_a_failed_check_in_a_forked_worker_has_its_own_reason() -> None:
    words = "F0000 00:00:1.5 55 tensor_shape.cc:424] Check failed: 0 <= new_num_elements (0 vs. -1) \n"
    found = in_child(ForkSeen(frames=FORKED, started="context"), output=words, number=ABRT)
    assert found.name == "known-bug"


@pytest.mark.parametrize(
    ("limit", "memory", "told"), [("10**6", "stack", True), ("900", "stack", False), ("10**6", "null", False)]
)
def test_a_recursion_limit_that_the_stack_has_no_room_for(limit: str, memory: str, told: bool) -> None:
    text = f"import sys\nsys.setrecursionlimit({limit})\ndef main():\n    pickle.dumps(tree)\nmain()\n"
    began = MainFound(file=FILE)
    recording = recording_of(crash(SEGV, address=64, memory=memory, access="write"), process=[began], signal=SEGV)
    recording.sources[FILE] = Source(text)
    found = diagnose(recording)
    assert found.cause is not None
    assert ("setrecursionlimit(1000000)` on line 2" in found.cause.message) is told
    assert [fix.kind for fix in found.fixes] == (["stack"] if told else [])
