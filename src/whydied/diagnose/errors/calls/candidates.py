"""What a program could have given instead of what a library refused, or where it gave too little. Pure.

Each candidate is tied to facts: an expression that was tried against the library's own condition while the program
lived, names that the exception lists beside those of a literal of the source, an argument and a method that it names.
"""

from __future__ import annotations

import ast
import difflib
import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.refused_values import Given, failing_call, given_for, texts
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.errors.usage import call_of
from whydied.diagnose.finding import Culprit
from whydied.records import CallRefused, Demanded, RaisedException
from whydied.source.calls import callee
from whydied.source.edits.argument_edits import drop_keyword
from whydied.source.edits.call_edits import add_argument, walk_calls
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.import_edits import module_names
from whydied.source.edits.statement_edits import around_statements, statement_at
from whydied.source.trees import across, walk, written
from whydied.texts import layers, python_errors, session_errors, tensors

_LIST = re.compile(r"\[((?:\s*['\"][^'\"\[\]]+['\"]\s*,?)+)\]")
_NAMES = re.compile(r"['\"]([^'\"]+)['\"]")
_WORDS = {"function": "a function", "type": "a class", "list": "a list", "tuple": "a tuple", "str": "a string",
          "int": "an integer", "float": "a float", "dict": "a dictionary"}  # fmt: skip


class Answer(NamedTuple):
    """What a finding says of one place."""

    words: str
    file: str
    line: int
    culprit: Culprit
    advice: list[str]
    changes: list[Change]


def offered(case: Case, demand: Demanded) -> Answer | None:
    """An expression that meets the condition, as it was tried: `{}` in it stands for what was refused."""
    given = given_for(case, demand) if demand.offers else None
    if given is None:
        return None
    template = demand.offers[0]
    given = _passed_on(case, given, demand) or given
    source = case.project[given.file]
    nodes = _alike(case, given, demand)
    what = _WORDS.get(demand.type, f"a {demand.type.rpartition('.')[2]}")
    name = demand.parameter or demand.given_as
    rights = [template.replace("{}", written_in(source, node)) for node in nodes]
    edits = [over(source, given.file, node, right) for node, right in zip(nodes, rights, strict=True)]
    shown = " and ".join(f"`{written(node)}`" for node in nodes)
    verb = "is" if len(nodes) == 1 else "are each"
    words = f"{shown} {verb} {what}, which `{written(given.call.func)}` does not take as `{name}`"
    advice = [f"Write {' and '.join(f'`{one}`' for one in rights)} instead."]
    if len(nodes) > 1 and ".output" in template:
        starts = ", ".join(f"{written(node)}.inputs[0]" for node in nodes)
        advice.append(
            f"A Sequential takes no joined tensors: call the layers behind on them, and make `Model([{starts}], …)`."
        )
    changes = [Change(title=f"Pass {' and '.join(f'`{one}`' for one in rights)}", kind="argument", edits=edits)]
    return Answer(
        words, given.file, given.call.lineno, Culprit(kind="argument", name=written(nodes[0])), advice, changes
    )


def _passed_on(case: Case, given: Given, demand: Demanded) -> Given | None:
    """The argument of the program's own call, where its function only passes a parameter on."""
    called = call_of(case)
    argument = next((one for one in called.arguments if one.parameter == demand.parameter), None) if called else None
    source = argument.sources[0] if argument is not None and argument.sources else None
    if source is None or source.kind != "parameter" or source.frame is None or not isinstance(given.node, ast.Name):
        return None
    file = source.frame.file
    found = [
        Given(file, call, part)
        for call in (walk_calls(case.project[file], source.frame.line) if file in case.project else [])
        for part in (*call.args, *(word.value for word in call.keywords))
        if written(part) == source.text
    ]
    return found[0] if len(found) == 1 else None


def _alike(case: Case, given: Given, demand: Demanded) -> list[ast.expr]:
    """The refused item, and the others of its list where all of them are of the same type."""
    called = call_of(case)
    argument = next((one for one in called.arguments if one.parameter == demand.parameter), None) if called else None
    error = framework_error(case) if called is None else None
    kinds = {one.text: one.type for one in error.of_role("input")} if error is not None else {}
    for part in walk(given.call, (ast.List, ast.Tuple)):
        items = part.elts if isinstance(part, ast.List | ast.Tuple) else []
        alike = argument is not None and len(argument.held) == 1
        alike = alike or all(kinds.get(written(one)) == demand.type for one in items)
        if given.node in items and alike and "{}" in demand.offers[0]:
            return items
    return [given.node]


