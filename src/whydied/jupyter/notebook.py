"""Runs a notebook from its first cell to its last, without a server; runs in a process between the supervisor and the
kernel.

The kernel is a real one, of the notebook's own kernelspec, started by nbclient; the recorder is inside of it and not in
here, so that the run is about the kernel. What the cells print is printed; the executed notebook, with its outputs, is
written into the run's directory, and where `--output` says.

Invariant: the notebook itself is never changed. The exit status is 0 when all cells ran, 1 when one raised, the
kernel's own when it died (128+N for signal N). Nothing is left running.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from whydied import places
from whydied.jupyter.ending import end_by, say

ENV_NOTEBOOK = "WHYDIED_NOTEBOOK"
"""The same as `inside.cells.ENV_NOTEBOOK`; that package is for the user's process."""
_STOP = "notebook-run"
_SUPERVISED = "whydied.jupyter.kernel"
_USUAL = "python3"
_DIRECT = "--IPKernelApp.capture_fd_output=False"
NOT_RUN = 125
_LONGEST_DIRECTORY = 80
"""The name of a socket in the file system has room for about a hundred characters."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    words = _parser().parse_args(arguments)
    path = Path(words.notebook).resolve()
    output = Path(words.output).resolve() if words.output else None
    directory = Path(words.directory).resolve() if words.directory else path.parent
    status = run(path, output, words.allow_errors, directory)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    if status == -signal.SIGINT:
        end_by(signal.SIGINT)
    # No `sys.exit`: threads of the messaging library must not hold up the end.
    os._exit(128 - status if status < 0 else status)


def run(path: Path, output: Path | None, allow_errors: bool, directory: Path) -> int:
    """Run the cells of a notebook in a directory. The status as `subprocess` has it: below zero for a signal."""
    nbformat: Any = importlib.import_module("nbformat")
    errors: Any = importlib.import_module("nbclient.exceptions")
    try:
        notebook: Any = nbformat.read(path, as_version=4)
    except Exception as error:
        say(f"whydied: {path} cannot be read as a notebook: {_first_line(error)}")
        return 2
    _tell_the_kernel(path, allow_errors)
    sockets = tempfile.mkdtemp(prefix="whydied-")
    client = _client(notebook, directory, allow_errors, sockets)
    try:
        asyncio.run(client.async_execute())
        return 0
    except errors.CellExecutionError as error:
        return -signal.SIGINT if error.ename == "KeyboardInterrupt" and client.stopped else 1
    except errors.DeadKernelError:
        return int(client.kernel_status())
    except (asyncio.CancelledError, KeyboardInterrupt):
        return -(client.stopped or signal.SIGINT)
    except Exception as error:
        say(f"whydied: the notebook could not be run: {_first_line(error)}")
        return NOT_RUN
    finally:
        shutil.rmtree(sockets, ignore_errors=True)
        _write(notebook, path, output)


def _tell_the_kernel(path: Path, allow_errors: bool) -> None:
    """By its environment: which notebook it runs, and that a cell that fails is the end."""
    os.environ[ENV_NOTEBOOK] = os.fspath(path)
    options = [word for word in os.environ.get(places.ENV_OPTIONS, "").split(",") if word]
    os.environ[places.ENV_OPTIONS] = ",".join([*options, *([] if allow_errors else [_STOP])])


def _client(notebook: Any, directory: Path, allow_errors: bool, sockets: str) -> Any:
    base: Any = importlib.import_module("nbclient").NotebookClient

    class Client(base):  # type: ignore[misc]
        """Prints what the cells print, and interrupts the running cell when it is interrupted itself."""

        stopped = 0
        _process: Any = None

        def create_kernel_manager(self) -> Any:
            manager = super().create_kernel_manager()
            if len(sockets) < _LONGEST_DIRECTORY:
                # Nobody else is to connect, and a kernel on a port warns that others could.
                manager.transport = "ipc"
            manager.connection_file = os.path.join(sockets, "kernel.json")
            return manager

        async def async_start_new_kernel(self, **words: Any) -> None:
            await super().async_start_new_kernel(**words)
            self._process = getattr(getattr(self.km, "provisioner", None), "process", None)

        async def async_start_new_kernel_client(self) -> Any:
            # Here, because nbclient has just set handlers of its own, which only end the kernel.
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._stop, number, task)
            return await super().async_start_new_kernel_client()

        def _interrupt(self) -> None:
            self.stopped = signal.SIGINT
            self._asking = asyncio.ensure_future(self.km.interrupt_kernel())

        def _stop(self, number: int, task: Any) -> None:
            self.stopped = number
            task.cancel()

        def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
            _echo(msg)
            return super().process_message(msg, cell, cell_index)

        def kernel_status(self) -> int:
            status = self._process.poll() if self._process is not None else None
            return int(status) if status is not None else 1

    name, arguments = _kernel(notebook)
    return Client(
        notebook,
        kernel_name=name,
        extra_arguments=arguments,
        timeout=None,
        allow_errors=allow_errors,
        resources={"metadata": {"path": os.fspath(directory)}},
    )


def _kernel(notebook: Any) -> tuple[str, list[str]]:
    """The notebook's own kernel and its arguments. One that we supervise would be supervised twice."""
    specs: Any = importlib.import_module("jupyter_client.kernelspec")
    wanted = str(notebook.metadata.get("kernelspec", {}).get("name") or _USUAL)
    manager = specs.KernelSpecManager()
    try:
        argv = manager.get_kernel_spec(wanted).argv
    except specs.NoSuchKernel:
        say(f"whydied: no kernel {wanted!r} here; running the notebook with {_USUAL!r}")
        wanted, argv = _USUAL, manager.get_kernel_spec(_USUAL).argv
    if _SUPERVISED in argv:
        wanted, argv = _USUAL, manager.get_kernel_spec(_USUAL).argv
    # What native code writes goes where it went without a kernel, once: the last words of a crash are among it.
    return wanted, [_DIRECT] if any("ipykernel" in word for word in argv) else []


def _echo(message: Any) -> None:
    kind, content = message["msg_type"], message["content"]
    with contextlib.suppress(OSError, ValueError):
        if kind == "stream":
            stream = sys.stderr if content.get("name") == "stderr" else sys.stdout
            stream.write(content.get("text", ""))
            stream.flush()
        elif kind in ("execute_result", "display_data"):
            text = content.get("data", {}).get("text/plain", "")
            sys.stdout.write(f"{text}\n" if text else "")
            sys.stdout.flush()
        elif kind == "error":
            sys.stderr.write("\n".join(content.get("traceback", [])) + "\n")
            sys.stderr.flush()


def _write(notebook: Any, path: Path, output: Path | None) -> None:
    nbformat: Any = importlib.import_module("nbformat")
    run_directory = os.environ.get(places.ENV_RUN)
    targets = [output] if output else []
    if run_directory and os.path.isdir(run_directory):
        targets.append(Path(run_directory) / path.name)
    for target in targets:
        try:
            nbformat.write(notebook, target)
        except Exception as error:
            say(f"whydied: the executed notebook cannot be written to {target}: {_first_line(error)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="whydied run NOTEBOOK.ipynb", add_help=True)
    parser.add_argument("notebook")
    parser.add_argument("--output", metavar="FILE", help="also write the executed notebook here")
    parser.add_argument("--directory", metavar="DIR", help="run the cells here, and not where the notebook lies")
    parser.add_argument("--allow-errors", action="store_true", help="continue after a cell that raised")
    return parser


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [repr(error)])[0]
