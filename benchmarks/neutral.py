"""Takes out of a run what names the machine and its people, so that a recording can be kept in the repository.

Runs in the harness. The corpus is recorded in `PLACE`, a path that means nothing; this replaces the rest of them: the
environment, the interpreter, the project, the home directory and every other directory that not all machines have; the
names of host and user; and what other processes of the machine were called with.

Invariant: the same text is replaced by the same text everywhere, so that what a rule compares stays equal or
different; and `leaks` finds what got through, whole or cut in two.
"""

from __future__ import annotations

import functools
import getpass
import os
import re
import socket
import sys
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from whydied.read.life import boot_id
from whydied.records import DeviceProcess, Neighbour, RunStarted

PLACE = Path("/tmp/whydied-corpus")
HOST, USER, BOOT = "corpus.invalid", "user", "00000000-0000-0000-0000-000000000001"
"""No machine has that name, so nothing is looked up on the one that reads a recording."""
PROJECT = Path(__file__).resolve().parent.parent
_USUAL = frozenset(
    ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "opt", "proc", "run", "sbin", "sys", "tmp", "usr", "var")
)
_CONTAINER = re.compile(r"(?<=[/-])(?:[0-9a-f]{64}|[0-9a-f]{32})(?=[/.])")
# Whoever sends a signal to a program is named with all its arguments.
_HARNESS = re.compile(r"[^\s(]*python\S* \S*(record_corpus\.py)(?: [^)\n]*)?")
T = TypeVar("T")


@functools.cache
def _roots() -> list[tuple[re.Pattern[str], str]]:
    """Directories of this machine, the longest first, with what stands for each."""
    known = {
        sys.prefix: "/opt/venv",
        sys.base_prefix: "/opt/python",
        str(PROJECT): "/opt/whydied",
        os.path.expanduser("~"): f"/home/{USER}",
    }
    known |= {os.path.realpath(path): name for path, name in known.items()}
    rest = [f"/{name}" for name in os.listdir("/") if name not in _USUAL]
    known |= {path: "/elsewhere" for path in rest if path not in known}
    ordered = sorted(((path, name) for path, name in known.items() if len(path) > 1), key=lambda one: -len(one[0]))
    return [(re.compile(rf"(?<![\w.]){re.escape(path)}(?![\w.-])"), name) for path, name in ordered]


@functools.cache
def _names() -> list[tuple[re.Pattern[str], str]]:
    """Host and user, where they are not words that anybody uses."""
    names = {socket.gethostname(): HOST, getpass.getuser(): USER}
    telling = [(name, word) for name, word in names.items() if len(name) > 4 and name not in ("localhost", "runner")]
    return [(re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])"), word) for name, word in telling]


def text(words: str) -> str:
    words = words.replace(boot_id() or "\0", BOOT)
    for pattern, name in [*_roots(), *_names()]:
        words = pattern.sub(name, words)
    return _HARNESS.sub(r"python scripts/\1", _CONTAINER.sub("container", words))


def code(data: bytes) -> bytes:
    """Text that may have bytes of any kind in it."""
    return text(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def value(given: T) -> T:
    """The same value with every text of it made neutral."""
    clean: T = _walk(given)
    return clean


def _walk(given: Any) -> Any:
    if isinstance(given, str):
        return text(given)
    if isinstance(given, bytes):
        return code(given)
    if isinstance(given, msgspec.Struct):
        fields = {name: _walk(getattr(given, name)) for name in given.__struct_fields__}
        return _anonymous(msgspec.structs.replace(given, **fields))
    if isinstance(given, dict):
        return {_walk(key): _walk(item) for key, item in given.items()}
    if isinstance(given, (list, tuple)):
        return type(given)(_walk(item) for item in given)
    return given


def _anonymous(given: msgspec.Struct) -> msgspec.Struct:
    if isinstance(given, RunStarted):
        return msgspec.structs.replace(given, hostname=HOST)
    if isinstance(given, (Neighbour, DeviceProcess)):
        command = given.command if str(PLACE) in given.command else ""
        return msgspec.structs.replace(given, user=USER if given.user else "", command=command)
    return given


def leaks(data: bytes) -> list[str]:
    """What of this machine is still in some bytes."""
    words = [path for path in (str(PROJECT), str(PROJECT.parent), sys.prefix, sys.base_prefix) if path.count("/") > 1]
    words += [f"{os.path.expanduser('~')}/", boot_id()]
    words += [name for name in (socket.gethostname(), getpass.getuser()) if len(name) > 4]
    return sorted({word for word in words if word and word.encode() in data})
