"""A call that gives None is used for its result.

## What it detects
An attribute, an item or a call of `None`, `None` that is unpacked, or `None` among numbers, where the way back from the
failing line ends in what gave it: a function of the program's own without `return` on the way that it took, a method
that changes its object (`inplace=True`, `append`, `sort`), a key or a pattern that was not found, a parameter that
nothing was passed for, an attribute that nothing filled, a picture that could not be read.

## Why it happens
The last line of the function lacks its `return`, or stands in one of its branches; what should be a class was begun
with `def`; `df = df.drop(…, inplace=True)` changes the table and returns nothing; `logs.get("val_mae")` gives None for
a name that the logs do not have; `cv2.imread` gives None for what is not there or is not a picture.

## Evidence
The value on the failing line, which is None, and the way that it came: through names, attributes, parameters, items and
results of the program's own functions, followed while the program was alive. Of a key, those that there are; of a
picture, the file.

## How it is proved
The value was seen to be None, and the only way that it can have come ends in a call that gives None: certain. Where the
source leaves another way open, or a function gives None only on some of its ways: likely.

## Fix
The `return`; the method without the assignment; the key that exists; `class` instead of `def`; only names of pictures.

## Known problems
Of other libraries' functions it is not known why they give None.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.data.makers import expression_of, is_like, maker_place, makers_of, way_evidence
from whydied.diagnose.errors import class_changes
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import FileLooked, Frame, ValueMade
from whydied.source.assignments import stored_names
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, over, statement, written_in
from whydied.source.edits.programs.definition_edits import last_statement
from whydied.source.results import result_name
from whydied.source.trees import Function, around, function_at, nodes_on, tree_of, walk, written

ROLE = "explanation"
YIELDS_TO = ("layer-misuse", "header-read-as-data", "missing-log-name")
_CHANGING = frozenset(
    {
        *("append", "extend", "insert", "sort", "reverse", "clear", "update", "shuffle", "compile", "summary"),
        *("fit_on_texts", "adapt"),
    }
)
"""Methods that change their object, or only print, and give None."""
_LISTING = frozenset({"listdir", "glob", "iglob", "rglob", "scandir", "walk", "iterdir"})
_PATTERNS = frozenset({"match", "search", "fullmatch"})


def check(case: Case) -> Finding | None:
    found = failing(case, "AttributeError", "TypeError", "ValueError")
    if found is None:
        return None
    told = "None" in found.link.message
    for made in makers_of(found):
        # What a function that returns nothing gave is not passed on by anybody who means it.
        if made.type == "NoneType" and made.steps and (told or made.steps[-1].kind == "no-return"):
            finding = _of(found, made)
            if finding is not None:
                return finding
    return None


def _of(found: Failing, made: ValueMade) -> Finding | None:
    end = made.steps[-1]
    if end.kind == "no-return":
        return _without_return(found, made)
    if end.kind == "gap":
        return _past_return(found, made)
    node = expression_of(found, end)
    if end.kind == "constant":
        return _written_none(found, made)
    if not isinstance(node, ast.Call) or end.kind != "call":
        return None
    if made.keys and made.wanted:
        return _missed_key(found, made, node)
    return (
        _in_place(found, made, node)
        or _unread_picture(found, made, node)
        or (_told(found, made, *_no_match(found, made, node)) if callee(node) in _PATTERNS else None)
        or _of_library(found, made, node)
    )


def _is_none(found: Failing, made: ValueMade, where: Location | None) -> str:
    """`x` on line 3 is None."""
    if made.inside:
        return f"{made.inside} is None"
    elsewhere = where is None or (where.file, where.line) != (found.place.file, found.place.line)
    return f"`{made.text}`{f' on {line_words(found.place)}' if elsewhere else ''} is None"


def _told(
    found: Failing,
    made: ValueMade,
    words: str,
    advice: str,
    changes: list[Change] | None = None,
    certainty: str = "certain",
) -> Finding:
    """What is to be said of the call that gave the value."""
    where = maker_place(found, made)
    return Finding(
        message=f"{prefix(where)}{words}, so {_is_none(found, made, where)}",
        certainty="likely" if made.others else certainty,  # type: ignore[arg-type]
        location=where,
        culprit=Culprit(kind="expression", name=made.steps[-1].text or made.text),
        evidence=[said(found.link), *way_evidence(found, made)],
        advice=[advice],
        changes=changes if changes and found.is_editable(where.file) else [],
    )


def _without_return(found: Failing, made: ValueMade) -> Finding | None:
    defined = made.function
    node = function_at(tree_of(found.sources, defined.file), defined.line) if defined is not None else None
    if defined is None or node is None:
        return None
    where = found.located(defined.file, node.body[-1].lineno) if _ends_in_value(node) else found.case.locate(defined)
    name = _wanted_name(found, made)
    return Finding(
        message=f"{prefix(where)}{_lacks(node)}, so {_is_none(found, made, where)}",
        certainty="likely" if made.others or "None" not in found.link.message else "certain",
        location=where,
        culprit=Culprit(kind="function", name=node.name),
        evidence=[said(found.link), *way_evidence(found, made)],
        advice=[_advice(node, name)],
        changes=_changes(found.case, defined.file, node, name) if found.is_editable(defined.file) else [],
    )


def _ends_in_value(node: Function) -> bool:
    """Whether the last line is what lacks the `return`."""
    return isinstance(node.body[-1], ast.Expr) and not (result_name(node) or _is_class(node) or _is_stub(node))


def _wanted_name(found: Failing, made: ValueMade) -> str:
    """What the caller calls the result: the names of an unpacking, or the variable that it is kept in."""
    names = [step.name for step in made.steps if step.kind in ("variable", "attribute") and step.name]
    if names:
        return names[-1].rpartition(".")[2]
    place = found.place
    for node in nodes_on(found.sources[place.file], place.line) if place.file in found.sources else ():
        if isinstance(node, ast.Assign) and written(node.value) == made.text:
            return written(node.targets[0]).strip("()[]")
    return made.text.rpartition(".")[2]


def _past_return(found: Failing, made: ValueMade) -> Finding | None:
    """A function that returns a value on some of its ways only."""
    defined, call = made.function, made.steps[-1]
    if defined is None or call.frame is None or made.line is None:
        return None
    node = function_at(tree_of(found.sources, defined.file), defined.line)
    is_written = node is not None and any(
        isinstance(one, ast.Return) and one.lineno == made.line for one in ast.walk(node)
    )
    looked = found.case.records.all(FileLooked)
    given = f" for `{looked[-1].path}`" if looked else ""
    missing = ", which is not there" if looked and not looked[-1].content else ""
    near = f" Did you mean `{looked[-1].near[0]}`?" if looked and looked[-1].near else ""
    where = (
        found.located(call.frame.file, call.frame.line)
        if is_written and not made.inside
        else found.located(defined.file, made.line)
    )
    at = line_words(found.located(defined.file, made.line))
    under = " or ".join(f"`{one}`" for one in made.conditions)
    if is_written:
        words = f"`{call.name}` gave None{given}{missing}: it returns None on {at}" + (
            f", under {under}" if under else ""
        )
        advice = f"Skip what `{call.name}` gives None for, or see why it does.{near}"
    else:
        only = f"returns a value only under {under}" if under else "returns a value only in other branches"
        was = f" with {', '.join(f'`{one}`' for one in made.given)}" if made.given else ""
        called = "by the library" if made.inside else f"on {line_words(call.frame)}"
        words = f"`{call.name}` {only} and ended without one{was}, called {called}"
        advice = f"Return a value for the other cases too (`else:`, line {made.line}), or raise an error there."
    return Finding(
        message=f"{prefix(where)}{words}; {_is_none(found, made, where)}",
        certainty="likely",
        location=where,
        culprit=Culprit(kind="expression" if is_written else "function", name=call.text if is_written else call.name),
        evidence=[said(found.link), *way_evidence(found, made)],
        advice=[advice],
    )


def _missed_key(found: Failing, made: ValueMade, call: ast.Call) -> Finding:
    holder = written(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    keys = ", ".join(f"`{one}`" for one in made.keys[:5])
    words = f"`{holder}` has no key `{made.wanted}`: it has {keys}"
    near, where = made.keys[0], maker_place(found, made)
    edit = over(found.sources[where.file], where.file, call.args[0], near)
    change = Change(title=f"Ask for `{near}`", kind="expression", edits=[edit])
    advice = f"Ask for a key that it has, such as `{written(call.func)}({near})`, or check for None."
    return _told(found, made, words, advice, [change] if is_like(made.wanted or "", near) else [])


def _no_match(found: Failing, made: ValueMade, call: ast.Call) -> tuple[str, str]:
    text = written_in(found.sources[maker_place(found, made).file], call)
    looked = f" in `{made.looked_in}`" if made.looked_in else ""
    return (
        f"`{text}` found no match{looked}",
        "Skip what does not match (`if … is None: continue`), or change the pattern so that it matches.",
    )


def _written_none(found: Failing, made: ValueMade) -> Finding | None:
    """None that the program itself wrote: a default that no argument replaced, an attribute that nothing filled."""
    default = next((step for step in made.steps if step.kind == "default"), None)
    if default is not None and default.frame is not None:
        where = found.located(default.frame.file, default.frame.line)
        return Finding(
            message=f"{prefix(where)}`{default.text}` passes no `{default.name}`, whose default is None, so "
            f"{_is_none(found, made, where)}",
            certainty="likely",
            location=where,
            culprit=Culprit(kind="argument", name=default.name),
            evidence=[said(found.link), *way_evidence(found, made)],
            advice=[f"Pass `{default.name}` here."],
        )
    kept = made.steps[-2] if len(made.steps) > 1 else None
    if kept is None or kept.kind not in ("attribute", "variable"):
        return None
    words = f"`{kept.name}` is set to None here, and nothing that ran since gave it a value"
    advice = f"Give `{kept.name}` its value before {line_words(found.place)}."
    other = made.elsewhere[0] if len(made.elsewhere) == 1 else None
    if other is not None and other.frame is not None and other.frame != made.steps[-1].frame:
        # Of two lines that give it a value, the one that did not run, or that gave None too.
        under = _condition(found, other.frame)
        words += f" (`{other.name} = {other.text}` on {line_words(other.frame)}{under} did not)"
        advice = f"See why {line_words(other.frame)}{under} gave it none before {line_words(found.place)}."
    return _told(found, made, words, advice, None, "likely")


def _condition(found: Failing, frame: Frame) -> str:
    """The `if` that a line stands under, or the method that it stands in."""
    tree = tree_of(found.sources, frame.file)
    tests = [one for one in around(tree, frame.line, ast.stmt) if isinstance(one, ast.If)]
    if tests:
        return f", under `if {written(tests[-1].test)}`,"
    return f", in `{frame.function}`," if frame.function not in ("<module>", found.place.function) else ""


def _of_library(found: Failing, made: ValueMade, call: ast.Call) -> Finding | None:
    if made.others or found.trails.called(call) is not None:
        return None
    where = maker_place(found, made)
    kept = made.steps[-2] if len(made.steps) > 1 else None
    owner = written(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if kept is not None and kept.kind in ("variable", "attribute") and kept.name == owner:
        # Whoever keeps the result under the name of the object means the object.
        advice = f"Leave out the `{owner} =`: `{callee(call)}` changes `{owner}` itself and gives None."
        edits = [_on_its_own(found, where, call, owner)]
        changes = [Change(title=f"Leave out the `{owner} =`", kind="expression", edits=edits)]
        return _told(found, made, f"`{written(call)}` gives None", advice, changes, "likely")
    at = "" if (where.file, where.line) == (found.place.file, found.place.line) else f" on {line_words(found.place)}"
    advice = f"See when `{callee(call)}` gives None, and check for it before{at or ' it is used'}."
    return _told(found, made, f"`{written(call)}` gave None", advice, None, "likely")


def _in_place(found: Failing, made: ValueMade, call: ast.Call) -> Finding | None:
    """A method that changes its object and gives None."""
    if not isinstance(call.func, ast.Attribute):
        return None
    inplace = next((one for one in call.keywords if one.arg == "inplace"), None)
    is_inplace = inplace is not None and isinstance(inplace.value, ast.Constant) and inplace.value.value is True
    if not is_inplace and (callee(call) not in _CHANGING or found.trails.function(callee(call)) is not None):
        return None
    where = maker_place(found, made)
    source = found.sources[where.file]
    kept = made.steps[-2] if len(made.steps) > 1 else None
    assigned = kept.name if kept is not None and kept.kind in ("variable", "attribute") else ""
    if callee(call) == "shuffle" and call.args:
        return _shuffled(found, made, call, assigned)
    owner = written(call.func.value)
    method = f"{callee(call)}(…, inplace=True)" if is_inplace else f"{callee(call)}(…)"
    if is_inplace and inplace is not None:
        parts: list[ast.expr | ast.keyword] = [*call.args, *(one for one in call.keywords if one is not inplace)]
        text = f"{written_in(source, call.func)}({', '.join(written_in(source, one) for one in parts)})"
        edits = [over(source, where.file, call, text)]
        before = f", or the `{assigned} =` before it" if assigned else ""
        advice = f"Leave out `inplace=True`{before}."
    elif assigned:
        edits = [_on_its_own(found, where, call, assigned)]
        then = "" if assigned == owner else f", and use `{owner}`"
        advice = f"Leave out the `{assigned} =`: it changes `{owner}` itself{then}."
    else:
        edits = []
        advice = f"Call it on a line of its own, and use `{owner}`: it changes that itself."
    changes = [Change(title=advice.rstrip("."), kind="expression", edits=edits)] if edits else []
    return _told(found, made, f"`{method}` changes `{owner}` and gives None", advice, changes)


def _on_its_own(found: Failing, where: Location, call: ast.Call, assigned: str) -> Edit:
    """The call as a statement, and the name for what it changed where that has another."""
    assert isinstance(call.func, ast.Attribute)
    source = found.sources[where.file]
    owner = written(call.func.value)
    text = written_in(source, call)
    return statement(source, where.file, where.line, text if assigned == owner else f"{text}\n{assigned} = {owner}")


def _shuffled(found: Failing, made: ValueMade, call: ast.Call, assigned: str) -> Finding:
    """`random.shuffle` changes its argument, not the module that it is called on."""
    where = maker_place(found, made)
    source = found.sources[where.file]
    given = written_in(source, call.args[0])
    name = given if isinstance(call.args[0], ast.Name) else assigned
    function = written_in(source, call.func)
    is_named = name == given
    lines = f"{function}({name})" if is_named else f"{name} = {given}\n{function}({name})"
    advice = f"Write `{function}({name})` on a line of its own and use `{name}`."
    if not is_named:
        advice = f"Keep the list first: `{name} = {given}`, then `{function}({name})`."
    edits = [statement(source, where.file, where.line, lines)] if assigned and name == assigned else []
    changes = [Change(title=advice.rstrip("."), kind="expression", edits=edits)] if edits else []
    return _told(found, made, f"`{function}` shuffles `{given}` itself and gives None", advice, changes)


def _unread_picture(found: Failing, made: ValueMade, call: ast.Call) -> Finding | None:
    """A picture that could not be read, and the line that listed its file where it is there and is not a picture."""
    if callee(call) != "imread" or not call.args:
        return None
    looked = found.case.records.all(FileLooked)
    file = looked[-1] if looked else None
    at_read = maker_place(found, made)
    listed = _listing(found, at_read, call.args[0]) if file is not None else None
    where = found.located(*listed) if listed is not None else at_read
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
        message=f"{prefix(where)}`{written(call.func)}` {words}; {_is_none(found, made, where)}",
        certainty="certain" if file is not None else "likely",
        location=where,
        culprit=Culprit(kind="file", name=file.path if file is not None else written(call.args[0])),
        evidence=[said(found.link), Evidence(fact="read", value=written(call), source="source")],
        advice=[advice],
    )


def _listing(found: Failing, at: Location, path: ast.expr) -> tuple[str, int] | None:
    """The line that lists the directory which the path's last part comes from."""
    if isinstance(path, ast.Call) and callee(path) == "join" and path.args:
        path = path.args[-1]
    for node in walk(path, (ast.Name, ast.Attribute)):
        for behind in found.trails.trail(at.file, at.line, node):
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
    if _is_stub(node):
        return []
    found = class_changes.return_result(case, file, node.lineno)
    result = _result(node, name)
    if found or not result:
        return found
    added = last_statement(source, file, node, f"return {result}")
    return (
        [Change(title=f"End `{node.name}` with `return {result}`", kind="definition", edits=[added])] if added else []
    )


