"""A call that gives None is used for its result.

## What it detects
An attribute, an item or a call of `None`, or `None` among numbers, where the value was made by a call that gives none:
a function of the program's own without `return`, a method that changes its object (`inplace=True`, `append`, `sort`), a
picture that could not be read.

## Why it happens
The last line of the function lacks its `return`, or what should be a class was begun with `def`; `df = df.drop(…,
inplace=True)` changes the table and returns nothing; `cv2.imread` gives None for what is not there or is not a picture.

## Evidence
The value on the failing line, which is None, the line that made it, and the function, read from the source; of a
picture, the file.

## How it is proved
The value was seen to be None, its last assignment is that call, and that has no result: certain. A function that gives
None in some of its branches: likely.

## Fix
The `return`; the method without the assignment; `class` instead of `def`; only names of pictures.

## Known problems
Of other libraries' functions it is not known why they give None.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.errors import class_changes
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import FileLooked, Frame, RaisedException
from whydied.source.assignments import last_assignment, stored_names
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, over, statement, written_in
from whydied.source.edits.programs.definition_edits import last_statement
from whydied.source.results import has_result, none_branches, result_name
from whydied.source.trails import Step
from whydied.source.trees import Function, across, scope_at, tree_of, walk, written

ROLE = "explanation"
YIELDS_TO = ("layer-misuse", "header-read-as-data")
_CHANGING = frozenset(
    {
        *("append", "extend", "insert", "sort", "reverse", "clear", "update", "shuffle", "compile", "summary"),
        *("fit_on_texts", "adapt"),
    }
)
"""Methods that change their object, or only print, and give None."""
_LISTING = frozenset({"listdir", "glob", "iglob", "rglob", "scandir", "walk", "iterdir"})


def check(case: Case) -> Finding | None:
    link, place = root_link(case), place_of(case)
    if link is None or place is None or link.type not in ("AttributeError", "TypeError", "ValueError"):
        return None
    if "None" not in link.message:
        return None
    for name in _nones(link):
        changed = _in_place(case, name) or _unread_picture(case, name) or _of_branch(case, name)
        if changed is not None:
            return changed
        made = _made(case, name, place.file, place.line)
        call = getattr(made, "value", None)
        if made is None or not isinstance(call, ast.Call):
            continue
        function = _function(case, callee(call))
        if function is None or has_result(function[1]):
            continue
        file, node = function
        where = case.locate(Frame(file=file, line=node.lineno, function=node.name, user=True))
        at = line_words(Frame(file=place.file, line=made.lineno, function=""))
        return Finding(
            message=f"{prefix(where)}`{node.name}` has no `return`, so `{name}` on {at} is None",
            certainty="certain",
            location=where,
            culprit=Culprit(kind="function", name=node.name),
            evidence=[
                said(link),
                Evidence(fact=f"`{name}` on {line_words(place)}", value="None", source="ExceptionRaised"),
            ],
            advice=[_advice(node, name)],
            changes=_changes(case, file, node, name),
        )
    return None


def _maker(case: Case, name: str) -> tuple[Failing, Step, ast.Call] | None:
    """The call that gave a name of the failing statement its value."""
    found = failing(case)
    node = found.expression(name) if found is not None else None
    if found is None or node is None:
        return None
    for step in found.trails.trail(found.place.file, found.place.line, node):
        if isinstance(step.value, ast.Call):
            return None if step.place or step.in_loop else (found, step, step.value)
        if not isinstance(step.value, ast.Name | ast.Attribute):
            return None
    return None


def _in_place(case: Case, name: str) -> Finding | None:
    """A method that changes its object and gives None."""
    made = _maker(case, name)
    if made is None:
        return None
    found, step, call = made
    if not isinstance(call.func, ast.Attribute):
        return None
    inplace = next((one for one in call.keywords if one.arg == "inplace"), None)
    is_inplace = inplace is not None and isinstance(inplace.value, ast.Constant) and inplace.value.value is True
    if not is_inplace and (callee(call) not in _CHANGING or found.trails.function(callee(call)) is not None):
        return None
    method = f"{callee(call)}(…, inplace=True)" if is_inplace else f"{callee(call)}(…)"
    where = found.located(step.file, step.line)
    owner = written(call.func.value)
    source = found.sources[step.file]
    at = f" on {line_words(found.place)}" if where != found.place else ""
    edits: list[Edit] = []
    if is_inplace and inplace is not None:
        kept: list[ast.expr | ast.keyword] = [*call.args, *(one for one in call.keywords if one is not inplace)]
        text = f"{written_in(source, call.func)}({', '.join(written_in(source, one) for one in kept)})"
        edits = [over(source, step.file, call, text)]
        advice = f"Leave out `inplace=True`, or the `{step.name} =` before it."
    else:
        edits = [statement(source, step.file, step.line, written_in(source, call))]
        advice = f"Leave out the `{step.name} =`: it changes `{owner}` itself."
    is_plain = callee(call) != "shuffle" and found.is_editable(step.file)
    return Finding(
        message=f"{prefix(where)}`{method}` changes `{owner}` and gives None, so `{name}`{at} is None",
        certainty="certain",
        location=where,
        culprit=Culprit(kind="expression", name=step.name or name),
        evidence=[said(found.link)],
        advice=[advice],
        changes=[Change(title=advice.rstrip("."), kind="expression", edits=edits)] if is_plain else [],
    )


def _unread_picture(case: Case, name: str) -> Finding | None:
    """A picture that could not be read, and the line that listed its file where it is there and is not a picture."""
    made = _maker(case, name)
    if made is None or callee(made[2]) != "imread" or not made[2].args:
        return None
    found, step, call = made
    looked = case.records.all(FileLooked)
    file = looked[-1] if looked else None
    listed = _listing(found, step, call.args[0]) if file is not None else None
    where = found.located(*(listed or (step.file, step.line)))
    at = f" on {line_words(found.place)}" if where != found.place else ""
    base = file.path.rsplit("/", 1)[-1] if file is not None else ""
    if file is None:
        words, advice = "gives None where it cannot read a file", f"Check `{written(call.args[0])}` before it is used."
    elif not file.content and listed is None:
        near = f" Did you mean `{file.near[0]}`?" if file.near else ""
        words = f"gives None, because there is no file `{file.path}`"
        advice = f"Check how `{written(call.args[0])}` is put together.{near}"
    elif file.content in ("directory", "saved_model", "checkpoint"):
        words = f"gives None for `{file.path}`, which is a directory"
        advice = f"Check how `{written(call.args[0])}` is put together: it has to name a file."
    else:
        # One that was listed was there; a temporary directory is gone by now.
        kind = "is empty" if file.content == "empty" else "it cannot read as a picture"
        words = f"gives None for `{base}`, which {kind}"
        hidden = "whose names begin with a point" if base.startswith(".") else "that are not pictures"
        advice = f"Leave out the files {hidden} where they are listed, or skip what is None."
    return Finding(
        message=f"{prefix(where)}`{written(call.func)}` {words}; `{name}`{at} is that None",
        certainty="certain" if file is not None else "likely",
        location=where,
        culprit=Culprit(kind="file", name=file.path if file is not None else written(call.args[0])),
        evidence=[said(found.link), Evidence(fact="read", value=written(call), source="source")],
        advice=[advice],
    )


def _of_branch(case: Case, name: str) -> Finding | None:
    """A function of the program's own that gives None in one of its branches, and the file that it was given."""
    made = _maker(case, name)
    called = made[0].trails.called(made[2]) if made is not None else None
    if made is None or called is None or not has_result(called[1]):
        return None
    found, step, call = made
    own_file, function = called
    branches = none_branches(function)
    if len(branches) != 1:
        return None
    line, header = branches[0]
    looked = case.records.all(FileLooked)
    given = f" for `{looked[-1].path}`" if looked else ""
    missing = ", which is not there" if looked and not looked[-1].content else ""
    near = f" Did you mean `{looked[-1].near[0]}`?" if looked and looked[-1].near else ""
    where = found.located(step.file, step.line)
    branch = f"line {line}" if own_file == step.file else line_words(Frame(file=own_file, line=line, function=""))
    return Finding(
        message=f"{prefix(where)}`{callee(call)}` gave None{given}{missing}: it returns None on {branch}, under "
        f"`{header}`, and `{name}` is that None",
        certainty="likely",
        location=where,
        culprit=Culprit(kind="expression", name=written(call)),
        evidence=[said(found.link), Evidence(fact="called", value=written(call), source="source")],
        advice=[f"Skip what `{callee(call)}` gives None for, or see why it does.{near}"],
    )


