"""Makes the pictures of pages in docs/images: reports of stored recordings, as Chromium shows them.

    .venv/bin/python scripts/pictures_of_pages.py             the four that the docs show
    .venv/bin/python scripts/pictures_of_pages.py --all DIR   eight kinds of report, whole, light and dark

Needs what `scripts/setup` installs. The recordings are real runs (`tests/recordings`); only the browser is started.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1000, 760
LARGEST_BYTES = 200_000
SHOWN = {
    "page_batch": ("memory/batch_of_1024", "#h-memory"),
    "page_leak": ("leaks/gradients_kept", "header"),
    "page_nan": ("numerics/learning_rate_too_large", "#h-bad"),
    "page_deadlock": ("hangs/deadlock", "#h-where"),
}
"""The name of the picture: the recording, and what is at its top."""
KINDS = (
    "memory/batch_of_1024",
    "leaks/gradients_kept",
    "memory/worker_out_of_memory",
    "numerics/nan_in_one_row",
    "numerics/learning_rate_too_large",
    "framework/fit_wrong_shape",
    "hangs/deadlock",
    "native/op_thread",
)

sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]


def main() -> int:
    parser = argparse.ArgumentParser(description="Pictures of report pages.")
    parser.add_argument("--all", type=Path, metavar="DIR", help="eight kinds of report, whole, below DIR")
    wanted = parser.parse_args().all
    from playwright.sync_api import sync_playwright

    settings: Any = importlib.import_module("tests.browser.conftest")
    chromium = next((found for name in settings.BROWSERS if (found := shutil.which(name))), None)
    if chromium is None:
        print(f"pictures_of_pages: install one of {', '.join(settings.BROWSERS)}", file=sys.stderr)
        return 1
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as directory:
        browser = driver.chromium.launch(executable_path=chromium, args=settings.FLAGS)
        if wanted is not None:
            return _look_at_all(browser, wanted, Path(directory))
        IMAGES.mkdir(exist_ok=True)
        for name, (recording, top) in SHOWN.items():
            picture = IMAGES / f"{name}.png"
            page = _opened(browser, recording, Path(directory), "light")
            page.locator(top).scroll_into_view_if_needed()
            page.evaluate("top => document.querySelector(top).scrollIntoView({block: 'start'})", top)
            page.evaluate("window.scrollBy(0, -16)")
            page.screenshot(path=picture)
            print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size:,} bytes")
            if picture.stat().st_size > LARGEST_BYTES:
                print(f"larger than {LARGEST_BYTES:,} bytes: too much for the repository", file=sys.stderr)
                return 1
        browser.close()
    return 0


def _look_at_all(browser: Any, target: Path, directory: Path) -> int:
    target.mkdir(parents=True, exist_ok=True)
    for recording in KINDS:
        for scheme in ("light", "dark"):
            picture = target / f"{recording.replace('/', '-')}-{scheme}.png"
            _opened(browser, recording, directory, scheme).screenshot(path=picture, full_page=True)
            print(picture)
    return 0


def _opened(browser: Any, name: str, directory: Path, scheme: str) -> Any:
    from recordings import path_of, unpack
    from whydied.read.recording import load
    from whydied.report.finish import compose
    from whydied.report.page.run_page import run_page
    from whydied.report.views.run_views import views_of

    folder = Path(tempfile.mkdtemp(dir=directory))
    recording = load(unpack(path_of(name).read_bytes(), folder).run)
    report = compose(recording)
    file = folder / "report.html"
    file.write_text(run_page(report, views_of(recording, report)), encoding="utf-8")
    size = {"width": WIDTH, "height": HEIGHT}
    page = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce").new_page()
    page.goto(file.as_uri())
    return page


if __name__ == "__main__":
    sys.exit(main())
