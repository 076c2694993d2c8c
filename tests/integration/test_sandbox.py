"""A program in the sandbox does not notice it: it writes, reads back, forks, imports, ends as it would."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests import sandboxes
from tests.sandboxes import Place, both

from whydied.prove import sandbox
from whydied.prove.sandbox.wanted import NAMES, Name


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


@pytest.mark.parametrize("name", ["namespaces"])
@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a disk in the tree needs root")
def test_writing_where_another_disk_is_mounted_in_the_tree(place: Place) -> None:
    point = place.tree / "sub" / "empty"
    entered = place.command(
        """
        import os, shutil
        for name in ("data.csv", "new", "sub/new", "sub/empty/new", "made/new"):
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            with open(name, "a") as file:
                file.write("written")
            print(open(name).read().split(), end=" ")
        os.rename("model.py", "renamed.py")
        os.unlink("tool.sh")
        shutil.rmtree("made")
        print(sorted(os.listdir(".")))
        """
    )
    ended = place.ended(
        ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs "$0"; exec "$@"', str(point), *entered]
    )
    assert ended.stdout == (
        "['a,b', '1,2', 'written'] ['written'] ['written'] ['written'] ['written'] "
        "['data.csv', 'link', 'new', 'read_only.txt', 'renamed.py', 'sub']\n"
    ), ended
    assert place.is_unchanged()


@both
def test_paths_with_odd_names(tmp_path: Path, name: Name) -> None:
    odd = tmp_path / "a,b:c \\d=e\nf é"
    odd.mkdir()
    place = sandboxes.place(odd, name)
    ended = place.run("open('data.csv', 'a').write('5'); print(open('data.csv').read()[-1])")
    assert (ended.status, ended.stdout) == (0, "5\n"), ended
    assert place.is_unchanged()


@both
def test_a_crash_leaves_no_dump(place: Place) -> None:
    program = "import os, resource; print(resource.getrlimit(resource.RLIMIT_CORE)[0] <= 1, flush=True); os.abort()"
    ended = place.run(program)
    assert (ended.status, ended.stdout) == (134, "True\n"), ended


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
    assert sandbox.notes(str(place.scratch)) == []
    sandbox.clear(str(place.scratch))
    assert place.ended(command).stdout == "hello\n"


@both
def test_temporary_files_processes_queues_and_shared_memory(place: Place) -> None:
    if place.mechanism.name == "landlock" and os.listdir("/dev/shm"):
        pytest.skip("other programs have files in /dev/shm, so Landlock denies it")
    ended = place.run(
        """
        import multiprocessing, os, tempfile
        from multiprocessing import shared_memory

        def work(queue, name):
            shared = shared_memory.SharedMemory(name)
            shared.buf[0] = 7
            shared.close()
            queue.put(os.getpid())

        if __name__ == "__main__":
            shared = shared_memory.SharedMemory(create=True, size=1 << 20)
            queue = multiprocessing.Queue()
            process = multiprocessing.get_context("fork").Process(target=work, args=(queue, shared.name))
            process.start()
            assert queue.get(timeout=30) == process.pid
            process.join()
            print(shared.buf[0])
            shared.close()
            shared.unlink()
            with multiprocessing.Pool(2) as pool:
                print(pool.map(abs, [-1, -2]))
            with tempfile.TemporaryDirectory() as directory, open(directory + "/x", "w") as file:
                print(file.write("four"))
        """
    )
    assert (ended.status, ended.stdout) == (0, "7\n[1, 2]\n4\n"), ended


@both
def test_what_the_program_sees_of_itself(place: Place) -> None:
    ended = place.run(
        """
        import os, sys
        exists = os.path.exists("/proc/self/exe")
        print(os.path.basename(os.getcwd()), os.getuid(), sys.argv[1:], os.environ["HOME"], exists)
        print(os.getpid() in map(int, filter(str.isdigit, os.listdir("/proc"))), os.path.isdir("/dev/shm"))
        open("/dev/null", "w").write("x")
        print(len(open("/dev/urandom", "rb").read(8)))
        """,
        "one",
        "two words",
    )
    last = "tree" if place.mechanism.name == "namespaces" else "project"
    home = os.environ["HOME"]
    assert ended.stdout.splitlines() == [
        f"{last} {os.getuid()} ['one', 'two words'] {home} True",
        "True True",
        "8",
    ], ended


@both
def test_a_loopback_of_its_own_where_there_are_namespaces(place: Place) -> None:
    ended = place.run(
        """
        import socket
        try:
            server = socket.create_server(("127.0.0.1", 0))
            socket.create_connection(server.getsockname()).sendall(b"x")
            print(server.accept()[0].recv(1))
        except PermissionError:
            print("refused")
        """
    )
    assert ended.stdout == ("b'x'\n" if place.mechanism.name == "namespaces" else "refused\n"), ended


@both
def test_the_network_is_there_when_it_is_allowed(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        program = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 10)"
        ended = place.run(program, str(server.getsockname()[1]), allow_network=True)
        assert ended.status == 0, ended
        server.accept()[0].close()


@both
@pytest.mark.parametrize(
    ("number", "to_group"),
    [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGHUP, False)],
)
def test_signals_reach_the_program_once(place: Place, number: signal.Signals, to_group: bool) -> None:
    command = place.command(
        """
        import os, signal, sys, time
        seen = []
        signal.signal(int(sys.argv[1]), lambda *_: seen.append(1))
        print("ready", flush=True)
        while not seen:
            time.sleep(0.01)
        time.sleep(0.5)
        print(len(seen))
        raise SystemExit(40)
        """,
        str(int(number)),
    )
    process = subprocess.Popen(command, cwd=place.tree, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    (os.killpg if to_group else os.kill)(process.pid, number)
    assert (process.stdout.read(), process.wait(30)) == (b"1\n", 40)
    process.stdout.close()


@both
def test_ctrl_c_ends_everything(place: Place) -> None:
    """The group of the terminal gets it; the program's children too, as outside."""
    command = place.command(
        """
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(100)"])
        child.wait()
        """
    )
    process = subprocess.Popen(
        command, cwd=place.tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGINT)
    _, words = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGINT
    assert words.count(b"KeyboardInterrupt") == 2


