"""How the user's code would write the way to an object; runs in the user's process.

Invariant: a path is made of names that stand in the program: a variable, then attributes, keys and indices.
An attribute that a class of the user's own writes as `self.x` is named so, whichever variable it was reached through.
"""

from __future__ import annotations

import os
import sys
from types import FunctionType, ModuleType

import msgspec

from whydied.inside.census.object_counts import Group, Node
from whydied.inside.guest import live_source
from whydied.inside.guest.ownership import Ownership
from whydied.records import Holder

LARGEST_PATH = 200
_ENOUGH = 0.3
_LISTED = 0.1
_MOST = 4
_MOST_KEPT = 60
_MOST_COMPARED = 200
KEPT_BY_NOTEBOOK = frozenset({"output", "traceback", "figure"})


_installed = tuple({os.path.dirname(os.__file__) + os.sep, os.path.dirname(os.path.realpath(os.__file__)) + os.sep})
_judged: dict[str, bool] = {}


def is_user_path(file: str, ownership: Ownership) -> bool:
    """What `ownership` says, kept, and for what is plainly installed without a look at the disk: a look gives up the
    interpreter lock in the middle of a census."""
    known = _judged.get(file)
    if known is None:
        main_root = getattr(ownership, "_main_root", None)
        plain = f"{os.sep}site-packages{os.sep}" in file or file.startswith(_installed)
        if plain and not (main_root and file.startswith(main_root)):
            known = False
        else:
            known = ownership.is_user_path(file)
        if len(_judged) < 20_000:
            _judged[file] = known
    return known


def path(node: Node) -> str:
    labels: list[str] = []
    current: Node | None = node
    while current is not None:
        labels.append(current.label)
        current = current.parent
    return "".join(reversed(labels))[:LARGEST_PATH]


def holders(group: Group, ownership: Ownership) -> list[Holder]:
    """Who holds a group: each place with a fair share, and where they are many, what they have in common."""
    places = _named_alike({node: count for node, count in group.places.items() if node is not None}, ownership)
    total = max(1, sum(group.places.values()))
    for _ in range(12):
        if not places or max(places.values()) / total >= _ENOUGH or all(n.parent is None for n in places):
            break
        places = _rolled_up(places)
    ranked = sorted(_alike(places).items(), key=lambda item: -item[1])
    listed = [pair for pair in ranked if pair[1] / total >= _LISTED] or ranked[:1]
    # A notebook keeps a little under each of many names, and all of them are the answer.
    kept = [pair for pair in ranked if pair[0].root in KEPT_BY_NOTEBOOK]
    most = _MOST_KEPT if kept else _MOST
    listed += [pair for pair in kept[:_MOST_KEPT] if pair not in listed]
    found: dict[tuple[str, str], Holder] = {}
    for node, count in listed:
        one = _holder(node, count / total, ownership)
        same = found.get((one.path, one.file))
        share = one.share + (same.share if same is not None else 0.0)
        found[one.path, one.file] = msgspec.structs.replace(same or one, share=round(min(1.0, share), 3))
    return list(found.values())[:most]


def _named_alike(places: dict[Node, float], ownership: Ownership) -> dict[Node, float]:
    """The same attribute of several objects of one class of the user's is one place: what they have in common is the
    attribute, and not the objects."""
    if len(places) > _MOST_COMPARED:
        return places
    first: dict[tuple[str, type], Node] = {}
    found: dict[Node, float] = {}
    for node, count in places.items():
        named, owner = _as_self(node, ownership)
        one = first.setdefault((named, owner), node) if owner is not None else node
        found[one] = found.get(one, 0) + count
    return found


def _alike(places: dict[Node, float]) -> dict[Node, float]:
    """The same variable of many threads, or of many calls of a function, is one place."""
    first: dict[tuple[str, str, str, str], Node] = {}
    found: dict[Node, float] = {}
    for node, count in places.items():
        file, _, function = _top(node)
        one = first.setdefault((path(node), _root_of(node), file, function), node)
        found[one] = found.get(one, 0) + count
    return found


