"""A call and the function that it calls do not agree about the arguments.

## What it detects
A `TypeError` of Python's own, raised before the first line of a function ran: an argument that it does not take, one
too many, one missing; or the same refused by Keras. The function may be the program's own and called by a library (a
metric's `update_state`, a callback's `on_epoch_end`, a loss, a function given to `Dataset.map`), or the library's and
called by the program.

## Why it happens
A method that Keras calls has the parameters of another version or of an example that needed fewer; `self` is passed by
hand or left out; an argument has another name.

## Evidence
The exception; the `def` of the program's function; the method of the installed library that it stands for, found
through the bases of its class, with its parameters; for a function of the library what its signature takes.

## How it is proved
Python states which argument was refused, and the function is found by its name among those that lived: certain.

## Fix
The `def` or the call, written anew. A missing argument is passed where a name in scope is just that; a constructor that
does not take what its parent takes gets `**kwargs`.

## Known problems
Where a function of the program is called by the program, either side may be wrong: both lines are given.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors import class_changes, signature_changes
from whydied.diagnose.errors.calls import missing_arguments
from whydied.diagnose.errors.usage import call_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import ApiCalled, Frame, RaisedException
from whydied.source.calls import parameters
from whydied.source.edits.edit import Change
from whydied.source.trees import across, dotted_name, last_name, within
from whydied.texts import layers, python_errors, removed_names
from whydied.texts.entry import any_of

ROLE = "explanation"
YIELDS_TO = ("api-removed", "argument-renamed", "custom-object-missing", "load-failed", "layer-misuse")
_UNEXPECTED = python_errors.UNEXPECTED_ARGUMENT.pattern
_MISSING = python_errors.MISSING_ARGUMENTS.pattern
_NUMBER = python_errors.TAKES_OTHER_NUMBER.pattern
_UNBOUND = python_errors.NOT_BOUND.pattern
_SEVERAL = python_errors.SEVERAL_VALUES.pattern
_UNRECOGNISED = any_of(removed_names.UNRECOGNISED_ARGUMENTS, removed_names.NOT_RECOGNISED)
_LIBRARIES = {"keras": "Keras", "tf_keras": "Keras", "tensorflow": "TensorFlow", "numpy": "NumPy"}
_OF_LAYERS = ("training", "mask")
_OF_ELEMENTS = ("map", "filter", "flat_map", "interleave")
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class _Refusal:
    """What Python said: the names that it refused or missed, the numbers that it took and was given."""

    def __init__(self, text: str, call: ApiCalled) -> None:
        unexpected, several = _UNEXPECTED.search(text), _SEVERAL.search(text)
        missing, number = _MISSING.search(text), _NUMBER.search(text)
        self.unexpected = unexpected[1] if unexpected else None
        if _UNRECOGNISED.search(text):
            # Keras gathers what it does not know and refuses it itself.
            unknown = (one.parameter for one in call.arguments if one.parameter not in call.accepted)
            self.unexpected = next((one for one in unknown if f"'{one}'" in text), None)
        self.several = several["name"] if several else None
        bound = _UNBOUND.search(text)
        self.missing = re.findall(r"'(\w+)'", missing["names"]) if missing else [bound["unbound"]] if bound else []
        if removed_names.REQUIRED_MISSING.pattern.search(text):
            # TensorFlow does not say which.
            given = {one.parameter for one in call.arguments}
            self.missing = [one for one in call.required if one not in given]
        self.takes = int(number["takes"]) if number else None
        self.given = int(number["given"]) if number else None
        if python_errors.TOO_MANY_BOUND.pattern.search(text):
            # Keras binds the arguments of a layer itself, and Python's `inspect` counts nothing.
            self.takes = len(call.parameters)
            self.given = sum(one.position is not None for one in call.arguments)

    def __bool__(self) -> bool:
        return bool(self.unexpected or self.several or self.missing or self.given is not None)


def check(case: Case) -> Finding | None:
    link, call = root_link(case), call_of(case)
    if link is None or call is None or link.type not in ("TypeError", "ValueError"):
        return None
    if _is_shifted(call):
        return _of_class(case, link, call)
    refusal = _Refusal(text_of(link), call)
    if not refusal and not call.misspelt:
        return None
    if call.misspelt:
        words = (
            f"{call.callee} has no `__init__`: it is written `{call.misspelt}`, so the parent's gets the arguments of "
        )
        words += f"`{call.call}`"
        changes = class_changes.rename_method(case, call.callee.rpartition(".")[2], call.misspelt, "__init__")
        advice = [f"Rename `{call.misspelt}` to `__init__`."]
        return _finding(case, link, call, words, call.misspelt, advice, changes=changes)
    if call.defined is None:
        return _of_library(case, link, call, refusal)
    closed = _closed_constructor(case, link, call, refusal)
    if closed is not None:
        return closed
    if call.caller:
        return _called_by_library(case, link, call, refusal)
    return _called_by_program(case, link, call, refusal)


def _closed_constructor(case: Case, link: RaisedException, call: ApiCalled, refusal: _Refusal) -> Finding | None:
    """A constructor that does not take what its parents do, be it the program or Keras that passes it."""
    node = _definition(case, call)
    if node is None or not refusal.unexpected or not call.function.endswith("__init__"):
        return None
    if refusal.unexpected not in call.accepted or node.args.kwarg is not None:
        return None
    name = call.function.removesuffix(".__init__")
    words = f"`__init__` of {name} does not take `{refusal.unexpected}`, which its parent class does"
    advice = [f"Write `{_header(node, words='kwargs')}` and `super().__init__(**kwargs)`."]
    changes = class_changes.pass_keywords_on(case, name.rpartition(".")[2])
    return _finding(case, link, call, words, refusal.unexpected, advice, changes=changes)


def _called_by_library(case: Case, link: RaisedException, call: ApiCalled, refusal: _Refusal) -> Finding | None:
    """The program's `def` is what has to change: nobody can change what the library passes."""
    node = _definition(case, call)
    if node is None or call.defined is None:
        return None
    who, name = _LIBRARIES.get(call.caller, call.caller), f"`{call.function}`"
    if call.function == "<lambda>":
        name = f"the lambda in `{call.callee}`"
    now = _header(node)
    words, advice = "", []
    changes: list[Change] = []
    if (inner := _made_function(node)) and (passed := _passed(case, node)) is not None:
        own = f"{getattr(node, 'name', '')}({', '.join(parameters(node))})"
        words = (
            f"`{getattr(node, 'name', '')}` is passed itself, but it only makes the function `{inner}` that {who} calls"
        )
        needed = len(parameters(node)) - len(node.args.defaults)
        changes = signature_changes.called(case, passed, getattr(node, "name", "")) if not needed else []
        advice = [f"Call it there: `{own}`."]
        return _finding(case, link, call, words, call.function, advice, frame=passed, changes=changes)
    if refusal.unexpected:
        words = f"{who} calls {name} with `{refusal.unexpected}`, which `{now}` does not take"
        advice = [f"Write `{_header(node, added=[refusal.unexpected])}`."]
        changes = _with_default(case, call, node, refusal.unexpected)
    elif refusal.given is not None and refusal.takes is not None:
        words = f"{who} calls {name} with {_count(refusal.given, node, call)}, but `{now}` takes "
        words += str(refusal.takes - _bound(node, call))
        advice = _as_overridden(node, call) or _with_more(node, refusal.given - refusal.takes, call)
        changes = signature_changes.overriding(case, call, node) or signature_changes.with_second(
            case, call, node, refusal.given - refusal.takes
        )
    elif refusal.missing:
        names = " and ".join(f"`{one}`" for one in refusal.missing)
        words = f"{who} calls {name} without {names}, which `{now}` needs"
        advice = _as_overridden(node, call) or [_without(node, refusal.missing, call)]
        changes = signature_changes.overriding(case, call, node)
    if not words:
        return None
    return _finding(case, link, call, words, call.function, advice, changes=changes)


