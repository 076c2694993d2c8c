"""The cells of a notebook as a unit of the recording; runs in the user's process, once IPython is loaded there.

Invariant: IPython calls us between the cells, through its own events, so no frame of ours is on the stack of a
cell. Nothing of the user's is called. What is done for a cell costs far less than the message that starts it.

A cell that runs inside another (`%%capture`, `get_ipython().run_cell`) is a part of it: see `CellCode`.
"""

from __future__ import annotations

import os
import sys
import time
from types import FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from whydied import redact
from whydied.inside import journal
from whydied.inside.endings import exception_hooks
from whydied.inside.guest import frameless
from whydied.inside.guest.guard import guarded
from whydied.inside.journal import Journal
from whydied.inside.notebook import cell_code, notebook_state
from whydied.inside.notebook.notebook_state import Ran, Running
from whydied.inside.process import process_memory
from whydied.inside.sampling import kept_sources, memory_watch
from whydied.records import CellCode, CellEnded, CellStarted, MadeObject

if TYPE_CHECKING:
    from whydied.inside.notebook.cells_again import Notebook

LARGEST_SOURCE = 100_000
LARGEST_PARENT = 4000
ENV_NOTEBOOK = "WHYDIED_NOTEBOOK"
"""Set by whoever runs a notebook: its path. `JPY_SESSION_NAME` is Jupyter's own word for it."""
_WITH_RESULT = frozenset({"run_code", "run_cell_async", "_run_cell", "run_cell", "run_ast_nodes", "trigger"})
_SMALL = frozenset(map(id, (int, float, bool, complex, type(None), type, FunctionType, ModuleType)))
_UNSEEN = "unseen.json"
"""As `whydied.places.unseen_report` names it."""
_message = ""


def hook_shell(module: ModuleType) -> None:
    """`IPython.core.interactiveshell` has been imported; a shell of it may run already."""
    events = sys.modules.get("IPython.core.events")
    manager = getattr(events, "EventManager", None)
    if manager is not None:
        # The first event of a shell comes before its first cell.
        frameless.before_method(manager, "trigger", _triggered)
    shells: Any = getattr(module, "InteractiveShell", None)
    if hasattr(shells, "showtraceback"):
        frameless.before_method(shells, "showtraceback", _shown)
    shell = getattr(shells, "_instance", None)
    if shell is not None:
        attach(shell)


@guarded("cells.shown")
def _shown(shell: Any, frame: FrameType) -> None:
    """IPython is about to show an exception that goes no further: that of a script of `%run`, in older versions also
    that of `%%time`. What leaves a cell comes with its result."""
    error = sys.exc_info()[1]
    by = str(frame.f_globals.get("__name__"))
    if isinstance(error, Exception) and by.startswith("IPython.") and frame.f_code.co_name not in _WITH_RESULT:
        exception_hooks.left_cell(error, ends=False)


@guarded("cells.triggered")
def _triggered(manager: Any, frame: FrameType) -> None:
    shell = getattr(manager, "shell", None)
    if shell is not None and shell not in notebook_state.shells:
        attach(shell)


@guarded("cells.attach")
def attach(shell: Any) -> None:
    """Record the cells of a shell from its next one on."""
    if any(known is shell for known in notebook_state.shells):
        return
    notebook_state.shells.append(shell)
    shell.events.register("pre_run_cell", before_cell)
    shell.events.register("post_run_cell", _after)
    owner = journal.current()
    if owner is not None:
        owner.ownership.in_notebook()
    _offer_magics(shell)
    from whydied.inside.notebook import cell_notes, low_memory

    cell_notes.begin()
    low_memory.begin()


def program_again(owner: Journal) -> Notebook | None:
    """The notebook that this process runs, to be run again in a copy of it; None where nothing says what it is."""
    from whydied.inside.notebook import cells_again

    file = os.environ.get(ENV_NOTEBOOK, "")
    return cells_again.notebook(_notebook(), file, owner.ownership, _attach_again) if notebook_state.ran else None


