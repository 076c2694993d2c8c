"""Old code on a new library: what a missing name or argument of TensorFlow, Keras or NumPy is called now; runs in the
user's process, at an uncaught exception.

Invariant: it speaks only of names that a table of the installed version or ours knows, and offers only what the
installed version has. No code of the user's runs; the libraries' modules are looked into.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import ModuleType, TracebackType
from typing import NamedTuple

import msgspec

from whydied import redact
from whydied.inside.errors import converted_code, exception_chain, operands
from whydied.inside.errors.api import api_arguments, api_names, former_names
from whydied.inside.errors.api.api_names import canonical, library_of
from whydied.inside.errors.api.api_successors import Successors, of_name
from whydied.inside.guest import live_source
from whydied.inside.guest.lookup import Missing, attribute, evaluate, instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.records import ApiMissed, Frame
from whydied.source.api_table import METHODS
from whydied.source.statements import statement_at
from whydied.texts import python_errors, removed_names
from whydied.texts.entry import any_of

_NO_MODULE_ATTRIBUTE = python_errors.MODULE_WITHOUT_ATTRIBUTE.pattern
_NO_ATTRIBUTE = python_errors.NO_ATTRIBUTE.pattern
_CANNOT_IMPORT = python_errors.NO_IMPORT.pattern
_LIBRARY_SAYS = any_of(removed_names.NOT_IN_KERAS_3, removed_names.NOT_WITH_KERAS_3, removed_names.REMOVED_FROM_NUMPY)


_COPY = "__autograph_generated_file"
MOST_ALSO = 20


class Writer(NamedTuple):
    """The frame whose code has the old name: the program's, or that of a package that the program uses."""

    failure: operands.Failure
    line: int
    file: str
    package: str


def look(index: int, error: BaseException, steps: list[TracebackType], ownership: Ownership) -> ApiMissed | None:
    """What one exception of a chain misses of the libraries."""
    found = _of_frameworks(index, error, steps, ownership)
    if found is not None and found.library != "numpy":
        return found
    # Of NumPy's names those that became another expression are written out by the tables of former names only.
    other = former_names.look(error, index, steps, ownership)
    return other if found is None or (other is not None and former_names.is_rewritten(other)) else found


def _of_frameworks(
    index: int, error: BaseException, steps: list[TracebackType], ownership: Ownership
) -> ApiMissed | None:
    message = error.args[0] if error.args and isinstance(error.args[0], str) else exception_chain._message(error)
    writer = _converted(message, steps, ownership) or _writer(steps, ownership)
    if writer is None:
        return None
    found: ApiMissed | None = None
    if isinstance(error, ImportError):
        found = _imported(index, error, message, writer) or _said(index, message, writer)
    elif isinstance(error, AttributeError):
        found = (
            _attribute(index, error, message, writer)
            or _said(index, message, writer)
            or _method(index, error, message, writer)
        )
    elif isinstance(error, (TypeError, ValueError)):
        found = _argument(index, message, writer)
    return found


def _writer(steps: list[TracebackType], ownership: Ownership) -> Writer | None:
    """The innermost frame outside the libraries and the import system."""
    for step in reversed(steps):
        code = step.tb_frame.f_code
        module = step.tb_frame.f_globals.get("__name__", "")
        if code.co_filename.startswith("<frozen") or library_of(module if isinstance(module, str) else ""):
            continue
        file = ownership.user_file(step.tb_frame)
        package = "" if file is not None else str(module).partition(".")[0]
        file = file or ownership.resolve(code.co_filename)
        failure = operands.failing(step, file)
        return Writer(failure, step.tb_lineno, file, package) if failure is not None else None
    return None


def _converted(message: str, steps: list[TracebackType], ownership: Ownership) -> Writer | None:
    """The line that AutoGraph's copy of a function stands for, with the names that the copy sees."""
    lines = converted_code.frames_of(message, ownership)
    copies = [step.tb_frame for step in steps if _COPY in step.tb_frame.f_code.co_filename]
    parsed = live_source.source(lines[-1].file) if lines else None
    if not copies or parsed is None:
        return None
    node = statement_at(parsed.tree, lines[-1].line)
    if node is None:
        return None
    return Writer(operands.Failure(node, copies[-1], parsed), lines[-1].line, lines[-1].file, "")


def _attribute(index: int, error: AttributeError, message: str, writer: Writer) -> ApiMissed | None:
    """`tf.Session`: an attribute that a module does not have."""
    said = _NO_MODULE_ATTRIBUTE.search(message)
    name = getattr(error, "name", None) or (said[2] if said else None) or _first(_NO_ATTRIBUTE, message)
    if not name:
        return None
    for dotted in _chains(writer, name):
        parts = _parts(dotted)
        root = evaluate(ast.Name(parts[0], ast.Load()), writer.failure.frame)
        if not isinstance(root, ModuleType):
            continue
        base = canonical(str(instance_dict(root).get("__name__", parts[0])))
        if base.split(".")[0] not in api_names.ROOTS.values():
            continue
        shortest = parts.index(name, 1) + 1
        for length in range(len(parts), shortest - 1, -1):
            full = ".".join([base, *parts[1:length]])
            known = of_name(full)
            if known is None or (not known.new and length > shortest and of_name(".".join([base, *parts[1:shortest]]))):
                continue
            old = ".".join(parts[:length])
            known = known._replace(new=tuple(_written(new, parts[0], base) for new in known.new))
            missed = _missed(index, "name", old, old, full, known, _replaced(writer, old, known.new), writer)
            return msgspec.structs.replace(missed, also=_also(writer, old) if known.new and not writer.package else {})
    return None


