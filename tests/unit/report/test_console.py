from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from tests import handmade
from whydied.diagnose.finding import Evidence, Fix
from whydied.report import console
from whydied.report.summary import Report


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
    fixes = [
        Fix(title="Use batch 32", kind="batch", answers="F1"),
        Fix(title="Use batch 16", kind="batch", answers="F1", verdict="proved", before="killed", after="finished"),
        Fix(title="Use swap", kind="swap", answers="F1", verdict="refuted"),
    ]
    shown = drawn(rich_report(script, fixes=fixes))
    assert "Use batch 32 (not yet tried)." in shown
    assert "Use batch 16 (tried, it works: killed before, finished after)." in shown
    assert "Use swap (tried, it does not help)." in shown
    assert shown.index("Use batch 16") < shown.index("Use batch 32")


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
    assert "\n23 more: whydied show" in short
    assert "disk-full" not in short
    assert "\nMore: whydied show" in whole
    for words in ("note 29", "PRC012 disk-full: the disk was full", "keras 3.15", "command: train.py"):
        assert words in whole


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
