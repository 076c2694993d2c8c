"""Old names of the libraries in the program's own file."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np
import pytest

from whydied.inside.errors.api import api_facts
from whydied.inside.guest.ownership import Ownership
from whydied.records import ApiMissed


def missed(tmp_path: Path, code: str) -> ApiMissed | None:
    file = tmp_path / "program.py"
    file.write_text(code)
    names = {"np": np, "__name__": "__main__", "__file__": str(file)}
    with pytest.raises(AttributeError) as caught:
        exec(compile(code, str(file), "exec"), names)
    step: TracebackType = caught.value.__traceback__.tb_next  # type: ignore[union-attr, assignment]
    return api_facts.look(0, caught.value, [step], Ownership(str(tmp_path)))


def test_other_old_names_of_the_file_are_found_with_what_they_are_now(tmp_path: Path) -> None:
    code = "def f(x):\n    return np.bool(x) + np.sum(x) + x.np.object\na = np.float(1)\nb = np.int(a), np.float(b)\n"
    found = missed(tmp_path, code)
    assert found is not None
    assert (found.old, found.new[0]) == ("np.float", "float")
    assert found.also["np.int"] == "int"
    assert set(found.also) <= {"np.int", "np.bool"}


def test_a_file_with_one_old_name_has_no_others(tmp_path: Path) -> None:
    found = missed(tmp_path, "a = np.float(1) + np.zeros(3).sum()\n")
    assert found is not None
    assert found.also == {}
