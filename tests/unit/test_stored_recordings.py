"""Every stored recording of the corpus gets the diagnosis that is true of its program, in the words of outcomes.txt.

Pure: nothing is started. `python scripts/diagnose_corpus.py --write` accepts other words, to be read as a diff, and
`python scripts/record_corpus.py` records programs anew.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from corpus import Case, load
from outcomes import Outcome, outcomes, table_lines
from recordings import PROGRAMS, path_of, stored_names, unpack
from whydied.read.recording import load as load_run
from whydied.report.finish import compose
from whydied.report.terminal import console

CASES = {case.name: case for case in load(PROGRAMS)}
STORED = stored_names()


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest) -> dict[str, Outcome]:
    """The outcomes of the chosen recordings, computed side by side."""
    chosen: list[Case] = [
        item.callspec.params["case"]
        for item in request.session.items
        if item.path == request.path and "case" in getattr(getattr(item, "callspec", None), "params", ())
    ]
    return {one.verdict.case.name: one for one in outcomes(chosen)}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", [pytest.param(CASES[name], id=name) for name in STORED if name in CASES])
def test_a_stored_recording_is_diagnosed(case: Case, found: dict[str, Outcome]) -> None:
    outcome = found[case.name]
    assert not outcome.verdict.problems, "\n".join(outcome.verdict.problems)
    assert outcome.line == table_lines().get(case.name), "scripts/diagnose_corpus.py --write accepts the new line"


def test_the_table_has_a_line_for_each_recording() -> None:
    assert sorted(table_lines()) == STORED


def test_each_program_has_its_recording_and_each_recording_its_program() -> None:
    """`scripts/record_corpus.py --missing` records the others."""
    assert sorted(CASES) == STORED


@pytest.mark.parametrize("name", [one for one in STORED if one in CASES and CASES[one].expected.cause == "interrupted"])
def test_ctrl_c_on_a_healthy_run_takes_two_lines(name: str, tmp_path: Path) -> None:
    report = compose(load_run(unpack(path_of(name).read_bytes(), tmp_path).run))
    shown = io.StringIO()
    console.render(report, console=Console(file=shown, width=100))
    assert len(shown.getvalue().splitlines()) <= 2, shown.getvalue()
