"""One JupyterLab and one browser for all tests of this directory, which take turns in them."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import session
from whydied.run.observe import limits

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from tests.browser.lab import Server

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REQUIRED = "BROWSER_REQUIRED"
MEMORY_LIMIT_BYTES = 1400 << 20
# Chromium has no sandbox for root; the rest keeps it from talking to anybody but our server.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _missing(what: str) -> None:
    """Skips, or fails where `scripts/test` has promised that everything is there."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"{what}, and {REQUIRED} is set")
    pytest.skip(what)


@pytest.fixture(scope="session")
def chromium() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        _missing(f"no browser is installed (looked for {', '.join(BROWSERS)})")
    for package in ("jupyterlab", "playwright"):
        if importlib.util.find_spec(package) is None:
            _missing(f"{package} is not installed")
    return str(found)


@pytest.fixture(scope="module")
def memory_group() -> Iterator[limits.ControlGroup | None]:
    """A control group of limited memory for the server and its kernels, where one can be made."""
    made = limits.wanted_limit(MEMORY_LIMIT_BYTES, f"browser-{os.getpid()}").made
    yield made
    if made is not None:
        assert limits.remove_group(made) is None


@pytest.fixture(scope="module")
def server(
    chromium: str, memory_group: limits.ControlGroup | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    from tests.browser import lab

    home = tmp_path_factory.mktemp("lab")
    variables = lab.environment(home)

    def join() -> None:
        if memory_group is not None:
            Path(memory_group.path, "cgroup.procs").write_text(str(os.getpid()))

    with lab.served(home, variables, join) as running:
        running.whydied("kernel", "install", "--user")
        yield running
        running.end_sessions()
        session.wait_until(lambda: len(lab.processes_of(home)) == 1, "the kernels to be gone")
    assert lab.processes_of(home) == []


@pytest.fixture(scope="module")
def browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    from playwright.sync_api import sync_playwright

    home = tmp_path_factory.mktemp("browser")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(home))
        patch.setenv("HOME", str(home))
        with sync_playwright() as driver:
            context = driver.chromium.launch_persistent_context(
                home / "profile",
                executable_path=chromium,
                headless=True,
                args=FLAGS,
                viewport={"width": 1280, "height": 1000},
            )
            yield context
            context.close()


@pytest.fixture
def page(browser: BrowserContext, server: Server) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()
    server.end_sessions()
