"""A fix for readers and for other programs, and the commands that a report names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from tests import handmade
from tests.unit.diagnose.died_of import died_of
from tests.unit.report.test_console import drawn
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Fix
from whydied.report import claims
from whydied.report.finish import compose
from whydied.report.terminal import fix_page

PATCH = "--- a/train.py\n+++ b/train.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = '\x1b[2J'\n"


def fix(**fields: Any) -> Fix:
    return Fix(**{"title": "Use batch 16", "kind": "batch", "answers": "F1", "patch": PATCH, **fields})


def test_the_head_says_what_it_does_whether_it_was_tried_and_what_it_costs() -> None:
    assert fix_page.head(fix(), 1, 1) == (
        "Fix (not tried: `whydied prove` tries it): Use batch 16. May change what is computed."
    )
    proved = fix(verdict="proved", harm="exact", before={"words": "killed"}, after={"words": "finished"})
    assert fix_page.head(proved, 2, 3) == (
        "Fix 2 of 3 (proved: killed before, finished after): Use batch 16. Computes the same numbers."
    )


def test_a_program_cannot_paint_the_terminal() -> None:
    shown = fix_page.coloured(PATCH, "utf-8")
    assert [(line.plain, str(line.style)) for line in shown] == [
        ("--- a/train.py", "bold"),
        ("+++ b/train.py", "bold"),
        ("@@ -1,2 +1,2 @@", "cyan"),
        ("-a = 1", "red"),
        ("+a = 2", "green"),
        (" b = ''", ""),
    ]
    assert "&lt;b&gt;" in fix_page.as_html("Fix", "+<b>")


def test_a_patch_is_written_in_the_encodings_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_bytes(b"# coding: latin-1\n")
    (tmp_path / "gr\u00f6\u00dfe.py").write_bytes(b"a = 1\n")
    head = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n"
    # A line of a file may look like a header.
    body = "--- a/\u00e4\n+\u00f6\n"
    text = head.format("old.py") + body + head.format("gr\u00f6\u00dfe.py") + body
    assert fix_page.as_bytes(text, str(tmp_path)) == (
        head.format("old.py").encode()
        + body.encode("latin-1")
        + head.format("gr\u00f6\u00dfe.py").encode()
        + body.encode()
    )
    assert fix_page.as_bytes(text, "/elsewhere") == text.encode()


def test_a_notebook_is_read_by_its_cells(tmp_path: Path) -> None:
    case = died_of(tmp_path, "values = {}", "print(valeus)")
    (found,) = diagnose(case.recording, case=case).fixes
    of_file = msgspec.structs.replace(found, patch=PATCH)
    assert fix_page.readable(None, of_file) == PATCH
    assert fix_page.readable(case.recording, of_file) == found.patch
    assert fix_page.readable(case.recording, fix()) == PATCH


def test_without_a_fix_the_advice_is_said() -> None:
    cause = handmade.finding(advice=["Buy memory."])
    told = fix_page.without_fix(handmade.report(cause=cause, death=cause, findings=[cause]))
    assert told[0] == "no change of train.py is known that would help."
    assert told[-1] == "Buy memory."
    in_vain = handmade.report(fixes=[fix(verdict="refuted")])
    assert fix_page.without_fix(in_vain)[0].endswith("; 1 tried in vain: --list shows them.")
    assert fix_page.without_fix(handmade.healthy_report()) == ["train.py has nothing to fix: no problem was seen."]


def test_a_report_names_the_commands_that_fix_it() -> None:
    def named(**fields: Any) -> list[str]:
        return [one.split()[1] for one in claims.commands(handmade.report(**fields))]

    assert named() == ["show", "explain"]
    assert named(fixes=[fix(patch=None)]) == ["show", "explain"]
    assert named(fixes=[fix(verdict="refuted")]) == ["show", "explain"]
    assert named(fixes=[fix()]) == ["show", "explain", "fix", "prove"]
    assert named(fixes=[fix(), fix(verdict="proved")]) == ["show", "explain", "fix"]
    shown = drawn(handmade.report(fixes=[fix()])).splitlines()
    assert shown[-3:] == [
        f"More: whydied show {handmade.RUN_ID} --all --runs /somewhere/runs",
        "      whydied explain MEM001",
        "      whydied fix ab12cd --runs /somewhere/runs · whydied prove ab12cd --runs /somewhere/runs",
    ]
    assert max(map(len, shown)) <= 100


def test_a_living_kernel_names_its_magic(tmp_path: Path) -> None:
    case = died_of(tmp_path, "values = {}", "print(valeus)")
    report = compose(case.recording)
    cell = msgspec.structs.replace(report, run=msgspec.structs.replace(report.run, argv=["cell [2]"]))
    assert claims.remedies(cell)[-1] == "`%whydied fix` shows the change of the cell."
    assert [one.split()[1] for one in claims.commands(cell)] == ["show", "explain"]
