"""Our own failure inside the program, in each place that can fail, changes nothing and is recorded."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import child

import whydied.inside
from whydied.records import InternalError

# Programs that lead through the places of the hooks that need no library.
PROGRAMS = {
    "error": "import time\ntime.sleep(0.15)\nraise ValueError('x')",
    "exit": "import sys\nsys.exit(3)",
    "quit": "exit(3)",
    "_exit": "import os\nos._exit(3)",
    "abort": "import os\nos.abort()",
    "exec": "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', 'print(1)'])",
    "kill": "import os\nos.kill(os.getpid(), 9)",
    "killpg": "import os\nos.setpgid(0, 0)\nos.killpg(os.getpgrp(), 9)",
    "warning": "import warnings\nwarnings.warn('w')",
    "thread": "import threading\nt = threading.Thread(target=lambda: [].pop())\nt.start()\nt.join()",
    "unraisable": "class A:\n    def __del__(self):\n        1 / 0\nprint('a')\nA()",
    "fork": "import os, sys\npid = os.fork()\nif pid == 0:\n    sys.exit(2)\nprint(os.waitpid(pid, 0)[1])",
    "multiprocessing": (
        "import multiprocessing\ndef work():\n    raise ValueError('child')\n"
        "p = multiprocessing.get_context('fork').Process(target=work)\np.start()\np.join()\nprint(p.exitcode)"
    ),
    "import": "import json, decimal, traceback\nprint('on')",
}
PLACES = {
    "chain.analysis": None,
    "exceptions.debug": None,
    "exceptions.look_back": "error",
    "exceptions.printed": "multiprocessing",
    "exceptions.record": "error",
    "exceptions.thread": "thread",
    "exceptions.unraisable": "unraisable",
    "exits.exit": "quit",
    "exits.os._exit": "_exit",
    "exits.os.abort": "abort",
    "exits.os.exec": "exec",
    "exits.os.kill": "kill",
    "exits.os.killpg": "killpg",
    "exits.sys.exit": "exit",
    "faults.check": "error",
    "faults.close": "error",
    "faults.fork": "fork",
    "faults.handler": "error",
    "faults.install": "error",
    "imports.imported": "import",
    "imports.watch": "import",
    "install.exception_hooks.hook_threading": "thread",
    "install.exception_hooks.hook_traceback": "import",
    "kept_sources.look": "error",
    "kept_sources.run_again": None,
    "recorder.chores": "error",
    "recorder.exit": "error",
    "recorder.fork": "fork",
    "recorder.install": "error",
    "recorder.last_words": "error",
    "recorder.unshadow": "error",
    "sampler.fork": "fork",
    "sampler.sample": "error",
    "sampler.start": "error",
    "usage_facts.look": "error",
    "versions.see": "error",
    "warning.shown": "warning",
}
# Those that need TensorFlow are gone through together, in test_inside_tensorflow.py.
NEED_A_LIBRARY = ("keras_calls.", "keras_steps.", "optimizer.", "functions.", "sessions.", "install.")


@pytest.mark.parametrize("place", [place for place, program in PLACES.items() if program])
def test_a_failure_of_ours_is_recorded_and_unnoticed(place: str, tmp_path: Path) -> None:
    program = PLACES[place]
    assert program is not None
    path = child.write(tmp_path, PROGRAMS[program])
    expected = child.plain(path, cwd=tmp_path)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env={"WHYDIED_INJECT": place})
    assert _comparable(recorded.ended) == _comparable(expected)
    errors = recorded.all(InternalError)
    assert place in {error.where for error in errors}
    assert all(error.error.startswith("InjectedFault") for error in errors)


def _comparable(ended: child.Ended) -> child.Ended:
    import re

    return ended._replace(stderr=re.sub("0x[0-9a-f]+", "0x", ended.stderr))


def test_no_place_is_forgotten() -> None:
    """Every guarded place of the recorder is in a table of tests."""
    names = [
        module.name
        for module in pkgutil.walk_packages(whydied.inside.__path__, "whydied.inside.")
        if "bootstrap" not in module.name
    ]
    code = f"""
import importlib
from whydied.inside.guest import guard
for name in {names!r}:
    importlib.import_module(name)
print(*sorted(guard.PLACES), sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {
        "chain", "exceptions", "exits", "faults", "imports", "install", "kept_sources", "recorder", "sampler",
        "versions", "warning",
    }  # fmt: skip
    found = {place for place in done.stdout.split() if place.partition(".")[0] in ours}
    found -= {place for place in found if place.startswith(NEED_A_LIBRARY) and place not in PLACES}
    assert found <= set(PLACES)
    assert importlib.util.find_spec("whydied.inside.guest.guard")


def test_a_failure_in_the_analysis_leaves_the_exception(tmp_path: Path) -> None:
    """A bug in what looks for near names costs the near names only."""
    program = """
        import whydied.inside.errors.near_names as nearness
        nearness.look = None
        print(undefined)
    """
    path = child.write(tmp_path, program)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    from whydied.records import ExceptionRaised

    assert recorded.one(ExceptionRaised).chain[0].type == "NameError"
    assert recorded.one(InternalError).where == "chain.analysis"
