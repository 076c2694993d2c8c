"""An installed binary uses instructions that this processor does not have.

## What it detects
A process that ended by SIGILL at an instruction whose feature (AVX, AVX2, FMA, AVX-512 …) the processor lacks, mostly
at the first import of TensorFlow.

## Why it happens
Binaries are built for a certain generation of processors. Old machines, some virtual machines and x86 images on an
Apple processor have less than that.

## Evidence
The instruction at which the processor stopped, with its library, from what our handler kept; what the processor can do,
from /proc/cpuinfo.

## How it is proved
An instruction that needs a feature that is not there is direct evidence: certain. Where the instruction is not known, a
SIGILL during the import of TensorFlow on a processor without AVX, which its wheels for x86_64 need, is likely.

## Fix
Another machine, a virtual machine that passes its host's processor through, or a build without these instructions.

## Known problems
Only the commonest forms of instructions are told apart; another SIGILL is told by illegal-instruction alone.

## References
tensorflow/tensorflow issues 17411 and 45744.
"""

from __future__ import annotations

import re
import signal

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.crash.instructions import needed
from whydied.diagnose.crash.native_crash import crash_of, package_of, sender_of
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.records import CrashSeen, ModuleImported, ProcessorSeen

_X86 = ("x86_64", "amd64", "i686")
_IMPORTING = re.compile(r"[/\\]tensorflow(?:_cpu|_intel)?[/\\]")

ROLE = "cause"


def check(case: Case) -> Finding | None:
    asked = case.exit_request
    if case.signal != signal.SIGILL or (asked is not None and asked.signal == signal.SIGILL) or sender_of(case):
        return None
    processor = case.recording.supervisor.last(ProcessorSeen)
    if processor is None or not processor.features:
        return None
    seen = crash_of(case)
    if seen is not None and seen.instruction:
        lacking = [feature for feature in needed(seen.instruction) if feature not in processor.features]
        return _finding(case, processor, lacking, "certain", seen) if lacking else None
    if processor.architecture in _X86 and "avx" not in processor.features and _is_importing(case):
        return _finding(case, processor, ["avx"], "likely", None)
    return None


def _finding(
    case: Case, processor: ProcessorSeen, lacking: list[str], certainty: Certainty, seen: CrashSeen | None
) -> Finding:
    place, where = case.fault_location()
    shown = ", ".join(shown_name(feature) for feature in lacking)
    model = f" ({processor.model})" if processor.model else ""
    evidence = [wait_status(case)]
    if seen is not None:
        source = f"CrashSeen of process {seen.pid}"
        evidence.append(Evidence(fact="the illegal instruction", value=seen.instruction, source=source))
    has = [feature for feature in ("sse4_2", "avx", "avx2", "fma", "avx512f") if feature in processor.features]
    evidence.append(
        Evidence(
            fact="what the processor has",
            value=", ".join(shown_name(feature) for feature in has) or "none of SSE4.2, AVX, AVX2, FMA, AVX-512",
            source="ProcessorSeen",
        )
    )
    return Finding(
        message=f"{prefix(place)}{_who(case, seen)} uses {shown}, which this processor{model} does not have",
        certainty=certainty,
        location=place,
        culprit=Culprit(kind="processor feature", name=shown),
        evidence=[*evidence, *where],
        advice=_advice(processor),
    )


def _who(case: Case, seen: CrashSeen | None) -> str:
    if seen is None:
        return f"TensorFlow{_version(case, 'tensorflow')}"
    frame = seen.frames[0] if seen.frames else None
    library = frame.library.rsplit("/", 1)[-1] if frame else ""
    package = package_of(frame) if frame else None
    if package and ".so" in library:
        return f"{library} of {package}{_version(case, package)}"
    return library if ".so" in library else "native code"


def _version(case: Case, package: str) -> str:
    version = case.recording.versions.get(package)
    return f" {version}" if version else ""


def _advice(processor: ProcessorSeen) -> list[str]:
    if "VirtualApple" in processor.model:
        return ["This is an x86 image on an Apple processor: `docker run --platform linux/arm64 …`."]
    if "hypervisor" in processor.features:
        return [
            "Pass the processor's own features through to the virtual machine (qemu: `-cpu host`), or use another "
            "machine.",
            "Otherwise install a build that does not need these instructions (conda-forge, or built on this machine).",
        ]
    return [
        "Use a machine that has them, or a build that does not need these instructions (conda-forge, or built here)."
    ]


def _is_importing(case: Case) -> bool:
    """Whether TensorFlow's own files were on the stack, and its import had not ended."""
    done = any(one.name == "tensorflow" for one in case.records.all(ModuleImported))
    thread = case.fault.current if case.fault else None
    return not done and thread is not None and any(_IMPORTING.search(frame.file) for frame in thread.frames)


def shown_name(feature: str) -> str:
    """`AVX-512F` for `avx512f`, `SSE4.2` for `sse4_2`."""
    name = feature.upper()
    if name.startswith("AVX512"):
        return "AVX-512" + name[6:].replace("_", " ")
    return name.replace("_", ".") if name.startswith("SSE") else {"3DNOW": "3DNow!"}.get(name, name)
