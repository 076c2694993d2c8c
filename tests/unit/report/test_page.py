"""The report as a page: everything is there, and nothing of the program's can act in it."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recordings import path_of, unpack
from tests import handmade
from whydied.compare.comparison import Side, compared
from whydied.compare.difference import Difference, Hunk
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Culprit, Evidence, Fix, Link
from whydied.read.recording import load
from whydied.report.compared import Compared
from whydied.report.finish import compose
from whydied.report.page.diff_page import diff_page
from whydied.report.page.run_page import run_page
from whydied.report.summary import LineBytes, MemoryFacts, Report
from whydied.report.views.alive_at_peak import Alive, Part
from whydied.report.views.layer_shapes import Layer, Operand, Shapes
from whydied.report.views.memory_timeline import Line, Mark, Timeline
from whydied.report.views.run_views import Views, views_of
from whydied.report.views.source_heat import SourceFile, SourceLine
from whydied.report.views.trial_bars import Trial
from whydied.report.views.waiting_graph import Edge, Node, Waiting

HOSTILE = "</script><script>window.injected=1</script><img src=x onerror=window.injected=1>{{7*7}}`</code><b>`\u2028"
LARGEST_BYTES = 3 << 20


class Elements(html.parser.HTMLParser):
    """The elements of a page as a browser would take them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self._in_script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = self._in_script and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data
        else:
            self.texts.append(data)


def page_of(name: str, folder: Path) -> tuple[str, Report, Views]:
    recording = load(unpack(path_of(name).read_bytes(), folder).run)
    report = compose(recording)
    views = views_of(recording, report)
    return run_page(report, views), report, views


def hostile_report() -> Report:
    place = msgspec.structs.replace(
        handmade.location(Path(f"/home/{HOSTILE}.py"), 3),
        function=HOSTILE,
        source=HOSTILE,
        around=[HOSTILE],
        around_line=3,
    )
    cause = handmade.finding(
        2,
        message=HOSTILE,
        location=place,
        culprit=Culprit(kind=HOSTILE, name=HOSTILE),
        evidence=[
            Evidence(fact=HOSTILE, value=HOSTILE, source=HOSTILE),
            Evidence(fact="lines", value=f"{HOSTILE}\n{HOSTILE}", source="x"),
        ],
        advice=[HOSTILE],
        chain=[Link(kind=HOSTILE, words=HOSTILE, location=place)],
    )
    death = handmade.finding(1, because_of="F2", message=HOSTILE)
    fix = Fix(
        title=HOSTILE,
        kind="edit",
        answers="F2",
        verdict="proved",
        before={"words": HOSTILE},
        after={"words": HOSTILE},
        patch=f"--- a\n+++ b\n@@ -1 +1 @@\n-{HOSTILE}\n+{HOSTILE}",
    )
    return handmade.report(
        cause=cause,
        death=death,
        findings=[cause, death, handmade.finding(3, message=HOSTILE)],
        fixes=[fix],
        notes=[HOSTILE],
        undetermined=HOSTILE,
        internal_errors=[HOSTILE],
        memory=MemoryFacts(by_line=[LineBytes(file=HOSTILE, line=1, bytes=5, source=HOSTILE)]),
        argv=[HOSTILE],
        cwd=HOSTILE,
        name=HOSTILE,
        labels={HOSTILE: HOSTILE},
        versions={HOSTILE: HOSTILE},
    )


def hostile_views() -> Views:
    return Views(
        timeline=Timeline(
            lines=[Line(name=HOSTILE, kind="process", points=[(0.0, 1.0), (1.0, 2.0)])],
            marks=[Mark(kind="jump", at=0.5, label=HOSTILE, words=HOSTILE)],
            limit_words=HOSTILE,
            told=HOSTILE,
        ),
        alive=[Alive(by="holder", title=HOSTILE, parts=[Part(name=HOSTILE, bytes=9, words=HOSTILE)], told=HOSTILE)],
        shapes=Shapes(
            layers=[Layer(name=HOSTILE, type=HOSTILE, shape=HOSTILE, parts=True, given=HOSTILE, wanted=HOSTILE)],
            operands=[Operand(name=HOSTILE, role=HOSTILE, shape=HOSTILE)],
        ),
        waiting=Waiting(
            nodes=[Node(id=HOSTILE, kind="thread", name=HOSTILE, words=HOSTILE, stack=[HOSTILE])],
            edges=[Edge(begin=HOSTILE, end=HOSTILE, how="holds")],
            told=HOSTILE,
        ),
        sources=[
            SourceFile(
                name=HOSTILE,
                path=HOSTILE,
                lines=1,
                stretches=[[SourceLine(number=1, text=HOSTILE, mark="cause", note=HOSTILE)]],
            )
        ],
        trials=[Trial(title=HOSTILE, verdict="proved", before=HOSTILE, after=HOSTILE)],
        errors=[HOSTILE],
    )


