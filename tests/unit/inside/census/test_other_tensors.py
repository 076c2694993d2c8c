"""Tensors of PyTorch and JAX in the census, where these libraries are installed; without them, types that look like
theirs."""

from __future__ import annotations

from typing import Any

import pytest

from whydied.inside.census import array_sizes, object_kinds, other_tensors
from whydied.inside.census.object_counts import ObjectCounts, root_node


def counted(things: list[Any]) -> dict[str, tuple[float, float]]:
    """By kind, how many there are and how large they are."""
    counts, node = ObjectCounts(), root_node("kept", "global", "train.py", 1, "<module>")
    for thing in things:
        counts.add(thing, object_kinds.type_facts(type(thing)), node)
    found: dict[str, tuple[float, float]] = {}
    for key, group in counts.groups.items():
        count, size = found.get(key[0], (0, 0))
        found[key[0]] = (count + group.count, size + group.size_bytes)
    return found


def test_a_class_of_the_users_own_is_never_asked() -> None:
    """It may answer with code of its own."""
    kind = type("Tensor", (), {"__module__": "torch"})
    mine = type("Mine", (kind,), {"__module__": "__main__"})
    assert object_kinds.type_facts(mine).name == object_kinds.OPAQUE
    assert other_tensors.is_known(kind)


def test_tensors_of_pytorch_are_weighed_once_for_each_storage() -> None:
    torch = pytest.importorskip("torch")
    whole = torch.zeros(1000, 1000)
    facts = object_kinds.type_facts(type(whole))
    assert facts.name == object_kinds.TENSOR
    assert array_sizes.measure(whole, facts) == ((1000, 1000), "float32", 4_000_000)
    assert counted([whole, whole[10:], whole.detach()])["tensor"][1] == 4_000_000
    assert counted([torch.nn.Parameter(torch.zeros(10))])["tensor"] == (1, 40)


def test_tensors_that_keep_their_graph_are_counted_as_tapes() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.zeros(3, requires_grad=True)
    losses = [(weight * number).sum() for number in range(5)]
    found = counted([*losses, *(loss.detach() for loss in losses)])
    assert (found["tape"][0], found["tensor"][0]) == (5, 10)


def test_a_sum_of_losses_is_as_long_as_its_steps() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.zeros(3, requires_grad=True)
    total = 0
    for number in range(50):
        total = (weight * number).sum() + total
    assert other_tensors.chain(total, object_kinds.type_facts(type(total)).base) == ("AddBackward0", 50)
    assert counted([total])["tape"][0] == 51


def test_arrays_of_jax_are_weighed() -> None:
    jnp = pytest.importorskip("jax.numpy")
    array = jnp.zeros((100, 50))
    facts = object_kinds.type_facts(type(array))
    assert facts.name == object_kinds.TENSOR
    assert array_sizes.measure(array, facts) == ((100, 50), "float32", 20_000)
    assert array_sizes.forms([array], facts)[0][0] == (100, 50)
