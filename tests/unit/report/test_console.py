from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from tests import handmade
from whydied.diagnose.finding import Culprit, Evidence, Finding, Fix
from whydied.report.summary import Report
from whydied.report.terminal import console


def drawn(report: Report, width: int = 100, everything: bool = False, **options: Any) -> str:
    file = io.StringIO()
    console.render(report, everything=everything, console=Console(file=file, width=width, **options))
    return file.getvalue()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "train.py"
    file.write_text("import os\n\nkept = []\nfor step in range(9):\n    kept.append(step)\nprint(kept)\n")
    return file


def rich_report(script: Path, **fields: Any) -> Report:
    cause = handmade.finding(
        1,
        code="MEM008",
        name="tensors-kept-in-container",
        certainty="likely",
        message="train.py:5: the list `kept` held 3,911 tensors, 15.3 GiB in all",
        location=handmade.location(script, 5, source="kept.append(step)", function="main"),
        evidence=[
            Evidence(fact="tensors in kept", value=3911, source="census"),
            Evidence(fact="growth per step in bytes", value=4 << 20, source="412 samples"),
        ],
        advice=["Keep a number instead of the tensor."],
    )
    death = handmade.finding(2, because_of="F1")
    given: dict[str, Any] = {"cause": cause, "death": death, "findings": [cause, death]}
    return handmade.report(**{**given, **fields})


def test_the_whole_page(script: Path) -> None:
    shown = drawn(rich_report(script)).replace(str(script), "<script>")
    assert shown.splitlines() == [
        "train.py was killed by the kernel: out of memory (SIGKILL) after 2 min 14 s.",
        "Likely cause (line 5): the list `kept` held 3,911 tensors, 15.3 GiB in all.",
        "",
        "Where       <script>, line 5, in main",
        "              3 | kept = []",
        "              4 | for step in range(9):",
        "            > 5 |     kept.append(step)",
        "              6 | print(kept)",
        "",
        "Led to      the kernel's OOM killer killed train.py at 1.0 GiB.",
        "Evidence    tensors in kept: 3911",
        "            growth per step: 4.00 MiB",
        "            OOM kills in the cgroup: 1",
        "What to do  Keep a number instead of the tensor.",
        "",
        f"More: whydied show {handmade.RUN_ID} --all --runs /somewhere/runs",
        "      whydied explain MEM008",
    ]


def test_a_fix_says_whether_it_was_tried(script: Path) -> None:
    untested = Fix(title="Use batch 32", kind="batch", answers="F1")
    before, after = {"words": "killed after 3 s"}, {"words": "finished in 9 s"}
    proved = Fix(title="Use batch 16", kind="batch", answers="F1", verdict="proved", before=before, after=after)
    refuted = Fix(title="Use swap", kind="swap", answers="F1", verdict="refuted")
    shown = drawn(rich_report(script, fixes=[untested, refuted]))
    assert "Use batch 32 (not yet tried)." in shown
    assert "Use swap" not in shown
    alone = drawn(rich_report(script, fixes=[untested, proved, refuted]))
    assert "Use batch 16 (tried, it works: killed after 3 s before, finished in 9 s after)." in alone
    assert "Use batch 32" not in alone
    assert "Use swap" not in alone


def test_a_healthy_run_is_one_line() -> None:
    assert drawn(handmade.healthy_report()).splitlines() == [
        "whydied: train.py finished after 2 min 14 s; no problem was seen."
    ]
    asides = handmade.healthy_report(notes=["a"], internal_errors=["b", "c"])
    assert "(1 note and 2 internal errors: whydied show" in drawn(asides, width=200)


def test_errors_of_ours_are_one_line_unless_all_is_asked_for(script: Path) -> None:
    report = rich_report(script, internal_errors=["hooks.fit: KeyError: 'x'", "sampler: ValueError"])
    assert "whydied had 2 internal errors: see --all." in drawn(report)
    assert "KeyError" not in drawn(report)
    assert "hooks.fit: KeyError: 'x'" in drawn(report, everything=True)


def test_all_has_what_one_screen_leaves_out(script: Path) -> None:
    other = handmade.finding(3, code="PRC012", name="disk-full", message="the disk was full")
    base = rich_report(script, notes=[f"note {n}" for n in range(30)])
    report = rich_report(script, notes=base.notes, findings=[*base.findings, other], versions={"keras": "3.15"})
    short, whole = drawn(report), drawn(report, everything=True)
    assert len(short.splitlines()) <= 24
    # How many lines are left out depends on the length of the temporary path, which is wrapped.
    assert re.search(r"\n\d+ more: whydied show", short)
    assert "disk-full" not in short
    assert "\nMore: whydied show" in whole
    for words in ("note 29", "PRC012 disk-full: the disk was full", "keras 3.15", "command: train.py"):
        assert words in whole


