"""What the program has and does not use, and is just what is missing: a function of its own that nobody calls, an array
that was prepared and is passed on in its raw form. Pure.

A function is asked for where its first parameter fits, by its name, a value that the failing statements use; an array
where it was made of a value that they use.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import NamedTuple

from whydied.prove.guesses.scene import Guess, Scene, Site
from whydied.source.bindings import Binding, bindings
from whydied.source.calls import own_names
from whydied.source.edits.edit import Edit, line_after, over
from whydied.source.edits.import_edits import add_import, module_names
from whydied.source.edits.statement_edits import stands_alone
from whydied.source.text import Source
from whydied.source.trees import across, scope_at, walk, within, written

_ANYTHING = frozenset(
    {
        *("x", "data", "value", "values", "array", "arr", "item", "obj", "batch", "df", "table", "frame", "a", "t"),
        "inputs",
    }
)
"""Names of parameters that say nothing about what they are."""
_FARTHEST = 2.0
_MOST_HELPERS = 6
_MOST_USES = 4


class _Helper(NamedTuple):
    file: str
    function: ast.FunctionDef
    word: str
    others: list[str]

    @property
    def gives(self) -> bool:
        return any(isinstance(one, ast.Return) and one.value is not None for one in within(self.function))


def helpers(scene: Scene) -> Iterator[Guess]:
    """A function that nobody calls, of what the failing statements use."""
    found = _uncalled(scene)[:_MOST_HELPERS]
    for helper in found:
        for site, name, bound in _fitting(scene, helper)[:_MOST_USES]:
            source = scene.sources[site.file]
            known = (
                set(own_names(scope))
                if isinstance(scope := scope_at(source.tree, bound.line), ast.FunctionDef)
                else set()
            )
            known |= {one.id for one in within(scope) if isinstance(one, ast.Name) and one.lineno <= bound.line}
            if not set(helper.others) <= known | module_names(source):
                continue
            called, needed = _name_of(scene, site.file, helper)
            if not called or not isinstance(bound.node, ast.stmt) or not stands_alone(source, bound.node):
                continue
            call = f"{called}({', '.join([name, *(f'{one}={one}' for one in helper.others)])})"
            text = f"{name} = {call}" if helper.gives else call
            edits = [line_after(source, site.file, bound.node.end_lineno or bound.line, text), *needed]
            wrong = f"`{helper.function.name}` is never called, and `{name}` is used as it was made"
            is_said = _is_said(helper.word, name)
            yield Guess(
                "helper", f"Add `{text}` below this line", wrong, edits, (0.3 if is_said else 1.0) + 0.2 * site.far
            )


def _uncalled(scene: Scene) -> list[_Helper]:
    """Functions at the top level that nothing names, each with the parameter that it must be given."""
    read = {one.id for _, one in across(scene.sources, ast.Name) if isinstance(one.ctx, ast.Load)}
    read |= {one.attr for _, one in across(scene.sources, ast.Attribute)}
    read |= {one.value for _, one in across(scene.sources, ast.Constant) if isinstance(one.value, str)}
    found = []
    for file, source in scene.sources.items():
        for one in source.tree.body:
            if not isinstance(one, ast.FunctionDef) or one.name in read or one.decorator_list:
                continue
            given = one.args
            words = [part.arg for part in (*given.posonlyargs, *given.args)]
            needed = words[: len(words) - len(given.defaults)]
            if needed and not given.vararg and all(given.kw_defaults):
                found.append(_Helper(file, one, needed[0], needed[1:]))
    return found


def _fitting(scene: Scene, helper: _Helper) -> list[tuple[Site, str, Binding]]:
    """The values of the failing statements that a function may be meant for, each with the statement that made it."""
    found: dict[tuple[str, int, str], tuple[Site, str, Binding]] = {}
    for site in scene.sites:
        if site.far > _FARTHEST and not site.is_running:
            continue
        scope = scope_at(scene.sources[site.file].tree, site.line)
        for name in scene.nodes(site, ast.Name):
            if not isinstance(name.ctx, ast.Load) or not _fits(scene, site, helper.word, name):
                continue
            bound = [
                one for one in bindings(name.id, scope) if one.line < site.line and one.kind in ("assignment", "loop")
            ]
            if bound and bound[-1].kind == "assignment":
                found.setdefault((site.file, bound[-1].line, name.id), (site, name.id, bound[-1]))
    return list(found.values())


def _fits(scene: Scene, site: Site, word: str, name: ast.Name) -> bool:
    if _is_said(word, name.id):
        return True
    known = scene.known(site, name)
    return word in _ANYTHING and known is not None and known.shape is not None


def _is_said(word: str, name: str) -> bool:
    """Whether a parameter and a variable have a word in common: `model` and `trained_model`, `images` and `image`."""
    own, other = ({one.rstrip("s") or one for one in text.lower().split("_") if one} for text in (word, name))
    return bool(own & other - {"x", "y", "train", "test"}) or word == name


def _name_of(scene: Scene, file: str, helper: _Helper) -> tuple[str, list[Edit]]:
    """What a function is called by in a file, and the import that it needs for that."""
    name = helper.function.name
    source = scene.sources[file]
    if file == helper.file or name in module_names(source):
        return name, []
    module = os.path.basename(helper.file).removesuffix(".py")
    if module in {alias.asname or alias.name for node in walk(source.tree, ast.Import) for alias in node.names}:
        return f"{module}.{name}", []
    if os.path.dirname(file) != os.path.dirname(helper.file) or not module.isidentifier():
        return "", []
    added = add_import(source, file, f"from {module} import {name}")
    return (name, [added]) if added is not None else ("", [])


def prepared(scene: Scene) -> Iterator[Guess]:
    """An array in the place of the one that it was made of."""
    for site in scene.sites:
        if not site.is_running:
            continue
        source = scene.sources[site.file]
        scope = scope_at(source.tree, site.line)
        pairs = _unread(scope, site.line)
        uses = {
            name.id: name
            for name in scene.nodes(site, ast.Name)
            if isinstance(name.ctx, ast.Load) and name.id in {base for base, _, _ in pairs}
        }
        for base in uses:
            for _, made, line in [one for one in pairs if one[0] == base]:
                wrong = f"`{made}` was made of `{base}` on line {line} and is never used"
                here = _instead(source, site, scope, {base: (made, line)})
                yield Guess("prepared", f"Use `{made}` instead of `{base}`", wrong, here, 0.3 + 0.2 * site.far)
        every = {base: (made, line) for base, made, line in pairs}
        if len(every) > 1 and uses:
            names = ", ".join(f"`{made}`" for made, _ in every.values())
            wrong = f"{names} are never used"
            edits = _instead(source, site, scope, every)
            yield Guess("prepared", f"Use {names}, as prepared", wrong, edits, 0.4 + 0.2 * site.far)


def _unread(scope: ast.AST, before: int) -> list[tuple[str, str, int]]:
    """Names that are made of another above a line and that nobody reads: the other name, the name, its line."""
    read = {one.id for one in walk(scope, ast.Name) if isinstance(one.ctx, ast.Load)}
    found = []
    for node in within(scope):
        if not isinstance(node, ast.Assign) or node.lineno >= before or len(node.targets) != 1:
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Name) or target.id in read or target.id.startswith("_"):
            continue
        called = {id(one.func) for one in walk(node.value, ast.Call)}
        names = [one.id for one in walk(node.value, ast.Name) if id(one) not in called]
        found += [(name, target.id, node.lineno) for name in dict.fromkeys(names) if _is_form_of(target.id, name)]
    return found


def _is_form_of(made: str, base: str) -> bool:
    """`x_train_scaled`, `scaled_train`, `X` for `x_train`: a form of the same thing by its name."""
    own, other = ({one for one in text.lower().split("_") if one} for text in (made, base))
    return bool(own & other) or made.lower() == base.lower()


def _instead(source: Source, site: Site, scope: ast.AST, instead: dict[str, tuple[str, int]]) -> list[Edit]:
    """The reads of names from the lines of their other forms on, those of the failing statement among them."""
    return [
        over(source, site.file, name, instead[name.id][0])
        for name in within(scope)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id in instead
        if name.lineno > instead[name.id][1] and _is_array_use(scope, name)
    ]


def _is_array_use(scope: ast.AST, name: ast.Name) -> bool:
    """A statement that makes other forms still needs the raw one."""
    return not any(
        isinstance(node, ast.Assign) and name in walk(node.value, ast.Name) and _is_form_of(written(target), name.id)
        for node in within(scope)
        for target in getattr(node, "targets", [])
    )
