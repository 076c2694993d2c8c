"""Which changes deserve a trial, by what a stage says of them."""

from __future__ import annotations

import json
from typing import cast

import pytest

from tests.unit.prove.test_verdicts import seen
from whydied.prove.experiment import Laboratory
from whydied.prove.observed import Call
from whydied.prove.rehearsal.program_start import Start, library_names, start_of
from whydied.prove.rehearsal.rehearsal import Ending, Standing, Variant, rehearsed, standing
from whydied.prove.terms import Terms
from whydied.source.text import Source

FIRST = Ending(0, "raised", "ValueError", "3 and 4", [("train.py", "<module>", 9), ("train.py", "build", 4)])
BEFORE = seen(raised="builtins.ValueError", stack=(Call("/p/train.py", "<module>", 9),), peak_bytes=100)


class Bench:
    """Stands for a laboratory: what a stage would say."""

    def __init__(self, *said: Ending) -> None:
        self.terms = Terms(["--", "/usr/bin/python3.11", "-u", "train.py", "--fast"], "/p", "/p", None)
        self.limit_bytes = 1 << 30
        self.said = said
        self.task: dict[str, object] = {}

    def rehearse(self, stage: list[str], task: bytes, program: list[str], limit_s: float) -> list[bytes]:
        assert (stage[:2], program) == (["/usr/bin/python3.11", "-u"], ["/p", "train.py", "--fast"])
        self.task = json.loads(task)
        keys = ("number", "how", "raised", "said", "frames")
        lines = [json.dumps({key: getattr(one, key) for key in keys}).encode() for one in self.said]
        return [*lines, b'{"number": 9, "ho']


def asked(bench: Bench, *files: str) -> list[Standing] | None:
    variants = [Variant({file: "text"}, {}) for file in files]
    sources = {"/p/train.py": Source("import tensorflow as tf\n")}
    return rehearsed(cast(Laboratory, bench), sources, BEFORE, {}, variants, 60.0)


def test_each_change_stands_where_its_program_ended() -> None:
    again = Ending(1, FIRST.how, FIRST.raised, FIRST.said, FIRST.frames)
    bench = Bench(FIRST, again, Ending(3, "finished"), Ending(2, FIRST.how, FIRST.raised, FIRST.said, FIRST.frames))
    assert asked(bench, "/p/train.py", "/elsewhere/lib.py", "/p/model.py", "/p/data.py") == [
        "again",
        "unknown",
        "finishes",
        "unknown",
    ]
    assert bench.task["variants"] == [{}, {}, *({f"{name}.py": "text"} for name in ("train", "model", "data"))]
    assert bench.task["imports"] == ["tensorflow"]


@pytest.mark.parametrize(
    "second",
    [
        Ending(1, "finished"),
        Ending(1, "raised", "FileExistsError", "out", FIRST.frames),
        Ending(1, "raised", "ValueError", "3 and 4", [("train.py", "<module>", 2)]),
    ],
)
def test_nothing_is_said_where_the_program_itself_does_not_fail_twice(second: Ending) -> None:
    assert asked(Bench(FIRST, second, Ending(2, "finished")), "/p/train.py") is None


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending(2, "finished"), "finishes"),
        (Ending(2, "time"), "unknown"),
        (Ending(2, "passed"), "later"),
        (Ending(2, "raised", "ValueError", "3 and 4", FIRST.frames), "again"),
        (Ending(2, "raised", "ValueError", "3 and 5", FIRST.frames), "elsewhere"),
        (Ending(2, "raised", "KeyError", "x", [("train.py", "<module>", 12)]), "later"),
        (Ending(2, "raised", "KeyError", "x", [("train.py", "<module>", 3)]), "again"),
        (Ending(2, "exit", said="3"), "again"),
    ],
)
def test_the_place_of_an_end(ending: Ending, expected: str) -> None:
    assert standing(FIRST, ending, {}, "/p") == expected


def test_a_line_moved_by_the_change_is_the_line_that_it_was() -> None:
    moved = Ending(2, "raised", "ValueError", "3 and 4", [("train.py", "<module>", 10), ("train.py", "build", 5)])
    lines = {"/p/train.py": {number + 1: number for number in range(1, 20)}}
    assert standing(FIRST, moved, lines, "/p") == "again"


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (["--", "/v/bin/python", "train.py"], Start(["/v/bin/python"], ["train.py"])),
        (
            ["--", "python3", "-X", "dev", "-m", "pkg.train", "1"],
            Start(["python3", "-X", "dev"], ["-m", "pkg.train", "1"]),
        ),
        (["--", "bash", "run.sh"], None),
        (["--", "python", "-c", "print(1)"], None),
        (["--", "python", "-m"], None),
        (["notebook.ipynb"], None),
    ],
)
def test_how_a_program_was_started(words: list[str], start: Start | None) -> None:
    assert start_of(Terms(words, "/p", "/p", None)) == start


def test_only_libraries_are_loaded(tmp_path) -> None:
    (tmp_path / "model.py").touch()
    (tmp_path / "data").mkdir()
    text = """
        import os, numpy as np
        from tensorflow.keras import layers
        from . import sibling
        from data.rows import rows
        try:
            import model
        except ImportError:
            pass
        def late():
            import pandas
    """
    source = Source("\n".join(line[8:] for line in text.splitlines()))
    assert library_names({"train.py": source}, str(tmp_path)) == ["os", "numpy", "tensorflow.keras"]
