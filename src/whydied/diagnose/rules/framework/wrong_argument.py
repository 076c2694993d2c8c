"""A function or class of a library was given an argument of a kind that it does not take.

## What it detects
A call into TensorFlow, Keras or NumPy that raised because of what one of its parameters was given: a float where a
whole number is expected, a number instead of a tuple, a list instead of an array, texts instead of numbers, arguments
in the order of an older version or without a name that they need.

## Why it happens
`/` gives a float in Python 3; a shape of one axis needs its comma; the order of arguments changed between versions.

## Evidence
What each parameter was given, read from the frames of the call, and what the documentation of the installed version
says of it.

## How it is proved
The kind that the documentation names is compared with the kind that was given, and the exception must speak of it: by
the parameter's name, its value or its type. Another order is offered only if every argument then is of the kind that
its parameter takes. Likely, because documentation is prose.

## Fix
The argument as the function takes it, in the names of the program.
"""

from __future__ import annotations

import ast
import itertools
import re
from typing import NamedTuple

import msgspec

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.advice import changes_of, either
from whydied.diagnose.errors.argument_kinds import Taken, converted, fit, gives_float, kind_of, taken
from whydied.diagnose.errors.calls.other_parameters import by_name, by_other_names
from whydied.diagnose.errors.calls.refused_values import refusal
from whydied.diagnose.errors.usage import call_of, place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import ApiCalled, Argument, Frame, RaisedException, ValueSource
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.edits.argument_edits import drop_argument, reorder
from whydied.source.edits.call_edits import only_call, replace_expression, replace_in_call, set_argument
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.import_edits import module_names
from whydied.source.origins.value_makers import option_behind
from whydied.source.results import is_taken_apart, returned_part
from whydied.source.trees import across, nodes_at, scope_at, tree_of, walk, within, written
from whydied.texts import layers, python_errors
from whydied.texts.entry import any_of

ROLE = "explanation"
YIELDS_TO = ("api-removed", "argument-renamed", "signature-mismatch", "padding-mismatch", "result-refused",
             "dtype-mismatch")  # fmt: skip
MOST_ORDERED = 4
_FLOAT = any_of(python_errors.FLOAT_FOR_INTEGER, python_errors.FLOAT_INDEX)
_NO_NUMBER = any_of(python_errors.NO_INTEGER, python_errors.NO_FLOAT)
_OF_LIBRARIES = ("tensorflow.", "keras.", "tf_keras.", "numpy.")
_ABOUT_KINDS = re.compile(r"\btypes?\b|\bconvert|\binterpret")
_ARRAYS = ("numpy.", "ndarray", "Series", "DataFrame")
_BUILTIN = ("list", "tuple", "dict", "str", "int", "float", "set")
_ARTICLES = {"int": "an integer", "float": "a float", "str": "a string", "list": "a list", "tuple": "a tuple",
             "dict": "a dictionary", "tensor": "a tensor", "bool": "a boolean", "NoneType": "None",
             "generator": "a generator"}  # fmt: skip


class _Wrong(NamedTuple):
    argument: Argument
    takes: Taken
    level: int


