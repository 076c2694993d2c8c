"""How large is the page of a long run, how long does it take to make, and to open.

    python benchmarks/page.py                 a run of 24 hours that was killed
    python benchmarks/page.py --hours 1 --repeats 5

Writes the recording of such a run with the real writer (`long_recording.py`), makes its page with `whydied show --html`
and opens it in Chromium from a file: the time until the page is loaded and its charts are drawn. `show` without
`--html` is timed beside it. Prints the figures, saves them as JSON, and exits with 1 where a bound is not kept.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from long_recording import write
from whydied.places import RunDirectory

HERE = Path(__file__).resolve().parent
LARGEST_BYTES = 3_000_000
LONGEST_OPEN_S = 1.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main() -> int:
    parser = argparse.ArgumentParser(description="The page of a long run.")
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder) / "runs"
        script = Path(folder) / "train.py"
        script.write_text("model.fit(rows)\n")
        runs.mkdir()
        run = RunDirectory(runs / "20260101-000000-train-ab12cd")
        write(run, script, options.hours * 60)
        page = Path(folder) / "report.html"
        command = [sys.executable, "-m", "whydied", "show", "--runs", str(runs)]
        subprocess.run(command, check=True, capture_output=True)
        found: dict[str, Any] = {
            "hours": options.hours,
            "show_s": _timed(command, options.repeats),
            "make_s": _timed([*command, "--html", str(page)], options.repeats),
            "page_bytes": page.stat().st_size,
            "open_s": _opened(page, options.repeats),
        }
    for name, value in found.items():
        print(f"{name:12} {value:,}" if isinstance(value, int) else f"{name:12} {value}")
    target = HERE / "results" / "page.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(found, indent=1))
    kept = found["page_bytes"] < LARGEST_BYTES and (found["open_s"] is None or found["open_s"] < LONGEST_OPEN_S)
    return 0 if kept else 1


def _timed(command: list[str], repeats: int) -> float:
    """The middle of several times."""
    taken = []
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - began)
    return round(statistics.median(taken), 3)


def _opened(page: Path, repeats: int) -> float | None:
    """Seconds from the request to the last chart, by the browser's own clock; None without a browser."""
    chromium = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    taken = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(repeats):
            shown = browser.new_context().new_page()
            shown.goto(page.as_uri())
            shown.wait_for_selector(".plot canvas", state="attached")
            taken.append(float(shown.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")) / 1000)
        browser.close()
    return round(statistics.median(taken), 3)


if __name__ == "__main__":
    sys.exit(main())