def _called_by_program(case: Case, link: RaisedException, call: ApiCalled, refusal: _Refusal) -> Finding | None:
    node = _definition(case, call)
    if node is None or call.defined is None:
        return None
    now, where = _header(node), line_words(call.defined)
    changes: list[Change] = []
    is_method = "." in call.function.rpartition("<locals>.")[2]
    if is_method and refusal.given is not None and refusal.takes == refusal.given - 1:
        first = node.args.args[0].arg if node.args.args else ""
        if first not in ("self", "cls") and not _is_static(node):
            words = f"`{call.function}` is a method without `self`: the object is passed as its first argument"
            changes = signature_changes.with_parameters(case, call, node, _arguments(node, first="self"))
            advice = [f"Write `{_header(node, first='self')}`."]
            return _finding(case, link, call, words, call.function, advice, changes=changes)
    if refusal.unexpected:
        words = f"`{call.call}` passes `{refusal.unexpected}`, which `{now}` on {where} does not take"
        near = link.near if link.wanted == refusal.unexpected else []
        advice = _another_name(near, refusal.unexpected)
        changes = signature_changes.renamed_or_dropped(case, call, near, refusal.unexpected)
        if not near and refusal.unexpected in _OF_LAYERS and call.function.endswith(".call"):
            words = f"`{call.function}` does not take `{refusal.unexpected}`"
            words += f", which `{call.call}` on {line_words(call.frame)} passes" if call.frame is not None else ""
            added = _header(node, added=[refusal.unexpected])
            advice = [f"Write `{added}` and use `{refusal.unexpected}` there, or drop it in the call."]
            changes = [*_with_default(case, call, node, refusal.unexpected), *changes]
            return _finding(case, link, call, words, refusal.unexpected, advice, changes=changes)
    elif refusal.missing:
        names = " and ".join(f"`{one}`" for one in refusal.missing)
        words = f"`{call.call}` does not pass {names}, which `{now}` on {where} needs"
        advice = [f"Pass {names} on this line, or give {'them defaults' if refusal.missing[1:] else 'it a default'}."]
        if (known := missing_arguments.known(case, call, refusal.missing)) is not None:
            advice, changes = [f"Write `{known.text}`."], [known.change]
    elif refusal.several:
        words = f"`{call.call}` passes `{refusal.several}` twice, by position and by name; the callee is `{now}`"
        advice = [f"Drop `{refusal.several}=`, or pass the arguments before it by name."]
        changes = signature_changes.renamed_or_dropped(case, call, [], refusal.several)
    else:
        taken = (refusal.takes or 0) - _bound(node, call)
        given = (refusal.given or 0) - _bound(node, call)
        words = f"`{call.call}` passes {given} positional arguments, and `{now}` on {where} takes {taken}"
        advice = []
    return _finding(case, link, call, words, call.callee, advice, at_call=True, changes=changes)


