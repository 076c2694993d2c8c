"""Names for places: the function, as its source writes it, and the library. Runs in the parent.

Names of C++ are taken apart by the C++ runtime of the system where there is one; else the part that says most is read
from them here.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from whydied.native.unwinding import Libraries, Place

_NESTED = re.compile(r"_ZN[KVrO]*(?P<names>\d.*)")
_LENGTH = re.compile(r"\d+")
# Parts and copies that the compiler made of one function.
_COPIES = re.compile(r"\.(?:localalias|part|cold|constprop|isra|lto_priv|llvm)\b(?:\.\d+)*")
_LONGEST_NAME = 2000


def functions_of(places: list[Place], libraries: Libraries) -> list[str]:
    """The function of each place; empty where the file does not tell."""
    wanted: dict[str, set[int]] = {}
    for place in places:
        if place.mapping is not None and place.address is not None:
            wanted.setdefault(place.mapping.path, set()).add(place.address)
    found: dict[tuple[str, int], str] = {}
    for place in places:
        path = place.mapping.path if place.mapping else ""
        file = libraries.of(place.mapping)
        if path in wanted and file is not None:
            for address, symbol in file.functions(wanted.pop(path)).items():
                found[path, address] = readable(symbol.name)
    return [found.get((place.mapping.path if place.mapping else "", place.address or -1), "") for place in places]


def readable(name: str) -> str:
    """`tensorflow::BiasOp::Compute` for `_ZN10tensorflow6BiasOp7ComputeEPNS_15OpKernelContextE`; what is in brackets
    goes, because a line of code names a function without it."""
    name = _COPIES.sub("", name.partition("@")[0])
    if not name.startswith("_Z"):
        return name
    whole = _demangled(name[:_LONGEST_NAME]) or _plain(name)
    return _bare(whole)


def _bare(name: str) -> str:
    """Without arguments, types of arguments and the type that comes back."""
    text = name.replace("(anonymous namespace)", "<unnamed>")
    kept: list[str] = []
    depth = 0
    for at, letter in enumerate(text):
        if letter == "<" and not text.startswith("<unnamed>", at) and text[max(0, at - 8) : at] != "operator":
            depth += 1
        if letter == "(" and depth == 0:
            break
        if depth == 0:
            kept.append(letter)
        # The arrow of `operator->` and the sign of `>=` close nothing.
        if letter == ">" and depth and text[at - 1] != "-":
            depth -= 1
    return "".join(kept).strip().rpartition(" ")[2] if "operator" not in text else "".join(kept).strip()


def _plain(name: str) -> str:
    """The names of a nested name, without the runtime: `_ZN1a1bEv` is `a::b`."""
    found = _NESTED.match(name)
    rest = found["names"] if found else name[2:]
    parts: list[str] = []
    while length := _LENGTH.match(rest):
        size = int(length[0])
        parts.append(rest[length.end() : length.end() + size])
        rest = rest[length.end() + size :]
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N")) or name


@functools.cache
def _runtime() -> Any:
    import ctypes

    for library in ("libstdc++.so.6", "libc++abi.so.1"):
        try:
            loaded = ctypes.CDLL(library)
            function = loaded.__cxa_demangle
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_void_p
        function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
        return function
    return None


def _demangled(name: str) -> str | None:
    import ctypes

    function = _runtime()
    if function is None:
        return None
    status = ctypes.c_int(-1)
    # The text is the runtime's; it is not given back, because a wrong `free` would cost more than these bytes.
    pointer = function(name.encode(), None, None, ctypes.byref(status))
    if status.value != 0 or not pointer:
        return None
    return ctypes.string_at(pointer).decode("utf-8", "replace")