@both
def test_clear_removes_what_is_hard_to_remove(place: Place) -> None:
    ended = place.run(
        """
        import os, tempfile
        os.chdir(tempfile.mkdtemp())
        for mode in (0, 0o400, 0o111):
            os.makedirs(f"{mode}/a/b")
            open(f"{mode}/a/file", "w").close()
            os.chmod(f"{mode}/a", mode)
        for _ in range(3000):
            os.mkdir("d" * 100)
            os.chdir("d" * 100)
        os.symlink("/", "root")
        os.mkfifo("pipe")
        """
    )
    assert ended.status == 0, ended
    assert list(place.scratch.iterdir()) == []
    assert place.is_unchanged()


@both
@pytest.mark.cgroup
@pytest.mark.skipif(os.geteuid() != 0, reason="a memory cgroup needs root")
def test_the_supervisor_makes_its_memory_cgroup_inside(place: Place) -> None:
    runs = place.directory / "runs"
    runs.mkdir()
    script = place.tree / "eat.py"
    script.write_text("kept = []\nwhile True:\n    kept.append(bytearray(10 << 20))\n")
    words = ["run", "--quiet", "--runs", str(runs), "--memory-limit", "200MB", "--json", str(runs / "report.json")]
    ended = place.ended(
        place.entered([sys.executable, "-m", "whydied", *words, str(script)], writable=[str(runs)]),
    )
    assert ended.status == 137, ended
    report = json.loads((runs / "report.json").read_bytes())
    assert report["death"]["name"] == "host-oom-kill"
    assert report["memory"]["limit_kind"].startswith("cgroup")
    assert report["internal_errors"] == []
    groups = (place.scratch / "sandbox" / "groups.txt").read_text().split()
    assert groups
    assert not [group for group in groups if os.path.exists(group)]
    sandbox.clear(str(place.scratch))
    assert list(place.scratch.iterdir()) == []


@both
def test_clear_ends_a_sandbox_that_still_runs(place: Place) -> None:
    command = place.command("import time; print('ready', flush=True); time.sleep(100)")
    process = subprocess.Popen(command, cwd=place.tree, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    sandbox.clear(str(place.scratch))
    assert list(place.scratch.iterdir()) == []
    assert process.wait(30) == -signal.SIGKILL
    # Nobody holds the other end any more.
    assert process.stdout.read() == b""
    process.stdout.close()


@both
def test_no_mount_is_left(place: Place) -> None:
    assert place.run("pass").status == 0
    assert str(place.directory) not in Path("/proc/self/mountinfo").read_text()


@both
@pytest.mark.tensorflow
def test_tensorflow_trains_and_saves(place: Place) -> None:
    ended = place.run(
        """
        import numpy as np, tensorflow as tf
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0)
        model.save("model.keras")
        print(tf.keras.models.load_model("model.keras").count_params())
        """
    )
    assert (ended.status, ended.stdout) == (0, "3\n"), ended.stderr[-2000:]
    assert place.is_unchanged()


_FOUND = "from whydied.prove import sandbox; found = sandbox.mechanism(); print(found and found.name)"


def _found(*before: str) -> str:
    command = [*before, sys.executable, "-c", _FOUND]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.strip()


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare, of util-linux")
def test_landlock_is_used_where_namespaces_are_forbidden() -> None:
    """As in a container: a namespace in which no further one may be made."""
    if {sandbox.mechanism(among=(name,)) for name in NAMES} & {None}:
        pytest.skip("one of the two mechanisms does not work here")
    assert _found() == "namespaces"
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    assert _found("unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh") == "landlock"


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="giving up capabilities needs root")
@pytest.mark.parametrize("left", ["+chown,+dac_override,+fowner,+kill,+setgid,+setuid,+setpcap", "-all"])
def test_root_with_few_capabilities_has_a_sandbox_too(left: str) -> None:
    assert _found("setpriv", f"--bounding-set=-all,{left}") in NAMES
