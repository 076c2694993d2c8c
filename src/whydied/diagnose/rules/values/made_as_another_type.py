"""A line made a value of another type than the one that is meant, and a later line failed of it.

## What it detects
A `TypeError`, `AttributeError` or `ValueError` about a method, a text or a tuple, where the way back from the failing
line ends in a line that plainly made the wrong thing: a method that is kept and not called (`parts = line.split`), a
number that is written as a text (`"0.98"`), a pair of which an item was to be kept (`os.path.splitext(name)`), a comma
at the end of an assignment.

## Why it happens
Parentheses, an index or a pair of quotes is one too few or too many. Python takes it where it is made, and something
else fails: another function, another file, an optimizer in its first step.

## Evidence
The type of the value at the failing line, and the way that it came, followed while the program was alive. What a
library refused deep inside is tied to its line by its value, where the program writes that text only once.

## How it is proved
The value was seen, and the only way that it can have come ends in that line: certain for a method that is not called
and for a text that says a number where a number is computed with. Which item of a pair was meant is an inference:
likely. What a library takes is told by its documentation: likely.

## Fix
The call, the number without its quotes, the item.

## Known problems
A text that was read from a file has no line in the program.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.data.makers import expression_of, maker_place, makers_of, number_in, way_evidence
from whydied.diagnose.errors.argument_kinds import taken
from whydied.diagnose.errors.calls.tried_forms import tried_of
from whydied.diagnose.errors.usage import call_of, said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import HeldPart, ValueMade
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.programs.layer_calls import called_later
from whydied.texts import python_errors

ROLE = "explanation"
_METHODS = ("builtin_function_or_method", "method", "function", "method-wrapper")
_NUMBERS = ("int", "float", "ndarray", "EagerTensor", "SymbolicTensor", "KerasTensor", "Tensor", "Variable")
_TYPES = {"str": str, "list": list, "dict": dict, "tuple": tuple, "int": int, "float": float}


def check(case: Case) -> Finding | None:
    found = failing(case, "TypeError", "AttributeError", "ValueError")
    for made in makers_of(found) if found is not None else ():
        if found is None or not made.steps:
            continue
        finding = _method(found, made) or _called_at_once(found, made) or _text(found, made) or _collection(found, made)
        if finding is not None:
            return finding
    return None


def _finding(
    found: Failing, made: ValueMade, words: str, advice: str, node: ast.expr, right: str, *, certain: bool
) -> Finding:
    where = maker_place(found, made)
    changes = []
    if found.is_editable(where.file):
        edit = over(found.sources[where.file], where.file, node, right)
        changes = [Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
    return Finding(
        message=f"{prefix(where)}{words}",
        certainty="certain" if certain and not made.others else "likely",
        location=where,
        culprit=Culprit(kind="expression", name=made.steps[-1].text),
        evidence=[said(found.link), *way_evidence(found, made)],
        advice=[advice],
        changes=changes,
    )


def _used(found: Failing, made: ValueMade) -> str:
    where = maker_place(found, made)
    same = (where.file, where.line) == (found.place.file, found.place.line)
    return f"`{made.text}`" if same else f"`{made.text}` on {line_words(found.place)}"


def _method(found: Failing, made: ValueMade) -> Finding | None:
    """A method that is kept and not called."""
    node = expression_of(found, made.steps[-1])
    if made.steps[-1].kind != "method" or made.type not in _METHODS or node is None:
        return None
    text = written_in(found.sources[maker_place(found, made).file], node)
    words = f"`{text}` is not called, so {_used(found, made)} is the method itself"
    return _finding(found, made, words, f"Write `{text}()`.", node, f"{text}()", certain=True)


def _called_at_once(found: Failing, made: ValueMade) -> Finding | None:
    """A layer or model that is made and called in one expression, and whose result is then taken for it."""
    node = expression_of(found, made.steps[-1])
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Call) or found.link.type != "AttributeError":
        return None
    where, maker = maker_place(found, made), callee(node.func) or ""
    if not maker[:1].isupper() or not made.type.endswith("Tensor") or not found.is_editable(where.file):
        return None
    source = found.sources[where.file]
    given = ", ".join(written_in(source, one) for one in node.args)
    name = made.text if made.text.isidentifier() else "layer"
    gives = f"its output, a {made.type.rpartition('.')[2]}, and not the {maker} itself"
    return Finding(
        message=f"{prefix(where)}`{maker}(…)` is called on `{given}` in the same expression, so {_used(found, made)} "
        f"is {gives}",
        certainty="certain" if not made.others else "likely",
        location=where,
        culprit=Culprit(kind="expression", name=made.text),
        evidence=[said(found.link), *way_evidence(found, made)],
        advice=[f"Keep it under a name, `{name} = {maker}(…)`, and call that: `outputs = {name}({given})`."],
        changes=[
            Change(title=f"Keep the {maker} as `{name}`, and its output as `{output}`", kind="statement", edits=edits)
            for output, edits in called_later(source, where.file, node)
        ],
    )


def _text(found: Failing, made: ValueMade) -> Finding | None:
    """A number in quotes, where it is computed with."""
    number = number_in(made)
    node = expression_of(found, made.steps[-1])
    if number is None or made.steps[-1].kind != "constant" or node is None:
        return None
    others = [one for one in found.link.operands if one.text != made.text]
    computed = any(one.type.rpartition(".")[2] in _NUMBERS for one in others)
    use = f"{made.inside} needs a number" if made.inside else _taken_as_number(found, made) or _tried(found, made)
    documented = bool(use)
    if not use and computed and found.link.type == "TypeError" and found.operand(made.text) is not None:
        use = f"{_used(found, made)} is computed with as a number"
    if not use:
        return None
    words = f"`{made.value}` is a text, and {use}"
    advice = f"Write `{number}` without the quotes."
    return _finding(found, made, words, advice, node, number, certain=not documented)


def _taken_as_number(found: Failing, made: ValueMade) -> str:
    """What the documentation of a call says of the parameter that the text was passed for."""
    called = call_of(found.case)
    given = next((one for one in called.arguments if one.text == made.text), None) if called is not None else None
    takes = taken(given) if given is not None else None
    if called is None or given is None or takes is None or "str" in takes.kinds or not takes.kinds & {"int", "float"}:
        return ""
    return f"`{called.callee}` on {line_words(found.place)} takes a number as `{given.parameter}`"


def _tried(found: Failing, made: ValueMade) -> str:
    """That the failing expression takes the number, where that was tried."""
    tried = tried_of(found.case, found.link)
    numbers = (f"int({made.text})", f"float({made.text})")
    if tried is None or not tried.taken or tried.taken[0].now not in numbers:
        return ""
    return f"`{tried.expression}` on {line_words(found.place)} takes a number"


def _collection(found: Failing, made: ValueMade) -> Finding | None:
    """A tuple or list of which one item was meant."""
    end = made.steps[-1]
    node = expression_of(found, end)
    wanted = [one for one in made.parts if _is_wanted(one, found.link.message)]
    if made.type not in ("tuple", "list") or not wanted or node is None:
        return None
    source = found.sources[maker_place(found, made).file]
    text = written_in(source, node)
    if isinstance(node, ast.Tuple) and len(node.elts) == 1:
        inner = written_in(source, node.elts[0])
        words = f"the comma behind `{inner}` makes a tuple, and {_used(found, made)} is used as its item"
        return _finding(found, made, words, f"Write `{inner}` without the comma.", node, inner, certain=True)
    if end.kind != "call" or len(made.steps) < 2:
        return None
    items = [f"`{text}{one.name}`" + (f" (`{one.value}`)" if one.value else "") for one in wanted]
    kind = wanted[0].type.rpartition(".")[2]
    words = f"`{text}` gives a {made.type} of {len(made.parts)}, and {_used(found, made)} is used as a {kind}"
    advice = f"Keep the item that is meant: {' or '.join(items)}."
    return _finding(found, made, words, advice, node, f"{text}{wanted[0].name}", certain=False)


def _is_wanted(part: HeldPart, message: str) -> bool:
    """Whether an item is what the failing line took the collection for."""
    kind = _TYPES.get(part.type)
    missing = python_errors.OBJECT_WITHOUT_ATTRIBUTE.pattern.match(message)
    if missing is not None:
        return kind is not None and hasattr(kind, missing[2])
    return (
        kind is not None
        and re.search(rf"not \"{part.type}\"|expected {part.type}\b|be {part.type}, not", message) is not None
    )
