"""`%whydied` and `%%whydied` in a notebook; runs in the user's process, when the user asks.

Invariant: nothing of the user's is called, changed or kept, but for the model that `%whydied estimate` is given: its
step is traced, which makes its weights and the slots of its optimizer, and does not run. A cell that begins with
`%%whydied` runs as without that line, which is taken away before IPython looks for magics: results, `await` and line
numbers are as ever. The summary follows after its end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whydied import places, words
from whydied.errors import WhydiedError
from whydied.inside.memory_guard import memory_stops
from whydied.inside.notebook import cells, low_memory, notebook_state, notebook_variables
from whydied.inside.process import process_memory
from whydied.inside.process.process_memory import MemoryLimit
from whydied.records import MadeObject
from whydied.run.command import import_path, plain_environment
from whydied.run.start import watched

SHOWN = 15
LONGEST_ANSWER_S = 60.0
_ENTRY = (
    "import json, sys; sys.path.extend(json.loads(sys.argv[1])); "
    "from whydied.jupyter.magic_answers import main; main(sys.argv[2:])"
)
_MARK = "%%whydied"
_HELP = """\
%whydied status        what is recorded, and how much memory there is
%whydied top [N]       the largest objects in the notebook, by variable
%whydied why           why the last cell that raised did so, or why its training turned NaN
%whydied fix           the change of the cells that would fix that, as a diff; nothing is written
%whydied prove         tries on the cells that ran what would fix it, in a sandbox; nothing is written
%whydied estimate MODEL [X [Y]] [--batch-size 32,128] [--limit 8G] [--device-memory 24G]
                       what training the model would take, and the largest batch that fits; nothing is trained
%whydied last          the report of the last kernel that died
%whydied guard on|off  MemoryError in a cell instead of a killed kernel, when memory is almost exhausted
%%whydied              as the first line of a cell: its time, memory, new variables and traces
"""


class CellSummary:
    """What is told after a cell that begins with `%%whydied`."""

    def __init__(self) -> None:
        self._traces = _traces()

    def before(self, info: Any) -> None:
        if _is_marked(getattr(info, "raw_cell", "")):
            self._traces = _traces()

    def after(self, result: Any) -> None:
        if not _is_marked(getattr(getattr(result, "info", None), "raw_cell", "")):
            return
        ended = notebook_state.last_ended
        if ended is not None:
            _say(_cell_summary(ended, _new(self._traces, _traces())))


def load(shell: Any) -> None:
    """`%load_ext whydied`. A second time it changes nothing."""
    directory = _attach()
    if directory is None:
        return
    cells.attach(shell)
    if getattr(shell, "_whydied_account", None) is not None:
        return
    summary = CellSummary()
    shell._whydied_account = summary
    shell.register_magic_function(_line, "line", "whydied")
    shell.register_magic_function(_cell, "cell", "whydied")
    shell.input_transformer_manager.cleanup_transforms.append(_without_mark)
    shell.events.register("pre_run_cell", summary.before)
    shell.events.register("post_run_cell", summary.after)


def _line(line: str) -> None:
    what, _, rest = line.strip().partition(" ")
    if what == "status":
        _say(_status())
    elif what == "top":
        _say(_top(int(rest) if rest.strip().isdigit() else SHOWN))
    elif what in ("why", "fix", "last", "prove"):
        _show(what)
    elif what == "estimate":
        _estimate(rest.strip())
    elif what == "guard":
        _guard(rest.strip())
    else:
        _say(_HELP)


def _cell(line: str, cell: str) -> None:
    """Where another magic runs the cell: `%%capture` above `%%whydied`."""
    shell = notebook_state.shell()
    if shell is not None:
        shell.run_cell(cell)


def _is_marked(source: Any) -> bool:
    if not isinstance(source, str):
        return False
    first = next((line for line in source.splitlines() if line.strip()), "")
    return first.strip() == _MARK


def _without_mark(lines: list[str]) -> list[str]:
    """The lines of a cell, the first one empty where it is ours, so that the others keep their numbers."""
    return ["\n", *lines[1:]] if lines and lines[0].strip() == _MARK else lines


def _status() -> str:
    rss = process_memory.rss_bytes() or 0
    room = MemoryLimit().room_bytes(rss)
    told = [f"recording to {_recorded()}" if _recorded() else "not recorded"]
    free = f", {words.size(room)} left" if room is not None else ""
    told.append(f"memory: {words.size(rss)}{free}")
    told.append(f"cells so far: {notebook_state.started_count}")
    told.append(f"memory guard: {'on' if memory_stops.State.on else 'off'}")
    return "\n".join(told)


def _top(most: int) -> str:
    found = notebook_variables.top(most)
    if not found:
        return f"nothing of {words.size(notebook_variables.SMALLEST_BYTES)} or more"
    return _table(found)


def _table(found: list[MadeObject]) -> str:
    rows = [(one.name, words.size(one.bytes), _form(one)) for one in found]
    wide = max(len(row[0]) for row in rows)
    return "\n".join(f"{name.ljust(wide)}  {size.rjust(9)}  {form}" for name, size, form in rows)


def _form(one: MadeObject) -> str:
    shape = f" ({', '.join(map(str, one.shape))})" if one.shape is not None else ""
    return f"{one.type}{shape}{f' {one.dtype}' if one.dtype else ''}"


def _guard(wanted: str) -> None:
    if wanted in ("on", "off"):
        low_memory.turn(wanted == "on")
    _say(f"memory guard: {'on' if memory_stops.State.on else 'off'}")
    if wanted == "on":
        _say(
            "A cell that comes near the limit gets a MemoryError; a single native call that would take all memory is "
            "refused."
        )


def _cell_summary(ended: Any, traced: list[str]) -> str:
    change = ended.after - ended.before
    sign = "+" if change >= 0 else "-"
    told = [
        f"cell [{ended.number}] took {words.duration(ended.wall_s)}",
        f"memory: {words.size(ended.before)} before, {words.size(ended.after)} after "
        f"({sign}{words.size(abs(change))}), {words.size(ended.peak)} at most",
    ]
    if ended.made:
        told += ["new or changed:", *(f"  {line}" for line in _table(ended.made).splitlines())]
    told += [f"traced: {text}" for text in traced]
    return "\n".join(told)


def _traces() -> dict[str, int]:
    functions = sys.modules.get("whydied.inside.hooks.functions")
    return dict(functions._traces) if functions is not None else {}


def _new(before: dict[str, int], after: dict[str, int]) -> list[str]:
    grown = {key: count - before.get(key, 0) for key, count in after.items()}
    return [f"{key.rpartition(':')[2]}, {words.count(count, 'time')}" for key, count in grown.items() if count > 0]


def _show(what: str) -> None:
    run = _recorded()
    words = [os.fspath(run)] if run else []
    words += [str(os.getpid())] if what != "last" else []
    _publish((_live_answer_of if what == "prove" else _answer_of)(what, *words))


def _estimate(rest: str) -> None:
    from whydied.jupyter.model_question import Question

    shell = notebook_state.shell()
    try:
        asked = Question.parsed(rest, getattr(shell, "user_ns", {}))
        with asked.traced() as folder:
            _publish(_live_answer_of("estimate", folder, *asked.words))
    except WhydiedError as error:
        _say(f"whydied: {error}" + (f"\nhint: {error.hint}" if error.hint else ""))


def _publish(answer: dict[str, str]) -> None:
    data = {"text/plain": answer.get("text", "")}
    if answer.get("html"):
        data["text/html"] = answer["html"]
    shell = notebook_state.shell()
    publisher = getattr(shell, "display_pub", None)
    if "text/html" in data and getattr(shell, "kernel", None) is not None and publisher is not None:
        publisher.publish(data)
    else:
        _say(data["text/plain"])


def _say(text: str) -> None:
    sys.stdout.write(text.rstrip("\n") + "\n")


def _attach() -> Path | None:
    """Record this kernel, by a watcher beside it as `whydied.start()` has, which outlives it; under a supervisor of
    ours nothing is started. Returns the run's directory, None where nothing can be written."""
    if _recorded() is not None:
        return _recorded()
    notebook = os.environ.get("JPY_SESSION_NAME", "")
    name = os.path.basename(notebook) or "the kernel"
    return watched(lambda: [name], name=Path(name).stem if notebook else "kernel", quiet=True)


