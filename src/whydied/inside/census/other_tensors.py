"""Tensors of PyTorch and arrays of JAX for the census: shape, dtype, bytes on the host; runs in the user's process.

Invariant: nothing is computed, copied or waited for. A subclass of `torch.Tensor` may answer each question with code of
its own (`__torch_function__`), so only PyTorch's own classes are asked; of JAX only the arrays of its runtime are.
"""

from __future__ import annotations

from itertools import repeat
from operator import is_
from typing import Any

_TORCH = frozenset({("torch", "Tensor"), ("torch.nn.parameter", "Parameter"), ("torch.nn.parameter", "Buffer")})
LONGEST_CHAIN = 20_000
_SHARED_BYTES = 1 << 20
"""From here on a view is weighed as the storage that it keeps, which is counted once."""


def is_known(kind: type) -> bool:
    """Whether objects of exactly this type can be asked."""
    module, name = type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__name__")
    return (module, name) in _TORCH or (str(module).startswith("jaxlib") and name == "ArrayImpl")


def is_other(base: type) -> bool:
    """Whether a type through which tensors are read is one of these libraries'."""
    return str(type.__getattribute__(base, "__module__")).partition(".")[0] in ("torch", "jaxlib")


def is_torch(base: type) -> bool:
    return str(type.__getattribute__(base, "__module__")).partition(".")[0] == "torch"


def measure(thing: Any, base: Any) -> tuple[tuple[int, ...], str, int]:
    """Shape, dtype and the bytes that it keeps on the host."""
    if is_torch(base):
        dtype = str(base.dtype.__get__(thing)).removeprefix("torch.")
        return tuple(base.shape.__get__(thing)), dtype, _torch_bytes(thing, base)
    return tuple(thing.shape), str(thing.dtype), _jax_bytes(thing)


def _torch_bytes(thing: Any, base: Any) -> int:
    if not base.is_cpu.__get__(thing) or str(base.layout.__get__(thing)) != "torch.strided":
        return 0
    own = int(base.nbytes.__get__(thing))
    if base._base.__get__(thing) is None and own < _SHARED_BYTES:
        return own
    kept = int(base.untyped_storage(thing).nbytes())
    return kept if kept >= _SHARED_BYTES else own


def _jax_bytes(thing: Any) -> int:
    if thing.is_deleted() or any(device.platform != "cpu" for device in thing.devices()):
        return 0
    return int(thing.nbytes)


def address(thing: Any, base: Any) -> int:
    """Where the values lie; 0 where asking might wait for them."""
    return int(base.untyped_storage(thing).data_ptr()) if is_torch(base) else 0


def keeps_graph(thing: Any, base: Any) -> bool:
    """Whether a tensor keeps the graph that it was computed by, with the tensors that its gradient needs."""
    return is_torch(base) and base.grad_fn.__get__(thing) is not None


def chain(thing: Any, base: Any) -> tuple[str, int]:
    """The kind of the last op of a tensor's graph, and how many of that kind follow one another from there: what adds
    to a sum in each step makes it longer by one."""
    current = base.grad_fn.__get__(thing)
    name = type(current).__name__
    for length in range(1, LONGEST_CHAIN + 1):
        following = (earlier for earlier, _ in current.next_functions if type(earlier).__name__ == name)
        current = next(following, None)
        if current is None:
            return name, length
    return name, LONGEST_CHAIN


def forms(things: list[Any], base: Any) -> list[tuple[Any, ...]]:
    """For each its shape, its element type, whether its memory is its own."""
    if not is_torch(base):
        return [(tuple(thing.shape), thing.dtype, True) for thing in things]
    owning = map(is_, map(base._base.__get__, things), repeat(None))
    return list(zip(map(base.shape.__get__, things), map(base.dtype.__get__, things), owning, strict=True))


def sizes(things: list[Any], base: Any) -> list[int]:
    if is_torch(base):
        return [int(base.numel(thing)) for thing in things]
    return [int(thing.size) for thing in things]