def check(case: Case) -> Finding | None:
    link, called = root_link(case), call_of(case)
    if link is None or link.type not in ("TypeError", "ValueError", "InvalidArgumentError", "AttributeError"):
        return None
    text = text_of(link)
    if layers.CLASS_WEIGHT_OF_ONE_OUTPUT.pattern.search(text):
        # Of whatever kind it is, such a model does not take it.
        return None
    without = python_errors.VALUE_WITHOUT_ATTRIBUTE.pattern.match(text) if link.type == "AttributeError" else None
    if link.type == "AttributeError" and (without is None or not _is_argument(link, without[1])):
        return None
    if called is None:
        return _divided(case, link) if _FLOAT.search(text) else None
    given = [one for one in called.arguments if one.is_class and one.type.rpartition(".")[2] in text]
    if len(given) == 1:
        return _class_given(case, called, given[0], said(link))
    special = (
        _by_position(case, called, link, text)
        or _of_texts(case, called, link, text)
        or _of_none(case, called, text, link)
    )
    if special is not None:
        return special
    ordered = _in_order(called)
    if ordered is not None:
        words, culprit, order = ordered
        advice = [f"Write `{called.callee}({', '.join(order)}{_keywords(called)})`."]
        changes = _reordered(case, called, order)
        return _finding(case, called, words, culprit, advice, called.frame, evidence=said(link), changes=changes)
    wrong = _wrong(called, text)
    refused = [one for one in wrong if one.level == 0]
    spoken = [one for one in wrong if _speaks_of(text, one.argument)]
    if not spoken and len(refused) == 1 and _ABOUT_KINDS.search(text):
        spoken = refused
    if spoken and not _is_known_better(case, spoken):
        return _of_one(case, called, min(spoken, key=lambda one: one.level), said(link))
    return _counted(case, called, said(link)) if _FLOAT.search(text) else None


def _is_argument(link: RaisedException, kind: str) -> bool:
    """Whether a library may have asked what it was given for an attribute: a plain container, or, where the asking line
    is the library's own, an array or a table."""
    return kind in _BUILTIN or (kind.startswith(_ARRAYS) and bool(link.frames) and not link.frames[-1].user)


def _class_given(case: Case, called: ApiCalled, one: Argument, evidence: Evidence) -> Finding:
    words = f"`{called.callee}` was given the class `{one.text}` as `{one.parameter}` and not an object of it"
    culprit = Culprit(kind="argument", name=one.text)
    advice = [f"Write `{one.text}()` instead of `{one.text}`."]
    changes = _replaced(case, called.frame, one.text, f"{one.text}()", called)
    return _finding(
        case, called, words, culprit, advice, called.frame, evidence=evidence, argument=one, changes=changes
    )


def _replaced(case: Case, frame: Frame | None, old: str, new: str, called: ApiCalled | None = None) -> list[Change]:
    """An expression written anew: as an argument of the call, else where a statement has it once. An array needs the
    program's NumPy."""
    if frame is None or frame.file not in case.sources:
        return []
    source = case.sources[frame.file]
    if new.startswith("np.") and "np" not in module_names(source):
        return []
    name = called.callee.rpartition(".")[2] if called is not None else ""
    edit = replace_in_call(case.sources, frame.file, frame.line, [name], old, new) if called is not None else None
    edit = edit or replace_expression(source, frame.file, frame.line, old, new)
    return [Change(title=f"Write `{new}` instead of `{old}`", kind="expression", edits=[edit])] if edit else []


def _by_position(case: Case, called: ApiCalled, link: RaisedException, text: str) -> Finding | None:
    """An argument that is taken by its name only, or has another place than it once had."""
    told = layers.KEYWORD_ONLY.pattern.search(text)
    given = [one for one in called.arguments if one.position is not None]
    if told is None or not given:
        return None
    name, one = told["name"], given[0]
    words = f"`{called.callee}` was given {one.text} by position, but takes `{name}` by its name only"
    culprit = Culprit(kind="argument", name=one.text)
    ways = by_other_names(case, called)
    advice = [f"Write `{name}={one.text}`."] if not ways else either("argument", ways).sentences
    changes = changes_of("argument", ways) or [
        msgspec.structs.replace(change, edits=by_name(case.sources[change.edits[0].file], change.edits[0], name))
        for change in _replaced(case, called.frame, one.text, f"{name}={one.text}", called)
    ]
    evidence = said(link)
    return _finding(
        case, called, words, culprit, advice, called.frame, evidence=evidence, argument=one, changes=changes
    )


