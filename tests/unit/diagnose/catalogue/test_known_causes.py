"""Every known cause is found by its own example and by no other; native text becomes values."""

from __future__ import annotations

import signal

import pytest

from tests.unit.diagnose.case_of import line, raised, recording_of
from tests.unit.texts.test_catalogue import CATALOGUE
from whydied.diagnose.catalogue.known_causes import KNOWN, KnownCause, numbers
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.records import ExitRequested, VersionsSeen
from whydied.texts.native_text import native_words

CHECK = """\
F0000 00:00:1794790708.278845   4242 tensor_shape.cc:362] Check failed: d < dims() (1 vs. 1)
*** Check failure stack trace: ***
    @     0x7fa9210ce564  absl::lts_20250814::log_internal::LogMessage::SendToLog()
    @     0x7fa920d0239c  tensorflow::TensorShapeBase<>::dim_size()
    @     0x7fa90ac539e8  tensorflow::UnbatchResource::Compute()
    @     0x7fa90ac53422  tensorflow::UnbatchKernel::ComputeAsync()
    @     0x7fa920ae1c9d  tensorflow::AsyncOpKernel::Compute()
    @     0x7fa91ff8f300  tensorflow::ThreadPoolDevice::Compute()
"""


def _example(known: KnownCause) -> str:
    """What the library says, as the catalogue of texts has it."""
    return next(entry.example for entry in CATALOGUE.values() if entry.text is known.text)


def verdict(**fields: object) -> Diagnosis:
    return diagnose(recording_of(**fields))  # type: ignore[arg-type]


def ended(known: KnownCause) -> Diagnosis:
    if known.raises:
        kind, _, message = _example(known).partition(": ")
        return verdict(exit_code=1, process=[raised(kind, message)])
    return verdict(signal=known.signals[0], process=[line()], output=_example(known) + "\n")


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_a_known_cause_is_found_by_its_example_and_by_no_other(known: KnownCause) -> None:
    cause = ended(known).cause
    assert cause is not None
    assert (cause.name, cause.certainty) == ("known-bug", known.certainty)
    assert "{" not in cause.message + cause.advice[0]
    assert [other.name for other in KNOWN if other.text.pattern.search(_example(known))] == [known.name]
    assert known.references


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_the_same_words_of_a_program_that_finished_are_nothing(known: KnownCause) -> None:
    assert verdict(exit_code=0, process=[line()], output=_example(known) + "\n").findings == []


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_a_known_cause_holds_for_its_versions_and_ends_only(known: KnownCause) -> None:
    """Of a bound version the one before it and the one from which it is mended are not affected; without, all are."""
    assert known.covers(None)
    for version in ("1.15.0", "2.15.1", "2.21.0", "3.0"):
        after = not known.since or numbers(version) >= numbers(known.since)
        assert known.covers(version) == (after and (not known.before or numbers(version) < numbers(known.before)))
    assert not known.since or (known.covers(known.since) and not known.covers("0.9"))
    assert not known.before or not known.covers(known.before)
    other = next(number for number in (signal.SIGFPE, signal.SIGILL) if number not in known.signals)
    found = verdict(signal=other, process=[line()], output=_example(known) + "\n")
    assert "known-bug" not in [finding.name for finding in found.findings]


def test_versions_bound_from_both_sides() -> None:
    bound = KNOWN[0]._replace(since="2.16", before="2.18.1")
    assert [bound.covers(version) for version in ("2.15.1", "2.16.0", "2.18", "2.18.1")] == [False, True, True, False]
    assert bound.versions == "tensorflow 2.16 and later, before 2.18.1"


def test_a_failed_check_is_told_with_its_op() -> None:
    found = verdict(signal=signal.SIGABRT, process=[line()], output=CHECK)
    assert found.cause is not None
    assert found.death is not None
    assert found.cause.message == (
        "train.py:6: in UnbatchKernel, native code asked for axis 1, counted from 0, of a tensor of rank 1; TensorFlow "
        "aborts there instead of raising"
    )
    assert found.death.message == (
        "train.py:6: train.py was aborted by native code (SIGABRT): a check in native code in UnbatchKernel failed "
        "(tensor_shape.cc:362): d < dims() (1 vs. 1)"
    )


