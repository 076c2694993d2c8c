"""The report of real programs, word for word: made from their stored recordings, and compared line by line.

The expected text stands in `wording/<directory>.<program>.txt`. What differs from one recording of a program to the
next stands for itself: times, sizes of memory, versions and the run's name. The page is drawn so wide that no line is
broken, because where a line breaks depends on how long the directories are.

`WRITE_WORDING=1` writes the files anew; read them aloud before you commit them.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from rich.console import Console

import recordings
from neutral import PLACE
from whydied.read.recording import load
from whydied.report.finish import compose
from whydied.report.summary import Report
from whydied.report.terminal.console import render

EXPECTED = Path(__file__).resolve().parent / "wording"
WIDE = 1000
TOLD = (
    "errors_mixed/callback_asks_for_metric",
    "errors_mixed/generator_misses_a_field",
    "errors_mixed/leaves_after_catching",
    "exits/bad_option",
    "labels/one_class_more",
    "old_code/session_of_one",
    "plain/key_error",
    "plain/missing_file",
    "saving/wider_than_saved",
    "sessions/rate_not_fed",
    "shapes/add_of_two_sizes",
    "shapes/matmul_in_function",
    "shapes/session_matmul",
)


@pytest.mark.parametrize("name", TOLD)
def test_the_report_reads_as_it_should(name: str, tmp_path: Path) -> None:
    stored = recordings.unpack(recordings.path_of(name).read_bytes(), tmp_path)
    report = compose(load(stored.run))
    assert report.internal_errors == []
    told = _plain(_drawn(report), PLACE / Path(name).parent, tmp_path)
    file = EXPECTED / f"{name.replace('/', '.')}.txt"
    if os.environ.get("WRITE_WORDING"):
        file.write_text(told)
    assert told.splitlines() == file.read_text().splitlines()


def _drawn(report: Report) -> str:
    text = io.StringIO()
    render(report, console=Console(file=text, width=WIDE, highlight=False, markup=False, emoji=False))
    return text.getvalue()


def _plain(text: str, directory: Path, scratch: Path) -> str:
    """The same for every run of the same program."""
    for place, word in ((directory, "<programs>"), (scratch.resolve(), "<scratch>"), (scratch, "<scratch>")):
        text = text.replace(str(place), word)
    text = re.sub(r"after \d+(?:\.\d+)? (?:s|min)\b(?: \d+ s)?", "after <time>", text)
    text = re.sub(r"\d+(?:\.\d+)? [KMGT]iB of \d+(?:\.\d+)? [KMGT]iB", "<size> of <size>", text)
    text = re.sub(r"(TensorFlow|Keras|NumPy) \d+\.\d+(?:\.\d+)?", r"\1 <version>", text)
    # What the libraries log differs by machine.
    text = re.sub(r"^.*last lines of output: .*\n", "", text, flags=re.MULTILINE)
    # The first batch of a shuffled data set.
    text = re.sub(r"Label values: [-\d ]*\d", "Label values: <batch>", text)
    text = re.sub(r"^\d+ more: ", "More: ", text, flags=re.MULTILINE)
    return re.sub(r"whydied show \S+", "whydied show <run>", text)