def test_what_has_no_part_in_the_end_is_also_seen(script: Path) -> None:
    report = rich_report(script)
    aside = Finding(id="F9", code="NUM003", name="nonfinite-in-data", message="y held NaN", certainty="certain")
    shown = drawn(msgspec.structs.replace(report, findings=[*report.findings, aside]))
    assert re.search(r"^Also seen +y held NaN\.$", shown, re.MULTILINE)
    guessed = msgspec.structs.replace(aside, certainty="possible")
    assert "Also seen" not in drawn(msgspec.structs.replace(report, findings=[*report.findings, guessed]))


def test_last_words_keep_their_lines_where_there_is_room(script: Path) -> None:
    evidence = [Evidence(fact="last lines of output", value="first\n  \x1b[31msecond\x1b[0m\n", source="OutputWritten")]
    cause = handmade.finding(evidence=evidence)
    report = rich_report(script, cause=cause, death=cause, findings=[cause])
    assert "last lines of output: first second\n" in drawn(report)
    assert "last lines of output:  [OutputWritten]\n              first\n                second\n" in drawn(
        report, everything=True
    )


def test_where_a_fact_comes_from_gives_way_to_the_fact(script: Path) -> None:
    source = "OomCounted /sys/fs/cgroup/memory/a/rather/long/path/of/a/group/that/somebody/made/for/a/job"
    cause = handmade.finding(evidence=[Evidence(fact="peak counted by the cgroup", value=1, source=source)])
    report = rich_report(script, cause=cause, death=cause, findings=[cause])
    assert "peak counted by the cgroup: 1\n" in drawn(report)
    assert "OomCounted" in drawn(report, everything=True)


def test_evidence_takes_five_lines_unless_all_is_asked_for(script: Path) -> None:
    facts = [Evidence(fact=f"fact {at}", value=at, source="CensusTaken") for at in range(9)]
    cause = handmade.finding(evidence=facts)
    report = rich_report(script, cause=cause, death=cause, findings=[cause])
    short, whole = drawn(report), drawn(report, everything=True)
    assert "fact 4: 4\n" in short
    assert "fact 5" not in short
    assert "\n4 more: whydied show" in short
    assert "CensusTaken" not in short
    assert "fact 8: 8  [CensusTaken]\n" in whole


def failed(script: Path, **fields: Any) -> Report:
    given: dict[str, Any] = {
        "code": "PRC008",
        "name": "uncaught-exception",
        "message": "train.py:5: KeyError: 'lable' is not in `row`; did you mean 'label'?",
        "location": handmade.location(script, 5, source="kept.append(step)"),
        "culprit": Culprit(kind="key", name="lable", near=["label"]),
        "advice": ["Did you mean 'label'?"],
        "evidence": [
            Evidence(fact="exception", value="KeyError: 'lable'", source="ExceptionRaised"),
            Evidence(fact="`row` on that line", value="dict of length 2", source="ExceptionRaised"),
            Evidence(fact="`x` (x)", value="(64, 5) float32", source="ErrorFacts"),
            Evidence(fact="memory at failure", value="1.20 GiB of 24.0 GiB", source="MachineSampled"),
            Evidence(fact="ended by", value="exit status 1", source="ProgramEnded (wait)"),
        ],
    }
    death = handmade.finding(1, **{**given, **fields})
    return handmade.report(
        outcome="failed", death=death, cause=death, findings=[death], signal=None, signal_name=None, exit_code=1
    )


def test_a_claim_is_made_once(script: Path) -> None:
    shown = drawn(failed(script))
    assert shown.startswith("train.py failed with KeyError (exit status 1) after 2 min 14 s.\n")
    assert shown.count("'lable'") == shown.lower().count("did you mean 'label'?") == 1
    assert "What to do" not in shown
    assert [line[12:] for line in shown.splitlines() if line.startswith("Evidence")] == [
        "`row` on that line: dict of length 2"
    ]
    for words in ("float32", "1.20 GiB", "ended by"):
        assert words not in shown
        assert words in drawn(failed(script), everything=True)