def other_names(case: Case, link: RaisedException, text: str) -> Answer | None:
    """Keys of a dictionary of the program that are not those that the exception says were expected."""
    listed = [_NAMES.findall(one) for one in _LIST.findall(text)]
    if len(listed) != 2 or len(listed[0]) != len(listed[1]) or link.type not in ("ValueError", "KeyError"):
        return None
    # Where the message does not say which of both it expected, either may be the program's.
    told = layers.NAMES_EXPECTED.pattern.search(text)
    first = told is not None and told.end() - 1 == next(_LIST.finditer(text)).start()
    for found, expected in [listed[::-1]] if first else [listed] if told else (listed, listed[::-1]):
        literals = [
            (file, node)
            for file, node in across(case.project, ast.Dict)
            if [getattr(key, "value", None) for key in node.keys] == found
        ]
        pairs = _paired(found, expected)
        if len(literals) != 1 or not pairs:
            continue
        file, node = literals[0]
        source = case.project[file]
        keys = [key for key in node.keys if isinstance(key, ast.Constant)]
        edits = [over(source, file, key, f'"{pairs[str(key.value)]}"') for key in keys if key.value in pairs]
        words = f"the keys {_joined(found)} are not those that are expected: {_joined(expected)}"
        renamed = ", ".join(f"`{old}` to `{new}`" for old, new in pairs.items())
        changes = [Change(title=f"Rename {renamed}", kind="expression", edits=edits)]
        culprit = Culprit(kind="argument", name=found[0], near=expected)
        return Answer(words, file, node.lineno, culprit, [f"Rename {renamed}."], changes)
    return None


def _paired(found: list[str], expected: list[str]) -> dict[str, str]:
    """Each name that only one list has with the nearest of those that only the other has: a name that both have is
    taken. One left on each side are a pair."""
    odd, free = [one for one in found if one not in expected], [one for one in expected if one not in found]
    if len(odd) == len(free) == 1:
        return {odd[0]: free[0]}
    pairs = {one: near[0] for one in odd if (near := difflib.get_close_matches(one, free, 1, 0.4))}
    return pairs if len(set(pairs.values())) == len(pairs) == len(odd) else {}


def _joined(names: list[str]) -> str:
    return ", ".join(repr(one) for one in names)


def left_out(case: Case, text: str) -> Answer | None:
    """An argument that the exception says another method of the object needs, where the program's only call of that
    method does not give it."""
    told = layers.ARGUMENT_OF_METHOD.pattern.search(text)
    if told is None:
        return None
    name, method = told["argument"], told["method"]
    calls = [one for one in across(case.project, ast.Call) if callee(one[1]) == method]
    if len(calls) != 1 or any(word.arg in (name, None) for word in calls[0][1].keywords):
        return None
    file, call = calls[0]
    words = f"`{written(call.func)}` is called without `{name}`"
    advice = [f"Pass `{name}` to `{written(call.func)}`."]
    changes: list[Change] = []
    if (method, name) == ("compile", "loss"):
        advice = [f'Pass a loss: `{written(call.func)}(…, loss="mse")` for numbers, a crossentropy for classes.']
        edit = add_argument(case.project[file], file, call, 'loss="mse"')
        changes = [Change(title='Pass `loss="mse"`, if the targets are numbers', kind="argument", edits=[edit])]
    return Answer(words, file, call.lineno, Culprit(kind="argument", name=name), advice, changes)


def same_name(case: Case, refused: CallRefused, text: str) -> Answer | None:
    """Layers that the program gives one and the same name; without it Keras numbers them."""
    told = layers.NAME_TAKEN.pattern.search(text)
    found = texts(case.project, told["name"]) if told is not None else []
    if told is None or len(found) != 1:
        return None
    file, node = found[0]
    source = case.project[file]
    words = f"every layer that is made with `{written(node)}` here has the same name, and a model needs different ones"
    culprit = Culprit(kind="argument", name=told["name"])
    for call in walk(source.tree, ast.Call):
        word = next((one for one in call.keywords if one.value is node), None)
        edit = drop_keyword(source, file, call, word.arg) if word is not None and word.arg else None
        if edit is not None:
            changes = [Change(title="Leave the name out", kind="argument", edits=[edit])]
            advice = [f"Leave `name={written(node)}` out, so that Keras numbers the layers, or put a number into it."]
            return Answer(words, file, node.lineno, culprit, advice, changes)
    for function in walk(source.tree, ast.FunctionDef):
        if node in function.args.defaults or node in function.args.kw_defaults:
            changes = [Change(title="Let Keras name them", kind="expression", edits=[over(source, file, node, "None")])]
            advice = ["Write `name=None`, so that Keras numbers the layers, or pass each one a name of its own."]
            return Answer(words, file, node.lineno, culprit, advice, changes)
    return None


def other_dtype(case: Case, text: str) -> Answer | None:
    """An array of one dtype where the exception says that another is expected."""
    told, called = tensors.OTHER_DTYPE.pattern.search(text), call_of(case)
    call = failing_call(case, called) if called is not None else None
    if told is None or called is None or called.frame is None or call is None:
        return None
    got, wanted = told["got"].lower(), told["expected"].lower()
    held = [one for one in called.arguments if one.dtype == got and one.type.endswith("ndarray")]
    file = called.frame.file
    if len(held) != 1 or "np" not in module_names(case.sources[file]):
        return None
    argument = held[0]
    nodes = [one for one in (*call.args, *(word.value for word in call.keywords)) if written(one) == argument.text]
    if len(nodes) != 1:
        return None
    right = f"{written_in(case.sources[file], nodes[0])}.astype(np.{wanted})"
    words = f"`{argument.text}` is {got}, and `{called.callee}` takes {wanted}"
    edit = over(case.sources[file], file, nodes[0], right)
    changes = [Change(title=f"Pass `{right}`", kind="argument", edits=[edit])]
    culprit = Culprit(kind="argument", name=argument.text, dtype=got)
    return Answer(words, file, call.lineno, culprit, [f"Write `{right}`."], changes)


