"""The cells of a notebook run again, without a kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from whydied.inside.guest.ownership import Ownership
from whydied.inside.notebook import cell_code
from whydied.inside.notebook.cells_again import Cell, Notebook, following

AGAIN = """
import json, os, sys
from IPython.core.interactiveshell import InteractiveShell
from whydied.inside import journal
from whydied.inside.guest.ownership import Ownership
from whydied.inside.notebook import cells, cells_again, notebook_state
from whydied.inside.trials import stage
from whydied.linux import sealing

class Written(list):
    ownership, run, quiet, pid = Ownership(sys.argv[1]), sys.argv[1], False, 0
    write = list.append

journal._journal = Written()
shell = InteractiveShell.instance()
notebook_state.shells.append(shell)
shell.user_ns["left_over"] = 1
told = os.fdopen(os.dup(1), "w")
stage.be_silent()
sealing.seal()
texts = json.loads(sys.argv[2])
own = tuple(cells_again.Cell(at, text, at == 3) for at, text in enumerate(texts["ran"], 1))
rest = tuple(cells_again.Cell(at, text, False) for at, text in enumerate(texts["following"], len(own) + 1))
notebook = cells_again.Notebook("/p/a.ipynb", own, rest, journal._journal.ownership, cells._attach_again)
changed = {f"/p/a.ipynb/cell [{number}]": text for number, text in texts["changed"].items()}
passed = []
error = notebook.run(changed, lambda: passed.append(True))
places, trace = [], error.__traceback__ if error is not None else None
while trace is not None:
    place = notebook.place(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    places += [place] if place is not None else []
    trace = trace.tb_next
names = {name: repr(value) for name, value in notebook_state.shell().user_ns.items() if name.startswith("seen")}
print(json.dumps([repr(error) if error is not None else None, places, names, bool(passed)]), file=told)
"""


def again(
    directory: Path, *ran: str, following: tuple[str, ...] = (), **changed: str
) -> tuple[str | None, list[list[object]], dict[str, str], bool]:
    """What ended the cells, where, what they made with names that begin with `seen`, and whether all were passed. They
    print nothing."""
    texts = {"ran": ran, "following": following, "changed": {name[1:]: text for name, text in changed.items()}}
    argv = [sys.executable, "-c", AGAIN, str(directory), json.dumps(texts)]
    done = subprocess.run(argv, cwd=directory, capture_output=True, text=True, timeout=120, check=True)
    error, places, names, passed = json.loads(done.stdout)
    return error, places, names, passed


def test_cells_run_in_a_namespace_of_their_own_and_print_nothing(tmp_path: Path) -> None:
    cells = ("print('out')\ntry:\n    left_over\nexcept NameError:\n    seen = 'nothing'", "40 + 2", "1 / 0")
    more = (
        "seen_result, seen_numbers = _, sorted(Out)",
        "import asyncio\nawait asyncio.sleep(0)\nseen_awaited = True\nfrom IPython.display import display\ndisplay(3)",
    )
    error, _, names, _ = again(tmp_path, *cells, *more)
    assert error is None
    assert names == {"seen": "'nothing'", "seen_result": "42", "seen_numbers": "[2]", "seen_awaited": "True"}


def test_what_a_cell_raises_has_its_place_in_the_cell(tmp_path: Path) -> None:
    function = "\n\ndef half(x):\n    return x / 0"
    error, places, _, passed = again(tmp_path, function, "%%time\nx = 1\nhalf(x)", following=("seen = 1",))
    assert (error, passed) == ("ZeroDivisionError('division by zero')", False)
    assert places[-2:] == [["/p/a.ipynb/cell [2]", 3], ["/p/a.ipynb/cell [1]", 4]]


def test_a_changed_cell_runs_with_its_text_and_then_what_follows(tmp_path: Path) -> None:
    error, places, names, passed = again(
        tmp_path, "x = 1", "1 / 0", following=("seen = x", "raise KeyError('later')"), _2="x = 2"
    )
    assert (error, names, passed) == ("KeyError('later')", {"seen": "2"}, True)
    assert places == [["/p/a.ipynb/cell [4]", 1]]


def test_commands_are_passed_over_where_nothing_is_made_of_their_output(tmp_path: Path) -> None:
    error, _, names, _ = again(tmp_path, "!touch made\nseen = _exit_code", "%%bash\ntouch made", "x = 1")
    assert (error, names) == (None, {"seen": "0"})
    assert not (tmp_path / "made").exists()


def test_what_is_made_of_the_output_of_a_command_is_refused(tmp_path: Path) -> None:
    assert "not permitted" in str(again(tmp_path, "seen = !ls")[0])
    assert "not permitted" in str(again(tmp_path, "%%bash --out seen\nls")[0])


def test_our_own_magics_are_left_out(tmp_path: Path) -> None:
    assert again(tmp_path, "if True:\n    %whydied why\nseen = 1")[::2] == (None, {"seen": "1"})


def test_a_syntax_error_is_what_ends_it(tmp_path: Path) -> None:
    assert str(again(tmp_path, "x = (", "y = 1")[0]).startswith("SyntaxError")


def notebook(directory: Path, *cells: tuple[str, str, list[str]]) -> str:
    made = [
        {"cell_type": kind, "source": text.splitlines(True), "metadata": {"tags": tags}} for kind, text, tags in cells
    ]
    (directory / "a.ipynb").write_text(json.dumps({"cells": made, "nbformat": 4}))
    return str(directory / "a.ipynb")


def test_the_cells_that_follow_are_those_after_the_last_that_ran(tmp_path: Path) -> None:
    path = notebook(
        tmp_path,
        ("markdown", "x = 1", []),
        ("code", "x = 1\ny = 2", []),
        ("code", " \n", []),
        ("code", "left out", ["skip-execution"]),
        ("code", "1 / 0", []),
        ("code", "z = 3", []),
        ("code", "2 / 0", ["raises-exception"]),
    )
    ran = [Cell(1, "x = 1\ny = 2", False), Cell(2, "1 / 0", False)]
    assert following(path, ran) == (Cell(3, "z = 3", False), Cell(4, "2 / 0", True))


@pytest.mark.parametrize("text", ["x = 2", "x = 1\n"])
def test_a_file_that_begins_otherwise_says_nothing(tmp_path: Path, text: str) -> None:
    path = notebook(tmp_path, ("code", "x = 1", []), ("code", "y = 2", []))
    assert following(path, [Cell(1, text, False)]) == ()


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}', '{"cells": [3]}', '{"worksheets": []}'])
def test_what_is_no_notebook_has_no_further_cells(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    assert following(str(tmp_path / "a.ipynb"), [Cell(1, "x", False)]) == ()
    assert following(str(tmp_path / "none.ipynb"), [Cell(1, "x", False)]) == ()


def test_code_of_no_cell_has_no_place(tmp_path: Path) -> None:
    one = Notebook("/p/a.ipynb", (), (), Ownership(str(tmp_path)), lambda shell: None)
    cell_code.know("<timed exec>", cell_code.Code(3, "x", 1))
    assert one.place("<timed exec>", 2) == ("/p/a.ipynb/cell [3]", 3)
    assert one.place("/p/helpers.py", 2) is None
