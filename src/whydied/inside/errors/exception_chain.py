"""An exception as a record: the whole chain, the frames, the locals of the user's; runs in the user's process.

Invariant: no code of the user's runs except `__str__` of the exception, which Python's own traceback calls
as well; the record fits into the stream, losing first locals, then frames, then links.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any

import msgspec

from whydied import redact, wire
from whydied.inside.errors import converted_code, near_names, operands, quoted_traceback
from whydied.inside.guest import guard, live_source
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.value_facts import Facts, describe, type_name
from whydied.records import ErrorFacts, ExceptionRaised, Frame, Local, RaisedException
from whydied.stream import LARGEST_RECORD_BYTES

FIRST_FRAMES = 20
LAST_FRAMES = 40
LARGEST_LOCALS = 40
LARGEST_LINKS = 10
LARGEST_MESSAGE = 8000
_ROOM = LARGEST_RECORD_BYTES - 512
_KERAS = frozenset({"keras", "tf_keras"})
_FOREIGN = _KERAS | sys.stdlib_module_names | {"tensorflow", "numpy", "optree", "absl", "whydied", ""}


def exception_raised(
    where: str, error: BaseException, trace: TracebackType | None, thread: str, ownership: Ownership
) -> ExceptionRaised:
    links = links_of(error, trace)
    quoting = _quoting(links)
    chain = [_raised(*link, ownership) for link in (links if quoting is None else links[: quoting + 1])]
    if quoting is not None:
        chain[-1] = msgspec.structs.replace(chain[-1], link="cause")
        text = text_of(links[quoting][0])
        chain += quoted_traceback.quoted(text, ownership)
    return _fit(ExceptionRaised(where=where, chain=chain, thread=thread))


def _quoting(links: list[tuple[BaseException, TracebackType | None, str]]) -> int | None:
    """The link in which TensorFlow tells a Python error again; those below it must be the same error."""
    for at, (error, _, _) in enumerate(links):
        if type(error).__module__.startswith("tensorflow.") and quoted_traceback.is_quoting(text_of(error)):
            same = all(quoted_traceback.is_quoting(text_of(below)) for below, _, _ in links[at + 1 :])
            return at if same else None
    return None


def framework_facts(error: BaseException, trace: TracebackType | None, *, dying: bool) -> list[ErrorFacts]:
    """What was found around the links of the chain that TensorFlow or Keras raised. With `dying` the program ends."""
    if "tensorflow" not in sys.modules and "keras" not in sys.modules:
        return []
    from whydied.inside.errors.framework import error_facts

    links = links_of(error, trace)
    quoting = _quoting(links)
    if quoting is None:
        return error_facts.uncaught([(link, own) for link, own, _ in links], dying) or []
    facts = error_facts.uncaught([(link, own) for link, own, _ in links[: quoting + 1]], dying) or []
    inner = error_facts.facts_quoted_in(text_of(links[quoting][0]), dying=dying)
    return [*facts, *([msgspec.structs.replace(inner, link=quoting + 1)] if inner is not None else [])]


def links_of(
    error: BaseException, trace: TracebackType | None
) -> list[tuple[BaseException, TracebackType | None, str]]:
    """The exception and what lies below it, each with its traceback and how the next one is tied to it."""
    return _links(error, trace, set())


def _links(
    error: BaseException, trace: TracebackType | None, seen: set[int]
) -> list[tuple[BaseException, TracebackType | None, str]]:
    """The exception, its causes, and the members of a group, each once."""
    found: list[tuple[BaseException, TracebackType | None, str]] = []
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < LARGEST_LINKS:
        seen.add(id(current))
        following, link = current.__cause__, "cause"
        if following is None and current.__suppress_context__:
            following = _hidden(current)
        elif following is None:
            following, link = current.__context__, "context"
        if following is None or id(following) in seen:
            following, link = None, ""
        members = [] if following is not None else _members(current)
        found.append((current, trace, "cause" if members else link))
        for member in members:
            if id(member) not in seen and len(seen) < LARGEST_LINKS:
                found += _links(member, member.__traceback__, seen)
        current, trace = following, following.__traceback__ if following is not None else None
    return found


def _hidden(error: BaseException) -> BaseException | None:
    """What went wrong in a function of the program's own while Keras ran it, where Keras says something else instead
    and keeps that from being printed (`from None`); None where it only says the same again."""
    below, steps = error.__context__, 0
    while below is not None and steps < LARGEST_LINKS:
        trace = below.__traceback__
        library = {_package(step) for step in _steps(trace)[:1]}
        called_back = any(_package(step) not in _FOREIGN for step in _steps(trace)[1:])
        if library & _KERAS and called_back and text_of(below) not in text_of(error):
            return below
        below, steps = below.__context__, steps + 1
    return None


def _package(step: TracebackType) -> str:
    """The first name of the module that a frame runs."""
    name = step.tb_frame.f_globals.get("__name__")
    return name.partition(".")[0] if isinstance(name, str) else ""


def _members(error: BaseException) -> list[BaseException]:
    if type(error).__name__ not in ("ExceptionGroup", "BaseExceptionGroup"):
        return []
    members = getattr(error, "exceptions", ())
    return [member for member in members if isinstance(member, BaseException)] if isinstance(members, tuple) else []


def _raised(error: BaseException, trace: TracebackType | None, link: str, ownership: Ownership) -> RaisedException:
    steps = _steps(trace)
    message = _message(error)
    frames = [_frame(step, ownership) for step in _bounded(steps)]
    converted = converted_code.frames_of(message, ownership)
    frames += converted
    if isinstance(error, SyntaxError):
        frames += _unparsable(error, ownership)
    near, parts = _analysis(error, steps, converted, ownership)
    name = getattr(error, "filename", None) if isinstance(error, OSError) else None
    return RaisedException(
        type=type_name(type(converted_code.original(error))).rpartition(".")[2],
        module=type(error).__module__,
        message=redact.text(message),
        frames=frames,
        link=link,
        notes=[redact.text(note[:1000]) for note in getattr(error, "__notes__", ())[:10] if isinstance(note, str)],
        errno=error.errno if isinstance(error, OSError) and isinstance(error.errno, int) else None,
        filename=redact.text(os.fsdecode(name)[:1000]) if isinstance(name, (str, bytes)) else None,
        wanted=redact.text(near.wanted) if near.wanted else near.wanted,
        wanted_in=near.wanted_in,
        near=[redact.text(word) for word in near.near],
        holder=redact.text(near.holder),
        keys=[redact.text(word) for word in near.keys],
        operands=parts,
    )


def _analysis(
    error: BaseException, steps: list[TracebackType], converted: list[Frame], ownership: Ownership
) -> tuple[near_names.Nearness, list[Any]]:
    """What was missed, and the failing expression in the innermost frame of the user's."""
    if isinstance(error, KeyboardInterrupt):
        return near_names.NOTHING, []
    try:
        users = [step for step in steps if ownership.user_file(step.tb_frame) is not None]
        step = users[-1] if users else (steps[-1] if steps else None)
        failure = operands.failing(step, ownership.resolve(step.tb_frame.f_code.co_filename)) if step else None
        frame = step.tb_frame if step else None
        if converted and (inner := converted_code.failure_in(error, converted)) is not None:
            failure, frame = inner, inner.frame
        last = steps[-1] if steps and step is not steps[-1] else None
        raiser = operands.failing(last, last.tb_frame.f_code.co_filename) if last is not None else None
        near = near_names.look(converted_code.original(error), frame, failure, raiser)
        return near, operands.operands(failure) if failure is not None else []
    except Exception as ours:
        if guard.is_the_users(ours):
            raise
        guard.swallowed("chain.analysis", ours)
        return near_names.NOTHING, []