def zip_of_one(case: Case, link: RaisedException) -> Answer | None:
    """`zip(gradient, variable)`: it goes through the elements of both and makes no pair of them."""
    called = call_of(case)
    call = failing_call(case, called) if called is not None else None
    if called is None or called.frame is None or call is None or callee(call) != "apply_gradients" or not call.args:
        return None
    pairs = call.args[0]
    if not isinstance(pairs, ast.Call) or callee(pairs) != "zip" or len(pairs.args) != 2:
        return None
    single = [one for one in link.operands if one.text == written(pairs.args[1]) and "Variable" in one.type]
    if not single:
        return None
    source, file = case.sources[called.frame.file], called.frame.file
    gradient, variable = (written_in(source, one) for one in pairs.args)
    right = f"[({gradient}, {variable})]"
    words = f"`{variable}` is one variable, and `zip` goes through its elements instead of pairing it with its gradient"
    changes = [Change(title=f"Pass `{right}`", kind="argument", edits=[over(source, file, pairs, right)])]
    culprit = Culprit(kind="variable", name=variable)
    return Answer(words, file, call.lineno, culprit, [f"Write `{written(call.func)}({right})`."], changes)


def not_counted(case: Case, link: RaisedException, text: str) -> Answer | None:
    """`for step, (x, y) in data` over data that give pairs without a number."""
    frames = [one for one in link.frames if one.user]
    if not frames or not tensors.UNPACKED.pattern.search(text) or frames[-1].file not in case.sources:
        return None
    source, file = case.sources[frames[-1].file], frames[-1].file
    loops = [one for one in walk(source.tree, ast.For) if one.lineno == frames[-1].line]
    if len(loops) != 1 or not isinstance(loops[0].target, ast.Tuple) or len(loops[0].target.elts) != 2:
        return None
    first, second = loops[0].target.elts
    if not isinstance(first, ast.Name) or not isinstance(second, ast.Tuple) or isinstance(loops[0].iter, ast.Call):
        return None
    shown, right = written(loops[0].iter), f"enumerate({written(loops[0].iter)})"
    words = f"`{shown}` gives no number for `{first.id}`: its items are taken apart as a number and {written(second)}"
    changes = [
        Change(title=f"Go through `{right}`", kind="expression", edits=[over(source, file, loops[0].iter, right)])
    ]
    culprit = Culprit(kind="variable", name=shown)
    return Answer(words, file, loops[0].lineno, culprit, [f"Write `in {right}:`."], changes)


def abstract(case: Case, link: RaisedException, text: str) -> Answer | None:
    """A class that is not to be called, before a method that belongs to the class itself."""
    frames = [one for one in link.frames if one.user]
    if not frames or not python_errors.ABSTRACT.pattern.search(text) or frames[-1].file not in case.sources:
        return None
    source, file = case.sources[frames[-1].file], frames[-1].file
    found = [
        node
        for call in walk_calls(source, frames[-1].line)
        for node in walk(call, ast.Attribute)
        if isinstance(node.value, ast.Call) and not node.value.args and not node.value.keywords
    ]
    nodes = list({id(one): one for one in found}.values())
    if len(nodes) != 1 or not isinstance(nodes[0].value, ast.Call):
        return None
    made = nodes[0].value
    right = f"{written(made.func)}.{nodes[0].attr}"
    words = f"`{written(made)}` makes an object of a class that has none; `{nodes[0].attr}` belongs to the class"
    edit = over(source, file, made, written_in(source, made.func))
    changes = [Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
    culprit = Culprit(kind="class", name=written(made.func))
    return Answer(words, file, made.lineno, culprit, [f"Write `{right}`, without the call."], changes)


def saver_outside(case: Case, link: RaisedException, text: str) -> Answer | None:
    """A saver that is made in a graph without variables, while the program makes its variables in another."""
    frames = [one for one in link.frames if one.user]
    if not frames or not session_errors.NOTHING_TO_SAVE.pattern.search(text) or frames[-1].file not in case.sources:
        return None
    source, file, line = case.sources[frames[-1].file], frames[-1].file, frames[-1].line
    graphs = {
        written(call.func.value)
        for call in walk(source.tree, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "as_default"
    }
    statement = statement_at(source, line)
    if len(graphs) != 1 or statement is None:
        return None
    graph = graphs.pop()
    header = f"with {graph}.as_default():"
    words = f"the saver is made in the default graph, which has no variables; those of the program are in `{graph}`"
    edits = around_statements(source, file, statement, statement, header)
    changes = [Change(title=f"Make the saver inside of `{header}`", kind="statement", edits=edits)] if edits else []
    culprit = Culprit(kind="graph", name=graph)
    return Answer(words, file, line, culprit, [f"Make the saver inside of `{header}`"], changes)
