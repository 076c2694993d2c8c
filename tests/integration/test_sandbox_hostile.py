"""A program in the sandbox does its worst, and nothing outside has changed afterwards."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import layers, sandboxes
from tests.sandboxes import Place, both

from whydied.prove.sandbox.clearing import remove_tree
from whydied.prove.sandbox.wanted import Name

_FILES = {
    "delete": """
        with tried: os.unlink(T + "/data.csv")
        shutil.rmtree(T, ignore_errors=True)
        shutil.rmtree(os.path.dirname(T), ignore_errors=True)
    """,
    "rename": """
        with tried: os.rename(T + "/data.csv", T + "/other.csv")
        with tried: os.rename(T + "/sub", T + "/other")
        with tried: os.rename(T, T + "-away")
        with tried: os.rename(T + "/tool.sh", tempfile.gettempdir() + "/tool.sh")
        with tried: os.replace(T + "/model.py", T + "/data.csv")
        with tried: libc.renameat2(-100, os.fsencode(T + "/model.py"), -100, os.fsencode(T + "/link"), 2)
    """,
    "truncate": """
        with tried: os.truncate(T + "/data.csv", 0)
        with tried: os.close(os.open(T + "/data.csv", os.O_RDONLY | os.O_TRUNC))
        with tried: os.close(os.open(T + "/data.csv", os.O_WRONLY | os.O_TRUNC))
        with tried: os.close(os.open(T + "/model.py", os.O_RDWR | os.O_TRUNC))
        with tried: open(T + "/sub/weights.bin", "w").close()
        with tried:
            fd = os.open(T + "/data.csv", os.O_RDONLY)
            os.ftruncate(fd, 0)
    """,
    "write": """
        for name in ("data.csv", "read_only.txt", "link", "sub/weights.bin"):
            for mode in ("r+b", "ab", "wb"):
                with tried, open(f"{T}/{name}", mode) as file: file.write(b"changed")
        with tried: open(T + "/new", "x").close()
        with tried: os.mkdir(T + "/new directory")
        with tried: os.mkfifo(T + "/pipe")
        with tried: os.mknod(T + "/device", 0o600 | 0o020000, os.makedev(1, 3))
        with tried: os.rmdir(T + "/sub/empty")
    """,
    "modes": """
        for name in ("", "/data.csv", "/sub", "/link"):
            with tried: os.chmod(T + name, 0)
            with tried: os.chown(T + name, 12, 12)
            with tried: os.utime(T + name, (0, 0))
            with tried: os.setxattr(T + name, "user.mine", b"1")
            with tried:
                fd = os.open(T + name, os.O_RDONLY)
                os.fchmod(fd, 0o777)
                os.utime(fd, (5, 5))
                os.setxattr(fd, "user.mine", b"1")
        libc.syscall(452, -100, os.fsencode(T + "/data.csv"), 0, 0)
        with tried:
            fd = os.open(T + "/data.csv", os.O_RDONLY)
            libc.ioctl(fd, ctypes.c_ulong(0x40086602), ctypes.byref(ctypes.c_long(0x40)))
    """,
    "links": """
        with tried: os.link(T + "/data.csv", T + "/hard")
        here = tempfile.mkdtemp()
        with tried:
            os.link(T + "/data.csv", here + "/hard")
            open(here + "/hard", "w").close()
        with tried:
            os.symlink(T + "/data.csv", here + "/soft")
            open(here + "/soft", "w").close()
        with tried:
            os.symlink(T, here + "/tree")
            shutil.rmtree(here + "/tree/sub")
        with tried:
            os.unlink(T + "/link")
            os.symlink("/etc/passwd", T + "/link")
    """,
    "descriptors": """
        fd = os.open(T + "/data.csv", os.O_RDONLY)
        with tried, open(f"/proc/self/fd/{fd}", "r+") as file: file.write("changed")
        with tried, open(f"/dev/fd/{fd}", "w") as file: file.write("changed")
        fd = os.open(T + "/data.csv", os.O_PATH)
        with tried, open(f"/proc/self/fd/{fd}", "r+") as file: file.write("changed")
        above = os.open(T, os.O_RDONLY)
        with tried: os.unlink("model.py", dir_fd=above)
        with tried: os.write(os.open("data.csv", os.O_WRONLY, dir_fd=above), b"changed")
    """,
    "other processes' descriptors and roots": """
        own = os.getpid()
        for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
            for way in ("root", "cwd/../../../../../../.."):
                with tried, open(f"/proc/{pid}/{way}{T}/data.csv", "w") as file: file.write("changed")
            if int(pid) < own:
                with tried:
                    for fd in os.listdir(f"/proc/{pid}/fd"):
                        way = f"/proc/{pid}/fd/{fd}"
                        with tried: os.readlink(way).startswith(T) and open(way, "w").close()
    """,
    "shells": """
        subprocess.run('echo changed > "$TREE/data.csv"; rm -rf "$TREE/sub"', shell=True)
        subprocess.run('mv "$TREE/model.py" "${TMPDIR:-/tmp}"', shell=True)
        subprocess.run(': > "$TREE/tool.sh"; find "$TREE" -delete', shell=True)
        subprocess.run([sys.executable, "-c", "import os, shutil; shutil.rmtree(os.environ['TREE'])"])
        subprocess.run(["dd", "if=/dev/zero", "of=" + T + "/data.csv", "count=1"])
    """,
    "a daemon that writes later": """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(0.3)
                open(T + "/late", "w").close()
                shutil.rmtree(T, ignore_errors=True)
            os._exit(0)
        time.sleep(0.8)
    """,
    "mappings": """
        with tried, open(T + "/sub/weights.bin", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            mapped[:4] = b"ABCD"
            mapped.flush()
    """,
    "mounts": """
        bind, remount, detach = 4096, 32 | 4096, 2
        for path in (T, os.path.dirname(T), "/tmp", "/home", "/root", "/usr", "/sys", "/proc/sys", "/dev", "/"):
            libc.mount(None, os.fsencode(path), None, ctypes.c_ulong(remount), None)
            libc.umount2(os.fsencode(path), detach)
        libc.mount(b"/", b"/mnt", None, ctypes.c_ulong(bind), None)
        for root in ("", "/mnt"):
            with tried, open(root + T + "/data.csv", "w") as file: file.write("changed")
    """,
    "namespaces of its own": """
        libc.unshare(0x10000000 | 0x00020000)
        with tried:
            open("/proc/self/setgroups", "w").write("deny")
            open("/proc/self/uid_map", "w").write(f"0 {os.getuid()} 1")
        libc.umount2(b"/tmp", 2)
        libc.mount(None, b"/", None, ctypes.c_ulong(32 | 4096), None)
        libc.umount2(os.fsencode(T), 2)
        with tried, open(T + "/data.csv", "w") as file: file.write("changed")
        shutil.rmtree(T, ignore_errors=True)
    """,
    "another root": """
        for way in ("/proc/1/root", "/proc/self/root", "/old_root", ".."):
            with tried:
                if os.fork() == 0:
                    try:
                        os.chroot(way)
                        for _ in range(20):
                            os.chdir("..")
                        os.chroot(".")
                        open(T + "/data.csv", "w").close()
                    finally:
                        os._exit(0)
                os.wait()
        fd = os.open("/", os.O_RDONLY)
        for _ in range(5):
            fd = os.open("..", os.O_RDONLY, dir_fd=fd)
        with tried: os.write(os.open(T.lstrip("/") + "/data.csv", os.O_WRONLY, dir_fd=fd), b"changed")
    """,
    "file handles": """
        class Handle(ctypes.Structure):
            _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_char * 128)]
        handle, mount = Handle(128), ctypes.c_int()
        libc.name_to_handle_at(-100, os.fsencode(T + "/data.csv"), ctypes.byref(handle), ctypes.byref(mount), 0)
        top = os.open(T, os.O_RDONLY)
        fd = libc.open_by_handle_at(top, ctypes.byref(handle), os.O_RDWR)
        if fd >= 0: os.write(fd, b"changed")
    """,
}


@pytest.fixture
def place(tmp_path: Path, name: Name, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    place = sandboxes.place(tmp_path, name)
    monkeypatch.setenv("TREE", str(place.tree))
    yield place
    assert place.is_unchanged()


@both
@pytest.mark.parametrize("attack", _FILES)
def test_files_stay(place: Place, attack: str) -> None:
    ended = place.run(sandboxes.hostile(_FILES[attack]))
    assert ended.stdout.endswith("tried\n"), ended


_HARMFUL = ("delete", "rename", "truncate", "write", "modes", "links", "descriptors", "shells", "mappings")


@pytest.mark.parametrize("attack", _HARMFUL)
def test_the_attacks_do_harm_without_a_sandbox(tmp_path: Path, attack: str) -> None:
    tree, script = tmp_path / "own" / "tree", tmp_path / "program.py"
    sandboxes.plant(tree)
    before = sandboxes.snapshot(tree)
    script.write_text(sandboxes.hostile(_FILES[attack]))
    ended = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "TREE": str(tree), "TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert ended.stdout.endswith(b"tried\n")
    is_changed = not tree.exists() or tree.stat().st_mode & 0o700 == 0 or sandboxes.snapshot(tree) != before
    remove_tree(str(tmp_path / "own"))
    assert is_changed


@pytest.mark.parametrize("name", ["landlock"])
@pytest.mark.parametrize("version", layers.varied([1, 2, 3, 4, 5], 1, 3))
@pytest.mark.parametrize("attack", ["truncate", "rename", "links", "modes"])
def test_files_stay_with_an_older_landlock(place: Place, attack: str, version: int) -> None:
    ended = place.run(sandboxes.hostile(_FILES[attack]), landlock_version=version)
    assert ended.stdout.endswith("tried\n"), ended


@pytest.mark.parametrize("name", ["namespaces"])
@pytest.mark.parametrize("attack", ["delete", "write", "modes", "mounts"])
@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a disk in the tree needs root")
def test_files_stay_where_another_disk_is_mounted_in_the_tree(place: Place, attack: str) -> None:
    """The kernel has no overlay over such a directory. The mount is seen by the sandbox and by nobody else."""
    point = place.tree / "sub" / "empty"
    words = 'mount -t tmpfs tmpfs "$0" && echo disk > "$0/file" && "$@"; echo "status $?"; cat "$0/file"; ls "$0"'
    entered = place.command(sandboxes.hostile(_FILES[attack]), str(point))
    ended = place.ended(["unshare", "--mount", "sh", "-c", words, str(point), *entered])
    assert ended.stdout == "tried\nstatus 0\ndisk\nfile\n", ended


@both
def test_a_file_named_like_a_module_of_the_library_does_not_run_outside(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("secrets", "socket", "struct", "msgspec", "tempfile", "fcntl"):
        (place.tree / f"{module}.py").write_text("open(__file__ + '.ran', 'w').close()\n")
    place.before = sandboxes.snapshot(place.tree)
    monkeypatch.syspath_prepend(str(place.tree))
    monkeypatch.setenv("PYTHONPATH", str(place.tree))
    assert place.run("import struct, os; print(os.path.exists(struct.__file__ + '.ran'))").stdout == "True\n"


@both
def test_inherited_descriptors_are_closed(place: Place) -> None:
    command = place.command(
        sandboxes.hostile("""
        for fd in range(3, 200):
            with tried:
                os.write(fd, b"changed")
                print("wrote", fd)
        """)
    )
    with open(place.tree / "data.csv", "r+b") as file:
        ended = place.ended(command, pass_fds=[file.fileno()])
    assert ended.stdout == "tried\n", ended


@both
def test_standard_input_is_read_and_cannot_be_written(place: Place) -> None:
    command = place.command(
        sandboxes.hostile("""
        print(sys.stdin.readline().strip())
        with tried, open("/proc/self/fd/0", "r+") as file: file.write("changed")
        with tried: os.write(0, b"changed")
        """)
    )
    with open(place.tree / "data.csv", "r+b") as file:
        ended = place.ended(command, stdin=file)
    assert ended.stdout == "a,b\ntried\n", ended


@both
def test_processes_outside_live_on(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "told"
    outside = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal, sys\n"
            "signal.signal(signal.SIGWINCH, lambda *_: open(sys.argv[1], 'w').close())\n"
            "print('ready', flush=True)\n"
            "while True: signal.pause()",
            str(told),
        ],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert outside.stdout
    assert outside.stdout.readline() == b"ready\n"
    monkeypatch.setenv("VICTIM", str(outside.pid))
    try:
        # A session of its own, for a signal to the group must not end the tests. To everybody only what is ignored.
        ended = place.ended(
            place.command(
                sandboxes.hostile("""
                victim = int(os.environ["VICTIM"])
                for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):
                    for pid in (victim, -victim):
                        with tried: os.kill(pid, number)
                with tried: os.kill(-1, signal.SIGWINCH)
                libc.ptrace(16, victim, 0, 0)
                libc.ptrace(8, victim, 0, 0)
                with tried, open(f"/proc/{victim}/mem", "r+b") as file: file.read(1)
                with tried, open(f"/proc/{victim}/oom_score_adj", "w") as file: file.write("1000")
                with tried:
                    import resource
                    resource.prlimit(victim, resource.RLIMIT_NOFILE, (1, 1))
                """)
            ),
            start_new_session=True,
        )
        assert ended.stdout == "tried\n", ended
        with open(f"/proc/{outside.pid}/limits") as limits, open(f"/proc/{outside.pid}/oom_score_adj") as score:
            assert outside.poll() is None
            assert not [line for line in limits if line.startswith("Max open files            1 ")]
            assert score.read() != "1000\n"
        assert not told.exists()
    finally:
        outside.kill()
        outside.wait()
        outside.stdout.close()


@both
def test_the_kernel_and_the_devices_are_out_of_reach(place: Place) -> None:
    """Opened for writing, never written to."""
    ended = place.run(
        sandboxes.hostile("""
        import stat
        paths = ["/proc/sysrq-trigger", "/proc/mtrr"]
        for top in ("/proc/sys/kernel", "/proc/sys/vm", "/sys/kernel/mm", "/sys/fs/cgroup/memory", "/proc/irq/0"):
            paths += [f"{directory}/{name}" for directory, _, names in os.walk(top) for name in names][:300]
        for name in os.listdir("/dev"):
            mode = os.stat("/dev/" + name).st_mode
            if stat.S_ISBLK(mode) or name in ("mem", "kmsg", "fuse", "kvm", "userfaultfd"):
                paths.append("/dev/" + name)
        for path in paths:
            with tried:
                fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
                if "/whydied-sandbox-" not in path: print(path)
        """)
    )
    assert ended.stdout == "tried\n", ended


@both
def test_a_signal_to_its_own_group_stays_inside(place: Place) -> None:
    """The caller and the guardian are in the group of a terminal; the program is not."""
    ended = place.ended(place.command("import os; os.kill(0, 9)"), start_new_session=True)
    assert ended.status == 137, ended


@both
def test_nothing_reaches_the_network(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        datagrams.bind(("127.0.0.1", 0))
        abstract.bind(b"\0whydied-sandbox-test")
        abstract.listen()
        monkeypatch.setenv("PORTS", f"{server.getsockname()[1]} {datagrams.getsockname()[1]}")
        ended = place.run(
            sandboxes.hostile("""
            first, second = map(int, os.environ["PORTS"].split())
            with tried: socket.create_connection(("127.0.0.1", first), 2)
            with tried: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", second))
            with tried: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9))
            with tried:
                other = socket.socket(socket.AF_UNIX)
                other.connect(b"\\0whydied-sandbox-test")
            """)
        )
        assert ended.stdout == "tried\n", ended
        for listener, ask in (
            (server, server.accept),
            (datagrams, lambda: datagrams.recv(9)),
            (abstract, abstract.accept),
        ):
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                ask()


@both
def test_sockets_in_the_file_system_are_out_of_reach(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOOR", str(tmp_path / "door"))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "door"))
        server.listen()
        ended = place.run(
            sandboxes.hostile("""
        with tried: socket.socket(socket.AF_UNIX).connect(os.environ["DOOR"])
        """)
        )
        assert ended.stdout == "tried\n", ended
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