def _attach_again(shell: Any) -> None:
    """A shell in the place of the program's own, in a copy of its process: it is told which code belongs to which cell,
    and no more."""
    for event, callback in (("pre_run_cell", before_cell), ("post_run_cell", _after)):
        if callback in shell.events.callbacks[event]:
            shell.events.unregister(event, callback)
    shell.events.register("pre_run_cell", before_cell)
    _offer_magics(shell)


def _offer_magics(shell: Any) -> None:
    """`%whydied` loads the extension when it is first used; nothing of it is loaded before that."""
    manager: Any = getattr(shell, "magics_manager", None)
    if hasattr(manager, "register_lazy") and "whydied" not in manager.magics.get("line", {}):
        manager.register_lazy("whydied", "whydied")


@guarded("cells.before")
def before_cell(info: Any) -> None:
    global _message
    owner = journal.current()
    current = notebook_state.shell()
    source = getattr(info, "raw_cell", None)
    if owner is None or current is None or not isinstance(source, str):
        return
    parent, message = _parent(current)
    code, number = cell_code.compiled(info, source, current)
    name = cell_code.name_of(current, source, code, number, owner.ownership)
    if notebook_state.running_cells and (message == _message if message else not getattr(info, "store_history", True)):
        _nested(owner, info, source, code, name)
        return
    # A cell that never ended by IPython's account: whatever comes next ended it.
    notebook_state.running_cells.clear()
    _message = message
    rss = process_memory.rss_bytes() or 0
    memory_watch.current().highest_bytes = rss
    notebook_state.started_count += 1
    notebook_state.running_cells.append(Running(info, number, source, rss, time.monotonic(), _names(current)))
    if "%run" in source:
        kept_sources.run_again()
    blank = cell_code.leading_blank(source)
    cell_code.know(name, cell_code.Code(number, code, blank))
    if notebook_state.is_run():
        notebook_state.ran.append(Ran(number, source, os.getpid()))
    owner.write(
        CellStarted(
            number=number,
            source=_redacted(source),
            name=name,
            parent=parent,
            code=_redacted(code) if code.strip() != source.strip() else "",
            blank=blank,
            notebook=_notebook(),
        )
    )
    for inner, skipped, text in cell_code.timed(source):
        cell_code.know(inner, cell_code.Code(number, text, skipped))
        owner.write(CellCode(number=number, name=inner, skipped=skipped))
    _show_earlier_death(current, info, owner.run)


@guarded("unseen.show")
def _show_earlier_death(shell: Any, info: Any, run: str) -> None:
    """Why an earlier kernel of the notebook died, where no cell could show it then: once, by whichever kernel comes to
    it first. It is written by `whydied.jupyter.unseen_reports`."""
    path = os.path.join(run, _UNSEEN)
    if not os.path.exists(path) or getattr(info, "silent", False) or not getattr(info, "store_history", True):
        return
    import msgspec

    with open(path, "rb") as file:
        kept = msgspec.json.decode(file.read())
    os.unlink(path)
    try:
        os.unlink(kept["keeper"])
    except FileNotFoundError:
        # Another kernel of this notebook was quicker.
        return
    shell.display_pub.publish({"text/html": kept["html"], "text/plain": kept["text"]})


def _redacted(code: str) -> str:
    return redact.source(code[:LARGEST_SOURCE].encode("utf-8", "replace")).decode()


def _nested(owner: Journal, info: Any, source: str, code: str, name: str) -> None:
    outer = notebook_state.running_cells[0]
    notebook_state.running_cells.append(outer._replace(info=info, source=source))
    at = outer.source.find(source.strip()) if source.strip() else -1
    skipped = outer.source.count("\n", 0, at) if at >= 0 else 0
    cell_code.know(name, cell_code.Code(outer.number, code, skipped))
    if name and at >= 0:
        owner.write(CellCode(number=outer.number, name=name, skipped=skipped))


