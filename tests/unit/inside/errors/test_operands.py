"""The values that a failing expression, or a condition around a raise, was about."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np
import pytest

from whydied.inside.errors.operands import failing, operands


def seen(tmp_path: Path, code: str, **values: object) -> dict[str, str | None]:
    file = tmp_path / "program.py"
    file.write_text(code)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        exec(compile(code, str(file), "exec"), dict(values))
    step: TracebackType = caught.value.__traceback__.tb_next  # type: ignore[union-attr, assignment]
    failure = failing(step, str(file))
    assert failure is not None
    return {operand.text: operand.value for operand in operands(failure)}


def test_a_raise_is_over_what_its_conditions_look_at(tmp_path: Path) -> None:
    code = "if going:\n    if not best < limit:\n        raise RuntimeError('it did not work')\n"
    found = seen(tmp_path, code, going=True, best=float("nan"), limit=10)
    assert found == {"best": "nan", "limit": "10", "going": "True"}


def test_numbers_of_numpy_are_read_too(tmp_path: Path) -> None:
    assert seen(tmp_path, "assert score < 5\n", score=np.float32("inf"))["score"] == "inf"


def test_another_failure_is_not_over_the_condition_around_it(tmp_path: Path) -> None:
    assert "best" not in seen(tmp_path, "if best > 0:\n    table['a']\n", best=1.0, table={})