def _of_library(case: Case, link: RaisedException, call: ApiCalled, refusal: _Refusal) -> Finding | None:
    try:
        node = ast.parse(call.call, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(node, ast.Call):
        return None
    first = ast.unparse(node.args[0]) if node.args else ""
    through_super = ast.unparse(node.func).startswith("super(")
    if through_super and first == "self":
        fixed = ast.unparse(ast.Call(node.func, node.args[1:], node.keywords))
        words = f"`{call.call}` passes `self`, which `super()` passes already"
        changes = signature_changes.without_self(case, call)
        return _finding(case, link, call, words, "self", [f"Write `{fixed}`."], at_call=True, changes=changes)
    names = ", ".join(call.parameters)
    if refusal.unexpected:
        words = f"`{call.callee}` does not take `{refusal.unexpected}`"
        words += f"; its parameters are {', '.join(call.accepted[:12])}" if call.accepted else ""
        advice = _another_name(call.near, refusal.unexpected)
        changes = signature_changes.renamed_or_dropped(case, call, call.near, refusal.unexpected)
        return _finding(case, link, call, words, refusal.unexpected, advice, at_call=True, changes=changes)
    if refusal.missing == ["self"] or (refusal.missing and _on_class(node)):
        return _of_class(case, link, call)
    if refusal.missing:
        missing = " and ".join(f"`{one}`" for one in refusal.missing)
        words = f"`{call.call}` does not pass {missing}; `{call.callee}` takes ({names})"
        known = missing_arguments.known(case, call, refusal.missing)
        advice = [f"Write `{known.text}`."] if known is not None else [f"Pass {missing} too."]
        changes = [known.change] if known is not None else []
        return _finding(case, link, call, words, call.callee, advice, at_call=True, changes=changes)
    if refusal.several and not any(word.arg in (refusal.several, None) for word in node.keywords):
        # Not this call: one further inside, which the library made.
        return None
    if refusal.several:
        words = f"`{call.call}` passes `{refusal.several}` twice; by position `{call.callee}` takes ({names})"
        advice = [f"Drop `{refusal.several}=`, or pass the arguments before it by name."]
        changes = signature_changes.renamed_or_dropped(case, call, [], refusal.several)
        return _finding(case, link, call, words, refusal.several, advice, at_call=True, changes=changes)
    if not names:
        return None
    words = f"`{call.call}` passes more arguments by position than `{call.callee}` takes: ({names})"
    says = call.arguments[0].says if call.arguments else ""
    if len(call.required) == 1 and layers.LIST_TAKEN.pattern.search(says):
        given = ", ".join(ast.unparse(one) for one in node.args)
        right = f"{ast.unparse(node.func)}([{given}])"
        words = f"`{call.call}` passes the tensors one by one; this layer takes them as one list"
        changes = signature_changes.as_one_list(case, call)
        return _finding(case, link, call, words, call.callee, [f"Write `{right}`."], at_call=True, changes=changes)
    return _finding(case, link, call, words, call.callee, [], at_call=True)


def _another_name(near: list[str], refused: str) -> list[str]:
    return [f"Write `{near[0]}=` instead of `{refused}=`, or drop it."] if near else [f"Drop `{refused}`."]


def _of_class(case: Case, link: RaisedException, call: ApiCalled) -> Finding:
    owner = call.callee.rpartition(".")[0]
    words = f"`{call.callee}` is called on the class {owner} and not on an object of it"
    advice = [f"Create the object first, `{owner}(…)`, and call the method on that."]
    return _finding(case, link, call, words, owner, advice, at_call=True)


def _is_shifted(call: ApiCalled) -> bool:
    """Whether a parameter got another value than the constant that is written for it: the first argument of a method
    that is called on its class is taken for the object."""
    for one in call.arguments:
        if one.position is None or one.value is None:
            continue
        try:
            written = ast.literal_eval(one.text)
        except (ValueError, SyntaxError):
            continue
        if type(written) in (int, float, str) and repr(written) != one.value:
            return True
    return False


def _on_class(node: ast.Call) -> bool:
    """Whether the call is written as `Class.method(…)`."""
    owner = dotted_name(node.func.value) if isinstance(node.func, ast.Attribute) else None
    return owner is not None and owner.rpartition(".")[2][:1].isupper()


def _definition(case: Case, call: ApiCalled) -> _Function | None:
    source = case.sources.get(call.defined.file) if call.defined is not None else None
    if source is None or call.defined is None:
        return None
    name = call.function.rpartition(".")[2]
    every = ast.walk(source.tree)
    for node in (one for one in every if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))):
        begins = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        fits = isinstance(node, ast.Lambda) == (name == "<lambda>") and getattr(node, "name", name) == name
        if fits and call.defined.line in (begins, node.lineno):
            return node
    return None