def _lacks(node: Function) -> str:
    if _is_class(node):
        return f"`{node.name}` has the methods of a class, and `def` makes it a function without a result"
    return f"`{node.name}` has no `return`"


def _is_class(node: Function) -> bool:
    inner = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    return "__init__" in inner and len(inner) == len(node.body) - isinstance(node.body[0], ast.Expr)


def _is_stub(node: Function) -> bool:
    """A function of nothing but its documentation."""
    return all(
        isinstance(one, ast.Pass) or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in node.body
    )


def _result(node: Function, name: str) -> str | None:
    stored = stored_names(node)
    several = [one.strip() for one in name.split(",")]
    if len(several) > 1:
        return name if stored.issuperset(several) else None
    return result_name(node) or (name if name in stored else next(iter(stored)) if len(stored) == 1 else None)


def _advice(node: Function, name: str) -> str:
    if _is_class(node):
        bases = ", ".join(one.arg for one in node.args.args)
        return f"Write `class {node.name}({bases}):`: it has the methods of a class, and `def` makes it a function."
    last = node.body[-1]
    if _is_stub(node):
        return f"Write what `{node.name}` is to return, or override it in the class that is used: it has no body."
    if _ends_in_value(node):
        return f"Put `return` before the expression on line {last.lineno}."
    result = _result(node, name)
    return f"End it with `return {result}`." if result else "End it with `return` and its result."