def test_the_text_of_an_exception_is_left_to_its_traceback(script: Path) -> None:
    cause = handmade.finding(2, message="incompatible shapes", location=handmade.location(script, 3))
    shown = drawn(msgspec.structs.replace(failed(script, because_of="F2"), cause=cause))
    assert "Led to      KeyError at line 5.\n" in shown
    here = handmade.finding(2, message="incompatible shapes", location=failed(script).death.location)  # type: ignore[union-attr]
    assert "Led to" not in drawn(msgspec.structs.replace(failed(script, because_of="F2"), cause=here))


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "interrupted", "message": "train.py:5: train.py was interrupted (Ctrl-C)"},
        {"name": "program-not-found", "message": "trian.py: no such script; did you mean train.py?"},
        {"message": "train.py:5: FileNotFoundError: no rows.csv", "culprit": Culprit(kind="file", name="rows.csv")},
    ],
    ids=["Ctrl-C", "no script", "no file"],
)
def test_an_end_that_explains_itself_takes_two_lines(script: Path, fields: dict[str, Any]) -> None:
    report = failed(script, **fields)
    assert len(drawn(report).splitlines()) == 2
    assert len(drawn(report, everything=True).splitlines()) > 5
    other = handmade.finding(7, code="NUM003", message="the loss turned NaN")
    deeper = msgspec.structs.replace(report, cause=other, findings=[other, *report.findings])
    assert len(drawn(deeper).splitlines()) > 2


def test_wrong_options_explain_themselves(script: Path) -> None:
    said = [Evidence(fact="last lines of output", value="train.py: error: invalid int value", source="OutputWritten")]
    report = failed(script, name="exited-early", message="train.py:5: train.py called sys.exit", evidence=said)
    wrong = msgspec.structs.replace(report, run=msgspec.structs.replace(report.run, exit_code=2))
    assert len(drawn(wrong).splitlines()) == 2
    assert len(drawn(report).splitlines()) > 2


def test_markup_and_control_characters_are_printed_as_text(script: Path) -> None:
    nasty = "[bold]x[/bold] [link=http://e] \x1b[2J\x1b]0;t\x07 :smile: \x07"
    cause = handmade.finding(message=nasty, evidence=[Evidence(fact=nasty, value=nasty, source=nasty)], advice=[nasty])
    report = rich_report(script, cause=cause, death=cause, findings=[cause], notes=[nasty], undetermined=nasty)
    shown = drawn(report, everything=True, force_terminal=False)
    assert "[bold]x[/bold] [link=http://e]" in shown
    assert ":smile:" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_colour_only_where_it_is_wanted(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" not in drawn(rich_report(script))
    assert "\x1b[1;31m" in drawn(rich_report(script), force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in drawn(rich_report(script), force_terminal=True)


def test_ascii_where_the_stream_has_no_more(script: Path) -> None:
    data = io.BytesIO()
    stream = io.TextIOWrapper(data, encoding="ascii", errors="strict")
    cause = handmade.finding(message="größer als … → Ende")
    console.render(rich_report(script, cause=cause, death=cause), console=console.console_on(stream))
    assert b"gr\\xf6\\xdfer als ... -> Ende" in data.getvalue()


def test_a_stream_that_cannot_be_written_is_no_error(script: Path) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    console.render(rich_report(script), console=console.console_on(Gone()))
    console.render(rich_report(script), console=console.console_on(None))


TEXT = st.text(alphabet=st.characters(), max_size=300)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    message=TEXT,
    source=TEXT,
    notes=st.lists(TEXT, max_size=20),
    facts=st.lists(st.tuples(TEXT, st.one_of(TEXT, st.integers(), st.floats(), st.none())), max_size=12),
    width=st.integers(40, 120),
)
def test_never_wider_than_the_console_and_never_taller_than_a_screen(
    message: str, source: str, notes: list[str], facts: list[tuple[str, Any]], width: int, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_bytes(source.encode("utf-8", "replace"))
    evidence = [Evidence(fact=fact, value=value, source=fact) for fact, value in facts]
    cause = handmade.finding(message=message, evidence=evidence, location=handmade.location(script, 1), advice=notes)
    report = rich_report(script, cause=cause, death=cause, findings=[cause], notes=notes, undetermined=message)
    lines = drawn(report, width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    if width >= 100:
        assert len(lines) <= 24
    for line in drawn(report, width, everything=True).splitlines():
        assert cell_len(line) <= width
