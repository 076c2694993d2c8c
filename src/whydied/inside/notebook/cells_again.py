"""The cells of a notebook run again, some of them with another text; runs in a variant of a copy of the kernel's
process.

They run as IPython runs them: in a shell of the kernel's own kind with a namespace of its own, so that magics,
top-level `await`, `_` and `get_ipython()` are what they were. The cells that ran come in their order; where they are
those that the notebook's file begins with, the rest of the file follows, for a while: by then a change has got past
the failure.

Invariant: nothing is shown. What a cell prints, displays or draws goes nowhere, and no message is sent. A command of
the system (`!pip install …`, `%%bash`) is passed over where nothing is made of its output; where something is, the seal
refuses it like any other process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from whydied.inside.guest.ownership import Ownership
from whydied.inside.notebook import cell_code, notebook_state

_MAGIC = re.compile(r"^([ \t]*)%whydied\b.*$", re.MULTILINE)
_MAY_RAISE, _LEFT_OUT = "raises-exception", "skip-execution"
"""Tags of cells, as nbclient reads them."""
_KEEPS_OUTPUT = re.compile(r"--(out|err|proc)\b")
_SHELLS = frozenset({"script", "bash", "sh"})
LARGEST_FILE = 16 << 20


class Cell(NamedTuple):
    """`goes_on` says that the run does, whatever this cell raises."""

    number: int
    source: str
    goes_on: bool


class Notebook(NamedTuple):
    """What ran up to the failure, and what would have followed; `attach` lets the recorder know a shell."""

    path: str
    ran: tuple[Cell, ...]
    following: tuple[Cell, ...]
    ownership: Ownership
    attach: Callable[[Any], None]

    def file(self, number: int) -> str:
        """The name of a cell as a file, as whoever reads the recording gives it."""
        return f"{self.path or f'kernel-{notebook_state.ran[0].pid}'}/cell [{number}]"

    def place(self, file: str, line: int) -> tuple[str, int] | None:
        """The cell and its line that a line of code belongs to; None for code of no cell."""
        code = cell_code.of(self.ownership.resolve(file))
        return (self.file(code.number), line + code.skipped) if code is not None else None

    def run(self, texts: Mapping[str, str], passed: Callable[[], None]) -> BaseException | None:
        """What ended the notebook; `passed` is called when that could no longer be what ended it in the kernel."""
        shell = silent_shell(notebook_state.shell())
        notebook_state.shells[:] = [shell]
        self.attach(shell)
        # The loop that the kernel's process was in the middle of.
        asyncio._set_running_loop(None)
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(self._run(shell, texts, passed))

    async def _run(self, shell: Any, texts: Mapping[str, str], passed: Callable[[], None]) -> BaseException | None:
        for cell in (*self.ran, *self.following):
            error = await _ended(shell, cell.number, texts.get(self.file(cell.number), cell.source))
            if error is not None and not cell.goes_on:
                return error
            if self.following and cell is self.ran[-1]:
                passed()
        return None


def notebook(path: str, file: str, ownership: Ownership, attach: Callable[[Any], None]) -> Notebook | None:
    """The one whose cells this process runs, where the first cell that fails ends it; `path` is what `file` is called
    in the recording."""
    ran = notebook_state.ran
    if not ran or any(one.pid != os.getpid() for one in ran):
        return None
    own = tuple(Cell(one.number, one.source, one.number in notebook_state.survived) for one in ran)
    return Notebook(path, own, following(file, own), ownership, attach)


def following(path: str, ran: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells after those that ran; none where the file does not begin with them."""
    try:
        if os.path.getsize(path) > LARGEST_FILE:
            return ()
        with open(path, encoding="utf-8") as file:
            found = [_code(cell) for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()
    code = [(text, tags) for text, tags in found if text.strip() and _LEFT_OUT not in tags]
    if [text for text, _ in code[: len(ran)]] != [one.source for one in ran]:
        return ()
    rest = enumerate(code[len(ran) :], ran[-1].number + 1)
    return tuple(Cell(number, text, _MAY_RAISE in tags) for number, (text, tags) in rest)


def _code(cell: Any) -> tuple[str, list[str]]:
    return "".join(cell["source"]), list(cell.get("metadata", {}).get("tags", ()))


async def _ended(shell: Any, number: int, text: str) -> BaseException | None:
    """Run a cell as a kernel does. What it raised."""
    # Our own magics would ask for trials within the trial.
    text = _MAGIC.sub(r"\1pass", text)
    notebook_state.running_cells.clear()
    shell.execution_count = number
    refused: Any = None
    try:
        code = shell.transform_cell(text)
    except Exception:
        code, refused = text, sys.exc_info()
    result = await shell.run_cell_async(
        text, store_history=True, transformed_cell=code, preprocessing_exc_tuple=refused
    )
    shell.events.trigger("post_execute")
    shell.events.trigger("post_run_cell", result)
    error = result.error_in_exec or result.error_before_exec
    return error if isinstance(error, BaseException) else None


def silent_shell(old: Any) -> Any:
    """Another shell in the place of one, of the same kind, as `get_ipython` gives it from here on."""
    _send_nothing()
    made = _silent_kind(type(old), type(old.displayhook), type(old.display_pub))
    config = old.config.copy()
    # It would be written to a data base, by a thread.
    config.HistoryManager.enabled = False
    kernel = getattr(old, "kernel", None)
    words = {"parent": kernel, "kernel": kernel} if kernel is not None else {}
    shell = made(config=config, profile_dir=old.profile_dir, compiler_class=type(old.compile), **words)
    shell.display_formatter.format = _nothing_to_show
    for kind in type(old)._walk_mro():
        kind._instance = shell
    if kernel is not None:
        kernel.shell = shell
    return shell


def _silent_kind(kind: Any, hook: Any, publisher: Any) -> Any:
    # Imported here: this module must not bring IPython into a program without it.
    from traitlets import Type

    class Hook(hook):  # type: ignore[misc]
        """Keeps what a cell ends with as `_` and `Out[n]`, and shows nothing."""

        def start_displayhook(self) -> None: ...

        def write_output_prompt(self) -> None: ...

        def compute_format_data(self, result: Any) -> Any:
            return _nothing_to_show(result)

        def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None: ...

        def finish_displayhook(self) -> None: ...

    class Publisher(publisher):  # type: ignore[misc]
        def publish(self, *values: Any, **words: Any) -> None: ...

        def clear_output(self, wait: bool = False) -> None: ...

    class Shell(kind):  # type: ignore[misc]
        displayhook_class = Type(Hook)
        display_pub_class = Type(Publisher)

        def showtraceback(self, *values: Any, **words: Any) -> None: ...

        def showsyntaxerror(self, *values: Any, **words: Any) -> None: ...

        def enable_gui(self, gui: Any = None) -> None: ...

        def system(self, cmd: str) -> None:
            self.user_ns["_exit_code"] = 0

        system_piped = system_raw = system

        def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
            if self._is_of_the_system(magic_name) and not _KEEPS_OUTPUT.search(line):
                return None
            return super().run_cell_magic(magic_name, line, cell)

        def _is_of_the_system(self, name: str) -> bool:
            known = getattr(self.magics_manager.registry.get("ScriptMagics"), "script_magics", ())
            return name in _SHELLS or name in known

    # What asks for the kind of shell goes by its name.
    Shell.__name__, Shell.__qualname__, Shell.__module__ = kind.__name__, kind.__qualname__, kind.__module__
    return Shell


def _nothing_to_show(*values: Any, **words: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {}, {}


def _send_nothing() -> None:
    """The sockets of the kernel are closed here; what writes to them anyway must not find that out."""
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    with contextlib.suppress(ValueError):
        signal.set_wakeup_fd(-1)
    thread: Any = getattr(sys.modules.get("ipykernel.iostream"), "IOPubThread", None)
    if thread is not None:
        thread.schedule = thread.send_multipart = _ignored


def _ignored(*values: Any, **words: Any) -> None: ...
