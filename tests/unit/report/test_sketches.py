"""Pictures in a notebook's cell: drawn from the views, escaped, and without anything that acts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from recordings import path_of, unpack
from tests.unit.report.test_page import HOSTILE, hostile_report, hostile_views
from whydied.read.recording import load
from whydied.report import cell
from whydied.report.finish import compose
from whydied.report.sketches import HEIGHT, WIDTH, sketches
from whydied.report.views.run_views import Views, views_of


def drawn(name: str, folder: Path) -> dict[str, str]:
    recording = load(unpack(path_of(name).read_bytes(), folder).run)
    return dict(sketches(views_of(recording, compose(recording))))


def parsed(picture: str) -> ElementTree.Element:
    found = re.match(r"<svg.*?</svg>", picture, re.DOTALL)
    assert found
    return ElementTree.fromstring(found[0])


def test_a_run_out_of_memory_shows_its_course_and_its_holders(tmp_path: Path) -> None:
    found = drawn("leaks/gradients_kept", tmp_path)
    assert list(found) == ["Memory over time", "What held the memory"]
    lines = parsed(found["Memory over time"]).findall("polyline")
    assert len(lines) == 2
    places = [tuple(map(float, place.split(","))) for line in lines for place in (line.get("points") or "").split()]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places)
    assert min(y for _, y in places) < HEIGHT / 4, "the peak is at the top"
    assert "accumulated" in found["What held the memory"]


def test_a_loss_that_ran_away_is_shown_over_the_steps(tmp_path: Path) -> None:
    found = drawn("numerics/learning_rate_too_large", tmp_path)
    assert list(found) == ["Over the steps"]
    assert "not finite from step 16 on" in found["Over the steps"]


@pytest.mark.parametrize("name", ["framework/fit_wrong_shape", "hangs/deadlock", "healthy/cnn_fit"])
def test_other_ends_need_no_picture(name: str, tmp_path: Path) -> None:
    assert drawn(name, tmp_path) == {}


def test_a_cell_has_its_pictures_folded_and_nothing_that_acts(tmp_path: Path) -> None:
    text = cell.as_html(hostile_report(), hostile_views())
    assert "<details><summary" in text
    assert "<svg" in text
    assert HOSTILE not in text
    assert "<script" not in text
    assert "<img" not in text
    for picture in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(picture)
    assert "<svg" not in cell.as_html(hostile_report(), Views())
