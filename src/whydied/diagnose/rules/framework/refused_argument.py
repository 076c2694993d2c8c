"""A library refused what it was given, by a condition that its own source states.

## What it detects
An exception raised inside of TensorFlow or Keras because of a value that the program gave, be it in this call or in an
earlier one: the name of something that does not exist, the name of a function as a text in the place of the function,
a result in the place of the function that gives it, a function of Python in the place of a variable, an argument that
does not go with the others, an object whose method does not take what the library passes to all that are given there.
A flat list of metrics that has not one entry for each output of the model.
Also a number of which the first item is asked, because a call gave the loss alone, and what is no tensor and was given
to a layer by position.

## Why it happens
Many arguments are only kept when they are given and are looked at much later, by code that the program did not call.

## Evidence
The conditions around the library's `raise`, from its source, with the values that they had; the argument that is the
very same object, or the constructor that keeps it.

## How it is proved
What is advised is held against the same condition: a name is among those that are accepted, a function can be called,
without the argument the line is not reached. Likely, because a program may have meant something else.

## Fix
The argument as the condition wants it, where the program gives it.

## Known problems
A value that is computed on its way into the library is not followed.
"""

from __future__ import annotations

import ast
import re

import msgspec

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.calls import candidates, wrong_objects
from whydied.diagnose.errors.calls.entries_per_output import entries_per_output
from whydied.diagnose.errors.calls.output_names import unnamed_outputs
from whydied.diagnose.errors.calls.refused_values import Given, failing_call, given_for, passed, refusal, texts
from whydied.diagnose.errors.calls.swapped_names import swapped_names
from whydied.diagnose.errors.calls.tensors_by_position import other_than_tensors
from whydied.diagnose.errors.usage import call_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import CallRefused, Demanded, Frame, RaisedException
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee, parameters
from whydied.source.edits.argument_edits import drop_keyword
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.import_edits import module_names
from whydied.source.trees import across, function_at, walk, written
from whydied.texts import layers

ROLE = "explanation"
YIELDS_TO = (
    *("api-removed", "argument-renamed", "signature-mismatch", "wrong-argument", "custom-object-missing"),
    *("load-failed", "save-failed", "layer-misuse", "none-result", "mixed-kerases", "rate-not-settable"),
    *("not-a-callback", "optimizer-reused", "outside-strategy-scope", "tensor-not-assignable", "setting-forbids"),
    *("missing-log-name", "cells-out-of-order", "shape-mismatch", "rank-mismatch", "dtype-mismatch"),
    *("target-mismatch", "weights-mismatch", "wrong-input-shape", "unknown-size", "conv-output-below-one"),
    *("partial-batch", "uneven-batch", "disconnected-model", "result-refused"),
)
MOST_LISTED = 12
_ARTICLES = {"int": "an integer", "float": "a float", "str": "a string", "list": "a list", "tuple": "a tuple",
             "dict": "a dictionary", "bool": "a boolean", "NoneType": "None"}  # fmt: skip


def check(case: Case) -> Finding | None:
    link, refused = root_link(case), refusal(case)
    if link is None:
        return None
    text = text_of(link)
    told = (
        candidates.other_names(case, link, text)
        or unnamed_outputs(case, text)
        or entries_per_output(case, text)
        or swapped_names(case)
        or candidates.left_out(case, text)
        or candidates.other_dtype(case, text)
        or other_than_tensors(case, text)
        or candidates.zip_of_one(case, link)
        or candidates.not_counted(case, link, text)
        or candidates.abstract(case, link, text)
        or candidates.saver_outside(case, link, text)
        or wrong_objects.weights_per_output(case, text)
        or wrong_objects.single_result(case, link)
    )
    if told is None and refused is not None:
        told = candidates.same_name(case, refused, text)
    if told is not None:
        return _finding(case, link, *told)
    if refused is None:
        return None
    for demand in refused.demands:
        answer = candidates.offered(case, demand) or wrong_objects.unfit_receiver(case, demand)
        if answer is not None:
            return _finding(case, link, *answer, demand)
        finding = (
            _name_of_own(case, link, demand)
            or _near_name(case, link, demand)
            or _result_for_function(case, link, refused, demand)
            or _builtin(case, link, demand)
            or _no_pairs(case, link, demand)
            or _comma(case, link, demand)
        )
        if finding is not None:
            return finding
    return _does_not_go(case, link, refused)


