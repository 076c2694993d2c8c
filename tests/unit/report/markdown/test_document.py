from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests import handmade
from whydied.diagnose.finding import Evidence, Fix, Link
from whydied.report.markdown.document import MOST_PATCH_LINES, finding_document, report_document
from whydied.report.summary import Report

HOSTILE = "``` </code><img src=x onerror=alert(1)> ![p](http://evil.example/p) @everyone #1 [a](b)\n\n# title\n```\n`"
PATCH = "--- a/train.py\n+++ b/train.py\n@@ -2 +2 @@\n-    kept.append(step)\n+    kept.append(float(step))\n"


def leaking(tmp_path: Path, text: str = "kept") -> Report:
    script = tmp_path / "work" / "train.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"for step in range(9):\n    kept.append(step)  # {text}\n")
    cause = handmade.finding(
        1,
        code="MEM005",
        name="tensors-kept-in-container",
        message=f"the list {text} held 3,911 tensors",
        location=handmade.location(script, 2, function=text),
        evidence=[Evidence(fact=f"census of {text}", value=text, source="CensusTaken")],
        advice=[f"Keep `float(loss)` instead of {text}."],
        chain=[Link(kind="data", words=f"row 1 of {text}")],
    )
    death = handmade.finding(2, because_of="F1", message=f"killed {text}")
    fix = Fix(title=f"Keep numbers in {text}", kind="edit", answers="F1", patch=PATCH.replace("step", text))
    return handmade.report(
        cause=cause,
        death=death,
        findings=[cause, death],
        fixes=[fix],
        notes=[text],
        undetermined=text,
        argv=["train.py", text],
        cwd=str(script.parent),
        versions={"python": "3.11.7", "tensorflow": text},
    )


def kinds(markdown: str) -> set[str]:
    """Everything that a renderer of GitHub's Markdown would make of it."""
    blocks = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    found = {block.type for block in blocks}
    return found | {child.type for block in blocks for child in block.children or []}


OURS = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "code_inline", "fence",
    "bullet_list_open", "bullet_list_close", "ordered_list_open", "ordered_list_close", "list_item_open",
    "list_item_close", "strong_open", "strong_close", "hardbreak", "softbreak",
}  # fmt: skip


def test_it_says_what_why_where_and_what_to_do(tmp_path: Path) -> None:
    text = report_document(leaking(tmp_path))
    assert text.startswith("### train.py was killed by the kernel: out of memory (SIGKILL) after 2 min 14 s.\n")
    assert "**Cause (line 2): the list kept held 3,911 tensors.** (`MEM005 tensors-kept-in-container`)" in text
    assert "**Where:** `train.py`, line 2, in `kept`\n\n```python\n" in text
    assert "\n> 2 |     kept.append(step)  # kept\n" in text
    assert "**How:**\n\n1. row 1 of kept\n" in text
    assert "**Evidence:**\n\n- census of kept: kept\n" in text
    assert "- Keep `float(loss)` instead of kept.\n" in text
    assert "**Patch:** Keep numbers in kept (not yet tried)\n\n```diff\n--- a/train.py\n" in text
    assert "**Command:** `train.py kept`" in text
    assert "**Versions:** python 3.11.7, tensorflow kept\n" in text
    assert kinds(text) <= OURS


def test_the_directory_of_the_writer_is_not_told(tmp_path: Path) -> None:
    assert str(tmp_path) not in report_document(leaking(tmp_path))


def test_nothing_of_the_program_breaks_out(tmp_path: Path) -> None:
    for text in (report_document(leaking(tmp_path, HOSTILE)), finding_document(leaking(tmp_path, HOSTILE).findings[0])):
        assert kinds(text) <= OURS
        blocks = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
        headings = [after.content for block, after in pairwise(blocks) if block.type == "heading_open"]
        assert all("was killed" in heading for heading in headings)
        free = [
            child.content for block in blocks for child in block.children or [] if child.type not in ("code_inline",)
        ]
        assert not [content for content in free if "@everyone" in content or "#1" in content or "://" in content]


def test_a_long_patch_is_cut_and_says_so(tmp_path: Path) -> None:
    report = leaking(tmp_path)
    patch = "\n".join(f"+line {number}" for number in range(MOST_PATCH_LINES + 7))
    text = report_document(
        handmade.report(cause=report.cause, fixes=[Fix(title="t", kind="e", answers="F1", patch=patch)])
    )
    assert f"+line {MOST_PATCH_LINES - 1}\n```\n\nThis is not the whole patch: `whydied fix` shows it." in text


def test_a_healthy_run_is_short() -> None:
    text = report_document(handmade.healthy_report())
    assert text.startswith("### train.py finished after 2 min 14 s.\n")
    assert "Cause" not in text
    assert "Patch" not in text


def test_a_finding_by_itself_has_its_place_once(tmp_path: Path) -> None:
    text = finding_document(leaking(tmp_path).findings[0])
    assert text.startswith("**`MEM005 tensors-kept-in-container`** (certain): the list kept held 3,911 tensors.\n")
    assert text.count("line 2") == 1


@pytest.mark.parametrize("text", ["@" * 100_000, "&" * 100_000, "a & " * 30_000, "`" * 9_000])
def test_it_fits_an_issue_whatever_the_program_says(text: str, tmp_path: Path) -> None:
    document = report_document(leaking(tmp_path, text))
    assert len(document) < 65_536
    assert kinds(document) <= OURS
    assert "**Run:**" in document


def test_nothing_of_the_program_breaks_out_in_tensorboard(tmp_path: Path) -> None:
    import markdown

    report = leaking(tmp_path, HOSTILE)
    for text in (report_document(report), finding_document(report.findings[0])):
        shown = markdown.markdown(text, extensions=["tables", "fenced_code"])
        assert set(re.findall(r"<(\w+)", shown)) <= {"h3", "p", "strong", "code", "pre", "ul", "ol", "li", "br"}, shown
