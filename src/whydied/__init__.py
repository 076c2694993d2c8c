"""whydied tells why a TensorFlow or Keras program died. This is the public API, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["__version__", "start"]

if TYPE_CHECKING:
    from whydied.run.start import start


def __getattr__(name: str) -> Any:
    # Loaded on demand: `import whydied` happens inside the user's process and must cost nothing.
    if name == "start":
        from whydied.run.start import start

        return start
    raise AttributeError(f"module 'whydied' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
