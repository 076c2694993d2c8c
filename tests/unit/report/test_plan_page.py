"""An estimate as a page: everything is there, and nothing of the program's can act in it."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from tests.unit.report.test_page import HOSTILE, Elements
from whydied.cli.estimate import command
from whydied.graph.op_table import Layer, Line
from whydied.graph.step_memory import LiveTensor
from whydied.graph.traced_step import Place
from whydied.report.page.plan_page import plan_page
from whydied.sizing.device import DeviceEstimate, DevicePoint
from whydied.sizing.estimate import CallEstimate, Estimate, LargestBatch, Point
from whydied.sizing.layer_table import LayerRow
from whydied.sizing.remedies import Remedy

MB = 1 << 20


def estimate(text: str) -> Estimate:
    """With the program's text wherever a program has a say."""
    alive = LiveTensor(
        op=text, type=text, shape=(16, 8), dtype=text, size_bytes=9 * MB, copies=1, phase=text,
        layer=Layer(text, text, text, 3), line=Line(f"/p/{text}", 3, text), grows=True,
    )  # fmt: skip
    call = CallEstimate(
        kind=text,
        mapped_bytes=300 * MB,
        place=Place(file=f"/p/{text}", line=9, function=text, source=text),
        batch_size=16,
        points=(Point(16, 10 * MB, 500 * MB),),
        largest_batch=LargestBatch(77, 1 << 30),
        layers=(LayerRow(text, text, text, 3, MB, MB, MB, MB),),
        alive=(alive,),
        curve=(Point(16, 10 * MB, 500 * MB), Point(32, 20 * MB, 510 * MB)),
        remedies=(Remedy("narrower_layer", text, MB, 400 * MB, 100 * MB),),
        notes=(f"not calibrated: {text}",),
        device=DeviceEstimate(24 << 30, 2 << 30, 16, (DevicePoint(16, 10 * MB, (2 << 30) + 10 * MB),), 4321),
        eager=True,
        partial=text,
        untraced=text,
    )
    return Estimate((call,), 1 << 30)


def test_a_page_has_the_answers_the_notes_and_the_device() -> None:
    found = estimate("dense")
    page = Elements(plan_page(found, "train.py"))
    shown = " ".join(page.texts)
    for sentence in found.calls[0].sentences:
        assert sentence in shown
    assert "the largest batch that fits there is 4,321" in shown
    assert "not calibrated: dense" in shown
    assert "Run by Python op by op; measured with a few rows" in shown
    assert "On a device of 24.0 GiB" in shown
    assert {"batches-0", "alive-0"} <= {attributes.get("id") for _, attributes in page.found}


def test_a_hostile_program_adds_no_element_and_no_attribute() -> None:
    tame, wild = Elements(plan_page(estimate("tame"), "tame")), Elements(plan_page(estimate(HOSTILE), HOSTILE))

    def kinds(page: Elements) -> list[tuple[str, list[str]]]:
        return [(tag, sorted(attributes)) for tag, attributes in page.found if tag != "code"]

    assert kinds(wild) == kinds(tame)
    assert not any(tag == "img" for tag, _ in wild.found)
    assert len(wild.scripts) == len(tame.scripts) == 3


def test_what_has_no_layers_and_what_has_no_step_are_pages_too() -> None:
    call = estimate("dense").calls[0]._replace(alive=(), layers=(), remedies=(), device=None, notes=())
    page = Elements(plan_page(Estimate((call,), 1 << 30), "train.py"))
    assert "alive-0" not in {attributes.get("id") for _, attributes in page.found}
    none = plan_page(Estimate((), 1 << 30, "the program ended"), "train.py")
    assert "No estimate: the program ended." in none
    assert "<script" not in none


@pytest.mark.parametrize(
    ("given", "html", "program"),
    [
        (["train.py"], None, ["train.py"]),
        (["train.py", "--html"], "", ["train.py"]),
        (["--html", "train.py"], "", ["train.py"]),
        (["train.py", "--html", "--limit", "4G", "data.csv"], "", ["train.py", "data.csv"]),
        (["train.py", "--html", "data.csv"], "", ["train.py", "data.csv"]),
        (["train.py", "--html", "plan.html", "7"], "plan.html", ["train.py", "7"]),
        (["train.py", "--html=plan"], "plan", ["train.py"]),
        (["train.py", "--html", "-"], "-", ["train.py"]),
        (["train.py", "--", "--html", "x.html"], None, ["train.py", "--html", "x.html"]),
    ],
)
def test_a_word_behind_html_is_its_file_only_where_it_names_a_page(
    given: list[str], html: str | None, program: list[str]
) -> None:
    ctx = click.Context(command)
    command.parse_args(ctx, list(given))
    assert ctx.params["html"] == html
    assert list(ctx.params["program"])[1:] == program


def test_open_without_a_page_is_refused(tmp_path: Path) -> None:
    from click.testing import CliRunner

    done = CliRunner().invoke(command, ["--open", str(tmp_path / "train.py")])
    assert done.exit_code != 0
    assert "none is written" in str(done.exception)
