"""Makes docs/images/notebook_cell.png: the cell of examples/notebook/keeps_activations.ipynb that killed its kernel, as
JupyterLab shows it in Chromium. Everything is real: the server, the kernel, its death, the browser.

.venv/bin/python scripts/picture_of_a_cell.py [FILE]

Needs what `scripts/setup` installs, and root, for the memory limit of the kernel.
"""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "examples" / "notebook" / "keeps_activations.ipynb"
PICTURE = ROOT / "docs" / "images" / "notebook_cell.png"
MEMORY_LIMIT = "1100M"
LARGEST_BYTES = 150_000
WIDTH, HEIGHT = 1080, 1600
FIRST_DEATH = 2
"""The code cell that dies, counted from zero."""

sys.path.insert(0, str(ROOT))


def main(picture: Path) -> int:
    from playwright.sync_api import sync_playwright

    # The browser tests drive JupyterLab in the same way; they are not type-checked.
    lab: Any = importlib.import_module("tests.browser.lab")
    settings: Any = importlib.import_module("tests.browser.conftest")
    chromium = next((found for name in settings.BROWSERS if (found := shutil.which(name))), None)
    if chromium is None:
        print(f"picture_of_a_cell: install one of {', '.join(settings.BROWSERS)}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        variables = lab.environment(home)
        install = [sys.executable, "-m", "whydied", "kernel", "install", "--user", "--memory-limit", MEMORY_LIMIT]
        subprocess.run(install, env=variables, cwd=home, check=True, capture_output=True)
        with lab.served(home, variables) as server, sync_playwright() as driver:
            context = driver.chromium.launch_persistent_context(
                home / "profile",
                executable_path=chromium,
                headless=True,
                args=settings.FLAGS,
                viewport={"width": WIDTH, "height": HEIGHT},
            )
            cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
            texts = ["".join(cell["source"]) for cell in cells]
            path = lab.new_notebook(server, NOTEBOOK.stem, "whydied", texts)
            notebook = lab.Notebook(context.new_page(), server, path)
            # The file browser would take a third of the picture.
            notebook.page.evaluate("window.jupyterapp.shell.collapseLeft()")
            for at in range(FIRST_DEATH):
                notebook.run(at)
                notebook.settled(at)
            notebook.run(FIRST_DEATH)
            notebook.reports(FIRST_DEATH, "out of memory", "activations.append")
            notebook.accept_restart()
            picture.parent.mkdir(parents=True, exist_ok=True)
            notebook.cell(FIRST_DEATH).screenshot(path=picture, animations="disabled")
            context.close()
            server.end_sessions()
    size = picture.stat().st_size
    print(f"{picture}: {size:,} bytes")
    return 0 if size <= LARGEST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute() if sys.argv[1:] else PICTURE))