def _listing(found: Failing, step: Step, path: ast.expr) -> tuple[str, int] | None:
    """The line that lists the directory which the path's last part comes from."""
    if isinstance(path, ast.Call) and callee(path) == "join" and path.args:
        path = path.args[-1]
    for node in walk(path, (ast.Name, ast.Attribute)):
        for behind in found.trails.trail(step.file, step.line, node):
            if any(callee(call) in _LISTING for call in walk(behind.value, ast.Call)):
                return behind.file, behind.line
    return None


def _changes(case: Case, file: str, node: Function, name: str) -> list[Change]:
    source = case.sources[file]
    header = source.lines[node.lineno - 1]
    if _is_class(node):
        at = header.index("def")
        edit = Edit(file, (node.lineno, at), (node.lineno, at + len("def")), "class")
        return [Change(title=f"Write `class {node.name}`", kind="definition", edits=[edit])]
    found = class_changes.return_result(case, file, node.lineno)
    result = _result(node, name)
    if found or not result:
        return found
    added = last_statement(source, file, node, f"return {result}")
    return (
        [Change(title=f"End `{node.name}` with `return {result}`", kind="definition", edits=[added])] if added else []
    )


def _nones(link: RaisedException) -> list[str]:
    return [one.text for one in link.operands if one.value == "None" and one.text.isidentifier()]


def _made(case: Case, name: str, file: str, line: int) -> ast.stmt | None:
    """The last assignment of a variable above a line, where it has no other value than that one."""
    tree = tree_of(case.sources, file)
    scope = scope_at(tree, line)
    found = last_assignment(name, scope, line) or (last_assignment(name, tree, 1 << 30) if scope is not tree else None)
    simple = isinstance(found, ast.Assign) and all(isinstance(one, ast.Name) for one in found.targets)
    return found if simple else None


def _function(case: Case, name: str) -> tuple[str, Function] | None:
    found = [(file, node) for file, node in across(case.sources, ast.FunctionDef) if node.name == name]
    return found[0] if len(found) == 1 and name else None


def _is_class(node: Function) -> bool:
    inner = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    return "__init__" in inner and len(inner) == len(node.body) - isinstance(node.body[0], ast.Expr)


def _result(node: Function, name: str) -> str | None:
    stored = stored_names(node)
    return result_name(node) or (name if name in stored else next(iter(stored)) if len(stored) == 1 else None)


def _advice(node: Function, name: str) -> str:
    if _is_class(node):
        bases = ", ".join(one.arg for one in node.args.args)
        return f"Write `class {node.name}({bases}):`: it has the methods of a class, and `def` makes it a function."
    last = node.body[-1]
    if isinstance(last, ast.Expr) and not result_name(node):
        return f"Put `return` before the expression on line {last.lineno}."
    result = _result(node, name)
    return f"End it with `return {result}`." if result else "End it with `return` and its result."
