"""What rules about the use of TensorFlow and Keras share: the exception at the root, classes and files that it speaks
of. Pure."""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, root_of
from whydied.diagnose.errors.exception_words import plain_message
from whydied.diagnose.finding import Evidence, Location
from whydied.records import ApiCalled, ApiMissed, ClassSeen, FileLooked, Frame, RaisedException

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def root_link(case: Case) -> RaisedException | None:
    """The exception that the program died of, followed to its root."""
    raised = case.uncaught
    if raised is None or not raised.chain or (case.exit_code in (0, None) and case.signal is None):
        return None
    return raised.chain[root_of(raised.chain)]


def links(case: Case) -> list[RaisedException]:
    """The links from the root up to what surfaced, and those that a library handled on the way down to it: Keras
    raises a new exception for each level of a model that it reads."""
    root = root_link(case)
    if root is None or case.uncaught is None:
        return []
    chain = case.uncaught.chain
    first = root_of(chain)
    below = chain[first + 1 :] if first + 1 < len(chain) and not _is_accident(chain[first]) else []
    return [root, *below, *reversed(chain[:first])]


def _is_accident(link: RaisedException) -> bool:
    """Whether the later exception was raised by a line of the program's own that handled another."""
    return bool(link.frames) and link.frames[-1].user


def text_of(link: RaisedException) -> str:
    """The message without the colours that Keras puts into it."""
    return _STYLE.sub("", link.message)


def place_of(case: Case) -> Location | None:
    """The user's line at which it surfaced, of the innermost link that has one."""
    raised = case.uncaught
    if raised is None:
        return None
    root = root_of(raised.chain)
    return case.locate_exception([raised.chain[root], *reversed(raised.chain[:root]), *raised.chain[root + 1 :]])


def missed(case: Case) -> ApiMissed | None:
    """The old name or argument that the exception at the root is about."""
    raised = case.uncaught
    if case.principal is None or raised is None or root_link(case) is None:
        return None
    root = root_of(raised.chain)
    found = [one for one in case.principal.all(ApiMissed) if one.link == root]
    return found[-1] if found else None


def call_of(case: Case) -> ApiCalled | None:
    """The call that the exception at the root came out of."""
    if case.principal is None or case.uncaught is None:
        return None
    root = root_of(case.uncaught.chain)
    found = [one for one in case.principal.all(ApiCalled) if one.link == root]
    return found[-1] if found else None


def class_named(case: Case, name: str) -> ClassSeen | None:
    found = case.principal.all(ClassSeen) if case.principal else []
    return next((one for one in found if one.name == name), None)


def classes(case: Case) -> list[ClassSeen]:
    return case.principal.all(ClassSeen) if case.principal else []


def file_at(case: Case, path: str) -> FileLooked | None:
    found = case.principal.all(FileLooked) if case.principal else []
    return next((one for one in found if one.path == path), found[-1] if found else None)


def method_place(case: Case, seen: ClassSeen, method: str) -> Location | None:
    """The line of a method's `def`; that of the class' first method where it has none of that name."""
    line = seen.methods.get(method)
    if line is None:
        return None
    return case.locate(Frame(file=seen.file, line=line, function=method, user=True))


def said(link: RaisedException) -> Evidence:
    return Evidence(
        fact="exception", value=f"{link.type}: {plain_message(link.message)}"[:2000], source="ExceptionRaised"
    )
