"""A real Jupyter kernel under our supervisor, with a client beside it, as any Jupyter program has them."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from tests import session

PATIENCE_S = 90.0
SUPERVISED = (sys.executable, "-m", "whydied.jupyter.kernel")


class Cell:
    """What clients were told about one cell."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.messages = messages

    @property
    def kinds(self) -> list[str]:
        return [message["msg_type"] for message in self.messages]

    @property
    def printed(self) -> str:
        return "".join(message["content"]["text"] for message in self.messages if message["msg_type"] == "stream")

    @property
    def shown(self) -> list[dict[str, str]]:
        """The data of what is displayed in the end, by form: an update takes the place of what it updates."""
        found: dict[str, dict[str, str]] = {}
        for message in self.messages:
            if message["msg_type"] in ("display_data", "update_display_data"):
                content = message["content"]
                found[content.get("transient", {}).get("display_id", str(len(found)))] = content["data"]
        return list(found.values())

    @property
    def error(self) -> str | None:
        names = [message["content"]["ename"] for message in self.messages if message["msg_type"] == "error"]
        return names[0] if names else None


class Kernel:
    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client

    @property
    def supervisor_pid(self) -> int:
        return int(self.manager.provisioner.process.pid)

    @property
    def status(self) -> int | None:
        return self.manager.provisioner.process.poll()  # type: ignore[no-any-return]

    def run(self, code: str) -> Cell:
        """Run a cell to its end, or to the kernel's."""
        return self.wait(self.client.execute(code))

    def wait(self, request: str) -> Cell:
        messages: list[dict[str, Any]] = []
        give_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            try:
                message = self.client.get_iopub_msg(timeout=0.2)
            except queue.Empty:
                if not self.manager.is_alive():
                    return Cell(messages)
                continue
            if message["parent_header"].get("msg_id") == request:
                messages.append(message)
                if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    return Cell(messages)
        raise AssertionError(f"no end of the cell: {messages}")

    def wait_for_death(self) -> int:
        session.wait_until(lambda: self.status is not None, "the supervisor's end")
        status = self.status
        assert status is not None
        return status

    def restart(self) -> None:
        """As Jupyter does after a death; a client that had gone comes back."""
        self.manager.restart_kernel(now=True)
        if not self.client.channels_running:
            self.client = self.manager.client()
            self.client.start_channels()
        # A message of the dead kernel that nobody read would count as the new one's first, and its cells would be run
        # before the client hears what they say.
        while self.client.iopub_channel.msg_ready():
            self.client.get_iopub_msg()
        self.client.wait_for_ready(timeout=PATIENCE_S)


def places_of(runs: Path, cwd: Path) -> dict[str, str]:
    """Variables that keep all that a kernel and its clients write below a test's directory."""
    return {
        "WHYDIED_RUNS": str(runs),
        "IPYTHONDIR": str(cwd / "ipython"),
        "JUPYTER_DATA_DIR": str(cwd / "data"),
        "JUPYTER_RUNTIME_DIR": str(cwd / "runtime"),
    }


def manager_of(
    cwd: Path, *words: str, behind: Sequence[str] = (), interrupt: str = "signal", **settings: Any
) -> KernelManager:
    """A manager that starts kernels by the command of a spec of ours."""
    manager = KernelManager(connection_file=str(cwd / "connection.json"), **settings)
    if manager.transport == "ipc":
        manager.ip = str(cwd / "socket")
    manager._kernel_spec = KernelSpec(  # type: ignore[attr-defined]
        argv=[*SUPERVISED, *words, "-f", "{connection_file}", *behind],
        display_name="supervised",
        language="python",
        interrupt_mode=interrupt,
        metadata={"supported_encryption": ["curve"]},
    )
    return manager


@contextlib.contextmanager
def kernel(
    runs: Path,
    cwd: Path,
    *words: str,
    behind: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    **settings: Any,
) -> Iterator[Kernel]:
    """A kernel with `words` of ours before its connection file and others `behind` it. All of it is gone afterwards."""
    environment = {**os.environ, **places_of(runs, cwd), **(env or {})}
    manager = manager_of(cwd, *words, behind=behind, **settings)
    manager.start_kernel(cwd=str(cwd), env=environment)
    made = Kernel(manager, manager.client())
    made.client.start_channels()
    try:
        if not behind:
            made.client.wait_for_ready(timeout=PATIENCE_S)
        yield made
    finally:
        made.client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