def test_words_before_an_abort_of_the_programs_own_are_not_its_reason() -> None:
    asked = ExitRequested(how="os.abort", frames=line().frames, signal=signal.SIGABRT)
    found = verdict(signal=signal.SIGABRT, process=[asked], output=CHECK)
    assert [finding.name for finding in found.findings] == ["native-abort"]


def test_a_cause_of_later_versions_is_not_that_of_an_earlier_one() -> None:
    known = next(known for known in KNOWN if known.since == "2.20")
    seen = VersionsSeen(versions={"tensorflow": "2.19.1"})
    found = verdict(signal=signal.SIGABRT, process=[seen, line()], output=_example(known) + "\n")
    assert [finding.name for finding in found.findings] == ["native-abort"]
    assert known.covers("2.20.0rc0")
    assert numbers("2.20.0") == numbers("2.20")


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("free(): invalid pointer", "heap", "free(): invalid pointer"),
        ("*** Error in `python': double free or corruption (!prev): 0x0000000001f721f0 ***", "heap", None),
        (
            "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
            "exception",
            None,
        ),
        ("python: a.c:12: main: Assertion `size > 0' failed.", "assertion", "size > 0"),
        ("2025-01-01 10:00:00.5: F tensorflow/core/a.cc:7] Something", "check", "Something"),
        ("thread '<unnamed>' panicked at src/read.rs:7:5:\nindex out of bounds", "panic", "index out of bounds"),
        ("thread 'main' panicked at 'no such column', src/lib.rs:12:9", "panic", "no such column"),
        (
            "Fatal Python error: PyEval_RestoreThread: NULL tstate\nPython runtime state: initialized",
            "interpreter",
            None,
        ),
    ],
)
def test_native_text(text: str, kind: str, said: str | None) -> None:
    words = native_words(f"Epoch 1\n{text}\n")
    assert words is not None
    assert words.kind == kind
    assert said is None or words.text == said


def test_plain_output_has_no_native_words() -> None:
    assert native_words("Epoch 1/3\nmalloc is a function\nE0000 00:00:1.0 7 cuda.cc:1] Unable to register\n") is None


OPENMP = "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.\n"


def test_two_openmp_runtimes() -> None:
    cause = verdict(signal=signal.SIGABRT, process=[line()], output=OPENMP).cause
    assert cause is not None
    assert (cause.name, cause.certainty) == ("duplicate-openmp", "certain")
    assert cause.culprit is not None
    assert (cause.culprit.name, cause.culprit.near) == ("libiomp5.so", ["libomp.so"])
    assert verdict(exit_code=0, process=[line()], output=OPENMP).findings == []


@pytest.mark.parametrize(
    ("kind", "message", "library"),
    [
        ("TypeError", "Descriptors cannot be created directly.\nIf this call came from a _pb2.py file", "protobuf"),
        ("ImportError", "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.1.0 as it may", "numpy"),
        (
            "ValueError",
            "numpy.dtype size changed, may indicate. Expected 96 from C header, got 88 from PyObject",
            "numpy",
        ),
        ("ImportError", "/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by x.so)", "libstdc++"),
    ],
)
def test_packages_that_do_not_fit(kind: str, message: str, library: str) -> None:
    cause = verdict(exit_code=1, process=[raised(kind, message)]).cause
    assert cause is not None
    assert cause.name == "abi-mismatch"
    assert cause.culprit is not None
    assert cause.culprit.name == library


def test_another_import_error_is_no_mismatch() -> None:
    cause = verdict(exit_code=1, process=[raised("ImportError", "No module named 'numpy.rec'")]).cause
    assert cause is not None
    assert cause.name == "uncaught-exception"
