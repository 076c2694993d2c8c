"""At an uncaught exception: the value of the failing statement that it is about, and the statement that made it; runs
in the user's process.

Invariant: nothing of the user's is called; values are read by their types, and texts of the user's only where they are
short. A value whose maker is not plain has no record.
"""

from __future__ import annotations

import ast
import re
from types import TracebackType
from typing import Any, NamedTuple

import msgspec

from whydied import redact
from whydied.inside.errors import exception_chain, near_names, operands
from whydied.inside.errors.makers.activations import Activation, Program
from whydied.inside.errors.makers.ways import Follower, Passed, Way
from whydied.inside.errors.stack_steps import Step, frame_of, steps_of
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import MISSING, Missing, evaluate
from whydied.inside.guest.value_facts import describe, type_name
from whydied.inside.journal import Journal
from whydied.records import Frame, HeldPart, MakerStep, ValueMade
from whydied.source.calls import callee, own_names
from whydied.source.trees import walk, written

MOST_VALUES = 3
MOST_STEPS = 12
MOST_KEYS = 20
LONGEST_TEXT = 120
_LONGEST_VALUE = 60
_LIKE = 0.75
_ERRORS = (TypeError, AttributeError, ValueError, KeyError, IndexError)
_DESCRIPTORS = ("method_descriptor", "function", "wrapper_descriptor", "classmethod_descriptor")
_METHODS = ("builtin_function_or_method", "method", "function", "method-wrapper")
_KEPT = ("variable", "attribute")
_DECIDED = ("no-return", "gap", "constant", "method")
_IN_PLACE = frozenset(
    {
        *("append", "extend", "insert", "sort", "reverse", "clear", "update", "shuffle", "compile", "summary", "add"),
        *("fit_on_texts", "adapt"),
    }
)
_PATTERNS = frozenset({"match", "search", "fullmatch"})
_KIND = re.compile(
    r"'([\w.]+)' object|non-iterable ([\w.]+) object|(?:type|class) '([\w.]+)'|(NoneType)\.__|not '?([\w.]+)'?$"
)


class Subject(NamedTuple):
    """An expression that an exception is about; its value is missing where it was never kept."""

    node: ast.expr
    kind: str
    value: Any


@guarded("maker_facts.look")
def look(owner: Journal, error: BaseException, trace: TracebackType | None) -> None:
    """Write the makers of the values that the exceptions of a chain are about."""
    program = Program(owner.ownership)
    for index, (link, link_trace, _) in enumerate(exception_chain.links_of(error, trace)):
        steps = steps_of(link_trace, None, owner.ownership) if isinstance(link, _ERRORS) else []
        users = [step for step in steps if step.file is not None]
        if not users or users[-1].trace is None:
            continue
        by_user = steps[-1] is users[-1]
        found = makers(program, index, link, users, raised_by_user=by_user)
        for one in found or ([] if by_user else refused_inside(program, index, link, steps)):
            owner.write(one)


def makers(
    program: Program, index: int, error: BaseException, users: list[Step], *, raised_by_user: bool
) -> list[ValueMade]:
    """The makers of what one exception is about; `users` are the user's steps, outermost first."""
    last = users[-1]
    if last.trace is None or last.file is None:
        return []
    failure = operands.failing(last.trace, last.file)
    at = program.live(users)
    if failure is None or at is None:
        return []
    found = []
    text = exception_chain.text_of(error)[:2000]
    asked = subjects(failure.node, at, text, raised_by_user=raised_by_user)[:MOST_VALUES]
    for subject in asked:
        ways = Follower(program, subject.kind, subject.value).ways(subject.node, at)
        way, others = _way(ways)
        if isinstance(subject.value, Missing) and len(asked) > 1 and not _returns_nothing(way):
            # Which of several calls gave it is known only of one that can give nothing else.
            continue
        if way is not None:
            one = made(index, subject, way, others, program)
            found.append(msgspec.structs.replace(one, elsewhere=_elsewhere(ways, way)) if others else one)
    return found or _nothing_given(program, index, failure.node, at)


