"""Pages as people open them: from a file, in a real browser, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recordings import path_of, unpack
from tests.browser.conftest import FLAGS
from tests.unit.report.test_page import hostile_report, hostile_views
from whydied.read.recording import load
from whydied.report.finish import compose
from whydied.report.page.run_page import run_page
from whydied.report.views.run_views import views_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Opened = Callable[[str], "Shown"]
_INK = """canvas => {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3]) { seen.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]); }
  }
  return seen.size;
}"""
"""How many colours a canvas has."""


class Shown:
    """A page in the browser, and all that it complained about or asked for."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(file.as_uri())

    def inks(self) -> list[int]:
        return [canvas.evaluate(_INK) for canvas in self.page.locator(".plot:visible canvas").all()]


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Shown]]:
    contexts = []

    def show(text: str, **settings: object) -> Shown:
        file = tmp_path / "report.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(offline=True, reduced_motion="reduce", **settings)
        contexts.append(context)
        return Shown(context.new_page(), file)

    yield show
    for context in contexts:
        context.close()


def page_of(name: str, folder: Path) -> str:
    recording = load(unpack(path_of(name).read_bytes(), folder / "unpacked").run)
    shutil.rmtree(folder / "unpacked", ignore_errors=True)
    report = compose(recording)
    return run_page(report, views_of(recording, report))


@pytest.mark.parametrize(
    ("name", "charts", "scheme"),
    [
        ("memory/batch_of_1024", 2, "light"),
        ("numerics/learning_rate_too_large", 1, "dark"),
        ("hangs/deadlock", 1, "light"),
        ("framework/fit_wrong_shape", 0, "dark"),
    ],
)
def test_it_opens_from_a_file_and_draws_its_charts(
    name: str, charts: int, scheme: str, opened: Callable[..., Shown], tmp_path: Path
) -> None:
    shown = opened(page_of(name, tmp_path), color_scheme=scheme)
    assert shown.said == []
    assert shown.asked == [shown.page.url]
    inks = shown.inks()
    assert len(inks) == charts
    assert all(ink > 5 for ink in inks), inks


def test_charts_have_names_and_the_keyboard_zooms(opened: Callable[..., Shown], tmp_path: Path) -> None:
    shown = opened(page_of("memory/batch_of_1024", tmp_path))
    chart = shown.page.get_by_role("img", name="The program grew from")
    before = chart.locator("canvas").evaluate("canvas => canvas.toDataURL()")
    chart.focus()
    shown.page.keyboard.press("+")
    shown.page.wait_for_function(
        "before => document.querySelector('#timeline canvas').toDataURL() !== before", arg=before, timeout=10_000
    )
    shown.page.get_by_role("tab", name="by holder").focus()
    shown.page.keyboard.press("ArrowRight")
    assert shown.page.get_by_role("tab", name="by layer").get_attribute("aria-selected") == "true"
    assert shown.page.locator("#panel-layer").is_visible()
    assert not shown.page.locator("#panel-holder").is_visible()
    assert shown.said == []


def test_a_hostile_program_runs_nothing_in_the_browser(opened: Callable[..., Shown]) -> None:
    shown = opened(run_page(hostile_report(), hostile_views()))
    shown.page.mouse.move(400, 400)
    assert shown.page.evaluate("window.injected") is None
    assert shown.said == []
    assert shown.asked == [shown.page.url]
    assert shown.page.locator("img").count() == 0


def test_a_narrow_screen_needs_no_sideways_scrolling(opened: Callable[..., Shown], tmp_path: Path) -> None:
    shown = opened(page_of("memory/batch_of_1024", tmp_path), viewport={"width": 380, "height": 800})
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 380