def test_a_hostile_program_adds_no_element_and_no_attribute() -> None:
    tame = Elements(run_page(hostile_report_with("tame"), hostile_views_with("tame")))
    wild = Elements(run_page(hostile_report(), hostile_views()))

    def kinds(page: Elements) -> list[tuple[str, list[str]]]:
        return [(tag, sorted(attributes)) for tag, attributes in page.found if tag != "code"]

    assert kinds(wild) == kinds(tame)
    assert not any(tag == "img" for tag, _ in wild.found)
    assert len(wild.scripts) == 3


def hostile_report_with(text: str) -> Report:
    data = msgspec.json.encode(hostile_report()).decode().replace(json.dumps(HOSTILE, ensure_ascii=False)[1:-1], text)
    return msgspec.json.decode(data, type=Report)


def hostile_views_with(text: str) -> Views:
    data = msgspec.json.encode(hostile_views()).decode().replace(json.dumps(HOSTILE, ensure_ascii=False)[1:-1], text)
    return msgspec.json.decode(data, type=Views)


def test_the_policy_allows_the_scripts_and_the_style_of_the_page_and_nothing_else() -> None:
    text = run_page(hostile_report(), hostile_views())
    page = Elements(text)
    policy = next(
        attributes["content"] or ""
        for tag, attributes in page.found
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].split() == [_sum(script) for script in page.scripts[1:]]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style
    assert rules["style-src"] == _sum(style[1])
    assert not any("style" in attributes or "onclick" in attributes for _, attributes in page.found)
    assert not any(attributes.get("src") for _, attributes in page.found)


def _sum(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_data_of_the_charts_are_json_that_cannot_end_its_element() -> None:
    page = Elements(run_page(hostile_report(), hostile_views()))
    assert not re.search(r"[<>&\u2028\u2029]", page.scripts[0])
    read: dict[str, Any] = json.loads(page.scripts[0])
    assert read["timeline"]["lines"][0]["name"] == HOSTILE


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("memory/batch_of_1024", ["Memory over time", "What held the memory", "by layer", "limit"]),
        ("numerics/nan_in_one_row", ["How the bad value came about", "row 217", "Over the steps"]),
        ("hangs/deadlock", ["Who waits for whom", "Thread-1 (take)"]),
        ("framework/fit_wrong_shape", ["Shapes", "Here they part.", "(16, 9)"]),
        ("healthy/cnn_fit", ["finished", "Losses and norms", "The run"]),
    ],
)
def test_a_page_has_what_its_kind_of_end_needs(name: str, told: list[str], tmp_path: Path) -> None:
    text, report, _ = page_of(name, tmp_path)
    shown = "".join(Elements(text).texts)
    for words in told:
        assert words in text if words == "limit" else words in shown, words
    if report.cause is not None:
        assert report.cause.code in shown
    else:
        assert "bad value" not in shown
    assert len(text.encode()) < LARGEST_BYTES


def test_each_chart_has_words_for_those_who_do_not_see_it(tmp_path: Path) -> None:
    text, _, _ = page_of("memory/batch_of_1024", tmp_path)
    charts = [attributes for _, attributes in Elements(text).found if attributes.get("role") == "img"]
    assert len(charts) >= 4
    assert all(chart.get("aria-label") for chart in charts)


def test_without_a_recording_the_report_alone_is_a_page() -> None:
    text = run_page(handmade.report(), Views())
    assert "was killed by the kernel" in text
    assert "<script" not in text


def test_a_picture_that_failed_is_told_and_the_page_stays() -> None:
    assert "the picture of threads: KeyError(3)" in "".join(
        Elements(run_page(handmade.report(), Views(errors=["the picture of threads: KeyError(3)"]))).texts
    )


def test_two_runs_on_a_page_show_what_changed(tmp_path: Path) -> None:
    recordings = [
        load(unpack(path_of(name).read_bytes(), tmp_path / str(at)).run)
        for at, name in enumerate(("healthy/cnn_fit", "memory/batch_of_1024"))
    ]
    sides = [Side(Case(one), diagnose(one)) for one in recordings]
    found = compared(*sides)
    assert found.differences
    good, bad = (compose(one) for one in recordings)
    text = diff_page(Compared(good=good, bad=bad, differences=found.differences), recordings)
    page = Elements(text)
    shown = "".join(page.texts)
    assert "Good" in shown
    assert "Bad" in shown
    assert all(one.what.replace("`", "") in shown for one in found.differences)
    lines = json.loads(page.scripts[0])["timeline"]["lines"]
    assert [line["kind"] for line in lines] == ["good", "bad"]


def test_a_hostile_difference_adds_no_element() -> None:
    def page(text: str) -> Elements:
        hunk = Hunk(file=text, first=1, old=[text], new=[text])
        one = Difference(kind="code", what=text, good=text, bad=text, because=text, hunk=hunk)
        both = handmade.report(name=text, argv=[text])
        return Elements(diff_page(Compared(good=both, bad=both, differences=[one], accounts=0, remark=text), []))

    tame, wild = page("tame"), page(HOSTILE)
    assert [tag for tag, _ in wild.found if tag != "code"] == [tag for tag, _ in tame.found if tag != "code"]
    assert wild.scripts == []