def _message(error: BaseException) -> str:
    text = text_of(error)
    return (
        text if len(text) <= LARGEST_MESSAGE else f"{text[: LARGEST_MESSAGE // 2]}\n…\n{text[-LARGEST_MESSAGE // 2 :]}"
    )


def text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as failed:
        if guard.is_the_users(failed):
            raise
        return f"<{type(error).__name__} whose __str__ failed>"


def _steps(trace: TracebackType | None) -> list[TracebackType]:
    steps: list[TracebackType] = []
    while trace is not None and len(steps) < 100_000:
        steps.append(trace)
        trace = trace.tb_next
    return steps


def _bounded(steps: list[TracebackType]) -> list[TracebackType]:
    if len(steps) <= FIRST_FRAMES + LAST_FRAMES:
        return steps
    return steps[:FIRST_FRAMES] + steps[-LAST_FRAMES:]


def _frame(step: TracebackType, ownership: Ownership) -> Frame:
    code = step.tb_frame.f_code
    user = ownership.user_file(step.tb_frame)
    file = user or ownership.resolve(code.co_filename)
    line = step.tb_lineno or code.co_firstlineno
    if user is None:
        return Frame(file=file, line=line, function=code.co_name)
    first, last, text = live_source.statement(file, line)
    return Frame(
        file=file,
        line=first,
        function=code.co_name,
        user=True,
        source=redact.text(text[:500]),
        end_line=last,
        locals=_locals(step),
    )


