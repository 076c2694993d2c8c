"""Which operand makes float64 of float32."""

from __future__ import annotations

import pytest

from tests.unit.source.at import at
from whydied.source.arrays.promotion import Promotion, promotion_behind

PROGRAM = """\
import numpy as np
MEAN = {mean}
STD = np.array([0.2, 0.3])
def prepare(photo):
    image = photo.astype({dtype})
    image /= 255.0
    {statement}
    return image
photos = [prepare(one) for one in files]
"""


def _found(
    statement: str, mean: str = "np.array([0.4, 0.5])", dtype: str = "np.float32", line: int = 9
) -> Promotion | None:
    sources, place = at(PROGRAM.format(statement=statement, mean=mean, dtype=dtype), line)
    return promotion_behind(sources, place.file, place.line)


@pytest.mark.parametrize(
    ("statement", "by"),
    [
        ("image = image - MEAN", ["MEAN"]),
        ("image = (image - MEAN) / STD", ["MEAN", "STD"]),
        ("image = (image - 0.5) * STD[0]", []),
        ("image = np.clip(image - MEAN, 0, 1)", ["MEAN"]),
        ("image = image + np.zeros((3, 3))", ["np.zeros((3, 3))"]),
    ],
)
def test_the_operands_that_widen(statement: str, by: list[str]) -> None:
    found = _found(statement)
    assert found is not None
    assert (found.line, [one.name for one in found.by]) == (7, by)


@pytest.mark.parametrize(
    ("statement", "fields"),
    [
        ("image = image - 0.5", {}),
        ("image = image - MEAN", {"mean": "np.array([0.4, 0.5], dtype=np.float32)"}),
        ("image = image - MEAN", {"mean": "np.array([0.4, 0.5], 'float32')"}),
        ("image = image - MEAN", {"mean": "np.array([4, 5])", "dtype": "np.float64"}),
        ("image = image - MEAN", {"mean": "load_mean()"}),
        ("image = image - MEAN.astype('float32')", {}),
        ("image = (image - MEAN).astype(np.float32) * 2", {"mean": "np.float32(0.5)"}),
        ("image -= MEAN", {}),
    ],
)
def test_what_stays_or_is_not_known(statement: str, fields: dict[str, str]) -> None:
    assert _found(statement, **fields) is None
