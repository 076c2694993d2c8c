"""DAT062: the line that made a method, a text or a tuple of what was to be something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.process import uncaught_exception
from whydied.diagnose.rules.values import made_as_another_type


@pytest.mark.parametrize(
    ("text", "line", "certainty", "added"),
    [
        ("def cut(line):\n    parts = line.strip().split\n    n = 1\n    return parts[0]\ncut('a b')", 2, "certain",
         "+    parts = line.strip().split()"),
        ("def scaled(x, by):\n    return x * by\n\nclass Plan:\n    decay = '0.98'\n\nscaled(0.1, Plan.decay)", 5,
         "certain", "+    decay = 0.98"),
        ("def scaled(x, by='0.5'):\n    return x / by\n\nscaled(3)", 1, "certain", "+def scaled(x, by=0.5):"),
        ("import os\nstem = os.path.splitext('cat_1.png')\nn = 2\nstem.split('_')", 2, "likely",
         "+stem = os.path.splitext('cat_1.png')[0]"),
        ("rate = 'a',\nprint(rate)\nrate.upper()", 1, "certain", "+rate = 'a'"),
    ],
)  # fmt: skip
def test_the_line_that_made_it(tmp_path: Path, text: str, line: int, certainty: str, added: str) -> None:
    case = died_of(tmp_path, text)
    found = made_as_another_type.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (line, certainty)
    assert patches_of(case, found)[0][-1] == added


@pytest.mark.parametrize(
    "text",
    [
        # A text that says no number, and one that nobody computes with.
        "name = 'abc'\n1 + name",
        "name = '12'\nname.missing",
        # Read, not written.
        "import io\nvalue = io.StringIO('0.98').read()\n1 - value",
        # A tuple of something without such a method.
        "pair = divmod(7, 2)\npair.split()",
        # A function that is meant as one.
        "def act(): pass\nkept = act\nkept[0]",
    ],
)
def test_what_is_not_known_to_be_meant_otherwise(tmp_path: Path, text: str) -> None:
    assert made_as_another_type.check(died_of(tmp_path, text)) is None


def test_the_maker_is_told_where_no_rule_knows_more(tmp_path: Path) -> None:
    case = died_of(tmp_path, "import math\nrate = math.sqrt(4)\nprint(rate)\nrate['a']")
    found = uncaught_exception.check(case)
    assert found is not None
    assert ("`rate` was made by", "math.sqrt(4), line 2 of train.py") in [
        (one.fact, one.value) for one in found.evidence
    ]
