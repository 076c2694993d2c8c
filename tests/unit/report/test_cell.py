from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests import handmade
from whydied.diagnose.finding import Evidence, Location
from whydied.report import cell
from whydied.report.summary import Report


class Parsed(HTMLParser):
    """The text that a browser shows, the tags and their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def in_a_cell(**fields: Any) -> Report:
    cause = handmade.finding(
        1,
        code="MEM005",
        name="tensors-kept-in-container",
        certainty="likely",
        message="the list `kept` held 3,911 tensors, 15.3 GiB in all",
        location=Location(file="/tmp/ipykernel_7/1.py", line=2, cell=4, source="    kept.append(step)"),
        evidence=[Evidence(fact=f"fact {at}", value=at, source="census") for at in range(7)],
        advice=["Keep `float(loss)` instead of the tensor."],
    )
    death = handmade.finding(2, because_of="F1")
    given: dict[str, Any] = {"cause": cause, "death": death, "findings": [cause, death]}
    return handmade.report(**{**given, **fields})


def test_what_is_told_and_in_which_order() -> None:
    told = Parsed(cell.as_html(in_a_cell())).text
    order = [
        "The notebook's kernel was killed by the operating system: out of memory (SIGKILL) after 2 min 14 s.",
        "Likely cause (cell [4], line 2): the list kept held 3,911 tensors, 15.3 GiB in all.",
        "Wherecell [4], line 2",
        ">   2 | kept.append(step)",
        "Led to",
        "Evidence",
        "fact 0: 0",
        "4 more",
        "What to do",
        "Keep float(loss) instead of the tensor.",
        f"whydied show {handmade.RUN_ID} --all --runs /somewhere/runs",
        "whydied explain MEM005",
    ]
    places = [told.find(part) for part in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    assert "ipykernel" not in told


def test_text_is_that_of_the_console() -> None:
    text = cell.as_text(in_a_cell())
    assert "Likely cause (cell [4], line 2): the list `kept` held" in text
    assert "\x1b" not in text


def test_a_cell_that_raised_is_not_the_death_of_its_kernel() -> None:
    death = handmade.finding(1, code="PRC010", name="uncaught-exception", message="ValueError: no")
    raised = handmade.report(
        outcome="failed", death=death, cause=death, findings=[death], argv=["cell [12]"], signal=None, signal_name=None
    )
    assert cell.happened(raised).startswith("Cell [12] failed with ValueError")


def test_neighbours_from_a_file(tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    script.write_text("def f(x):\n    y = x\n    return y / 0\n")
    death = handmade.finding(1, location=handmade.location(script, 3, source="return y / 0", function="f"))
    told = Parsed(cell.as_html(handmade.report(death=death, cause=death, findings=[death]))).text
    assert f"{script}, line 3, in f" in told
    assert "    2 |     y = x" in told
    assert ">   3 |     return y / 0" in told


def test_a_healthy_run_has_a_word_too() -> None:
    assert "finished" in Parsed(cell.as_html(handmade.healthy_report())).text


def test_nothing_is_loaded_and_the_page_is_left_alone() -> None:
    html = cell.as_html(in_a_cell())
    parsed = Parsed(html)
    assert not {"script", "style", "link", "img", "a", "iframe"} & set(parsed.tags)
    assert parsed.attributes <= {"class", "role", "aria-label", "style"}
    assert "url(" not in html
    # A colour of the text would be unreadable in one of the themes; what is coloured is ground and edge.
    assert not re.search(r"[;\"]color:", html)


@given(st.text(), st.text(), st.text())
def test_recorded_text_stays_text(message: str, source: str, value: str) -> None:
    hostile = "<script>alert(1)</script>`<b>`\"'&lt;"
    location = Location(file=f"/x{hostile}", line=1, source=source + hostile, function=hostile)
    death = handmade.finding(
        1,
        message=message + hostile,
        location=location,
        evidence=[Evidence(fact=hostile, value=value + hostile, source=hostile)],
        advice=[hostile],
    )
    parsed = Parsed(cell.as_html(handmade.report(death=death, cause=death, findings=[death], undetermined=hostile)))
    assert not {"script", "b"} & set(parsed.tags)
    assert parsed.open == []
    assert "<script>alert(1)</script>" in parsed.text
