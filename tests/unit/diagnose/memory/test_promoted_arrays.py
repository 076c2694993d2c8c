"""Arrays that a program made float32 and that an operand made float64 again."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.growing import census, group, growing, ramp
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.memory import arrays_kept_in_container

SOURCE = """\
import numpy as np
MEAN = np.array([0.4, 0.5])
def prepare(photo):
    image = photo.astype("float32")
    return image - MEAN
kept = []
for photo in photos:
    kept.append(prepare(photo))
"""


def _case(dtype: str) -> Case:
    held = msgspec.structs.replace(group("array", 2000, 900), shape=[64, 64, 3], dtype=dtype)
    return growing([(9.0, census(950, held, python_mib=900))], ramp(1000), source=SOURCE)


def test_the_operand_that_widens_is_the_cause() -> None:
    case = _case("float64")
    found = arrays_kept_in_container.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 5
    assert found.message.startswith(f"{found.location.spelled}: `image` is float32, and `MEAN` (")
    assert patches_of(case, found)[0] == [
        "-MEAN = np.array([0.4, 0.5])",
        "+MEAN = np.array([0.4, 0.5], dtype=np.float32)",
    ]


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_others_are_told_where_they_are_kept(dtype: str) -> None:
    found = arrays_kept_in_container.check(_case(dtype))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 8
