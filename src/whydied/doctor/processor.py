"""Whether the processor has the instructions that the installed binaries use without asking. Runs in the parent.

NumPy states its baseline inside its own binary, which is read. TensorFlow's wheels do not: that those on PyPI for
x86_64 need AVX is known from the notes of release 1.6, and has stayed so; what their kernels use beyond it they look
for at run time. A build from elsewhere may need more, which only its makers know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whydied.doctor.distributions import TENSORFLOW, Distribution, Installed, numbers
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check, Machine
from whydied.doctor.wheels import files_of
from whydied.run.observe.crashes import features_of
from whydied.texts import installation

_X86 = ("x86_64", "amd64", "i686")
_BASELINE = re.compile(installation.NUMPY_BASELINE.regex.encode())
_SHOWN = ("sse4_2", "avx", "avx2", "fma", "avx512f", "amx_tile", "asimd", "sve")
_V2 = ("cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2")
_V3 = (*_V2, "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")
# NumPy's names for groups of instructions, in the kernel's words.
_GROUPS: dict[str, tuple[str, ...]] = {
    "SSE3": ("pni",),
    "SSSE3": ("ssse3",),
    "SSE41": ("sse4_1",),
    "SSE42": ("sse4_2",),
    "POPCNT": ("popcnt",),
    "AVX": ("avx",),
    "F16C": ("f16c",),
    "FMA3": ("fma",),
    "AVX2": ("avx2",),
    "AVX512F": ("avx512f",),
    "AVX512_SKX": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "X86_V2": _V2,
    "X86_V3": _V3,
    "X86_V4": (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "ASIMD": ("asimd",),
}
_FIRST_WITH_AVX = (1, 6)
_NEEDED_BY_NAME = {"intel-tensorflow-avx512": ("avx", "avx2", "fma", "avx512f")}


def processor_checks(machine: Machine, environment: Environment, installed: Installed) -> list[Check]:
    has = features_of(machine.text("proc/cpuinfo") or "")
    if not has:
        return [
            Check(
                "processor",
                "missing",
                "/proc/cpuinfo does not list its features",
                "it is not known whether the installed binaries can run on it",
                "mount /proc",
            )
        ]
    wrong = [
        _lacking(machine, environment, one, lacking)
        for one, needed in _needs(machine, installed)
        if (lacking := [feature for feature in needed if feature not in has])
    ]
    shown = " ".join(feature for feature in _SHOWN if feature in has)
    return wrong or [Check("processor", "ok", f"{machine.architecture}: {shown or 'basic instructions only'}")]


def _needs(machine: Machine, installed: Installed) -> Iterator[tuple[Distribution, tuple[str, ...]]]:
    tensorflow = installed.first(TENSORFLOW)
    if tensorflow is not None and machine.architecture in _X86:
        has_avx = numbers(tensorflow.version) >= _FIRST_WITH_AVX
        from_index = has_avx and any("linux" in tag and tag.endswith("x86_64") for tag in tensorflow.tags())
        needed = _NEEDED_BY_NAME.get(tensorflow.name, ("avx",) if from_index else ())
        yield tensorflow, needed
    numpy = installed.get("numpy")
    if numpy is not None:
        yield numpy, baseline(numpy)


def baseline(numpy: Distribution) -> tuple[str, ...]:
    """What NumPy's core was compiled to use on every processor, in the kernel's words."""
    for path in files_of(numpy, (".so",)):
        if path.name.startswith("_multiarray_umath."):
            try:
                stated = _BASELINE.search(path.read_bytes())
            except OSError:
                return ()
            names = stated[1].decode().split() if stated else []
            return tuple(dict.fromkeys(feature for name in names for feature in _GROUPS.get(name, ())))
    return ()


def _lacking(machine: Machine, environment: Environment, one: Distribution, lacking: list[str]) -> Check:
    shown = ", ".join(word.upper().replace("_", ".") if word.startswith("sse") else word.upper() for word in lacking)
    text = machine.text("proc/cpuinfo") or ""
    return Check(
        "processor",
        "broken",
        f"it has no {shown}, which {one.shown} uses{_model(text)}",
        f"`import {'tensorflow' if one.name in TENSORFLOW else one.name}` dies with SIGILL (illegal instruction), "
        "or refuses to start",
        _remedy(environment, one, text),
    )


def _remedy(environment: Environment, one: Distribution, cpuinfo: str) -> str:
    if "VirtualApple" in cpuinfo or "Rosetta" in cpuinfo:
        return "this is an x86 image on an Apple processor: docker run --platform linux/arm64 …"
    if "hypervisor" in cpuinfo.split():
        return (
            "pass the processor's own features through to the virtual machine (qemu: -cpu host), or use another machine"
        )
    if one.name in TENSORFLOW:
        return (
            "use a machine with these instructions, or a build that does not need them (conda-forge, or one "
            "built on this machine)"
        )
    return f"{environment.pip} install --force-reinstall --no-binary {one.name} {one.name}"


def _model(cpuinfo: str) -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return f" ({' '.join(found[1].split())})" if found else ""