def _also(writer: Writer, old: str) -> dict[str, str]:
    """Other names in the same file that the installed library does not have, with what they are called now: whoever
    renames one of them only meets the next."""
    found: dict[str, str] = {}
    chains = [_parts(node) for node in ast.walk(writer.failure.source.tree) if isinstance(node, ast.Attribute)]
    for parts in sorted({tuple(chain) for chain in chains if chain}, key=len):
        root = evaluate(ast.Name(parts[0], ast.Load()), writer.failure.frame)
        base = canonical(str(instance_dict(root).get("__name__", ""))) if isinstance(root, ModuleType) else ""
        text, full = ".".join(parts), ".".join([base, *parts[1:]])
        begun = any(f"{text}.".startswith(f"{one}.") for one in (old, *found))
        if len(found) >= MOST_ALSO or begun or base.split(".")[0] not in api_names.ROOTS.values():
            continue
        known = None if api_names.exists(full) else of_name(full)
        if known is not None and known.new and not _is_made_a_class(text, known.new[0]):
            found[text] = _written(known.new[0], parts[0], base)
    return found


def _written(new: str, root: str, base: str) -> str:
    """A new name with the program's own word for the library."""
    return root + new[len(base) :] if new == base or new.startswith(f"{base}.") else new


def _chains(writer: Writer, name: str) -> Iterator[ast.Attribute]:
    """Dotted names of the failing statement that have an attribute of that name, the longest first."""
    node = writer.failure.node
    around = statement_at(writer.failure.source.tree, writer.line)
    nodes = [part for part in ast.walk(around or node) if isinstance(part, ast.Attribute)]
    found = [part for part in nodes if name in _parts(part)[1:]]
    if isinstance(node, ast.Attribute) and _parts(node):
        text = _parts(node)
        # By position the failing one itself is known: what follows it in the source is part of the same old name.
        found = [part for part in found if _parts(part)[: len(text)] == text] or [node]
    yield from sorted(found, key=lambda part: -len(_parts(part)))


def _parts(node: ast.AST) -> list[str]:
    """`["tf", "train", "Saver"]`; empty where it is not only names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else []


def _imported(index: int, error: ImportError, message: str, writer: Writer) -> ApiMissed | None:
    node = writer.failure.node
    said = _CANNOT_IMPORT.search(message)
    missing = f"{said[2]}.{said[1]}" if said else error.name or ""
    if library_of(missing) is None or not isinstance(node, (ast.Import, ast.ImportFrom)):
        return None
    if isinstance(node, ast.Import):
        wanted = [alias for alias in node.names if f"{alias.name}.".startswith(f"{missing}.")][:1]
        olds = [alias.name for alias in wanted]
    else:
        wanted = [alias for alias in node.names if said is None or alias.name == said[1]]
        olds = [f"{node.module}.{alias.name}" for alias in wanted]
    answers = [of_name(canonical(old)) for old in olds]
    if said is None and all(answer is None or not answer.new for answer in answers):
        whole = of_name(canonical(missing))
        answers = [answer or whole for answer in answers]
    known = next((answer for answer in answers if answer is not None), None)
    if known is None:
        return None
    new = [name for answer in answers if answer for name in answer.new[:1]]
    new += [name for name in known.new if name not in new]
    written = said[1] if said else (node.module or missing) if isinstance(node, ast.ImportFrom) else olds[0]
    kind = "name" if said else "module"
    old = missing if said else written
    merged = known._replace(new=tuple(dict.fromkeys(new)))
    change = _import_lines(wanted, answers, isinstance(node, ast.Import))
    return _missed(index, kind, old, written, canonical(missing), merged, change, writer)


def _import_lines(wanted: list[ast.alias], answers: list[Successors | None], plain: bool) -> str:
    """The import written anew, one line for each module; a module that went is used through its successor's name."""
    lines: dict[str, list[str]] = {}
    for alias, answer in zip(wanted, answers, strict=True):
        if answer is None or not answer.new:
            continue
        module, _, name = api_names.importable(answer.new[0]).rpartition(".")
        if plain:
            short = f" as {alias.asname}" if alias.asname else ""
            lines[f"import {module}.{name}{short}"] = []
            continue
        shown = alias.asname or alias.name.rpartition(".")[2]
        lines.setdefault(f"from {module} import ", []).append(name if name == shown else f"{name} as {shown}")
    return "\n".join(head + ", ".join(names) for head, names in lines.items())


