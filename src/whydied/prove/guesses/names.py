"""Another name: one that is near, another variable in sight, a function for its name, an attribute of `self`. Pure."""

from __future__ import annotations

import ast
import difflib
import functools
from collections.abc import Iterator

import msgspec

from whydied.diagnose.errors.near_edits import near_changes
from whydied.prove.guesses.scene import Guess, Scene, Site
from whydied.source.edits.edit import over, written_in
from whydied.source.edits.name_edits import attribute_name
from whydied.source.trees import around, dotted_name, walk, written

_MOST_NEAR = 3
_LIKE = 0.55
_BESIDE = 0.8
_MISSED = ("NameError", "UnboundLocalError", "AttributeError", "KeyError", "ImportError", "ModuleNotFoundError")


def names(scene: Scene) -> Iterator[Guess]:
    yield from _near(scene)
    yield from _keys(scene)
    yield from _positions(scene)
    for site in scene.sites:
        if site.far <= 2:
            yield from _others(scene, site)
            yield from _texts(scene, site)
    yield from _of_self(scene)
    yield from _methods(scene)


def _near(scene: Scene) -> Iterator[Guess]:
    """What exists and is like the name, key or file that was missed: the first ones, not the nearest alone."""
    place = scene.case.locate(scene.frames[0])
    for at, near in enumerate(scene.link.near[:_MOST_NEAR]):
        link = msgspec.structs.replace(scene.link, near=[near])
        for change in near_changes(scene.case, link, place):
            yield Guess("near", change.title, f"`{scene.link.wanted}` does not exist", change.edits, 0.2 + 0.8 * at)


def _keys(scene: Scene) -> Iterator[Guess]:
    """The keys that there are, in the place of the one that was missed."""
    site = scene.sites[0]
    missed = (scene.link.wanted or "").strip("'\"")
    if scene.link.type != "KeyError" or not missed:
        return
    for node in scene.nodes(site, ast.Constant):
        if str(node.value) != missed:
            continue
        for at, key in enumerate(scene.link.keys[:4]):
            edit = over(scene.sources[site.file], site.file, node, key)
            like = _likeness(missed, key.strip("'\""))
            wrong = f"there is no key `{missed}`"
            yield Guess("near", f"Write `{key}` instead of `{missed}`", wrong, [edit], 1.4 - like + 0.1 * at)


def _positions(scene: Scene) -> Iterator[Guess]:
    """A column by its position, where the columns of a table have names."""
    if scene.link.type != "KeyError":
        return
    for site in scene.sites[:3]:
        source = scene.sources[site.file]
        for node in scene.nodes(site, ast.Subscript):
            key = node.slice
            parts = key.elts if isinstance(key, ast.List) else [key]
            whole = parts and all(isinstance(one, ast.Constant) and type(one.value) is int for one in parts)
            known = scene.known(site, node.value)
            if not whole or (known is not None and known.name != "DataFrame"):
                continue
            table, text = written_in(source, node.value), written_in(source, key)
            edit = over(source, site.file, node, f"{table}.iloc[:, {text}]")
            wrong = f"`{text}` is a position, and the columns of `{table}` have names"
            title = f"Write `{table}.iloc[:, {text}]` instead of `{table}[{text}]`"
            yield Guess("near", title, wrong, [edit], 0.9 + 0.4 * site.far + (0.0 if known is not None else 0.6))


def _others(scene: Scene, site: Site) -> Iterator[Guess]:
    """A variable in sight whose name has a word in common, in the place of one that the statement reads."""
    sight = scene.names_in_sight(site)
    missed = scene.link.type in _MISSED
    called = {id(one.func) for one in scene.nodes(site, ast.Call)}
    used = {one.id for one in scene.nodes(site, ast.Name)}
    # What the failing statement uses side by side is easily taken for each other where it is made.
    beside = {text for text in scene.sites[0].values if site.far} if not site.is_running else set()
    beside &= {one.id for one in scene.nodes(scene.sites[0], ast.Name)}
    for node in scene.nodes(site, ast.Name):
        if not isinstance(node.ctx, ast.Load) or id(node) in called:
            continue
        for other, known in sight.items():
            like = max(_likeness(node.id, other), _BESIDE if {node.id, other} <= beside else 0.0)
            if other == node.id or like < _LIKE:
                continue
            own = scene.known(site, node)
            # Two values of one type and shape fail alike.
            same = known is not None and own is not None and known[:3] == own[:3]
            confused = 0.8 if {node.id, other} <= beside else -0.8 if other in used and not missed else 0.0
            cost = 3.4 - confused - 1.6 * like + 0.8 * site.far + (1.5 if same else 0.0) - (0.6 if missed else 0.0)
            yield Guess(
                "other-name",
                f"Write `{other}` instead of `{node.id}`",
                f"`{node.id}` is used where `{other}` is meant",
                [over(scene.sources[site.file], site.file, node, other)],
                cost,
            )


