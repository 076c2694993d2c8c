"""The files of pictures that a data set or the failing line names, where an op could not decode one; runs in the user's
process, at an uncaught exception.

What always holds: TensorFlow says what it could not decode, but not of which file. The files are looked at by their
first and last bytes only, up to a time and a number; nothing is decoded and no element of a data set is made.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any

from whydied import redact
from whydied.inside.errors import exception_chain
from whydied.inside.errors.framework import data_functions
from whydied.inside.errors.stack_steps import Step, steps_of
from whydied.inside.guest import live_source
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.records import BadFile, PicturesLooked
from whydied.texts import data_pipelines
from whydied.texts.entry import any_of

LARGEST_S = 0.7
LARGEST_FILES = 20_000
LARGEST_TOLD = 20
_TAIL = 1024
_REFUSED = any_of(
    data_pipelines.NO_PICTURE, data_pipelines.EMPTY_PICTURE, data_pipelines.BROKEN_JPEG, data_pipelines.BROKEN_PICTURE
)
_KINDS = (
    (b"\xff\xd8\xff", "JPEG", b"\xff\xd9"),
    (b"\x89PNG\r\n\x1a\n", "PNG", b"IEND"),
    (b"GIF8", "GIF", b""),
    (b"BM", "BMP", b""),
    (b"RIFF", "WebP", b""),
    (b"\xff\x0a", "JPEG XL", b""),
    (b"\x00\x00\x00\x0cJXL ", "JPEG XL", b""),
)


@guarded("picture_files.look")
def look(error: BaseException, trace: TracebackType | None, ownership: Ownership) -> list[PicturesLooked]:
    """What is found where an exception of the chain says that a picture could not be decoded; empty for others."""
    for link, own, _ in exception_chain.links_of(error, trace):
        refused = (
            _REFUSED.search(exception_chain.text_of(link)) if type(link).__module__.startswith("tensorflow.") else None
        )
        if refused is not None:
            steps = [*steps_of(trace, None, ownership), *(steps_of(own, None, ownership) if own is not trace else [])]
            return _looked(steps, _reasons(refused[0]))
    return []


def _reasons(said: str) -> tuple[str, ...]:
    """What can be wrong with a file of which an op said this: the kind of a picture is told by its first bytes."""
    if data_pipelines.EMPTY_PICTURE.pattern.match(said):
        return ("empty",)
    return ("empty", "other") if data_pipelines.NO_PICTURE.pattern.match(said) else ("cut",)


def _looked(steps: list[Step], reasons: tuple[str, ...]) -> list[PicturesLooked]:
    until = time.monotonic() + LARGEST_S
    bad: list[BadFile] = []
    looked = 0
    for path in _paths(steps):
        if looked >= LARGEST_FILES or time.monotonic() > until:
            break
        try:
            found = examined(path)
        except OSError:
            continue
        looked += 1
        if found is not None and found.reason in reasons:
            bad.append(found)
    return [PicturesLooked(looked=looked, bad=len(bad), files=bad[:LARGEST_TOLD])] if bad else []


def _paths(steps: list[Step]) -> Iterator[str]:
    """The files that data sets are made from; without any those that the innermost lines of the user's name."""
    seen: set[str] = set()
    for found in (_of_datasets(steps), _of_variables(steps)):
        for path in found:
            if path not in seen:
                seen.add(path)
                yield path
        if seen:
            return


def _of_datasets(steps: list[Step]) -> Iterator[str]:
    for dataset in data_functions.datasets(steps):
        held = instance_dict(dataset).get("_tensors")
        for tensor in held if isinstance(held, (list, tuple)) else ():
            for item in _texts(tensor):
                if isinstance(item, bytes) and b"\0" not in item:
                    yield os.fsdecode(item)


def _texts(tensor: Any) -> list[Any]:
    if type(tensor).__name__ != "EagerTensor" or getattr(tensor.dtype, "name", "") != "string":
        return []
    array = tensor.numpy()
    return array.reshape(-1)[:LARGEST_FILES].tolist() if hasattr(array, "reshape") else [array]


def _of_variables(steps: list[Step]) -> Iterator[str]:
    users = [step for step in steps if step.file is not None]
    for step in users[-2:]:
        parsed = live_source.source(step.file or "")
        words = set(re.findall(r"\w+", parsed.text(*parsed.span(step.line)))) if parsed is not None else set()
        yield from _files(value for name, value in step.names.items() if name in words or not step.is_module)


def _files(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if type(value) is str and 0 < len(value) < 4096 and "\0" not in value and os.path.isfile(value):
            yield value


def examined(path: str) -> BadFile | None:
    """What is wrong with a file as a picture, by its beginning and its end."""
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        head = stream.read(16)
        stream.seek(max(0, size - _TAIL))
        tail = stream.read(_TAIL)
    name = redact.text(os.path.abspath(path))
    if not head:
        return BadFile(path=name, reason="empty", size_bytes=0)
    for begin, kind, end in _KINDS:
        if head.startswith(begin):
            return None if end in tail else BadFile(path=name, reason="cut", kind=kind, size_bytes=size)
    return BadFile(path=name, reason="other", begins=repr(head)[2:-1], size_bytes=size)
