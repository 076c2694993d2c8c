"""Names of TensorFlow, Keras and NumPy as people write them, and whether the installed version has them; runs in the
user's process, after an exception.

Invariant: only modules of these libraries are imported and asked, so no code of the user's runs; nothing is
printed, warnings included. A name that cannot be looked up counts as one that is not there.
"""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from types import ModuleType
from typing import Any

from whydied.inside.guest import guard
from whydied.inside.guest.lookup import MISSING, Missing

ROOTS = {"tensorflow": "tf", "keras": "keras", "numpy": "np", "tf_keras": "tf_keras"}
_MODULES = {short: name for name, short in ROOTS.items()}
_ALIASES = (
    (re.compile(r"^tensorflow\._api\.v2\."), "tf."),
    (re.compile(r"^keras\._tf_keras\.keras\b"), "tf.keras"),
    (re.compile(r"^(keras\.api|tensorflow\.keras|tensorflow\.python\.keras\.api\._v2\.keras)\b"), "keras"),
    (re.compile(r"^tensorflow\b"), "tf"),
    (re.compile(r"^numpy\b"), "np"),
)


def library_of(module: str) -> str | None:
    """`tensorflow` for `tensorflow._api.v2.train`; None for what is not one of ours."""
    top = module.partition(".")[0]
    return top if top in ROOTS else None


def canonical(module: str) -> str:
    """The name of a module with `tf`, `keras` or `np` as its root."""
    for pattern, short in _ALIASES:
        module = pattern.sub(short, module)
    return module


def forms(name: str) -> list[str]:
    """A name and the same name in the other door to Keras: `tf.keras.X` and `keras.X`."""
    if name.startswith("tf.keras.") or name == "tf.keras":
        return [name, name[3:]]
    return [name, f"tf.{name}"] if name.startswith("keras.") else [name]


def lookup(name: str) -> Any:
    """What a name stands for in the installed version, or MISSING."""
    root, *parts = name.split(".")
    module = _MODULES.get(root)
    if module is None or module not in sys.modules:
        return MISSING
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _descend(sys.modules[module], parts)
        except Exception as error:
            if guard.is_the_users(error):
                raise
            return MISSING


def exists(name: str) -> bool:
    return not isinstance(lookup(name), Missing)


def _descend(value: Any, parts: list[str]) -> Any:
    for part in parts:
        found = getattr(value, part, MISSING)
        if isinstance(found, Missing) and isinstance(value, ModuleType):
            found = _submodule(value, part)
        if isinstance(found, Missing):
            return MISSING
        value = found
    return value


def _submodule(parent: ModuleType, name: str) -> Any:
    full = f"{parent.__name__}.{name}"
    if library_of(full) is None:
        return MISSING
    try:
        return importlib.import_module(full)
    except ImportError:
        return MISSING


def version_of(library: str) -> str:
    version = getattr(sys.modules.get(library), "__version__", None)
    return version if isinstance(version, str) else ""


def importable(name: str) -> str:
    """A name as an import statement writes it: `tensorflow.keras.layers` for `tf.keras.layers`."""
    root, dot, rest = name.partition(".")
    return f"{_MODULES.get(root, root)}{dot}{rest}"
