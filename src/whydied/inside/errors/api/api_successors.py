"""What an old name is called now: from the installed version's own tables, then from ours; runs in the user's process,
after an exception.

Invariant: every new name was found in the installed package. An answer without new names says that the old
one is known to have gone, and that nothing was found in its place; None says that nobody knows the old name.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import os
import re
import sys
from typing import Any, NamedTuple

from whydied.inside.errors.api.api_names import exists, forms, lookup
from whydied.inside.guest import guard
from whydied.inside.guest.lookup import Missing, instance_dict
from whydied.source.api_table import FORMER_MODULES, MOVED

LARGEST_NEW = 3
_OUR_TABLE = "whydied's table of removed names"
_COMPATIBILITY = "tensorflow.tools.compatibility"
_QUOTED = re.compile(r"`([\w.]+)`")
_KEYWORD_TABLE = re.compile(rb"\n( *)self\.function_keyword_renames = (\{\n.*?\n\1\})\n", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!])\s")


class Successors(NamedTuple):
    new: tuple[str, ...]
    known_from: str
    note: str = ""


_NAMESPACES = ("tf.nn", "tf.math", "tf", "tf.image", "tf.keras.losses", "tf.keras.optimizers")
"""Where functions of `tf.contrib` went that kept their names."""


def of_name(name: str) -> Successors | None:
    """What an old name with `tf`, `keras` or `np` as its root is now. `tf.compat.v1` lost what TensorFlow 1 had outside
    of its core, too."""
    core = name.replace("tf.compat.v1.", "tf.", 1)
    if core != name:
        return None if _compat(core) else of_name(core)
    found: list[str] = []
    sources: list[str] = []
    note = ""
    for known in (_tables(name), _compat(name), _numpy(name), _moved(name), _same_name(name), _other_door(name)):
        if known is not None:
            found += [new for new in known.new if new not in found]
            sources.append(known.known_from)
            note = note or known.note
    return Successors(tuple(found[:LARGEST_NEW]), ", ".join(dict.fromkeys(sources)), note) if sources else None


def _tables(name: str) -> Successors | None:
    """TensorFlow's own list of renames."""
    if not name.startswith("tf."):
        return None
    new = _renames().get(name)
    if not isinstance(new, str) or new == name:
        return None
    return Successors((new,) if exists(new) else (), _COMPATIBILITY)


def _renames() -> dict[str, str]:
    try:
        table = getattr(importlib.import_module(f"{_COMPATIBILITY}.all_renames_v2"), "symbol_renames", {})
    except ImportError:
        return {}
    return table if isinstance(table, dict) else {}


def _compat(name: str) -> Successors | None:
    if not name.startswith("tf.") or name.startswith(("tf.compat.", "tf.keras")):
        return None
    old = f"tf.compat.v1.{name[3:]}"
    return Successors((old,), "tf.compat.v1") if exists(old) else None


def _numpy(name: str) -> Successors | None:
    """NumPy keeps its former names, each with a sentence."""
    numpy = sys.modules.get("numpy")
    root, _, last = name.partition(".")
    if root != "np" or numpy is None or "." in last:
        return None
    own = instance_dict(numpy)
    for table in (own.get("__former_attrs__"), own.get("__expired_attributes__")):
        words = table.get(last) if isinstance(table, dict) else None
        if isinstance(words, str):
            named = [word for word in _QUOTED.findall(words) if word != name]
            new = tuple(word for word in dict.fromkeys(named) if hasattr(builtins, word) or exists(word))
            return Successors(new, "NumPy's own table", "" if new else _SENTENCE_END.split(words)[0])
    return None


def _moved(name: str) -> Successors | None:
    for form in forms(name):
        if form in MOVED:
            return Successors(_existing(MOVED[form], name), _OUR_TABLE)
    for form in forms(name):
        parent, rest = form, ""
        while "." in parent:
            parent, _, last = parent.rpartition(".")
            rest = f"{last}.{rest}" if rest else last
            places = MOVED.get(parent) if parent not in FORMER_MODULES else (parent.rpartition(".")[0],)
            if places is not None:
                options = [f"{place}.{end}" for place in places for end in (rest, rest.rpartition(".")[2])]
                return Successors(_existing(tuple(dict.fromkeys(options)), name), _OUR_TABLE)
        if form in FORMER_MODULES:
            return Successors(_existing((form.rpartition(".")[0],), name), _OUR_TABLE)
    return None


def _same_name(name: str) -> Successors | None:
    """A function of `tf.contrib` that our table does not have."""
    last = name.rpartition(".")[2]
    if not name.startswith("tf.contrib.") or any(form in MOVED for form in forms(name)):
        return None
    found = [f"{space}.{last}" for space in _NAMESPACES]
    found = [one for one in found if callable(lookup(one)) and not isinstance(lookup(one), Missing)]
    return Successors(tuple(found[:1]), "the same name in TensorFlow 2") if found else None


def _existing(names: tuple[str, ...], old: str) -> tuple[str, ...]:
    """Those that the installed version has, in the door to Keras that the program uses."""
    found = []
    for name in names:
        doors = forms(name) if old.startswith("tf.") == name.startswith("tf.") else list(reversed(forms(name)))
        found += [door for door in doors if exists(door)][:1]
    return tuple(dict.fromkeys(found))


def _other_door(name: str) -> Successors | None:
    """Names of Keras 2 that Keras 3 keeps under `tf.keras` only."""
    if not name.startswith("keras.") or not exists(f"tf.{name}"):
        return None
    parts = name.split(".")
    ops = [f"keras.ops.{parts[-1]}"] if parts[1] == "backend" else []
    return Successors((*(op for op in ops if exists(op)), f"tf.{name}"), "tf.keras")


def argument_renames(callee: str) -> dict[str, Any]:
    """TensorFlow's own list of renamed arguments of a function. The module needs a package that may not be there, so
    its table is read from the source."""
    tools = lookup("tf.tools.compatibility")
    path = getattr(tools, "__path__", None) if not isinstance(tools, Missing) else None
    for directory in list(path or ()):
        try:
            with open(os.path.join(directory, "tf_upgrade_v2.py"), "rb") as stream:
                return _keyword_table(stream.read()).get(callee, {})
        except (OSError, SyntaxError, ValueError) as error:
            if guard.is_the_users(error):
                raise
    return {}


def _keyword_table(data: bytes) -> dict[str, dict[str, Any]]:
    """The one table of the source, cut out of it by its indent: to parse all of it takes 4 MB of a dying process."""
    said = _KEYWORD_TABLE.search(data)
    parsed = ast.parse(said[2], mode="eval").body if said is not None else None
    return _literals(parsed) if isinstance(parsed, ast.Dict) else {}


def _literals(node: ast.Dict) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(value, ast.Dict):
            try:
                found[str(key.value)] = ast.literal_eval(value)
            except ValueError:
                continue
    return found