def _of_texts(case: Case, called: ApiCalled, link: RaisedException, text: str) -> Finding | None:
    """An array of texts where numbers are counted or computed with."""
    told = _NO_NUMBER.search(text)
    given = [one for one in called.arguments if (one.dtype or "").startswith("str")]
    if told is None or len(given) != 1:
        return None
    one = given[0]
    words = (
        f"`{called.callee}` was given `{one.text}`, an array of texts such as {told[1] or told[2]}; expected numbers"
    )
    made = next((source.frame for source in one.sources if source.frame is not None), None)
    words += f" (`{one.text}` is made on {line_words(made)})" if made is not None else ""
    advice = [
        f"Number the texts first: `names, numbers = np.unique({one.text}, return_inverse=True)`, and pass `numbers`."
    ]
    culprit = Culprit(kind="argument", name=one.text, shape=[*one.shape] if one.shape else None, dtype=one.dtype)
    return _finding(case, called, words, culprit, advice, called.frame, evidence=said(link), argument=one)


def _of_none(case: Case, called: ApiCalled, text: str, link: RaisedException) -> Finding | None:
    """None that a function which looks for something gave, where the exception speaks of it. What the program writes
    with the same kind of object is shown beside it."""
    given = [one for one in called.arguments if one.type == "NoneType" and re.search(rf"\b{one.parameter}\b", text)]
    made = given[0].sources[0] if len(given) == 1 and given[0].sources else None
    frame = called.frame
    if "None" not in text or made is None or made.frame is None or frame is None or not made.text.endswith(")"):
        return None
    one = given[0]
    words = f"`{one.text}` is None: `{made.text}` found nothing; `{called.callee}` on {line_words(frame)} needs it"
    advice = [f"Look for it where it is: print what `{made.text.partition('(')[2][:-1]}` is and what is in there."]
    if "checkpoint" in made.text:
        saves = [
            (file, call)
            for file, call in across(case.project, ast.Call)
            if callee(call) == "save" and len(call.args) == 2
        ]
        if len(saves) == 1:
            file, call = saves[0]
            at = Frame(file=file, line=call.lineno, function="", user=True)
            words += f"; {line_words(at)} writes to `{written(call.args[1])}`"
            advice = [
                f"Pass the directory that is written to, that of `{written(call.args[1])}` ({line_words(at)}), instead "
                f"of `{made.text.partition('(')[2][:-1]}`."
            ]
    culprit = Culprit(kind="argument", name=one.text, value="None")
    return _finding(case, called, words, culprit, advice, made.frame, evidence=said(link), argument=one)


def _divided(case: Case, link: RaisedException) -> Finding | None:
    """A float where Python wants an integer: the only argument or index of the failing statement that is divided."""
    place = place_of(case)
    if place is None:
        return None
    floats = {one.text for one in link.operands if one.type == "float"}
    scope = scope_at(tree_of(case.sources, place.file), place.line)
    found: list[tuple[str, ast.expr, int]] = []
    for node in nodes_at(case.sources, place):
        given = node.args if isinstance(node, ast.Call) else [node.slice] if isinstance(node, ast.Subscript) else []
        for one in (part for whole in given for part in (whole.elts if isinstance(whole, ast.Tuple) else [whole])):
            made = last_assignment(one.id, scope, place.line) if isinstance(one, ast.Name) else None
            value = getattr(made, "value", None) if made is not None and written(one) in floats else one
            if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
                found.append((written(one), value, value.lineno))
    if len(found) != 1:
        return None
    name, value, line = found[0]
    assert isinstance(value, ast.BinOp)
    where = case.locate(Frame(file=place.file, line=line, function=place.function or "", user=True))
    text, right = written(value), f"{written(value.left)} // {written(value.right)}"
    return Finding(
        message=f"{prefix(where)}`{text}` is a float, and {line_words(place)} needs an integer there",
        certainty="likely",
        location=where,
        culprit=Culprit(kind="argument", name=name),
        evidence=[said(link)],
        advice=[f"Write `{right}` instead of `{text}`."],
        changes=_replaced(case, Frame(file=place.file, line=line, function=""), text, right),
    )