def _text(case: Case, demand: Demanded) -> tuple[str, str, ast.Constant] | None:
    """The refused text, and where the program writes it: in the failing call, else in the only place that has it."""
    shown = demand.value or ""
    value = ast.literal_eval(shown) if shown[:1] in ("'", '"') and shown[-1] == shown[0] else None
    if not isinstance(value, str) or not value:
        return None
    found = texts(case.project, value)
    given = given_for(case, demand)
    if given is not None:
        inside = [one for one in found if one[0] == given.file and one[1] in walk(given.node, ast.Constant)]
        found = inside or found
    return (value, *found[0]) if len(found) == 1 else None


def _name_of_own(case: Case, link: RaisedException, demand: Demanded) -> Finding | None:
    """A function or class of the program, given as a text."""
    told = _text(case, demand) if demand.namesake is not None and demand.kind else None
    if told is None or demand.namesake is None:
        return None
    value, file, node = told
    known = value in module_names(case.project[file]) or any(
        getattr(one, "name", "") == value for one in case.project[file].tree.body
    )
    edit = over(case.project[file], file, node, value)
    changes = [Change(title=f"Pass `{value}` itself", kind="expression", edits=[edit])] if known else []
    words = (
        f"`{written(node)}` is the name of a function of the program ({line_words(demand.namesake)}), given as a text; "
        "Keras knows its own names only"
    )
    advice = [f"Write `{value}` without quotes, which passes the function itself."]
    return _finding(case, link, words, file, node.lineno, Culprit(kind="argument", name=value), advice, changes, demand)