def _nothing_given(program: Program, index: int, node: ast.AST, at: Activation) -> list[ValueMade]:
    """What is None in a failing expression because a function of the program's returns nothing: whatever the exception
    says, nobody means to pass that on."""
    parts = [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute) and at.value(one) is None]
    for one in parts[:MOST_VALUES]:
        way, others = _way(Follower(program, "NoneType", None).ways(one, at))
        if way is not None and _returns_nothing(way):
            return [made(index, Subject(one, "NoneType", None), way, others, program)]
    return []


def refused_inside(program: Program, index: int, error: BaseException, steps: list[Step]) -> list[ValueMade]:
    """A text that says a number and that a library's own expression failed of, where the program writes it once."""
    last = steps[-1]
    failure = operands.failing(last.trace, last.code_file) if last.trace is not None else None
    if (
        failure is None
        or not isinstance(error, TypeError)
        or not _is_told("str", exception_chain.text_of(error)[:2000])
    ):
        return []
    for node in ast.walk(failure.node):
        value = evaluate(node, last.frame) if isinstance(node, ast.Name | ast.Attribute) else MISSING
        if not _is_number(value):
            continue
        written_at = [
            Passed("constant", "", one, module)
            for file in program.files
            if (module := program.module(file)) is not None
            for one in walk(module.scope, ast.Constant)
            if type(one.value) is str and one.value == value
        ]
        if len(written_at) == 1:
            found = made(index, Subject(node, "str", value), written_at, 0, program)  # type: ignore[arg-type]
            return [msgspec.structs.replace(found, inside=f"`{_text(node)}` of {last.function}")]
    return []


def subjects(node: ast.AST, at: Activation, text: str, *, raised_by_user: bool) -> list[Subject]:
    """The operands of a failing expression whose type the exception speaks of."""
    operated = isinstance(node, ast.BinOp | ast.Compare | ast.UnaryOp)
    candidates = _candidates(node) if raised_by_user or operated else _arguments(node)
    found = []
    for one in candidates:
        value = at.value(one)
        if isinstance(value, Missing) and _looked_up(one, at) is None:
            value = None
        if isinstance(value, Missing):
            told = _KIND.search(text)
            kind = next((part for part in told.groups() if part), "") if told else ""
            kind = kind or ("NoneType" if "'NoneType'" in text else "")
            several = kind == "NoneType" and isinstance(one, ast.Call)
            if (len(candidates) == 1 or several) and kind and not isinstance(one, ast.Constant):
                found.append(Subject(one, kind.rpartition(".")[2], MISSING))
            continue
        kind = type_name(type(value)).rpartition(".")[2]
        if isinstance(one, ast.Constant) or isinstance(value, type):
            continue
        if isinstance(one, ast.Attribute) and kind in _DESCRIPTORS:
            told = _KIND.search(text)
            kind, value = next((part for part in told.groups() if part), "") if told else "", MISSING
            found += [Subject(one, kind, value)] if kind in _METHODS else []
        elif _is_told(kind, text) or _is_number(value):
            found.append(Subject(one, kind, value))
    return found


def _is_told(kind: str, text: str) -> bool:
    if kind == "NoneType":
        return "None" in text
    return re.search(rf"(?:'|\.|type |not ){re.escape(kind)}\b", text) is not None


def _is_number(value: Any) -> bool:
    """Whether a text says a number, which a library may have refused in any words."""
    return type(value) is str and re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*", value, re.I) is not None


def _candidates(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript | ast.Attribute):
        return [node.value]
    if isinstance(node, ast.Call):
        return [*([node.func] if not isinstance(node.func, ast.Attribute) else [node.func.value]), *_arguments(node)]
    if isinstance(node, ast.BinOp):
        # The values of a text that is formatted with `%`.
        right = node.right.elts if isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Tuple) else [node.right]
        return [node.left, *right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.JoinedStr | ast.FormattedValue):
        return [one.value for one in walk(node, ast.FormattedValue)]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        return [node.iter]
    if isinstance(node, ast.AugAssign):
        return [node.value, *([node.target] if isinstance(node.target, ast.Name | ast.Attribute) else [])]
    if isinstance(node, ast.Assign):
        unpacks = any(isinstance(one, ast.Tuple | ast.List) for one in node.targets)
        stores = [one.value for one in node.targets if isinstance(one, ast.Subscript)]
        return [node.value] if unpacks else stores
    if isinstance(node, ast.expr):
        return [node]
    return []