def _wrong(called: ApiCalled, text: str) -> list[_Wrong]:
    found = []
    for argument in called.arguments:
        takes = taken(argument)
        if takes is None and argument.parameter.endswith("shape") and called.function.startswith("keras."):
            # What a layer passes on to its parents has no documentation of its own.
            takes = Taken(frozenset({"tuple", "list"}))
        level = fit(argument, takes)
        if level is None and takes is not None and takes.by_default and argument.type.startswith(_OF_LIBRARIES):
            level = 0
        if takes is not None and level == 2 and _is_refused(text, argument, takes):
            level = 1
        if takes is not None and level is not None and level < 2:
            found.append(_Wrong(argument, takes, level))
    return found


def _is_known_better(case: Case, spoken: list[_Wrong]) -> bool:
    """Whether the library's own condition says what would have been taken, which documentation only describes."""
    refused = refusal(case)
    names = {one.argument.parameter for one in spoken}
    return refused is not None and any(
        one.parameter in names and (one.near or one.offers or one.namesake) for one in refused.demands
    )


def _is_refused(text: str, argument: Argument, takes: Taken) -> bool:
    """Whether the exception says that an integer is not taken for a float, which most functions do."""
    only_floats = kind_of(argument) == "int" and "float" in takes.kinds and "int" not in takes.kinds
    return only_floats and bool(re.search(rf"`{re.escape(argument.parameter)}` (?:should|must) be (?:a )?float", text))