def _said(index: int, message: str, writer: Writer) -> ApiMissed | None:
    """The library has a stand-in that says by itself that the name is gone."""
    said = _LIBRARY_SAYS.search(message)
    if said is None:
        return None
    gone = said[said.lastindex or 0]
    last = gone.rpartition(".")[2]
    for dotted in _chains(writer, last):
        parts = _parts(dotted)
        root = evaluate(ast.Name(parts[0], ast.Load()), writer.failure.frame)
        base = canonical(str(instance_dict(root).get("__name__", ""))) if isinstance(root, ModuleType) else parts[0]
        full, old = ".".join([base, *parts[1:]]), ".".join(parts)
        known = of_name(full) or of_name(full.replace("tf.compat.v1.", "tf.")) or Successors((), "")
        known = known._replace(known_from="the library's own message", new=tuple(n for n in known.new if n != full))
        return _missed(index, "name", old, old, full, known, _replaced(writer, old, known.new), writer)
    name = gone if "." in gone else ""
    if not name or library_of(name) is None:
        return None
    known = (of_name(canonical(name)) or Successors((), ""))._replace(known_from="the library's own message")
    return _missed(index, "name", name, name, canonical(name), known, "", writer)


def _method(index: int, error: AttributeError, message: str, writer: Writer) -> ApiMissed | None:
    """`model.fit_generator`: an attribute that an instance of a library's class does not have."""
    name = getattr(error, "name", None) or _first(_NO_ATTRIBUTE, message)
    nodes = [n for n in ast.walk(writer.failure.node) if isinstance(n, ast.Attribute) and n.attr == name]
    if not name or not nodes:
        return None
    written, base = ast.unparse(nodes[0]), ast.unparse(nodes[0].value)
    thing = getattr(error, "obj", None)
    if thing is None:
        thing = evaluate(nodes[0].value, writer.failure.frame)
    if type(thing) is int and name == "value" and re.search(r"\.(shape|get_shape\(\))", base):
        known = Successors((base,), "tf.compat.v1.Dimension")
        return _missed(index, "method", written, written, "tf", known, _replaced(writer, written, (base,)), writer)
    for kind in type(thing).__mro__:
        entry = METHODS.get((kind.__name__, name)) if library_of(kind.__module__) else None
        if entry is None:
            continue
        new, note = entry
        if new and isinstance(attribute(type(thing), new), Missing) and not _has_property(type(thing), new):
            continue
        called = new.startswith("__")
        successors = (f"iter({base})" if called else f"{base}.{new}",) if new else ()
        known = Successors(successors, "whydied's table of removed names", note.replace("{base}", base))
        change = "" if called or note else _replaced(writer, written, successors)
        full = f"{canonical(kind.__module__.partition('.')[0])}.{kind.__name__}.{name}"
        return _missed(index, "method", written, written, full, known, change, writer)
    return None


def _has_property(kind: type, name: str) -> bool:
    return any(name in type.__dict__["__dict__"].__get__(parent) for parent in kind.__mro__)


def _argument(index: int, message: str, writer: Writer) -> ApiMissed | None:
    found = api_arguments.look(message, writer.failure)
    if found is None:
        return None
    known = Successors(found.new, found.known_from, found.note)
    text = _text(writer)
    for old, new in found.changes:
        text = re.sub(old, lambda _, new=new: new, text, count=1)  # type: ignore[misc]
    change = text if text != _text(writer) else ""
    missed = _missed(index, "argument", found.old, found.old, found.library, known, change, writer)
    return msgspec.structs.replace(missed, callee=found.callee)


def _missed(
    index: int, kind: str, old: str, written: str, full: str, known: Successors, change: str, writer: Writer
) -> ApiMissed:
    root = full.split(".")[0]
    library = {short: name for name, short in api_names.ROOTS.items()}.get(root, root)
    if full.startswith("tf.keras") and api_names.version_of("keras"):
        library = "keras"
    first, last, text = live_source.statement(writer.file, writer.line)
    frame = Frame(
        file=writer.file,
        line=first,
        function=writer.failure.frame.f_code.co_name,
        user=not writer.package,
        source=redact.text(text[:500]),
        end_line=last,
    )
    return ApiMissed(
        link=index,
        kind=kind,
        old=old,
        written=written,
        library=library,
        version=api_names.version_of(library),
        new=list(known.new),
        known_from=known.known_from,
        note=known.note,
        change=redact.text(change[:500]),
        user_of=writer.package,
        frame=frame,
    )


def _text(writer: Writer) -> str:
    return live_source.statement(writer.file, writer.line)[2].strip().partition("  #")[0].rstrip()


def _replaced(writer: Writer, old: str, new: tuple[str, ...]) -> str:
    if new and _is_made_a_class(old, new[0]):
        return ""
    text = _text(writer)
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", lambda _: new[0], text) if new and old in text else ""


def _is_made_a_class(old: str, new: str) -> bool:
    """A function of the input became a class that is called with it later: another name alone does not do."""
    was, now = old.rpartition(".")[2], new.rpartition(".")[2]
    return ".layers." in new and was[:1].islower() and now[:1].isupper()


def _first(pattern: re.Pattern[str], message: str) -> str | None:
    match = pattern.search(message)
    return match[1] if match else None
