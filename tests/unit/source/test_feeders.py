"""Functions that bring what others wait for, and how they end."""

from __future__ import annotations

import pytest

from whydied.source.feeders import Feeder, feeders_of
from whydied.source.text import Source

FILE = "/home/ann/train.py"
START = "threading.Thread(target=fill).start()\n"


def found(text: str, kind: str = "queue", name: str = "rows") -> list[Feeder]:
    return feeders_of({FILE: Source(text)}, kind, name)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    try:\n        for x in data:\n            rows.put(x)\n    except OSError:\n        pass\n", 5),
        (
            "    for x in data:\n        try:\n            rows.put(x)\n        except Exception:\n            break\n",
            5,
        ),
        ("    while True:\n        try:\n            rows.put(read())\n        except:\n            return\n", 5),
    ],
)
def test_an_except_after_which_nothing_is_brought(body: str, line: int) -> None:
    (feeder,) = found(f"def fill():\n{body}{START}")
    assert (feeder.name, feeder.swallows) == ("fill", line)


@pytest.mark.parametrize(
    "body",
    [
        "    for x in data:\n        rows.put(x)\n",
        "    for x in data:\n        try:\n            rows.put(x)\n        except Exception:\n            continue\n",
        "    try:\n        for x in data:\n            rows.put(x)\n    except OSError:\n        raise\n",
        "    try:\n        for x in data:\n            rows.put(x)\n    except OSError:\n        print_exc()\n",
        "    try:\n        for x in data:\n            rows.put(x)\n    except OSError:\n        rows.put(None)\n",
        "    try:\n        start()\n    except OSError:\n        pass\n    for x in data:\n        rows.put(x)\n",
    ],
)
def test_an_except_that_goes_on_or_says_so(body: str) -> None:
    (feeder,) = found(f"def fill():\n{body}{START}")
    assert feeder.swallows is None


def test_under_the_name_of_a_parameter() -> None:
    text = "def fill(out, n):\n    out.put(n)\nmultiprocessing.Process(target=fill, args=(rows, 3)).start()\n"
    assert [feeder.name for feeder in found(text)] == ["fill"]


def test_the_run_of_a_thread() -> None:
    text = "class Feed(threading.Thread):\n    def run(self):\n        self.ready.notify()\n"
    assert [feeder.name for feeder in found(text, "condition", "self.ready")] == ["run"]


def test_what_no_thread_runs_or_another_queue_gets() -> None:
    assert found("def fill():\n    rows.put(1)\nfill()\n") == []
    assert found("def fill():\n    others.put(1)\n" + START) == []
