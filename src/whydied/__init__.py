"""whydied tells why a TensorFlow or Keras program died. This is the public API, and nothing else."""

from __future__ import annotations

# Not from `typing`: whoever imports us need not load that, and a file of that name beside a notebook is not for us.
TYPE_CHECKING = False

__version__ = "0.1.0"
__all__ = [
    "__version__",
    "accumulate",
    "assert_finite",
    "assert_range",
    "assert_shape",
    "estimate",
    "expect",
    "fit_batch_size",
    "limit_bytes",
    "limit_dims",
    "log",
    "start",
]

if TYPE_CHECKING:
    from typing import Any

    from whydied.inside.public.asserts import assert_finite, assert_range, assert_shape, limit_bytes, limit_dims
    from whydied.inside.public.expectation import expect
    from whydied.inside.public.gradient_accumulation import accumulate
    from whydied.inside.public.tensor_log import log
    from whydied.run.start import start
    from whydied.sizing.batch_size import fit_batch_size
    from whydied.sizing.model_estimate import estimate

_HOMES = {
    "accumulate": "whydied.inside.public.gradient_accumulation",
    "assert_finite": "whydied.inside.public.asserts",
    "assert_range": "whydied.inside.public.asserts",
    "assert_shape": "whydied.inside.public.asserts",
    "estimate": "whydied.sizing.model_estimate",
    "expect": "whydied.inside.public.expectation",
    "fit_batch_size": "whydied.sizing.batch_size",
    "limit_bytes": "whydied.inside.public.asserts",
    "limit_dims": "whydied.inside.public.asserts",
    "log": "whydied.inside.public.tensor_log",
    "start": "whydied.run.start",
}


def __getattr__(name: str) -> Any:
    # Loaded on demand: `import whydied` happens inside the user's process and must cost nothing.
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'whydied' has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext whydied`: record this kernel from here on, and the magics `%whydied` and `%%whydied`."""
    from whydied.jupyter.magics import load

    load(shell)


def __dir__() -> list[str]:
    return __all__