@functools.lru_cache(4096)
def _likeness(one: str, other: str) -> float:
    words, others = _words(one), _words(other)
    shared = len(words & others) / max(len(words | others), 1)
    return max(difflib.SequenceMatcher(None, one.lower(), other.lower()).ratio(), shared)


def _words(name: str) -> set[str]:
    return {one for one in name.lower().split("_") if one}


def _texts(scene: Scene, site: Site) -> Iterator[Guess]:
    """A text that is the name of a function or variable of the program, and the other way round."""
    sight = scene.names_in_sight(site)
    for node in scene.nodes(site, ast.Constant):
        if isinstance(node.value, str) and node.value in sight:
            yield Guess(
                "name-of-text",
                f"Write `{node.value}` without quotes",
                f"'{node.value}' is a text where the program's own `{node.value}` is meant",
                [over(scene.sources[site.file], site.file, node, node.value)],
                0.8 + 0.5 * site.far,
            )


def _of_self(scene: Scene) -> Iterator[Guess]:
    """`self.name` for a name, and a name for `self.name`."""
    wanted, site = scene.link.wanted, scene.sites[0]
    source = scene.sources[site.file]
    if not wanted:
        return
    if scene.link.type in ("NameError", "UnboundLocalError"):
        stored = {one.attr for one in walk(source.tree, ast.Attribute) if dotted_name(one) == f"self.{one.attr}"}
        for node in scene.nodes(site, ast.Name):
            if node.id == wanted and wanted in stored:
                edit = over(source, site.file, node, f"self.{wanted}")
                yield Guess("self", f"Write `self.{wanted}`", f"`{wanted}` is an attribute of `self`", [edit], 0.4)
    elif scene.link.type == "AttributeError":
        for attribute in scene.nodes(site, ast.Attribute):
            if attribute.attr != wanted:
                continue
            if written(attribute.value) == "self" and wanted in scene.names_in_sight(site):
                edit = over(source, site.file, attribute, wanted)
                yield Guess("self", f"Write `{wanted}`", f"`self` has no attribute `{wanted}`", [edit], 0.6)
            yield from _attributes(scene, site, attribute)


def _attributes(scene: Scene, site: Site, node: ast.Attribute) -> Iterator[Guess]:
    """An attribute that the program's classes have and that is like the missed one."""
    source = scene.sources[site.file]
    stored = {one.attr for one in walk(source.tree, ast.Attribute) if isinstance(one.ctx, ast.Store)}
    stored |= {one.name for owner in walk(source.tree, ast.ClassDef) for one in owner.body if hasattr(one, "name")}
    for other in sorted(stored - {node.attr}):
        like = _likeness(node.attr, other)
        if like >= _LIKE:
            yield Guess(
                "other-name",
                f"Write `{other}` instead of `{node.attr}`",
                f"`{written(node.value)}` has no `{node.attr}`",
                [attribute_name(source, site.file, node, other)],
                2.2 - like,
            )


def _methods(scene: Scene) -> Iterator[Guess]:
    """A method that is called without its object (`super().__init__()` is in another family): the function that stands
    in the class around it."""
    site = scene.sites[0]
    source = scene.sources[site.file]
    owners = around(source.tree, site.line, ast.ClassDef)
    own = {one.name for owner in owners for one in owner.body if isinstance(one, ast.FunctionDef)}
    for node in scene.nodes(site, ast.Name):
        if node.id in own and scene.link.type in ("NameError", "TypeError"):
            edit = over(source, site.file, node, f"self.{node.id}")
            yield Guess("self", f"Write `self.{node.id}`", f"`{node.id}` is a method of its class", [edit], 0.7)
