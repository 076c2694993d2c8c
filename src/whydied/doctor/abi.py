"""Whether compiled modules and generated code fit the NumPy and the protobuf that are installed. Runs in the parent;
reads their files as bytes, loads none.

NumPy 2 renamed the module that compiled code starts from: `numpy.core._multiarray_umath` became
`numpy._core._multiarray_umath`. Code built with the headers of NumPy 2 names both, the new one first; code built with
older headers names only the old one, which NumPy 2 refuses. Code that protobuf generates carries the version of its
generator, below which the installed runtime must not be.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from whydied.doctor.distributions import TENSORFLOW, Distribution, Installed, contains, normalised, numbers
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check
from whydied.doctor.wheels import files_of

_OLD_NUMPY, _NEW_NUMPY = b"numpy.core._multiarray_umath", b"numpy._core"
# Modules are looked at from the smallest: the first that starts NumPy tells for the package.
_MOST_BYTES = 96 << 20
_MOST_MODULES = 40
_GENERATOR = re.compile(r"ValidateProtobufRuntimeVersion\(\s*[\w.]+,\s*(\d+),\s*(\d+),\s*(\d+)")
_OLD_GENERATOR = re.compile(r"_descriptor\.(?:Field|Enum|Message)?Descriptor\(|_internal_create_key")
_LOOKED_AT_BYTES = 256 << 10
# From 4.21 on the runtime takes no descriptors that Python code builds field by field.
_STRICT_RUNTIME = 4


class Generated(NamedTuple):
    """The code generator behind a module: its version, or None where it is older than those that write it down."""

    path: Path
    version: tuple[int, int, int] | None


def abi_checks(environment: Environment, installed: Installed, told: Collection[str] = ()) -> list[Check]:
    """`told` are packages of which the version is known to be wrong: what follows from that is not told again."""
    parts = [] if "numpy" in told else list(_numpy(environment, installed, told))
    return parts + ([] if "protobuf" in told else list(_protobuf(environment, installed, told)))


def _numpy(environment: Environment, installed: Installed, told: Collection[str]) -> Iterator[Check]:
    numpy = installed.get("numpy")
    if numpy is None or numbers(numpy.version)[0] < 2:
        return
    for one in installed.all:
        if one.name not in ("numpy", *told) and _asks_for(one, "numpy"):
            module = built_for_numpy_1(files_of(one, (".so",)))
            if module is not None:
                yield Check(
                    f"{one.name} and numpy",
                    "broken",
                    f"{one.shown} was compiled for NumPy 1 ({module.name}); numpy {numpy.version} is installed",
                    'importing it, or that part of it, fails ("_ARRAY_API not found", "multiarray failed to import"), '
                    "or crashes",
                    _numpy_mend(environment, one),
                )


def _numpy_mend(environment: Environment, one: Distribution) -> str:
    older = f"{environment.pip} install 'numpy<2'"
    if one.name in TENSORFLOW:
        return f"{older} (TensorFlow supports NumPy 2 since version 2.18)"
    return f"{environment.pip} install --upgrade {one.name}, or {older}"


def built_for_numpy_1(modules: Sequence[Path]) -> Path | None:
    """The first module that starts NumPy, if it knows the old way alone."""
    left = _MOST_BYTES
    for path in modules[:_MOST_MODULES]:
        size = path.stat().st_size if path.exists() else 0
        left -= size
        if left < 0 or not size:
            return None
        if contains(path, _NEW_NUMPY):
            return None
        if contains(path, _OLD_NUMPY):
            return path
    return None


def _protobuf(environment: Environment, installed: Installed, told: Collection[str]) -> Iterator[Check]:
    protobuf = installed.get("protobuf")
    if protobuf is None:
        return
    runtime = numbers(protobuf.version)
    yield from _implementation(environment, runtime)
    for one in installed.all:
        if one.name in ("protobuf", *told) or not _asks_for(one, "protobuf"):
            continue
        for code in generated_code(one):
            check = _refused(environment, protobuf, runtime, one, code)
            if check is not None:
                yield check
                break


def generated_code(one: Distribution) -> Iterator[Generated]:
    """A few of a package's generated modules: the generator is the same for all, unless someone mixed them."""
    for path in [*files_of(one, ("_pb2.py",))[:3]]:
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                text = file.read(_LOOKED_AT_BYTES)
        except OSError:
            continue
        stated = _GENERATOR.search(text)
        if stated:
            yield Generated(path, (int(stated[1]), int(stated[2]), int(stated[3])))
        elif _OLD_GENERATOR.search(text):
            yield Generated(path, None)


def _refused(
    environment: Environment, protobuf: Distribution, runtime: tuple[int, ...], one: Distribution, code: Generated
) -> Check | None:
    variables = environment.variables
    name = f"{one.name} and protobuf"
    if code.version is None:
        if runtime[0] < _STRICT_RUNTIME or variables.get("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION") == "python":
            return None
        return Check(
            name,
            "broken",
            f"{one.shown} has code generated by a protobuf older than 3.20 ({code.path.name}); protobuf "
            f"{protobuf.version} is installed",
            'its import fails with "Descriptors cannot be created directly"',
            f"{environment.pip} install --upgrade {one.name}, or {environment.pip} install 'protobuf<3.21'",
        )
    if runtime >= code.version or variables.get("TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK", "").lower() == "true":
        return None
    wanted = ".".join(map(str, code.version))
    return Check(
        name,
        "broken",
        f"{one.shown} has code generated by protobuf {wanted} ({code.path.name}); protobuf {protobuf.version} is "
        "installed",
        "its import fails: the runtime must not be older than the code (VersionError, or an ImportError of "
        "runtime_version)",
        f"{environment.pip} install 'protobuf>={wanted},<{code.version[0] + 1}'",
    )


def _implementation(environment: Environment, runtime: tuple[int, ...]) -> Iterator[Check]:
    chosen = environment.variables.get("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "")
    if chosen == "cpp" and runtime[0] >= _STRICT_RUNTIME:
        yield Check(
            "protobuf implementation",
            "broken",
            f"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=cpp, which protobuf {'.'.join(map(str, runtime))} does not have",
            "`import google.protobuf` fails or falls back with a warning",
            "unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
        )
    elif chosen == "python":
        yield Check(
            "protobuf implementation",
            "risk",
            "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python",
            "parsing messages is many times slower, so loading large graphs and models takes minutes",
            "unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION, and install a compatible protobuf",
        )


def _asks_for(one: Distribution, name: str) -> bool:
    return any(normalised(re.split(r"[\s<>=!~;\[(]", text, maxsplit=1)[0]) == name for text in one.requires)
