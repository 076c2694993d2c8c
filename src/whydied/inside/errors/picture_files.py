"""The files of pictures that a data set or the failing line names, where an op could not decode one; runs in the user's
process, at an uncaught exception.

Invariant: TensorFlow says what it could not decode, but not of which file. Only the names are recorded; the
files are read after the program's end (see `whydied.report.pictures`). No element of a data set is made.
"""

from __future__ import annotations

import itertools
import os
import re
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
from whydied.records import PicturesNamed
from whydied.texts import data_pipelines
from whydied.texts.entry import any_of

LARGEST_FILES = 20_000
LARGEST_RECORD = 40_000
"""Bytes of names in one record."""
_REFUSED = any_of(
    data_pipelines.NO_PICTURE, data_pipelines.EMPTY_PICTURE, data_pipelines.BROKEN_JPEG, data_pipelines.BROKEN_PICTURE
)


@guarded("picture_files.look")
def look(error: BaseException, trace: TracebackType | None, ownership: Ownership) -> list[PicturesNamed]:
    """The files where an exception of the chain says that a picture could not be decoded; empty for others."""
    for link, own, _ in exception_chain.links_of(error, trace):
        refused = (
            _REFUSED.search(exception_chain.text_of(link)) if type(link).__module__.startswith("tensorflow.") else None
        )
        if refused is not None:
            steps = [*steps_of(trace, None, ownership), *(steps_of(own, None, ownership) if own is not trace else [])]
            return list(_named(steps, _reasons(refused[0])))
    return []


def _reasons(said: str) -> tuple[str, ...]:
    """What can be wrong with a file of which an op said this: the kind of a picture is told by its first bytes."""
    if data_pipelines.EMPTY_PICTURE.pattern.match(said):
        return ("empty",)
    return ("empty", "other") if data_pipelines.NO_PICTURE.pattern.match(said) else ("cut",)


def _named(steps: list[Step], reasons: tuple[str, ...]) -> Iterator[PicturesNamed]:
    paths = [os.path.abspath(path) for path in itertools.islice(_paths(steps), LARGEST_FILES)]
    if not paths:
        return
    directory = os.path.commonpath([os.path.dirname(path) for path in paths])
    names: list[str] = []
    room = LARGEST_RECORD
    for path in paths:
        # No record can hold a name of other bytes than text, nor is one to hold a secret.
        size = len(path.encode("utf-8", "ignore"))
        if len(os.fsencode(path)) != size or redact.text(path) != path:
            continue
        name = path[len(directory) :].lstrip(os.sep)
        room -= size
        if room < 0:
            yield PicturesNamed(directory=directory, names=names, reasons=list(reasons))
            names, room = [], LARGEST_RECORD
        names.append(name)
    yield PicturesNamed(directory=directory, names=names, reasons=list(reasons))


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
