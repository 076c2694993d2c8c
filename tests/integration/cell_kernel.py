"""A real kernel with the recorder inside, and what its cells did."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from jupyter_client.manager import KernelManager

from whydied.places import RunDirectory
from whydied.read.recording import ProcessView, Recording, load
from whydied.records import Record
from whydied.run import command

R = TypeVar("R", bound=Record)
PATIENCE_S = 120


class Ran(NamedTuple):
    """What a client saw of a cell. `died` is true where the kernel did not live to answer."""

    stdout: str
    stderr: str
    results: list[dict[str, str]]
    error: str
    message: str
    traceback: list[str]
    died: bool = False


class Kernel:
    """`recorded` puts the recorder inside as a supervisor of ours would; without, the kernel is a plain one."""

    def __init__(self, directory: Path, *, recorded: bool = True, env: dict[str, str] | None = None) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.run = RunDirectory(directory / "run")
        base = {name: value for name, value in os.environ.items() if not name.startswith("WHYDIED_")}
        base |= {"IPYTHONDIR": str(directory / "ipython"), "JUPYTER_RUNTIME_DIR": str(directory / "runtime")}
        base |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
        if recorded:
            self.run.make()
            base = command.environment(self.run, base=base)
        self._manager: Any = KernelManager(kernel_name="python3", connection_file=str(directory / "kernel.json"))
        self._manager.kernel_spec_manager.ensure_native_kernel = True
        self._manager.start_kernel(
            env={**base, **(env or {})}, cwd=str(directory), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.pid: int = self._manager.provisioner.process.pid
        self._client: Any = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=PATIENCE_S)

    def cell(self, source: str, *, silent: bool = False) -> Ran:
        message = self._client.execute(source, silent=silent, store_history=not silent)
        ran = Ran("", "", [], "", "", [])
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            try:
                heard = self._client.get_iopub_msg(timeout=0.5)
            except Exception:
                if not self._manager.is_alive():
                    return ran._replace(died=True)
                continue
            if heard["parent_header"].get("msg_id") != message:
                continue
            kind, content = heard["msg_type"], heard["content"]
            if kind == "stream":
                ran = ran._replace(**{content["name"]: getattr(ran, content["name"]) + content["text"]})
            elif kind in ("execute_result", "display_data"):
                ran.results.append(content["data"])
            elif kind == "error":
                ran = ran._replace(error=content["ename"], message=content["evalue"], traceback=content["traceback"])
            elif kind == "status" and content["execution_state"] == "idle":
                self._client.get_shell_msg(timeout=PATIENCE_S)
                return ran
        raise AssertionError(f"no end of {source!r} within {PATIENCE_S} s")

    def recording(self) -> Recording:
        return load(self.run)

    def process(self) -> ProcessView:
        return next(process for process in self.recording().processes if process.pid == self.pid)

    def all(self, kind: type[R]) -> list[R]:
        return self.process().all(kind)

    def close(self) -> None:
        if self._manager.is_alive():
            self._manager.shutdown_kernel()
        self._client.stop_channels()
        self._manager.cleanup_resources()


def until(condition: Any, what: str) -> None:
    """Wait for something that another process is about to do."""
    limit = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < limit, f"{what} did not come about within {PATIENCE_S} s"
        time.sleep(0.05)
