"""Tracebacks as Python prints them, as values: for processes that no recorder could get inside of."""

from __future__ import annotations

import re

import msgspec

from whydied.read.path_owner import is_user_path, real_path
from whydied.records import ExceptionRaised, Frame, RaisedException
from whydied.texts import python_output

_REMOTE = frozenset({"RemoteTraceback", "_RemoteTraceback", "_Remote_Traceback"})

_CAUSE = python_output.CAUSED.words
_CONTEXT = python_output.DURING_ANOTHER.words


def last_traceback(text: str, cwd: str = "") -> list[RaisedException]:
    """The last exception that a text shows, with its chain: the one that surfaced first, its cause after it."""
    lines = text.replace("\r\n", "\n").split("\n")
    blocks: list[tuple[int, int, RaisedException]] = []
    index = 0
    while index < len(lines):
        if python_output.TRACEBACK.match(lines[index]):
            end, exception = _block(lines, index + 1, cwd)
            if exception:
                blocks.append((index, end, exception))
            index = max(end, index + 1)
        else:
            index += 1
    if not blocks:
        return _syntax_error(lines, cwd)
    chain = [blocks[-1][2]]
    for earlier, later in zip(reversed(blocks[:-1]), reversed(blocks), strict=False):
        between = {line.strip() for line in lines[earlier[1] : later[0]]}
        link = "cause" if _CAUSE in between else "context" if _CONTEXT in between else ""
        if not link:
            break
        chain[-1] = msgspec.structs.replace(chain[-1], link=link)
        chain.append(earlier[2])
    return chain


def _block(lines: list[str], start: int, cwd: str) -> tuple[int, RaisedException | None]:
    frames: list[Frame] = []
    index = start
    while index < len(lines) and (lines[index].startswith("  ") or not lines[index]):
        if found := python_output.FRAME.match(lines[index]):
            source = lines[index + 1].strip() if index + 1 < len(lines) else ""
            frames.append(
                Frame(
                    file=real_path(found["file"], cwd),
                    line=int(found["line"]),
                    function=found["function"] or "",
                    user=is_user_path(found["file"]),
                    source="" if python_output.FRAME.match("  " + source) else source,
                )
            )
        elif not lines[index]:
            break
        index += 1
    error = python_output.ERROR.match(lines[index]) if index < len(lines) else None
    if not frames or not error:
        return index, None
    return index + 1, _exception(error, frames)


def _syntax_error(lines: list[str], cwd: str) -> list[RaisedException]:
    """A SyntaxError of the script itself has no "Traceback" line."""
    for index in range(len(lines) - 1, -1, -1):
        error = python_output.ERROR.match(lines[index])
        if error and error["type"] in ("SyntaxError", "IndentationError", "TabError"):
            for above in range(index - 1, max(-1, index - 6), -1):
                if place := python_output.PLACE_OF_SYNTAX_ERROR.match(lines[above]):
                    frame = Frame(
                        file=real_path(place["file"], cwd),
                        line=int(place["line"]),
                        function="<module>",
                        user=is_user_path(place["file"]),
                        source=lines[above + 1].strip(),
                    )
                    return [_exception(error, [frame])]
    return []


def _exception(error: re.Match[str], frames: list[Frame]) -> RaisedException:
    module, _, name = error["type"].rpartition(".")
    return RaisedException(type=name, module=module or "builtins", message=error["message"] or "", frames=frames)


def expanded(raised: ExceptionRaised | None, cwd: str = "") -> ExceptionRaised | None:
    """The chain with the worker's links in the place of their text."""
    if raised is None:
        return None
    at = next((at for at, link in enumerate(raised.chain) if link.type in _REMOTE), None)
    if at is None:
        return raised
    found = last_traceback(raised.chain[at].message.replace('"""', ""), cwd)
    if not found:
        return raised
    found[0] = _with_facts(found[0], raised.chain[at - 1] if at else None)
    return msgspec.structs.replace(raised, chain=[*raised.chain[:at], *found])


def _with_facts(remote: RaisedException, here: RaisedException | None) -> RaisedException:
    """What was found out about the same exception in the parent holds for it in the worker too."""
    if here is None or here.type != remote.type:
        return remote
    return msgspec.structs.replace(
        remote,
        message=here.message,
        module=here.module,
        errno=here.errno,
        filename=here.filename,
        wanted=here.wanted,
        wanted_in=here.wanted_in,
        near=here.near,
        notes=here.notes,
    )