@guarded("cells.after")
def _after(result: Any) -> None:
    owner = journal.current()
    if owner is None or not notebook_state.running_cells:
        return
    info = getattr(result, "info", None)
    error = getattr(result, "error_in_exec", None) or getattr(result, "error_before_exec", None)
    if len(notebook_state.running_cells) > 1:
        notebook_state.running_cells.pop()
        if isinstance(error, Exception):
            # IPython has shown it, and the outer cell goes on.
            exception_hooks.left_cell(error, ends=False)
        return
    cell = notebook_state.running_cells[0]
    if info is not cell.info and getattr(info, "raw_cell", None) != cell.source:
        return
    if isinstance(error, BaseException):
        _raised(error, cell.number)
    notebook_state.running_cells.clear()
    after = process_memory.rss_bytes() or 0
    notebook_state.last_ended = CellEnded(
        number=cell.number,
        ok=error is None,
        before=cell.before_bytes,
        after=after,
        made=_made(cell) or [],
        peak=max(memory_watch.current().highest_bytes, cell.before_bytes, after),
        wall_s=round(time.monotonic() - cell.began_s, 6),
        raised=type(error).__name__ if error is not None else "",
    )
    owner.write(notebook_state.last_ended)


def _raised(error: BaseException, number: int) -> None:
    """An exception that left a cell: the kernel lives on, and the next cell may want to know why."""
    ends = notebook_state.is_run() and not _may_raise()
    if notebook_state.is_run() and not ends:
        notebook_state.survived.add(number)
    if ends or not isinstance(error, (KeyboardInterrupt, SystemExit)):
        exception_hooks.left_cell(error, ends)


def _may_raise() -> bool:
    """Whether who runs the notebook goes on after this cell whatever it raises (`raises-exception` among its tags)."""
    kernel = getattr(notebook_state.shell(), "kernel", None)
    message: Any = kernel.get_parent("shell") if kernel is not None and hasattr(kernel, "get_parent") else None
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, dict) and content.get("stop_on_error") is False


@guarded("cells.made")
def _made(cell: Running) -> list[MadeObject]:
    """Large objects that have a name now and had another one, or none, when the cell began."""
    current = notebook_state.shell()
    names = _names(current)
    space = current.user_ns
    fresh = {name: space[name] for name, place in names.items() if cell.names.get(name) != place and name in space}
    fresh = {name: value for name, value in fresh.items() if id(type(value)) not in _SMALL}
    if not fresh:
        return []

    from whydied.inside.notebook import notebook_variables

    return notebook_variables.measured(fresh)


def _names(current: Any) -> dict[str, int]:
    space = getattr(current, "user_ns", None)
    if type(space) is not dict:
        return {}
    is_hidden = notebook_state.is_hidden
    return {name: id(value) for name, value in list(space.items()) if type(name) is str and not is_hidden(name)}


def _parent(current: Any) -> tuple[str, str]:
    """The header of the request that runs the cell, as JSON, and its number."""
    kernel = getattr(current, "kernel", None)
    message: Any = None
    if kernel is not None and hasattr(kernel, "get_parent"):
        message = kernel.get_parent("shell")
    if not message:
        message = getattr(current, "parent_header", None)
    header = message.get("header", message) if isinstance(message, dict) else None
    if not isinstance(header, dict) or not header.get("msg_id"):
        return "", ""
    import msgspec

    plain = {key: value for key, value in header.items() if isinstance(key, str)}
    text = msgspec.json.encode(plain, enc_hook=str).decode()
    return (text if len(text) <= LARGEST_PARENT else ""), str(header["msg_id"])


def _notebook() -> str:
    return redact.text(os.environ.get(ENV_NOTEBOOK) or os.environ.get("JPY_SESSION_NAME") or "")
