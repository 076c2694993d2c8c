"""Variants of a small program, run by a real stage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from whydied.inside.trials import stage

SIZES = "WIDTH = 3\n"
PROGRAM = """\
import sys
from sizes import WIDTH

print("a line that nobody sees")
table = list(range(4))
if WIDTH > 3:
    print(table[WIDTH])
assert sys.argv[1:] == ["--rate", "2"], sys.argv
print(table[WIDTH + 1])
"""


def performed(tmp_path: Path, *variants: dict[str, str], **others: Any) -> dict[int, dict[str, Any]]:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "sizes.py").write_text(SIZES)
    task = {"imports": ["json", "no_such_module"], "jobs": 2, "enough": 8, "limit_s": 20.0} | others
    (tmp_path / "task").write_text(json.dumps(task | {"variants": [{}, {}, *variants]}))
    argv = [sys.executable, stage.__file__, str(tmp_path / "task"), str(tmp_path / "said")]
    program = [str(tmp_path), str(tmp_path / "train.py"), "--rate", "2"]
    done = subprocess.run([*argv, *program], cwd=tmp_path, capture_output=True, timeout=60, check=True)
    assert done.stdout == b""
    lines = [json.loads(line) for line in (tmp_path / "said").read_text().splitlines()]
    return {one["number"]: one for one in lines}


def test_each_variant_says_how_it_ended(tmp_path: Path) -> None:
    found = performed(
        tmp_path,
        {"sizes.py": "WIDTH = 2\n"},
        {"sizes.py": "WIDTH = 7\n"},
        {"train.py": "import sys\nsys.exit(3)\n"},
        {"train.py": "import os\nos.abort()\n"},
    )
    assert [found[number]["how"] for number in range(6)] == ["raised", "raised", "finished", "raised", "exit", "signal"]
    assert (found[0]["raised"], found[0]["frames"]) == ("IndexError", [["train.py", "<module>", 9]])
    assert found[3]["frames"] == [["train.py", "<module>", 7]]


def test_the_files_stay_as_they_are(tmp_path: Path) -> None:
    performed(tmp_path, {"sizes.py": "WIDTH = 2\n"})
    assert (tmp_path / "sizes.py").read_text() == SIZES
    assert not list(tmp_path.rglob("*.pyc"))


def test_what_reads_the_source_again_sees_the_variant(tmp_path: Path) -> None:
    text = "import inspect, linecache\ndef loss():\n    return 2\n"
    test = "assert 'return 2' in inspect.getsource(loss)\n"
    # As AutoGraph does before it reads a function.
    again = "linecache.updatecache(inspect.getfile(loss), globals())\nlinecache.checkcache()\n"
    assert performed(tmp_path, {"train.py": text + test + again + test})[2]["how"] == "finished"


def test_a_variant_that_does_not_end_is_ended(tmp_path: Path) -> None:
    found = performed(tmp_path, {"train.py": "import time\ntime.sleep(600)\n"}, limit_s=2.0)
    assert found[2] == {"number": 2, "how": "time"}


def test_no_more_are_started_when_enough_finished(tmp_path: Path) -> None:
    found = performed(tmp_path, *[{"sizes.py": "WIDTH = 1\n"}] * 6, enough=2, jobs=1)
    assert sorted(found) == [0, 1, 2, 3]