def _unparsable(error: SyntaxError, ownership: Ownership) -> list[Frame]:
    """The line that could not be parsed: no frame ever ran it."""
    if not isinstance(error.filename, str) or not isinstance(error.lineno, int):
        return []
    file = ownership.resolve(error.filename)
    text = error.text.strip()[:500] if isinstance(error.text, str) else ""
    return [
        Frame(
            file=file,
            line=error.lineno,
            function="<module>",
            user=ownership.is_user_path(file),
            source=redact.text(text),
        )
    ]


def _locals(step: TracebackType) -> list[Local]:
    found: list[Local] = []
    for name, value in list(step.tb_frame.f_locals.items()):
        if name.startswith("__") or type(value).__name__ in ("module", "function", "type"):
            continue
        facts = _facts(value)
        found.append(
            Local(
                name=name,
                type=facts.type,
                shape=facts.shape,
                dtype=facts.dtype,
                size_bytes=facts.size_bytes,
                length=facts.length,
            )
        )
        if len(found) >= LARGEST_LOCALS:
            break
    return found


def _facts(value: object) -> Facts:
    """One value that cannot be described must not cost the whole exception."""
    try:
        return describe(value)
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return Facts(type(value).__name__)


def _fit(record: ExceptionRaised) -> ExceptionRaised:
    """The record, made smaller until it fits."""
    for shrink in (_as_is, _few_locals, _no_locals, _few_frames, _short):
        record = shrink(record)
        if len(wire.frame(0, 0, record)) <= _ROOM:
            return record
    return msgspec.structs.replace(record, chain=record.chain[:1])


def _as_is(record: ExceptionRaised) -> ExceptionRaised:
    return record


def _few_locals(record: ExceptionRaised) -> ExceptionRaised:
    return _each_frame(record, lambda frame: msgspec.structs.replace(frame, locals=frame.locals[:8]))


def _no_locals(record: ExceptionRaised) -> ExceptionRaised:
    return _each_frame(record, lambda frame: msgspec.structs.replace(frame, locals=[]))


def _each_frame(record: ExceptionRaised, change: Any) -> ExceptionRaised:
    chain = [msgspec.structs.replace(link, frames=[change(frame) for frame in link.frames]) for link in record.chain]
    return msgspec.structs.replace(record, chain=chain)


def _few_frames(record: ExceptionRaised) -> ExceptionRaised:
    chain = [
        msgspec.structs.replace(link, frames=[*link.frames[:4], *link.frames[4:][-8:]], message=link.message[:2000])
        for link in record.chain
    ]
    return msgspec.structs.replace(record, chain=chain)


def _short(record: ExceptionRaised) -> ExceptionRaised:
    ends = record.chain if len(record.chain) <= 2 else [record.chain[0], record.chain[-1]]
    chain = [
        msgspec.structs.replace(
            link,
            frames=link.frames[-4:],
            message=link.message[:500],
            operands=[],
            near=[word[:200] for word in link.near],
            notes=[],
            wanted=link.wanted[:500] if link.wanted else link.wanted,
        )
        for link in ends
    ]
    return msgspec.structs.replace(record, chain=chain)
