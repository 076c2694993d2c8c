"""At an uncaught exception: what is to be known of the classes, files, weights and names that it speaks of; runs in the
user's process.

Invariant: nothing of the user's is called; classes and functions are read by their code and namespaces. It is
loaded only when a program that uses TensorFlow, Keras or NumPy has died of an exception.
"""

from __future__ import annotations

import os
import re
import sys
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from whydied import redact
from whydied.inside.errors import exception_chain, near_names, pickled_parts, weight_facts
from whydied.inside.errors.api import api_facts, call_results, called_api, refusals
from whydied.inside.errors.api.api_names import ROOTS
from whydied.inside.errors.framework import model_roots
from whydied.inside.guest import guard
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.journal import Journal
from whydied.records import ClassSeen, FileLooked, NamesakeFound, OptimizerSeen
from whydied.texts import saving

LARGEST_CLASSES = 6
LARGEST_ENTRIES = 2000
LARGEST_STORED = 60
LARGEST_VARIABLES = 3
_NAMES = re.compile(
    r"(?:['`]([A-Za-z_]\w*)['`]|(?:layer|Layer|Model|Object|calling|class|type) ([A-Za-z_]\w*)|([A-Za-z_]\w*)\.\w+\()"
)
_PATHS = saving.PATH_IN_TEXT.pattern


@guarded("usage_facts.look")
def look(owner: Journal, error: BaseException, trace: TracebackType | None) -> None:
    """Write what the exception's chain tells about the use of the libraries."""
    if not any(library in sys.modules for library in ROOTS):
        return
    texts: list[str] = []
    for index, (link, link_trace, _) in enumerate(exception_chain._links(error, trace, set())):
        steps = exception_chain._steps(link_trace)
        texts.append(exception_chain._message(link)[-3000:])
        missed = api_facts.look(index, link, steps, owner.ownership)
        if missed is not None:
            owner.write(missed)
        called = called_api.look(index, link, link_trace, owner.ownership)
        if called is not None:
            owner.write(called)
        unpicklable = pickled_parts.look(index, link, steps)
        if unpicklable is not None:
            owner.write(unpicklable)
        refused = refusals.look(index, link, link_trace, owner.ownership)
        if refused is not None:
            owner.write(refused)
        result = call_results.look(index, link, link_trace, owner.ownership)
        if result is not None:
            owner.write(result)
        traced = model_roots.look(index, link, link_trace, owner.ownership)
        if traced is not None:
            owner.write(traced)
        namesake = namesake_of(index, texts[-1])
        if namesake is not None:
            owner.write(namesake)
        refusing = optimizer_facts(index, steps)
        if refusing is not None:
            owner.write(refusing)
        compared = weight_facts.look(
            index, texts[-1] if len(texts[-1]) < 3000 else exception_chain._message(link), steps, owner
        )
        if compared is not None:
            owner.write(compared)
    _write_classes(owner, "\n".join(texts), trace)
    _write_files(owner, "\n".join(texts))


def namesake_of(index: int, text: str) -> NamesakeFound | None:
    """The variable that a checkpoint does not have, where the graph has another of its name: TensorFlow numbers the
    second of a name."""
    missing = saving.KEY_NOT_IN_CHECKPOINT.pattern.search(text)
    ops = sys.modules.get("tensorflow.python.framework.ops")
    if missing is None or ops is None:
        return None
    name = missing["key"]
    other = re.sub(r"_\d+(?=/|$)", "", name)
    graph = ops.get_default_graph()
    pair = [op for op in graph.get_operations() if op.name in (name, other)]
    if len(pair) != 2:
        return None
    from whydied.inside.model.layer_lines import LineMaker

    lines = LineMaker().of_ops(pair)
    made = {one: lines[one].frames if one in lines else [] for one in (name, other)}
    return NamesakeFound(link=index, name=name, namesake=other, frames=made[name], first=made[other])


def optimizer_facts(index: int, steps: list[TracebackType]) -> OptimizerSeen | None:
    """The optimizer in whose method an exception was raised, where its line is known."""
    lines = sys.modules.get("whydied.inside.model.layer_lines")
    thing = dict(variables(steps[-1].tb_frame)).get("self") if steps else None
    made = lines.optimizers.frame(thing) if lines is not None and thing is not None else None
    if made is None:
        return None
    known = instance_dict(thing).get("_trainable_variables")
    paths = [instance_dict(one).get("_path") for one in known[:LARGEST_VARIABLES]] if type(known) is list else []
    return OptimizerSeen(link=index, made=made, variables=[path for path in paths if isinstance(path, str)])


def _write_classes(owner: Journal, text: str, trace: TracebackType | None) -> None:
    if "keras" not in sys.modules and "tensorflow" not in sys.modules:
        return
    names = {name for found in _NAMES.findall(text) for name in found if name}
    written: list[str] = []
    for namespace in _namespaces(owner, trace):
        for name in sorted(names & set(namespace)):
            seen = _class_seen(owner, name, namespace[name]) if name not in written else None
            if seen is not None and len(written) < LARGEST_CLASSES:
                written.append(name)
                owner.write(seen)
    for kind in _self_classes(owner, trace):
        seen = _class_seen(owner, kind.__name__, kind) if kind.__name__ not in written else None
        if seen is not None and len(written) < LARGEST_CLASSES:
            written.append(kind.__name__)
            owner.write(seen)