def _rolled_up(places: dict[Node, float]) -> dict[Node, float]:
    """The deepest places give what they have to the place above them."""
    deepest = max(_depth(node) for node in places)
    found: dict[Node, float] = {}
    for node, count in places.items():
        above = node.parent if node.parent is not None and _depth(node) == deepest else node
        found[above] = found.get(above, 0) + count
    return found


def _depth(node: Node) -> int:
    depth = 0
    while node.parent is not None:
        node, depth = node.parent, depth + 1
    return depth


def _holder(node: Node, share: float, ownership: Ownership) -> Holder:
    reached = path(node)
    named, owner = _as_self(node, ownership)
    root = _root_of(node)
    file, line, function = _top(node)
    if owner is not None:
        file, line, function = _class_place(owner, ownership)
    return Holder(
        path=named or reached,
        root=root,
        container=node.container,
        length=node.length,
        file=file,
        line=line,
        function=function,
        share=round(min(1.0, share), 3),
        reached=reached if named and named != reached else "",
        also=node.also[:4],
    )


def _top(node: Node) -> tuple[str, int, str]:
    current: Node | None = node
    while current is not None:
        if current.file:
            return current.file, current.line, current.function
        current = current.parent
    return "", 0, ""


def _root_of(node: Node) -> str:
    current: Node | None = node
    root = node.root
    while current is not None:
        if current.owner is not None:
            names = {
                type.__getattribute__(base, "__name__") for base in type.__getattribute__(current.owner, "__mro__")
            }
            if "Callback" in names:
                return "callback"
            if root not in ("library", "closure"):
                root = "attribute"
        current = current.parent
    return root


def _as_self(node: Node, ownership: Ownership) -> tuple[str, type | None]:
    """`self.x…` and the class, where a class of the user's writes it."""
    suffix = ""
    current: Node | None = node
    while current is not None:
        owner = current.owner
        if owner is not None and current.attribute:
            file = class_file(owner, ownership)
            written = f"self.{current.attribute}"
            if file and _mentions(file, written):
                return (written + suffix)[:LARGEST_PATH], owner
        suffix = current.label + suffix
        current = current.parent
    return "", None


def _mentions(file: str, words: str) -> bool:
    text, at = _text(file), -1
    while (at := text.find(words, at + 1)) >= 0:
        if not (following := text[at + len(words) : at + len(words) + 1]).isalnum() and following != "_":
            return True
    return False


_texts: dict[str, str] = {}


def _text(file: str) -> str:
    if file not in _texts:
        if len(_texts) > 64:
            _texts.clear()
        try:
            _texts[file] = live_source.read(file).decode("utf-8", "replace")
        except OSError:
            _texts[file] = ""
    return _texts[file]


def class_file(owner: type, ownership: Ownership) -> str:
    """The file of a class of the user's own, else nothing."""
    name = type.__getattribute__(owner, "__module__")
    module = sys.modules.get(name or "")
    if name == "__main__" and "whydied.inside.notebook.cells" in sys.modules:
        return _class_cell(owner, ownership)
    file = module.__dict__.get("__file__") if type(module) is ModuleType else None
    if not isinstance(file, str) or not is_user_path(file, ownership):
        return ""
    return ownership.resolve(file)


def _class_cell(owner: type, ownership: Ownership) -> str:
    """The code name of the cell that a class was defined in: its methods have it."""
    for value in list(type.__getattribute__(owner, "__dict__").values()):
        if type(value) is FunctionType:
            return ownership.resolve(value.__code__.co_filename)
    return ""


def _class_place(owner: type, ownership: Ownership) -> tuple[str, int, str]:
    file = class_file(owner, ownership)
    name = type.__getattribute__(owner, "__name__")
    lines = _text(file).splitlines()
    starts = (f"class {name}(", f"class {name}:")
    line = next((number for number, text in enumerate(lines, 1) if text.lstrip().startswith(starts)), 0)
    return file, line, str(type.__getattribute__(owner, "__qualname__"))