def _near_name(case: Case, link: RaisedException, demand: Demanded) -> Finding | None:
    """A text that is not among those that are accepted."""
    listed = layers.NO_SUCH_LAYER.pattern.search(text_of(link))
    if listed is not None and not demand.accepted and demand.value == repr(listed["name"]):
        demand = msgspec.structs.replace(demand, accepted=re.findall(r"'([^']*)'", listed["there"]), near=link.near)
    told = _text(case, demand) if demand.accepted else None
    if told is None:
        return _unwritten_name(case, link, demand) if demand.accepted and demand.parameter else None
    value, file, node = told
    what = f"`{demand.parameter}`" if demand.parameter else f"`{demand.text}`"
    words = f"`{written(node)}` is not a value of {what} that the installed version knows"
    looked = [one for one in walk(case.project[file].tree, ast.Subscript) if one.slice is node]
    if link.type == "KeyError" and looked:
        words = f"`{written(looked[0].value)}` has no `{written(node)}`"
        words += f"; it has {', '.join(repr(one) for one in demand.accepted[:MOST_LISTED])}"
    advice, changes = [], []
    if demand.near:
        right = repr(demand.near[0])
        edit = over(case.project[file], file, node, f'"{demand.near[0]}"')
        advice = [f"Did you mean `{right}`?"]
        changes = [Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
    elif len(demand.accepted) == 1:
        edit = over(case.project[file], file, node, f'"{demand.accepted[0]}"')
        advice = [f"Write `{demand.accepted[0]!r}`, the only one that there is."]
        changes = [Change(title=f"Write `{demand.accepted[0]!r}`", kind="expression", edits=[edit])]
    elif len(demand.accepted) <= MOST_LISTED:
        advice = [f"Write one of {', '.join(repr(one) for one in demand.accepted)}."]
    else:
        return None
    culprit = Culprit(kind="argument", name=value, value=demand.value, near=demand.near)
    return _finding(case, link, words, file, node.lineno, culprit, advice, changes, demand)


def _unwritten_name(case: Case, link: RaisedException, demand: Demanded) -> Finding | None:
    """A text that is not accepted and that the program has from elsewhere, such as a file of settings."""
    given = given_for(case, demand)
    if given is None or not (demand.near or len(demand.accepted) <= MOST_LISTED):
        return None
    words = f"`{written(given.node)}` is {demand.value}, which is not a value of `{demand.parameter}` that is known"
    choice = demand.near or demand.accepted
    advice = [f"Set it to one of {', '.join(repr(one) for one in choice)}."]
    culprit = Culprit(kind="argument", name=written(given.node), value=demand.value, near=demand.near)
    return _finding(case, link, words, given.file, given.call.lineno, culprit, advice, [], demand)


def _result_for_function(case: Case, link: RaisedException, refused: CallRefused, demand: Demanded) -> Finding | None:
    """What a function gave, where the function itself is wanted."""
    given = given_for(case, demand) if demand.kind == "callable" else None
    if given is None or demand.type == "str":
        return None
    shown = f"{demand.value}, {_ARTICLES.get(demand.type, demand.type)}" if demand.value else demand.type
    name = demand.given_as or demand.parameter
    words = f"`{written(given.call.func)}` was given {shown}, as `{name}`, and calls it as a function"
    advice: list[str] = []
    changes: list[Change] = []
    right = _uncalled(case, given, refused.passes)
    if right:
        words = (
            f"`{written(given.node)}` is called here, so `{written(given.call.func)}` gets its result ({shown}) as "
            f"`{name}` instead of a function"
        )
        advice = [f"Write `{right}` without the call: `{name}={right}`."]
        edit = over(case.project[given.file], given.file, given.node, right)
        changes = [Change(title=f"Pass `{right}` itself", kind="expression", edits=[edit])]
    culprit = Culprit(kind="argument", name=written(given.node), value=demand.value)
    return _finding(case, link, words, given.file, given.call.lineno, culprit, advice, changes, demand)


def _uncalled(case: Case, given: Given, passes: int | None) -> str:
    """The function of the program that an argument is the result of, where it takes as many arguments as it would be
    passed."""
    if not isinstance(given.node, ast.Call):
        return ""
    name = written(given.node.func)
    found = [one for _, one in across(case.project, ast.FunctionDef) if one.name == name.rpartition(".")[2]]
    if len(found) != 1:
        return ""
    taken = len(parameters(found[0]))
    required = taken - len(found[0].args.defaults)
    return name if passes is None or required <= passes <= max(taken, passes if found[0].args.vararg else 0) else ""


def _builtin(case: Case, link: RaisedException, demand: Demanded) -> Finding | None:
    """A function of Python itself, because a variable of its name was never set."""
    name = demand.builtin
    if not name or demand.kind not in ("attribute", "type", "callable"):
        return None
    found = []
    for file, source in case.project.items():
        calls = {id(one.func) for one in walk(source.tree, ast.Call)}
        for node in walk(source.tree, ast.Name):
            scope = function_at(source.tree, node.lineno) or source.tree
            stored = any(one.id == name and isinstance(one.ctx, ast.Store) for one in walk(scope, ast.Name))
            if node.id == name and isinstance(node.ctx, ast.Load) and id(node) not in calls and not stored:
                found.append((file, node))
    if len(found) != 1:
        return None
    file, node = found[0]
    words = f"`{name}` is Python's own function: no variable of that name is set here"
    if demand.kind == "attribute":
        words += f", and {_library(case)} asks it for {demand.wanted.strip(chr(39))}"
    advice = [f"Write the variable that holds the value instead of `{name}`."]
    culprit = Culprit(kind="variable", name=name)
    return _finding(case, link, words, file, node.lineno, culprit, advice, [], demand)


def _no_pairs(case: Case, link: RaisedException, demand: Demanded) -> Finding | None:
    """A plain list where pairs are wanted: gradients without their variables."""
    given = given_for(case, demand) if demand.kind == "pairs" else None
    if given is None:
        return None
    source = case.project[given.file]
    name, text = demand.parameter, written(given.node)
    words = f"`{written(given.call.func)}` was given `{text}` as `{name}`, a list of single values; it takes pairs"
    advice: list[str] = []
    changes: list[Change] = []
    scope = function_at(source.tree, given.call.lineno) or source.tree
    made = last_assignment(text, scope, given.call.lineno) if isinstance(given.node, ast.Name) else None
    value = made.value if isinstance(made, ast.Assign) else given.node
    if isinstance(value, ast.Call) and callee(value) == "gradient":
        variables = passed(value, "sources", 1)
        if variables is not None:
            right = f"zip({text}, {written(variables)})"
            words += " of a gradient and its variable"
            advice = [f"Write `{written(given.call.func)}({right})`."]
            edit = over(source, given.file, given.node, right)
            changes = [Change(title=f"Pass `{right}`", kind="argument", edits=[edit])]
    culprit = Culprit(kind="argument", name=text)
    return _finding(case, link, words, given.file, given.call.lineno, culprit, advice, changes, demand)


def _comma(case: Case, link: RaisedException, demand: Demanded) -> Finding | None:
    """A comma behind an expression, which makes it a tuple of one item."""
    if demand.kind != "item":
        return None
    tuples = [
        (file, node)
        for file, node in across(case.project, ast.Assign)
        if isinstance(node.value, ast.Tuple) and len(node.value.elts) == 1 and len(node.targets) == 1
    ]
    name = demand.text.rpartition(".")[2]
    named = [one for one in tuples if written(one[1].targets[0]).rpartition(".")[2] == name]
    found = named or tuples
    if len(found) != 1 or not isinstance(found[0][1].value, ast.Tuple):
        return None
    file, node = found[0][0], found[0][1]
    target = written(node.targets[0])
    kind = demand.type.rpartition(".")[2]
    words = f"the comma at the end makes `{target}` a tuple with one item, the {kind}"
    source = case.project[file]
    edit = over(source, file, found[0][1].value, written_in(source, found[0][1].value.elts[0]))
    changes = [Change(title="Drop the comma at the end", kind="expression", edits=[edit])]
    advice = ["Drop the comma at the end of this statement."]
    culprit = Culprit(kind="variable", name=target)
    return _finding(case, link, words, file, node.lineno, culprit, advice, changes, demand)


def _library(case: Case) -> str:
    refused = refusal(case)
    root = refused.function.partition(".")[0] if refused is not None else ""
    return {"keras": "Keras", "tf_keras": "Keras", "tensorflow": "TensorFlow", "numpy": "NumPy"}.get(
        root, "the library"
    )


def _does_not_go(case: Case, link: RaisedException, refused: CallRefused) -> Finding | None:
    """An argument that the exception names, and without which the failing line is not reached."""
    text, called = text_of(link), call_of(case)
    call = failing_call(case, called) if called is not None else None
    if called is None or called.frame is None or call is None:
        return None
    for demand in refused.demands:
        word = next((one for one in call.keywords if one.arg == demand.parameter), None)
        if demand.kind != "reached" or word is None or not re.search(rf"[`'\"]{demand.parameter}[`'\"=]", text):
            continue
        data = next((one for one in called.arguments if one.position == 0), None)
        file = called.frame.file
        shown = f"`{demand.parameter}={written(word.value)}`"
        words = f"{shown} does not go with the other arguments of `{called.callee}`"
        if data is not None and data.type and data.type.rpartition(".")[2] in text:
            words = (
                f"{shown} does not go with `{data.text}`, which is a {data.type.rpartition('.')[2].lstrip('_')}: it is "
                "for arrays and tensors only"
                if "array" in text.lower()
                else f"{shown} does not go with `{data.text}`, which is a {data.type.rpartition('.')[2].lstrip('_')}"
            )
        advice = [f"Leave `{demand.parameter}` out of `{called.callee}`."]
        if demand.parameter == "validation_split" and data is not None and "Dataset" in data.type:
            advice.append(
                f"To validate, split the dataset: `validation_data={data.text}.take(n)`, and train on "
                f"`{data.text}.skip(n)`."
            )
        edit = drop_keyword(case.sources[file], file, call, demand.parameter)
        changes = [Change(title=f"Leave `{demand.parameter}` out", kind="argument", edits=[edit])] if edit else []
        culprit = Culprit(kind="argument", name=demand.parameter, value=demand.value)
        return _finding(case, link, words, file, call.lineno, culprit, advice, changes, demand)
    return None


def _finding(
    case: Case,
    link: RaisedException,
    words: str,
    file: str,
    line: int,
    culprit: Culprit,
    advice: list[str],
    changes: list[Change],
    demand: Demanded | None = None,
) -> Finding:
    scope = function_at(case.project[file].tree, line)
    place = case.locate(Frame(file=file, line=line, function=scope.name if scope else "<module>", user=True))
    refused = refusal(case)
    evidence = [said(link)]
    if refused is not None and demand is not None and demand.kind not in ("", "reached", "item"):
        value = demand.value if demand.value is not None else demand.type.rpartition(".")[2]
        evidence.append(Evidence(fact=f"`{demand.text}` in {refused.function}", value=value, source="CallRefused"))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="likely",
        location=place,
        culprit=culprit,
        evidence=evidence,
        advice=advice,
        changes=changes,
    )
