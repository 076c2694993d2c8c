"""A real JupyterLab server and a notebook in a real browser, as a person uses them.

Everything lives below one directory: home, settings, kernelspecs, connection files, recordings and screenshots. What is
started here is ended here, and nothing waits longer than `PATIENCE_S`; waiting is always for something to be seen.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Locator, Page, expect

from tests import session

PATIENCE_S = 90.0
_MS = PATIENCE_S * 1000
_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    # A cell that is scrolled out of sight must stay in the page, or nothing could be asserted of it.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
_SERVER = {
    "ServerApp": {"jpserver_extensions": {"jupyter_lsp": False, "jupyter_server_terminals": False}},
    "LabApp": {"expose_app_in_browser": True, "check_for_updates_class": "jupyterlab.NeverCheckForUpdate"},
}


class Server(NamedTuple):
    """`environment` is what the server and everything below it were given."""

    url: str
    token: str
    home: Path
    environment: dict[str, str]

    @property
    def notebooks(self) -> Path:
        return self.home / "notebooks"

    def address(self, path: str) -> str:
        return f"{self.url}{path}?token={self.token}"

    def ask(self, path: str, method: str = "GET") -> Any:
        request = urllib.request.Request(
            f"{self.url}{path}", method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def whydied(self, *words: str) -> None:
        argv = [sys.executable, "-m", "whydied", *words]
        subprocess.run(argv, env=self.environment, cwd=self.home, check=True, capture_output=True, timeout=PATIENCE_S)

    def end_sessions(self) -> None:
        for known in self.ask("api/sessions"):
            self.ask(f"api/sessions/{known['id']}", "DELETE")


def environment(home: Path) -> dict[str, str]:
    """The variables that keep everything of Jupyter's, IPython's and ours below one directory."""
    places = {
        "HOME": home,
        "IPYTHONDIR": home / "ipython",
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_DATA_DIR": home / "data",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "TMPDIR": home / "tmp",
        "WHYDIED_RUNS": home / "runs",
    }
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "JPY_", "XDG_"))}
    return {
        **kept,
        **{name: str(place) for name, place in places.items()},
        "JUPYTER_PREFER_ENV_PATH": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TF_CPP_MIN_LOG_LEVEL": "2",
    }


@contextlib.contextmanager
def served(home: Path, variables: dict[str, str], join: Callable[[], None] | None = None) -> Iterator[Server]:
    """A JupyterLab on loopback. `join` is called in the server's process before it starts."""
    token = secrets.token_hex(16)
    (home / "notebooks").mkdir(exist_ok=True)
    (home / "config" / "labconfig").mkdir(exist_ok=True)
    (home / "config" / "labconfig" / "default_setting_overrides.json").write_text(json.dumps(_SETTINGS))
    (home / "config" / "jupyter_server_config.json").write_text(json.dumps(_SERVER))
    argv = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"]
    argv += [f"--ServerApp.port={_free_port()}", "--ServerApp.port_retries=50"]
    argv += [f"--ServerApp.root_dir={home / 'notebooks'}"]
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            argv,
            cwd=home,
            env={**variables, "JUPYTER_TOKEN": token},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=join,
        )
    try:
        yield Server(_address(home, process), token, home, variables)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _address(home: Path, process: subprocess.Popen[bytes]) -> str:
    """Where the server listens, as it says itself once it does."""
    file = home / "runtime" / f"jpserver-{process.pid}.json"
    url = ""

    def answers() -> bool:
        nonlocal url
        assert process.poll() is None, (home / "server.log").read_text()[-4000:]
        with contextlib.suppress(OSError, ValueError, KeyError):
            url = json.loads(file.read_text())["url"]
            urllib.request.urlopen(f"{url}api", timeout=5).close()
            return True
        return False

    session.wait_until(answers, "the Jupyter server")
    return url