def _header(node: _Function, added: list[str] | None = None, first: str = "", words: str = "") -> str:
    """The line of a `def` or the beginning of a lambda, with more parameters where they are asked for."""
    text = _arguments(node, added, first, words)
    return f"lambda {text}: …" if isinstance(node, ast.Lambda) else f"def {node.name}({text}):"


def _arguments(node: _Function, added: list[str] | None = None, first: str = "", words: str = "") -> str:
    """The parameters of a function as they are written, with more where they are asked for."""
    own = node.args
    arguments = ast.arguments(
        posonlyargs=[ast.arg(one.arg) for one in own.posonlyargs],
        args=[*([ast.arg(first)] if first else []), *(ast.arg(one.arg) for one in own.args)],
        vararg=ast.arg(own.vararg.arg) if own.vararg else None,
        kwonlyargs=[ast.arg(one.arg) for one in own.kwonlyargs],
        kw_defaults=list(own.kw_defaults),
        kwarg=ast.arg(own.kwarg.arg) if own.kwarg else ast.arg(words) if words else None,
        defaults=list(own.defaults),
    )
    for name in added or []:
        if arguments.vararg is None and not arguments.kwonlyargs:
            arguments.args.append(ast.arg(name))
            arguments.defaults.append(ast.Constant(None))
        else:
            arguments.kwonlyargs.append(ast.arg(name))
            arguments.kw_defaults.append(ast.Constant(None))
    return ast.unparse(arguments)


