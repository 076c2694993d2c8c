"""Which Keras a program gets, and whether it is there. Runs in the parent.

TensorFlow 2.16 and newer take `tf.keras` from the package keras (Keras 3), or from tf_keras (Keras 2) where the
variable TF_USE_LEGACY_KERAS says so; older ones from the package keras of their own version. Keras 3 runs on a backend
that a variable or a file in the home directory chooses.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from whydied.doctor.distributions import KERAS, TENSORFLOW, Distribution, Installed, numbers
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check

_FIRST_WITH_KERAS_3 = (2, 16)
_BACKENDS = {
    "tensorflow": TENSORFLOW,
    "jax": ("jax",),
    "torch": ("torch",),
    "numpy": ("numpy",),
    "openvino": ("openvino",),
}


def keras_checks(environment: Environment, installed: Installed, told: Collection[str] = ()) -> list[Check]:
    """`told` are packages of which the version is known to be wrong."""
    tensorflow, keras = installed.first(TENSORFLOW), installed.first(KERAS[:2])
    if tensorflow is None:
        return []
    wrong = [*_legacy(environment, installed, tensorflow), *_backend(environment, installed, tensorflow, keras)]
    if keras is not None and not wrong and keras.name not in told:
        wrong += _generations(environment, tensorflow, keras)
    return wrong or [Check("tf.keras", "ok", _shown(environment, installed, tensorflow, keras))]


def _legacy(environment: Environment, installed: Installed, tensorflow: Distribution) -> Iterator[Check]:
    legacy = installed.first(KERAS[2:])
    if not _wants_legacy(environment) or numbers(tensorflow.version) < _FIRST_WITH_KERAS_3:
        return
    major, minor, _ = numbers(tensorflow.version)
    own = ".".join(legacy.version.split(".")[:2]) if legacy is not None else ""
    install = f"{environment.pip} install 'tf-keras~={major}.{minor}.0'"
    if legacy is None:
        yield Check(
            "tf.keras",
            "broken",
            "TF_USE_LEGACY_KERAS is set and tf_keras is not installed",
            "the first use of tf.keras fails with ImportError",
            f"{install}, or unset TF_USE_LEGACY_KERAS",
        )
    elif numbers(legacy.version)[:2] != (major, minor):
        yield Check(
            "tf.keras",
            "broken",
            f"TF_USE_LEGACY_KERAS is set; {legacy.shown} is for TensorFlow {own}, and {tensorflow.shown} is installed",
            "tf.keras fails at import or at the first layer",
            install,
        )


def _generations(environment: Environment, tensorflow: Distribution, keras: Distribution) -> Iterator[Check]:
    """What requirements do not always say: TensorFlow 2.15 and older know only the Keras of their own version."""
    old = numbers(tensorflow.version) < _FIRST_WITH_KERAS_3
    if old and numbers(keras.version)[0] >= 3:
        major, minor, _ = numbers(tensorflow.version)
        fix = f"{environment.pip} install 'keras~={major}.{minor}.0'"
        what = "Keras 3, and this TensorFlow's tf.keras is Keras 2"
    elif not old and numbers(keras.version)[0] < 3:
        fix = f"{environment.pip} install 'keras>=3'"
        what = "Keras 2, and this TensorFlow's tf.keras is Keras 3"
    else:
        return
    yield Check(
        "tf.keras",
        "broken",
        f"{keras.shown} is {what} ({tensorflow.shown})",
        "`import keras` and tf.keras are different libraries: layers of one fail in models of the other, or already "
        "at import",
        fix,
    )


def _backend(
    environment: Environment, installed: Installed, tensorflow: Distribution, keras: Distribution | None
) -> Iterator[Check]:
    if keras is None or numbers(keras.version)[0] < 3:
        return
    chosen, where = chosen_backend(environment)
    if chosen == "tensorflow":
        return
    fix = "export KERAS_BACKEND=tensorflow"
    if chosen not in _BACKENDS:
        yield Check(
            "Keras backend",
            "broken",
            f"{chosen!r} ({where}) is not a Keras backend",
            "`import keras` fails",
            fix,
        )
    elif installed.first(_BACKENDS[chosen]) is None:
        yield Check(
            "Keras backend",
            "broken",
            f"{chosen} ({where}), which is not installed",
            "`import keras` fails with ModuleNotFoundError",
            f"{fix}, or {environment.pip} install {chosen}",
        )
    else:
        yield Check(
            "Keras backend",
            "risk",
            f"{chosen} ({where}), while {tensorflow.shown} is installed",
            "Keras layers cannot be used inside tf.function and tf.GradientTape, and whydied sees less of them",
            fix,
        )


def chosen_backend(environment: Environment) -> tuple[str, str]:
    """The backend of Keras 3, and what chose it."""
    named = environment.variables.get("KERAS_BACKEND")
    if named:
        return named, "KERAS_BACKEND"
    home = environment.variables.get("KERAS_HOME")
    base = Path(home) if home else Path(environment.variables.get("HOME", "/")) / ".keras"
    try:
        settings = json.loads((base / "keras.json").read_text("utf-8"))
        return str(settings.get("backend") or "tensorflow"), str(base / "keras.json")
    except (OSError, ValueError, AttributeError):
        return "tensorflow", "the default"


def _shown(environment: Environment, installed: Installed, tensorflow: Distribution, keras: Distribution | None) -> str:
    legacy = installed.first(KERAS[2:])
    if _wants_legacy(environment) and legacy is not None:
        return f"{legacy.shown} (TF_USE_LEGACY_KERAS)"
    return keras.shown if keras is not None else "Keras is not installed"


def _wants_legacy(environment: Environment) -> bool:
    return environment.variables.get("TF_USE_LEGACY_KERAS") in ("true", "True", "1")