def _recorded() -> Path | None:
    """The directory that this kernel is recorded into."""
    run = os.environ.get(places.ENV_RUN)
    return Path(run) if run and os.path.isdir(run) else None


def _answer_of(*words: str) -> dict[str, str]:
    """What another process of ours says, as `text` and `html`: the analysis loads much, and nothing of it belongs into
    the kernel."""
    try:
        done = subprocess.run(
            _asking(words),
            capture_output=True,
            env=plain_environment(),
            stdin=subprocess.DEVNULL,
            timeout=LONGEST_ANSWER_S,
        )
    except subprocess.TimeoutExpired:
        return {"text": f"whydied: no answer within {LONGEST_ANSWER_S:.0f} s"}
    return _parsed(done.stdout, done.stderr.splitlines(), done.returncode)


def _live_answer_of(*words: str) -> dict[str, str]:
    """The same, however long it takes: what the other process is doing is told meanwhile, and an interrupt asks it for
    what it knows until then."""
    with subprocess.Popen(
        _asking(words),
        env=plain_environment(),
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said: list[bytes] = []
        while True:
            try:
                for line in process.stderr:
                    said.append(line)
                    _say(line.decode("utf-8", "replace"))
                return _parsed(process.stdout.read(), said, process.wait())
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)


def _asking(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-I", "-c", _ENTRY, json.dumps(import_path()), *words]


def _parsed(answer: bytes, said: list[bytes], status: int) -> dict[str, str]:
    try:
        found = json.loads(answer)
    except ValueError:
        last = said[-1].decode("utf-8", "replace").strip() if said else f"exit status {status}"
        return {"text": f"whydied: failed: {last}"}
    return {key: value for key, value in found.items() if isinstance(value, str)}
