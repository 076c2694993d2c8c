"""A program in the sandbox does not notice it: it writes, reads back, forks, imports, ends as it would."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import sandboxes
from tests.sandboxes import Place, both

from whydied.prove import sandbox
from whydied.prove.sandbox.wanted import Name


@pytest.fixture
def place(tmp_path: Path, name: Name) -> Place:
    return sandboxes.place(tmp_path, name)


@both
def test_what_is_written_is_read_back_and_the_real_tree_stays(place: Place) -> None:
    ended = place.run(
        """
        import os
        with open("data.csv", "a") as file:
            file.write("3,4\\n")
        with open("sub/new.txt", "w") as file:
            file.write("new")
        os.mkdir("made")
        os.rename("made", "renamed")
        print(open("data.csv").read().split(), open("sub/new.txt").read(), sorted(os.listdir(".")))
        """
    )
    assert ended.status == 0, ended
    assert "['a,b', '1,2', '3,4'] new" in ended.stdout
    assert "renamed" in ended.stdout
    assert place.is_unchanged()
    assert list(place.scratch.iterdir()) == []


@both
def test_an_edited_file_is_shown_in_the_place_of_the_original(place: Place) -> None:
    edited = place.directory / "edited.py"
    edited.write_text("RATE = 0.001\n")
    shown = {str(place.tree / "model.py"): str(edited)}
    ended = place.run("import sys; sys.path.insert(0, ''); import model; print(model.RATE)", shown=shown)
    assert (ended.status, ended.stdout) == (0, "0.001\n"), ended
    assert place.is_unchanged()


@both
def test_a_writable_directory_is_really_written_to(place: Place) -> None:
    kept = place.directory / "runs"
    kept.mkdir()
    ended = place.run("import sys; open(sys.argv[1] + '/report', 'w').write('x')", str(kept), writable=[str(kept)])
    assert ended.status == 0, ended
    assert (kept / "report").read_text() == "x"


@both
@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("raise SystemExit(3)", 3),
        ("import os; os.kill(os.getpid(), 9)", 137),
        ("import os; os.abort()", 134),
        ("1/0", 1),
    ],
)
def test_the_exit_status_passes(place: Place, program: str, status: int) -> None:
    assert place.run(program).status == status


@both
def test_a_second_sandbox_in_the_same_scratch_directory_is_refused(place: Place) -> None:
    command = place.command("print('hello')")
    assert place.ended(command).status == 0
    ended = place.ended(command)
    assert ended.status == 125
    assert "whydied: sandbox:" in ended.stderr
    sandbox.clear(str(place.scratch))
    assert place.ended(command).stdout == "hello\n"
