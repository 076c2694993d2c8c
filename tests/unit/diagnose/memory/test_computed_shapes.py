"""What an expression makes of arrays that a census knows."""

from __future__ import annotations

import ast

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.memory_runs import MIB, killed, seen
from whydied.diagnose.memory.statement_shapes import in_census
from whydied.diagnose.rules.memory import oversized_tensor
from whydied.records import CensusTaken, Holder, ObjectGroup
from whydied.source.arrays.array_shapes import Array, array_computed


def _group(path: str, shape: list[int], dtype: str, count: int = 1) -> ObjectGroup:
    size = count
    for extent in shape:
        size *= extent
    holder = Holder(path=path, root="global", container="list" if count > 1 else "", length=count, file=FILE)
    return ObjectGroup(
        kind="array", type="numpy.ndarray", count=count, size_bytes=size, shape=shape, dtype=dtype, holders=[holder]
    )


CENSUS = CensusTaken(
    trigger="growth",
    rss_bytes=300 * MIB,
    groups=[
        _group("images", [64, 64, 3], "uint8", 1000),
        _group("x", [500, 20], "uint8"),
        _group("data.real", [500, 20], "float32"),
    ],
)


def _computed(expression: str) -> Array | None:
    case = killed("", CENSUS)
    return array_computed(ast.parse(expression, mode="eval").body, lambda name: in_census(case, name))


@pytest.mark.parametrize(
    ("expression", "shape", "dtype"),
    [
        ("np.array(images)", [1000, 64, 64, 3], "uint8"),
        ("np.array(images) / 255.0", [1000, 64, 64, 3], "float64"),
        ("np.array(images, dtype='float32') / 255.0", [1000, 64, 64, 3], "float32"),
        ("np.stack(images).astype(np.float32)", [1000, 64, 64, 3], "float32"),
        ("np.concatenate(images)", [64_000, 64, 3], "uint8"),
        ("x / 255", [500, 20], "float64"),
        ("x * 2", [500, 20], "uint8"),
        ("-(x * 2.0)", [500, 20], "float64"),
        ("data.real / 255.0", [500, 20], "float32"),
        ("(data.real - data.real.mean()) / 3", [500, 20], "float32"),
        ("x.astype(float)", [500, 20], "float64"),
        ("tf.cast(x, tf.float16)", [500, 20], "float16"),
        ("np.exp(data.real)", [500, 20], "float32"),
        ("data.real[:, None, :] - data.real[None, :, :]", [500, 500, 20], "float32"),
        ("(x[:, np.newaxis] - data.real) ** 2", [500, 500, 20], "float32"),
        ("data.real[..., None] * 2", [500, 20, 1], "float32"),
    ],
)
def test_what_is_followed(expression: str, shape: list[int], dtype: str) -> None:
    made = _computed(expression)
    assert made is not None
    assert (made.shape, made.dtype) == (shape, dtype)


@pytest.mark.parametrize("expression", ["x", "images", "y / 255.0", "load(x)", "x @ data.real", "images + images", "5"])
def test_what_is_not_followed_is_not_guessed(expression: str) -> None:
    assert _computed(expression) is None


SOURCE = "images = load()\nX = np.array(images) / 255.0\n"


def _killed_in_line_two(count: int) -> str | None:
    census = CensusTaken(
        trigger="growth", rss_bytes=500 * MIB, groups=[_group("images", [256, 256, 3], "uint8", count)]
    )
    found = oversized_tensor.check(killed(SOURCE, seen(1, 110), seen(2, 500), census, seen(2, 900)))
    return found.message if found else None


def test_a_statement_that_takes_far_more_than_the_list_it_reads() -> None:
    told = _killed_in_line_two(600)
    assert told is not None
    assert "[600, 256, 256, 3] float64: 900 MiB" in told
