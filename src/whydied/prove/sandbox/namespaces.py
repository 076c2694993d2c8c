"""The way into namespaces, from the first process of the sandbox to the program; runs in that process and its children.

    guardian ─► keeper ─► init ─► program
                          └── a pid namespace: when init ends, so does everything in it
                └── user, mount, IPC and network namespaces; out of sight for what runs inside

The keeper unshares and waits, with the right to look into what the program hid of its files. Init makes the tree of
files, gives up its rights, starts the program, reaps, and passes on signals that come from outside.

Invariant: the program starts only after everything was made and read back; with the caller's environment, working
directory and standard streams, no other descriptor, and a session of its own, so that a signal to its process group or
a character pushed into the terminal cannot reach the caller.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import socket
import struct
import tempfile
from collections.abc import Callable, Collection
from typing import NoReturn

from whydied.linux import system_calls
from whydied.linux.mounts import mounts
from whydied.prove.sandbox import file_tree, kernel_files, standard_input
from whydied.prove.sandbox.attendance import TO_ALL, outcome, wait_for
from whydied.prove.sandbox.link import Link
from whydied.prove.sandbox.rights import KEPT_CAPABILITIES, give_up
from whydied.prove.sandbox.scratch_use import ScratchUse
from whydied.prove.sandbox.wanted import FAILED, HOME, Wanted


def keep(wanted: Wanted, argv: list[str], room: str | None, link: Link, mask: Collection[int]) -> NoReturn:
    """The keeper: never returns."""
    home = f"{wanted.scratch}/{HOME}"
    flags = (
        system_calls.CLONE_NEWUSER | system_calls.CLONE_NEWNS | system_calls.CLONE_NEWPID | system_calls.CLONE_NEWIPC
    )
    system_calls.unshare(flags | (0 if wanted.allow_network else system_calls.CLONE_NEWNET))
    # The kernel forgets this where a process gets other rights.
    system_calls.die_with_parent(signal.SIGKILL)
    link.say("unshared")
    link.await_word("mapped")
    places = [f"{home}/{name}" for name in ("layers", "root", "empty")]
    for place in places:
        os.mkdir(place)
    # Its descriptors outlive the change of the root, and do not lead into what is mounted later.
    use = ScratchUse([*places, *wanted.writable], wanted.scratch_bytes)
    pid = os.fork()
    if pid == 0:
        use.close()
        link.guarded(lambda: _begin(wanted, argv, room, link, mask))
        os._exit(FAILED)
    link.say(f"init {pid}")

    def look() -> None:
        excess = use.excess()
        if excess:
            link.say(f"ended {excess}")
            os.kill(pid, signal.SIGKILL)

    status = wait_for(pid, lambda _: None, look)
    os._exit(outcome(status))


def map_ids(pid: int) -> None:
    """Give the users and groups of the keeper's namespace the numbers that they have here: root knows all of them,
    anybody else only themselves."""
    if os.geteuid() == 0:
        for kind in ("uid", "gid"):
            with open(f"/proc/self/{kind}_map") as file:
                rows = [line.split() for line in file]
            _write_map(pid, f"{kind}_map", "".join(f"{row[0]} {row[0]} {row[2]}\n" for row in rows))
        return
    with open(f"/proc/{pid}/setgroups", "w") as file:
        file.write("deny")
    _write_map(pid, "uid_map", f"{os.geteuid()} {os.geteuid()} 1\n")
    _write_map(pid, "gid_map", f"{os.getegid()} {os.getegid()} 1\n")


def _write_map(pid: int, name: str, text: str) -> None:
    with open(f"/proc/{pid}/{name}", "w") as file:
        file.write(text)
    with open(f"/proc/{pid}/{name}") as file:
        if [line.split() for line in file] != [line.split() for line in text.splitlines()]:
            raise OSError(errno.EINVAL, f"{name} of the sandbox was not accepted")


def _begin(wanted: Wanted, argv: list[str], room: str | None, link: Link, mask: Collection[int]) -> NoReturn:
    """Init, process 1 of the sandbox."""
    system_calls.die_with_parent(signal.SIGKILL)
    os.setsid()
    directory = os.getcwd()
    stdin = standard_input.real_file()
    if not wanted.allow_network:
        _raise_loopback()
    _make_tree(wanted, room, link.note)
    standard_input.reopen(stdin)
    try:
        os.chdir(directory)
    except OSError as error:
        raise OSError(error.errno, f"the working directory {directory} is not there inside") from None
    # In its own namespace nobody else's processes count.
    give_up(wanted, 0, KEPT_CAPABILITIES if os.geteuid() == 0 else 0)
    pid = os.fork()
    if pid == 0:
        link.guarded(lambda: _become(argv, mask))
        os._exit(FAILED)
    link.close()

    def forward(received: signal.struct_siginfo) -> None:
        # Of senders in another pid namespace the kernel says 0: those inside cannot signal the group through us.
        if received.si_pid == 0:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-pid if received.si_signo in TO_ALL else pid, received.si_signo)

    os._exit(outcome(wait_for(pid, forward)))


def _become(argv: list[str], mask: Collection[int]) -> None:
    os.setpgid(0, 0)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores these two for itself.
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.execvp(argv[0], argv)


def _make_tree(wanted: Wanted, room: str | None, note: Callable[[str], None]) -> None:
    home = f"{wanted.scratch}/{HOME}"
    new_root, empty = f"{home}/root", f"{home}/empty"
    system_calls.mount("none", "/", flags=system_calls.MS_REC | system_calls.MS_PRIVATE)
    # Before the first mount of ours, which would make its directory one that the kernel cannot overlay.
    points = {mount.point for mount in mounts()}
    system_calls.bind(new_root, new_root)
    layers = file_tree.KernelLayers(home, _used(wanted))
    file_tree.build(new_root, layers, points, note)
    kernel_files.make_devices(f"{new_root}/dev", kernel_files.shared_memory_bytes(wanted.scratch_bytes))
    kernel_files.make_processes(f"{new_root}/proc")
    kernel_files.make_system(f"{new_root}/sys", [room] if room else [])
    file_tree.put_in_place(new_root, wanted.shown, layers)
    file_tree.hide(new_root, os.path.realpath(wanted.scratch), empty)
    file_tree.keep_writable(new_root, [os.path.realpath(path) for path in wanted.writable])
    system_calls.change_root(new_root)


def _used(wanted: Wanted) -> set[str]:
    """Where an ordinary user's program will want to write; root needs no help."""
    if os.geteuid() == 0:
        return set()
    places = {os.getcwd(), os.path.expanduser("~"), tempfile.gettempdir(), *map(os.path.dirname, wanted.shown)}
    places |= {wanted.project} if wanted.project else set()
    return {real for place in places if os.path.isdir(real := os.path.realpath(place))}


def _raise_loopback() -> None:
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(made, get_flags, request))[1]
        fcntl.ioctl(made, set_flags, struct.pack("16sH14x", b"lo", flags | up))