def _speaks_of(text: str, argument: Argument) -> bool:
    """Whether the exception names the parameter, its type or its value."""
    kind = argument.type.rpartition(".")[2]
    value, name = argument.value, re.escape(argument.parameter)
    return bool(
        re.search(rf"[`'\"]{name}[`'\"]|\b{name}=|^{name} must\b", text)
        or re.search(rf"['\".]{re.escape(kind)}['\"]|\btype {re.escape(kind)}\b", text)
        or (value is not None and len(value) > 1 and re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", text))
    )


def _reordered(case: Case, called: ApiCalled, order: list[str]) -> list[Change]:
    frame = called.frame
    call = only_call(case.sources, frame.file, frame.line, called.callee.rpartition(".")[2]) if frame else None
    edits = reorder(case.sources[frame.file], frame.file, call, order) if frame and call else None
    return [Change(title=f"Pass ({', '.join(order)})", kind="argument", edits=edits)] if edits else []


def _in_order(called: ApiCalled) -> tuple[str, Culprit, list[str]] | None:
    """Another order of the positional arguments in which each is of the kind that its parameter takes."""
    given = [one for one in called.arguments if one.position is not None]
    parameters = [taken(one) for one in given]
    if not 2 <= len(given) <= MOST_ORDERED or None in parameters:
        return None
    now = [fit(*pair) for pair in zip(given, parameters, strict=True)]
    if 0 not in now:
        return None
    for order in itertools.permutations(given):
        if all(kind_of(one) == kind_of(other) for one, other in zip(order, given, strict=True)):
            continue
        levels = [fit(*pair) for pair in zip(order, parameters, strict=True)]
        if all(level == 2 for level in levels):
            names = [one.parameter for one in given]
            words = f"`{called.callee}` takes ({', '.join(names)}), and got them in another order"
            first = next(one for one, level in zip(given, now, strict=True) if level == 0)
            culprit = Culprit(kind="argument", name=first.text, value=first.value, shape=first.shape)
            return words, culprit, [one.text for one in order]
    return None


def _keywords(called: ApiCalled) -> str:
    return "".join(f", {one.parameter}={one.text}" for one in called.arguments if one.position is None)


def _of_one(case: Case, called: ApiCalled, one: _Wrong, evidence: Evidence) -> Finding:
    argument = one.argument
    kind = kind_of(argument) or argument.type.rpartition(".")[2]
    what = "an array" if argument.type == "numpy.ndarray" else _ARTICLES.get(kind, kind)
    shown = f"{argument.value}, {what}" if argument.value is not None else what
    takes = "a float" if kind == "int" and "float" in one.takes.kinds else one.takes.words
    words = (
        f"`{called.callee}` was given `{argument.parameter}={argument.text}` ({shown}), but `{argument.parameter}` "
        f"takes {takes}"
    )
    made = _maker(argument) or _returned(case, argument)
    text = made.text if made is not None else argument.text
    right = converted(text, kind, one.takes, argument)
    if kind == "str" and right and (declared := _declared(case, called, argument)) is not None:
        return _of_option(case, called, one, evidence, words, *declared)
    at = made.frame if made is not None else None
    if made is not None and (not right or (at and is_taken_apart(case.sources.get(at.file), at.line, made.text))):
        made, text = None, argument.text
        right = converted(text, kind, one.takes, argument)
    frame, advice = called.frame, []
    changes: list[Change] = []
    if right and made is not None and made.frame is not None:
        words += f"; its value is made on {line_words(made.frame)}: `{made.text}`"
        advice = [f"Write `{right}` instead of `{text}` on {line_words(made.frame)}."]
        frame = made.frame
        changes = _replaced(case, frame, text, right)
    elif right:
        advice = [f"Write `{right}` instead of `{text}`.", *_of_yaml(case, argument)]
        changes = _replaced(case, frame, text, right, called)
    elif argument.position is not None and (ways := by_other_names(case, called)):
        advice, changes, _ = either("argument", ways)
    elif argument.position is not None and argument.default not in (None, "None"):
        advice = [f"Leave `{argument.text}` out: by position it is `{argument.parameter}` of `{called.callee}`."]
        changes = _left_out(case, called, argument)
    culprit = Culprit(
        kind="argument", name=argument.text, value=argument.value, shape=argument.shape, dtype=argument.dtype
    )
    return _finding(case, called, words, culprit, advice, frame, evidence=evidence, argument=argument, changes=changes)


def _of_yaml(case: Case, argument: Argument) -> list[str]:
    """YAML reads a number without a point as text where it has an exponent."""
    value = (argument.value or "").strip("'\"")
    if not re.fullmatch(r"[+-]?\d+[eE][+-]?\d+", value) or not any(
        "yaml" in module_names(source) for source in case.project.values()
    ):
        return []
    return [f"Or write the number with a point in the YAML file: {re.sub('[eE]', '.0e', value)}."]


def _declared(case: Case, called: ApiCalled, argument: Argument) -> tuple[str, ast.Call] | None:
    """The option of the command line that a text comes from."""
    try:
        node = ast.parse(argument.text, mode="eval").body
    except SyntaxError:
        return None
    if called.frame is None or called.frame.file not in case.project:
        return None
    for part in walk(node, (ast.expr,)):
        part.lineno = called.frame.line
    return option_behind(case.project, called.frame.file, node)


def _of_option(
    case: Case, called: ApiCalled, one: _Wrong, evidence: Evidence, words: str, file: str, option: ast.Call
) -> Finding:
    """The declaration of the option as the place: without a type it is a text."""
    kind = "int" if "int" in one.takes.kinds else "float"
    frame = Frame(file=file, line=option.lineno, function="", user=True)
    name = written(option.args[0]) if option.args else "the option"
    edit = set_argument(case.project[file], file, option, "type", None, kind)
    declared = next((written(word.value) for word in option.keywords if word.arg == "type"), "")
    how = f"type={declared}" if declared else "no type, so it is a string"
    at = f" on {line_words(called.frame)}" if called.frame is not None else ""
    words = f"the option {name} is declared with {how}; {words.replace(' was given', f'{at} was given', 1)}"
    culprit = Culprit(kind="argument", name=one.argument.text, value=one.argument.value)
    changes = [Change(title=f"Declare it with `type={kind}`", kind="argument", edits=[edit])] if edit else []
    return _finding(
        case,
        called,
        words,
        culprit,
        [f"Write `type={kind}` in the `add_argument` of {name}."],
        frame,
        evidence=evidence,
        argument=one.argument,
        changes=changes,
    )


def _counted(case: Case, called: ApiCalled, evidence: Evidence) -> Finding | None:
    """An object of the program's own that was asked for its length and gave a float."""
    for argument in called.arguments:
        kind = argument.type.rpartition(".")[2]
        owners = [(file, one) for file, one in across(case.project, ast.ClassDef) if one.name == kind]
        lengths = [
            (file, node.value)
            for file, owner in owners
            for method in owner.body
            if isinstance(method, ast.FunctionDef) and method.name == "__len__"
            for node in within(method)
            if isinstance(node, ast.Return) and node.value is not None
        ]
        if len(lengths) != 1 or not gives_float(lengths[0][1]):
            continue
        file, value = lengths[0]
        text = written(value)
        frame = Frame(file=file, line=value.lineno, function="__len__", user=True)
        at = f" on {line_words(called.frame)}" if called.frame is not None else ""
        words = (
            f"`__len__` of {kind} returns a float, `{text}`; `{called.callee}`{at} needs the number of batches as an "
            "integer"
        )
        edit = over(case.project[file], file, value, f"int({written_in(case.project[file], value)})")
        changes = [Change(title="Return an integer", kind="expression", edits=[edit])]
        culprit = Culprit(kind="method", name=f"{kind}.__len__")
        advice = [f"Write `return int({text})`."]
        return _finding(case, called, words, culprit, advice, frame, evidence=evidence, changes=changes)
    return None


def _left_out(case: Case, called: ApiCalled, argument: Argument) -> list[Change]:
    frame = called.frame
    call = only_call(case.sources, frame.file, frame.line, called.callee.rpartition(".")[2]) if frame else None
    found = [one for one in call.args if ast.unparse(one) == argument.text] if call else []
    if frame is None or call is None or len(found) != 1 or call.args[-1] is not found[0]:
        return []
    edit = drop_argument(case.sources[frame.file], frame.file, call, found[0])
    return [Change(title=f"Leave `{argument.text}` out", kind="argument", edits=[edit])]


def _maker(argument: Argument) -> ValueSource | None:
    """The expression that the value was computed by, where the call only passes it on. Of a part of something, such
    as `data[1]`, the sources are those of the whole."""
    for source in argument.sources if re.fullmatch(r"[\w.]+", argument.text) else []:
        if source.text and not re.fullmatch(r"[\w.]+", source.text):
            return source if source.frame is not None else None
    return None


def _returned(case: Case, argument: Argument) -> ValueSource | None:
    """The expression that a function of the program returns, where the argument is a part of its result."""
    part = re.fullmatch(r"(?P<whole>[\w.]+)\[(?P<part>-?\d+)\]", argument.text)
    source = argument.sources[0] if argument.sources else None
    if part is None or source is None or source.name != part["whole"]:
        return None
    found = returned_part(case.sources, source.text, int(part["part"]))
    if found is None:
        return None
    frame = Frame(file=found.file, line=found.line, function=found.function, user=True)
    return ValueSource(kind="variable", name=found.text, text=found.text, frame=frame)


def _finding(
    case: Case,
    called: ApiCalled,
    words: str,
    culprit: Culprit,
    advice: list[str],
    frame: Frame | None,
    *,
    evidence: Evidence,
    argument: Argument | None = None,
    changes: list[Change] | None = None,
) -> Finding:
    place = case.locate(frame) if frame is not None else None
    says = [one for one in called.arguments if one is argument or (argument is None and one.position is not None)]
    documented = [
        Evidence(fact=f"`{one.parameter}` in the installed documentation", value=one.says[:160], source="ApiCalled")
        for one in says
        if one.says
    ]
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="likely",
        location=place,
        culprit=culprit,
        evidence=[evidence, *documented[:3]],
        advice=advice,
        changes=changes or [],
    )