def _with_default(case: Case, call: ApiCalled, node: _Function, name: str) -> list[Change]:
    return signature_changes.with_default(case, call, node, name, _arguments(node, added=[name]))


def _is_static(node: _Function) -> bool:
    return any("staticmethod" in ast.unparse(one) for one in getattr(node, "decorator_list", []))


def _bound(node: _Function, call: ApiCalled) -> int:
    """1 for a method, to which Python itself passes the object."""
    first = node.args.args[0].arg if node.args.args else ""
    return int(first in ("self", "cls") and "." in call.function)


def _count(given: int, node: _Function, call: ApiCalled) -> str:
    number = given - _bound(node, call)
    return f"{number} positional argument{'' if number == 1 else 's'}"


def _made_function(node: _Function) -> str | None:
    """The function that another one makes and returns."""
    inner = {one.name for one in within(node) if isinstance(one, ast.FunctionDef)}
    given = [last_name(one.value) for one in within(node) if isinstance(one, ast.Return) and one.value is not None]
    return given[0] if len(given) == 1 and given[0] in inner else None


def _passed(case: Case, node: _Function) -> Frame | None:
    """The only line that passes a function on by its name, without calling it."""
    name = getattr(node, "name", "")
    lines = {
        (file, one.lineno)
        for file, call in across(case.sources, ast.Call)
        for given in [*call.args, *(word.value for word in call.keywords)]
        for one in (given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given])
        if isinstance(one, ast.Name) and one.id == name
    }
    if len(lines) != 1:
        return None
    file, line = lines.pop()
    return Frame(file=file, line=line, function="", user=True)


def _as_overridden(node: _Function, call: ApiCalled) -> list[str]:
    if not call.overridden or isinstance(node, ast.Lambda):
        return []
    owner, _, parameters = call.overridden.partition("(")
    return [f"Write `def {node.name}({parameters}:`, the parameters of {owner} in the installed version."]


def _with_more(node: _Function, more: int, call: ApiCalled) -> list[str]:
    if call.callee.rpartition(".")[2] not in _OF_ELEMENTS:
        return [f"Give it {more} more parameter{'' if more == 1 else 's'}."]
    names = [one.arg for one in node.args.args]
    parts = len(names) + more
    names += ["y"] if names and more == 1 and "y" not in names else [f"part_{at}" for at in range(len(names), parts)]
    shown = ", ".join(names)
    shown = f"lambda {shown}: …" if isinstance(node, ast.Lambda) else f"def {node.name}({shown}):"
    return [
        f"An element of this data set has {parts} parts, and each is an argument: take all, `{shown}`, and return "
        "those that are needed later."
    ]


def _without(node: _Function, missing: list[str], call: ApiCalled) -> str:
    if call.callee.rpartition(".")[2] in _OF_ELEMENTS:
        parts = len(node.args.args) - len(missing)
        what = "one part" if parts == 1 else f"{parts} parts"
        names = " and ".join(f"`{one}`" for one in missing)
        return f"An element of this data set has {what}: drop {names}, or put it in with `tf.data.Dataset.zip`."
    names = ", ".join(f"{one}=…" for one in missing)
    own = getattr(node, "name", "it")
    bind = f"bind {'them' if missing[1:] else 'it'} first: `functools.partial({own}, {names})`"
    return f"Give {' and '.join(f'`{one}`' for one in missing)} a default value, or {bind}."


def _finding(
    case: Case,
    link: RaisedException,
    call: ApiCalled,
    words: str,
    name: str,
    advice: list[str],
    at_call: bool = False,
    frame: Frame | None = None,
    changes: list[Change] | None = None,
) -> Finding:
    frame = frame or (call.frame if at_call or call.defined is None else call.defined)
    place = case.locate(frame) if frame is not None else None
    evidence = [said(link)]
    if call.overridden:
        evidence.append(Evidence(fact="the installed version has", value=call.overridden, source="ApiCalled"))
    if not at_call and call.frame is not None and call.caller:
        evidence.append(Evidence(fact="called from", value=line_words(call.frame), source="ApiCalled"))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="function" if not at_call else "argument", name=name),
        evidence=evidence,
        advice=advice,
        changes=changes or [],
    )