def _arguments(node: ast.AST) -> list[ast.expr]:
    """What is passed to a call, items of lists and tuples included."""
    given = [*node.args, *(word.value for word in node.keywords)] if isinstance(node, ast.Call) else []
    return [
        part
        for one in given
        for part in (one, *(one.elts if isinstance(one, ast.List | ast.Tuple) else ()))
        if not isinstance(part, ast.Starred)
    ]


def _way(ways: list[Way]) -> tuple[Way | None, int]:
    """The way that made the value, and how many others there may be: the only one, or the only one of which it is known
    that it gives such a value."""
    known = list({(id(way[-1].node), way[-1].kind, way[-1].gap and way[-1].gap.line): way for way in ways}.values())
    if len(known) == 1:
        return (known[0] if known[0][-1].kind != "unknown" else None), 0
    decided = [way for way in known if way[-1].kind in _DECIDED or _gives_none(way[-1])]
    return (decided[0], len(known) - 1) if len(decided) == 1 else (None, 0)


def _returns_nothing(way: Way | None) -> bool:
    return way is not None and way[-1].kind == "no-return"


def _elsewhere(ways: list[Way], chosen: Way) -> list[MakerStep]:
    """The statements that give the same name or attribute something else."""
    found = [_step(way[-2]) for way in ways if way is not chosen and len(way) > 1 and way[-2].kind in _KEPT]
    return list({(one.frame.file, one.frame.line): one for one in found if one.frame is not None}.values())[:3]


def _gives_none(end: Passed) -> bool:
    """Whether a call is one that never gives anything, or that looks for something."""
    if not isinstance(end.node, ast.Call) or end.kind != "call":
        return False
    return callee(end.node) in _IN_PLACE | _PATTERNS or _is_lookup(end.node) or _is_inplace(end.node)


def _is_inplace(call: ast.Call) -> bool:
    return any(one.arg == "inplace" and getattr(one.value, "value", None) is True for one in call.keywords)


def _is_lookup(call: ast.Call) -> bool:
    return callee(call) == "get" and isinstance(call.func, ast.Attribute) and 1 <= len(call.args) <= 2


def _looked_up(node: ast.expr, at: Activation) -> Any:
    """What a plain dictionary gives for a key that is asked for with `get`."""
    if not isinstance(node, ast.Call) or not _is_lookup(node) or not isinstance(node.func, ast.Attribute):
        return MISSING
    holder, key = _holder(node.func.value, at), at.value(node.args[0])
    default = at.value(node.args[1]) if len(node.args) > 1 else None
    return dict.get(holder, key, default) if type(holder) is dict and type(key) in (str, int) else MISSING


def _holder(node: ast.expr, at: Activation) -> Any:
    """What a key is asked of: also of `(logs or {})`."""
    first = node.values[0] if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) else node
    found = at.value(first)
    return found if first is node or (type(found) is dict and found) else MISSING


def made(index: int, subject: Subject, way: Way, others: int, program: Program) -> ValueMade:
    end = way[-1]
    facts = describe(subject.value) if not isinstance(subject.value, Missing) else None
    found: dict[str, Any] = {}
    if end.kind in ("gap", "no-return"):
        function = end.at.function
        assert function is not None
        found["function"] = frame_of(end.at.file, function.lineno, function.name)
        found["line"] = end.gap.line if end.gap is not None else None
        found["conditions"] = [redact.text(one[:LONGEST_TEXT]) for one in end.gap.conditions[:4]] if end.gap else []
        found["given"] = _given(end, program) if end.gap is not None else []
    elif isinstance(end.node, ast.Call) and end.kind == "call" and subject.kind == "NoneType":
        found |= _looked_for(end.node, end.at, program)
    return ValueMade(
        link=index,
        text=_text(subject.node),
        type=subject.kind,
        value=shown(subject.value),
        length=facts.length if facts is not None else None,
        steps=[_step(one) for one in way][:MOST_STEPS],
        others=others,
        parts=items_of(subject.value),
        **found,
    )


