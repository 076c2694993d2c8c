"""Whole statements: one more, one moved, another test, what a loop goes over and a line takes apart. Pure.

Invariant: no guess leaves out the failing statement, or hides its exception.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.prove.guesses.scene import Guess, Scene, Site
from whydied.source.calls import callee
from whydied.source.edits.edit import line_before, over, written_in
from whydied.source.edits.import_edits import add_import, module_names
from whydied.source.edits.statement_edits import move_above, stands_alone, statement_at
from whydied.source.trees import function_at, scope_at, within, written

_WRITES = ("save", "save_weights", "savefig", "to_csv", "open", "dump", "export", "write_text", "mkdir", "save_model")


def statements(scene: Scene) -> Iterator[Guess]:
    for site in scene.sites:
        if site.far <= 1:
            yield from _tests(scene, site)
            yield from _loops(scene, site)
            yield from _taken_apart(scene, site)
            yield from _directories(scene, site)
            yield from _built(scene, site)
    yield from _moved(scene)


def _tests(scene: Scene, site: Site) -> Iterator[Guess]:
    """`if x is not None` for `if x`; `.all()` of a comparison of arrays."""
    source = scene.sources[site.file]
    for node in scene.nodes(site, (ast.If, ast.While, ast.IfExp)):
        test = getattr(node, "test", None)
        negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        part = test.operand if isinstance(test, ast.UnaryOp) and negated else test
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.Call) and isinstance(test, ast.expr):
            word = "is None" if negated else "is not None"
            text = f"{written_in(source, part)} {word}"
            edit = over(source, site.file, test, text)
            wrong = f"`{written(test)}` asks a value whether it is true; whether it is there is meant"
            yield Guess("test", f"Test `{text}`", wrong, [edit], 1.1 + 0.6 * site.far)
        if isinstance(part, ast.Compare) and isinstance(test, ast.expr):
            text = f"({written_in(source, part)}).all()"
            edit = over(source, site.file, test, text)
            wrong = f"`{written(test)}` has many values"
            yield Guess("test", f"Test `{text}`", wrong, [edit], 1.8 + 0.6 * site.far)


def _loops(scene: Scene, site: Site) -> Iterator[Guess]:
    """What a loop or a comprehension goes over: numbered, the items of a dict, a range of a number, pairs."""
    source = scene.sources[site.file]
    parts: list[tuple[ast.expr, ast.expr]] = [(one.target, one.iter) for one in scene.nodes(site, ast.For)]
    for made in scene.nodes(site, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
        parts += [(one.target, one.iter) for one in made.generators]  # type: ignore[attr-defined]
    for target, over_it in parts:
        known = scene.known(site, over_it)
        text = written_in(source, over_it)
        pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
        codes = [(f"enumerate({text})", 0.8 if pair else 3.0)]
        if known is None or known.name in ("dict", "defaultdict", "OrderedDict"):
            codes += [(f"{text}.items()", 0.7 if pair else 2.0), (f"{text}.values()", 0.8 if not pair else 2.4)]
        if scene.link.type == "TypeError" and (known is None or known.name in ("int", "int64")):
            codes += [(f"range({text})", 0.5)]
        if isinstance(over_it, ast.Tuple | ast.List) and len(over_it.elts) > 1:
            inner = ", ".join(written_in(source, one) for one in over_it.elts)
            codes += [(f"zip({inner})", 0.8)]
        if isinstance(over_it, ast.Call) and callee(over_it) in ("zip", "enumerate") and over_it.args:
            codes += [(written_in(source, over_it.args[-1]), 1.6)]
        for new, cost in codes:
            wrong = f"the loop goes over `{written(over_it)}`"
            edit = over(source, site.file, over_it, new)
            yield Guess("loop", f"Go over `{new}`", wrong, [edit], cost + 0.7 * site.far)


def _taken_apart(scene: Scene, site: Site) -> Iterator[Guess]:
    """A value that has more or fewer parts than the names that it is given to."""
    if "unpack" not in scene.link.message:
        return
    source = scene.sources[site.file]
    for node in scene.nodes(site, (ast.Assign, ast.For)):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if not isinstance(target, ast.Tuple) or any(isinstance(one, ast.Starred) for one in target.elts):
            continue
        words = [written_in(source, one) for one in target.elts]
        rest = ", ".join([*words, "*_"])
        edit = over(source, site.file, target, rest)
        wrong = f"the value has more parts than `{', '.join(words)}`"
        yield Guess("parts", f"Take apart as `{rest}`", wrong, [edit], 1.0 + site.far)
        middle = ", ".join([words[0], "*_", *words[1:]])
        yield Guess(
            "parts", f"Take apart as `{middle}`", wrong, [over(source, site.file, target, middle)], 1.5 + site.far
        )
        value = getattr(node, "value", None)
        if isinstance(value, ast.expr):
            text = written_in(source, value)
            yield Guess(
                "parts",
                f"Take the first item of `{written(value)}` apart",
                f"`{written(value)}` is a list of what is to be taken apart",
                [over(source, site.file, value, f"{text}[0]")],
                1.4 + site.far,
            )
            yield Guess(
                "parts",
                f"Take `zip(*{written(value)})` apart",
                f"`{written(value)}` is a list of pairs",
                [over(source, site.file, value, f"zip(*{text})")],
                1.4 + site.far,
            )


def _directories(scene: Scene, site: Site) -> Iterator[Guess]:
    """The directory of a file that is to be written."""
    if scene.link.type not in ("FileNotFoundError", "NotFoundError", "OSError", "ValueError"):
        return
    source = scene.sources[site.file]
    for call in scene.nodes(site, ast.Call):
        if callee(call) not in _WRITES or not call.args or isinstance(call.args[0], ast.Starred):
            continue
        path = written_in(source, call.args[0])
        made = line_before(source, site.file, site.line, f'os.makedirs(os.path.dirname({path}) or ".", exist_ok=True)')
        needed = add_import(source, site.file, "import os") if "os" not in module_names(source) else None
        wrong = f"the directory of `{path}` does not exist"
        yield Guess("directory", f"Make the directory of `{path}`", wrong, [*([needed] if needed else []), made], 0.9)


def _built(scene: Scene, site: Site) -> Iterator[Guess]:
    """A model that is called once before its weights are used."""
    source = scene.sources[site.file]
    for call in scene.nodes(site, ast.Call):
        if callee(call) not in (
            "load_weights",
            "summary",
            "save",
            "save_weights",
            "set_weights",
            "get_weights",
            "count_params",
        ):
            continue
        if not isinstance(call.func, ast.Attribute):
            continue
        model = written_in(source, call.func.value)
        texts = [f"{model}.build({shape})" for shape in _input_shapes(scene)]
        texts += [f"{model}({name}[:1])" for name in _arrays(scene)]
        for text in texts:
            edit = line_before(source, site.file, site.line, text)
            yield Guess("built", f"Call `{text}` before", f"`{model}` has no weights yet", [edit], 1.2 + 0.6 * site.far)


def _arrays(scene: Scene) -> list[str]:
    """The names of the arrays in sight that have rows."""
    found = [
        one.name
        for frame in scene.frames[:1]
        for one in frame.locals
        if one.shape and len(one.shape) > 1 and one.type.endswith(("ndarray", "EagerTensor"))
    ]
    return found[:2]


def _input_shapes(scene: Scene) -> list[str]:
    found = []
    for frame in scene.frames:
        for one in frame.locals:
            if one.shape and one.type.endswith(("ndarray", "EagerTensor")) and len(one.shape) > 1:
                found.append(f"({', '.join(['None', *map(str, one.shape[1:])])})")
    return list(dict.fromkeys(found))[:2] or ["(None, None)"]


def _moved(scene: Scene) -> Iterator[Guess]:
    """The statement that gives a missed name or attribute its value, above the one that reads it."""
    wanted = (scene.link.wanted or "").strip("'\"")
    if not wanted or scene.link.type not in ("NameError", "UnboundLocalError", "AttributeError", "KeyError"):
        return
    for site in scene.sites[:3]:
        source = scene.sources[site.file]
        function = function_at(source.tree, site.line)
        for node in within(scope_at(source.tree, site.line)):
            if not isinstance(node, ast.Assign) or node.lineno <= site.line or not stands_alone(source, node):
                continue
            beside = function_at(source.tree, node.lineno) is function and statement_at(source, node.lineno) is node
            if beside and any(wanted in (getattr(one, "id", ""), getattr(one, "attr", "")) for one in node.targets):
                edits = move_above(source, site.file, node, site.line)
                wrong = f"`{wanted}` is used before it is made"
                yield Guess("order", f"Move `{written(node)[:60]}` up", wrong, edits, 0.7)