def processes_of(home: Path) -> list[int]:
    """Processes that still live and were started with this home, whoever is their parent now."""
    mark = f"JUPYTER_RUNTIME_DIR={home / 'runtime'}".encode()
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark in Path(entry.path, "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return [pid for pid in found if session.state_of(pid) not in ("", "Z")]


def new_notebook(server: Server, name: str, kernel: str, cells: list[str]) -> Path:
    """A notebook file whose cells have not run."""
    path = server.notebooks / f"{name}.ipynb"
    empty = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    code = [{**empty, "id": f"cell-{at}", "source": text} for at, text in enumerate(cells)]
    metadata = {"kernelspec": {"name": kernel, "display_name": kernel, "language": "python"}}
    path.write_text(json.dumps({"cells": code, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))
    return path


class Notebook:
    """A notebook that is open in the browser. Cells count from zero, as in the file."""

    def __init__(self, page: Page, server: Server, path: Path) -> None:
        self.page, self.path = page, path
        # A workspace of its own: the one of another test would open its notebook too.
        page.goto(server.address(f"lab/workspaces/{path.stem}/tree/{path.name}"), timeout=_MS)
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=_MS)
        self._wait_for_kernel()

    def _wait_for_kernel(self) -> None:
        """A cell that is started before the kernel has answered once is silently not run."""
        self.page.wait_for_function(
            """async () => {
                const context = window.jupyterapp?.shell.currentWidget?.context?.sessionContext;
                await context?.ready;
                const kernel = context?.session?.kernel;
                await kernel?.info;
                return kernel?.connectionStatus === 'connected' && kernel?.status === 'idle';
            }""",
            timeout=_MS,
        )

    def cell(self, at: int) -> Locator:
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(at)

    def output(self, at: int) -> Locator:
        return self.cell(at).locator(".jp-OutputArea").first

    def report(self, at: int) -> Locator:
        return self.output(at).locator(".whydied-report")

    def run(self, at: int) -> None:
        """Starts a cell as a person does: a click into it and Ctrl+Enter."""
        self.cell(at).locator(".cm-content").click(timeout=_MS)
        self.page.keyboard.press("Control+Enter")

    def settled(self, at: int) -> None:
        """Waits until a cell has ended: after an error the kernel refuses what was asked of it meanwhile."""
        expect(self.cell(at).locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=_MS)
        self._wait_for_kernel()

    def answer(self, at: int, text: str) -> None:
        """Types into the field of `input()`."""
        field = self.cell(at).locator("input.jp-Stdin-input")
        field.fill(text, timeout=_MS)
        field.press("Enter")

    def shows(self, at: int, text: str) -> None:
        expect(self.output(at)).to_contain_text(text, timeout=_MS)

    def reports(self, at: int, *texts: str) -> Locator:
        """Waits for the report below a cell, and for texts in it."""
        report = self.report(at)
        try:
            expect(report).to_have_count(1, timeout=_MS)
        except AssertionError as error:
            raise AssertionError(f"{error}\nthe cell shows: {self.output(at).inner_text()}") from None
        for text in texts:
            expect(report).to_contain_text(text, timeout=_MS)
        return report

    def accept_restart(self) -> None:
        """The dialogue in which JupyterLab says that the kernel died and will be restarted."""
        dialogue = self.page.locator(".jp-Dialog")
        dialogue.wait_for(timeout=_MS)
        dialogue.locator("button.jp-mod-accept").click()
        dialogue.wait_for(state="detached", timeout=_MS)

    def press(self, name: str) -> None:
        """A button of the notebook's toolbar."""
        self.page.locator(f'.jp-NotebookPanel-toolbar [data-jp-item-name="{name}"] jp-button').click(timeout=_MS)

    def theme(self, name: str) -> None:
        self.page.evaluate("name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})", name)
        light = "false" if "Dark" in name else "true"
        expect(self.page.locator("body")).to_have_attribute("data-jp-theme-light", light, timeout=_MS)

    def saved(self) -> list[dict[str, Any]]:
        """The cells as they stand in the file after saving."""
        self.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
        found: list[dict[str, Any]] = json.loads(self.path.read_text())["cells"]
        return found