def _namespaces(owner: Journal, trace: TracebackType | None) -> list[dict[str, Any]]:
    """The variables of the user's frames, and those of the user's modules."""
    found: list[dict[str, Any]] = []
    for step in exception_chain._steps(trace):
        if owner.ownership.user_file(step.tb_frame) is not None:
            found += [dict(step.tb_frame.f_locals), step.tb_frame.f_globals]
    for module in list(sys.modules.values()):
        file = instance_dict(module).get("__file__")
        if isinstance(file, str) and owner.ownership.is_user_path(file):
            found.append(instance_dict(module))
    return found


def _self_classes(owner: Journal, trace: TracebackType | None) -> list[type]:
    """Classes of Keras objects that the user's frames and the failing statement work on."""
    found: list[type] = []
    for step in exception_chain._steps(trace)[-30:]:
        frame: FrameType = step.tb_frame
        if owner.ownership.user_file(frame) is None:
            continue
        for value in list(frame.f_locals.values()):
            kind = type(value)
            bases = type.__dict__["__mro__"].__get__(kind)
            if kind.__module__.partition(".")[0] not in ROOTS and any(
                base.__name__ == "Layer" and base.__module__.partition(".")[0] in ROOTS for base in bases
            ):
                found.append(kind)
    return list(dict.fromkeys(found))


def _class_seen(owner: Journal, name: str, value: Any) -> ClassSeen | None:
    if isinstance(value, FunctionType):
        code = value.__code__
        file = owner.ownership.resolve(code.co_filename)
        if not owner.ownership.is_user_path(file):
            return None
        return ClassSeen(name=name, kind="function", file=file, line=code.co_firstlineno)
    if not isinstance(value, type):
        return None
    own = type.__dict__["__dict__"].__get__(value)
    functions = {key: _function(member) for key, member in own.items()}
    codes = {key: function.__code__ for key, function in functions.items() if function is not None}
    files = {owner.ownership.resolve(code.co_filename) for code in codes.values()}
    files = {file for file in files if owner.ownership.is_user_path(file)}
    if len(files) != 1:
        return None
    begin = codes.get("__init__")
    parameters = list(begin.co_varnames[1 : begin.co_argcount + begin.co_kwonlyargcount]) if begin else []
    names = set(begin.co_names) | set(begin.co_freevars) if begin else set()
    return ClassSeen(
        name=name,
        kind="class",
        file=files.pop(),
        line=min(code.co_firstlineno for code in codes.values()),
        methods={key: code.co_firstlineno for key, code in codes.items()},
        parameters=parameters,
        takes_any=begin is not None and bool(begin.co_flags & 0x08),
        calls_parent=begin is None or "__init__" in names,
        parent_takes_any=_takes_any(type.__dict__["__mro__"].__get__(value)[1:]),
        stored=_stored(codes),
    )


def _takes_any(parents: tuple[type, ...]) -> bool:
    """Whether the constructor above a class takes keywords that it does not name."""
    for parent in parents:
        begin = _function(type.__dict__["__dict__"].__get__(parent).get("__init__"))
        if begin is not None:
            return bool(begin.__code__.co_flags & 0x08)
    return False


def _stored(codes: dict[str, CodeType]) -> dict[str, list[str]]:
    """The attributes that methods assign, by the instructions of their code."""
    import dis

    found: dict[str, list[str]] = {}
    for method, code in codes.items():
        for instruction in dis.get_instructions(code):
            if instruction.opname == "STORE_ATTR" and len(found) < LARGEST_STORED:
                methods = found.setdefault(str(instruction.argval), [])
                methods += [method] if method not in methods else []
    return found


def _function(member: Any) -> FunctionType | None:
    """A method as written, below the decorators that keep what they wrap."""
    for _ in range(4):
        if isinstance(member, (staticmethod, classmethod)):
            member = member.__func__
        wrapped = instance_dict(member).get("__wrapped__") if isinstance(member, FunctionType) else None
        if wrapped is None:
            break
        member = wrapped
    return member if isinstance(member, FunctionType) else None


def _write_files(owner: Journal, text: str) -> None:
    for path in list(dict.fromkeys(_PATHS.findall(text)))[:2]:
        owner.write(file_looked(path))


def file_looked(path: str) -> FileLooked:
    """What there is at a path, by its first bytes."""
    try:
        if os.path.isdir(path):
            return FileLooked(path=redact.text(path), content=_directory(path))
        size = os.path.getsize(path)
        with open(path, "rb") as stream:
            head = stream.read(8)
    except OSError:
        parent, last = os.path.split(os.path.abspath(path))
        near = near_names.close(last, near_names._listing(parent))
        if os.path.exists(f"{path}.index"):
            return FileLooked(path=redact.text(path), content="checkpoint", near=list(near))
        return FileLooked(path=redact.text(path), near=[redact.text(name) for name in near])
    kinds = {b"PK\x03\x04": "zip", b"\x89HDF": "hdf5"}
    return FileLooked(
        path=redact.text(path),
        content="empty" if size == 0 else kinds.get(head[:4], "other"),
        size_bytes=size,
    )


def _directory(path: str) -> str:
    try:
        entries = {entry for entry, _ in zip(os.listdir(path), range(LARGEST_ENTRIES), strict=False)}
    except OSError as error:
        if guard.is_the_users(error):
            raise
        return "directory"
    if "saved_model.pb" in entries:
        return "saved_model"
    return "checkpoint" if "checkpoint" in entries else "directory"
