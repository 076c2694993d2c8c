"""A fix written into the user's files, and taken back. Runs in the parent, when somebody asks for it.

Invariant: all files of a fix are written or none. A reader sees the old file or the new one. The old one stays beside
it, under a name that nothing had; it is put back only where neither of the two was changed since.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import shutil
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from whydied.errors import NotEditable
from whydied.places import RunDirectory, replace_whole
from whydied.prove.patching.rewritten_files import Rewritten

SUFFIX = ".whydied-backup"


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was written; `before` and `after` are hashes of its content."""

    file: str
    backup: str
    before: str
    after: str


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    files: list[Written]


def applied(directory: RunDirectory) -> list[Applied]:
    """The fixes of a run that are written and not taken back, the last one last."""
    try:
        return msgspec.json.decode(directory.applied.read_bytes(), type=list[Applied])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return []


def apply(directory: RunDirectory, title: str, files: Mapping[str, Rewritten]) -> Applied:
    """Write the new content of some files. Raises NotEditable, and then nothing has changed."""
    targets = {os.path.realpath(file): content for file, content in files.items()}
    done = _Steps()
    try:
        for file, content in targets.items():
            _check(file, content.before)
        written = [_keep(file, content, done) for file, content in targets.items()]
        for file, content in targets.items():
            _put(file, content.after)
            done.undo(lambda file=file, content=content: _put(file, content.before))  # type: ignore[misc]
    except OSError as error:
        done.take_back()
        raise NotEditable(f"cannot write {error.filename or 'the fix'}: {error.strerror or error}") from error
    result = Applied(title=title, files=written)
    _remember(directory, [*applied(directory), result])
    return result


def undo(directory: RunDirectory) -> Applied:
    """Put back what the last fix of a run replaced. Raises NotEditable, and then nothing has changed."""
    known = applied(directory)
    if not known:
        raise NotEditable(f"no fix of run {directory.id} is written")
    last = known[-1]
    for one in last.files:
        for file, wanted in ((one.backup, one.before), (one.file, one.after)):
            if _hash_of(file) != wanted:
                gone = "is not there any more" if not os.path.exists(file) else "was changed since the fix was written"
                raise NotEditable(f"{file} {gone}", f"the file as it was: {one.backup}" if file == one.file else None)
    done = _Steps()
    try:
        for one in last.files:
            _check(one.file, None)
            content, old = Path(one.file).read_bytes(), Path(one.backup).read_bytes()
            _put(one.file, old)
            done.undo(lambda file=one.file, content=content: _put(file, content))  # type: ignore[misc]
    except OSError as error:
        done.take_back()
        raise NotEditable(f"cannot write {error.filename or 'the files'}: {error.strerror or error}") from error
    _remember(directory, known[:-1])
    for one in last.files:
        with contextlib.suppress(OSError):
            os.unlink(one.backup)
    return last


class _Steps:
    """What was done so far, as what undoes it."""

    def __init__(self) -> None:
        self._back: list[Callable[[], object]] = []

    def undo(self, step: Callable[[], object]) -> None:
        self._back.append(step)

    def take_back(self) -> None:
        for step in reversed(self._back):
            with contextlib.suppress(OSError):
                step()


def _check(file: str, content: bytes | None) -> None:
    """Who may write to a directory could replace what is read-only in it; that is not what its owner asked for."""
    try:
        mode = os.stat(file).st_mode
    except OSError as error:
        raise NotEditable(f"cannot write {file}: {error.strerror or error}") from error
    if not stat.S_ISREG(mode):
        raise NotEditable(f"{file} is not a regular file")
    if not mode & 0o222 or not os.access(file, os.W_OK):
        raise NotEditable(f"{file} is read-only", f"allow it first: chmod u+w {file}")
    folder = os.path.dirname(file)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise NotEditable(f"{folder} is read-only: the backup would stand there", f"allow it first: chmod u+w {folder}")
    if content is not None and Path(file).read_bytes() != content:
        raise NotEditable(f"{file} is being changed")


def _keep(file: str, content: Rewritten, done: _Steps) -> Written:
    """The old file under another name, with its mode and times."""
    for number in itertools.count(1):
        backup = f"{file}{SUFFIX}{f'-{number}' if number > 1 else ''}"
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            break
    done.undo(lambda: os.unlink(backup))
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content.before)
    shutil.copystat(file, backup)
    _give(backup, os.stat(file))
    return Written(file=file, backup=backup, before=_hash(content.before), after=_hash(content.after))


def _put(file: str, content: bytes) -> None:
    status = os.stat(file)
    replace_whole(Path(file), content, stat.S_IMODE(status.st_mode))
    _give(file, status)


def _give(file: str, status: os.stat_result) -> None:
    """Only root may; whoever else writes here owns the file already, or gets it."""
    with contextlib.suppress(OSError):
        os.chown(file, status.st_uid, status.st_gid)


def _remember(directory: RunDirectory, fixes: list[Applied]) -> None:
    """A run that cannot be written to has no memory of it; the backup is there all the same."""
    with contextlib.suppress(OSError):
        replace_whole(directory.applied, msgspec.json.encode(fixes))


def _hash_of(file: str) -> str:
    try:
        return _hash(Path(file).read_bytes())
    except OSError:
        return ""


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
