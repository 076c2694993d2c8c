"""Which modules are hooked to find the first step; runs in the user's process. Loads the hooks only when needed."""

from __future__ import annotations

from types import ModuleType

from whydied.inside.imports import Installer, lazily

_INTERCEPTION = "whydied.inside.preflight.interception"
_TABLE = {
    "tensorflow.python.eager.polymorphic_function.polymorphic_function": "hook_calls",
    "tensorflow.python.eager.backprop": "hook_tapes",
    "tensorflow.python.client.session": "hook_sessions",
    "keras.src.backend.tensorflow.trainer": "hook_fit",
    "tf_keras.src.engine.training": "hook_fit",
}


def joined(installers: dict[str, Installer]) -> dict[str, Installer]:
    """The recorder's hooks, with ours after them."""
    found = dict(installers)
    for name, function in _TABLE.items():
        found[name] = _both(installers.get(name), lazily(_INTERCEPTION, function, f"install.interception.{function}"))
    return found


def _both(first: Installer | None, second: Installer) -> Installer:
    def install(module: ModuleType) -> None:
        if first is not None:
            first(module)
        second(module)

    return install