def inside_of(one: ValueMade, words: str) -> ValueMade:
    """A value that a library had of the program's, by what the library calls it."""
    return msgspec.structs.replace(one, inside=redact.text(words))


def _step(one: Passed) -> MakerStep:
    at = one.at.caller if one.kind in ("gap", "no-return") and one.at.caller is not None else one.at
    line = getattr(one.node, "lineno", at.line)
    frame: Frame = frame_of(at.file, line, at.name)
    return MakerStep(kind=one.kind, name=redact.text(one.name), text=_text(one.node), frame=frame)


def _text(node: ast.AST) -> str:
    return redact.text(written(node)[:LONGEST_TEXT])


def shown(value: Any) -> str | None:
    if type(value) in (int, float, bool, type(None)):
        return repr(value)[:_LONGEST_VALUE]
    return redact.text(repr(value)) if type(value) is str and len(value) <= _LONGEST_VALUE else None


def _looked_for(call: ast.Call, at: Activation, program: Program) -> dict[str, Any]:
    """The key that a dictionary does not have, with those that it has; the text in which a pattern was not found."""
    if _is_lookup(call) and isinstance(call.func, ast.Attribute):
        holder, key = _holder(call.func.value, at), at.value(call.args[0])
        if (
            dict in type.__getattribute__(type(holder), "__mro__")
            and type(key) in (str, int)
            and not dict.__contains__(holder, key)
        ):
            keys = [one for one in list(dict.keys(holder))[:200] if type(one) in (str, int)]
            names = [one for one in keys if isinstance(one, str)]
            near = near_names.close(key, names, _LIKE) if isinstance(key, str) else ()
            # A loss is among every training's logs, and is what is asked for only by its name.
            tail = [one for one in names if isinstance(key, str) and _shares(one, key) and "loss" not in one]
            ordered = dict.fromkeys([*near, *tail, *keys])
            return {"wanted": redact.text(repr(key)), "keys": [redact.text(repr(one)) for one in ordered][:MOST_KEYS]}
    if callee(call) in _PATTERNS and call.args:
        looked = _text_of(call.args[-1], at, program)
        return {"looked_in": shown(looked)} if type(looked) is str else {}
    return {}


def _given(end: Passed, program: Program) -> list[str]:
    """The texts that the conditions of a function looked at, where the program wrote them out."""
    function, found = end.at.function, []
    tests = [one.test for one in walk(function, ast.If)] if function is not None and end.gap is not None else []
    for node in dict.fromkeys(one.id for test in tests for one in walk(test, ast.Name)):
        if function is None or node not in own_names(function):
            continue
        value = _text_of(ast.Name(node, ast.Load()), end.at._replace(line=function.body[0].lineno), program)
        found += [redact.text(f"{node} = {shown(value)}")] if type(value) is str and shown(value) else []
    return found[:3]


def _text_of(node: ast.expr, at: Activation, program: Program) -> Any:
    """A text, also of a run that is over where the program wrote it out."""
    value = at.value(node)
    if not isinstance(value, Missing):
        return value
    way, others = _way(Follower(program, "str", MISSING).ways(node, at))
    end = way[-1].node if way is not None and not others else None
    return end.value if isinstance(end, ast.Constant) else MISSING


def _shares(one: str, other: str) -> bool:
    """Whether two names have a word in common."""
    return bool(set(re.split(r"\W|_", one.lower())) & set(re.split(r"\W|_", other.lower())) - {""})


def items_of(value: Any) -> list[HeldPart]:
    if type(value) not in (tuple, list) or len(value) > 4:
        return []
    return [
        HeldPart(name=f"[{at}]", type=type_name(type(item)), length=describe(item).length, value=shown(item))
        for at, item in enumerate(value)
    ]
