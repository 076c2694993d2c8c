"""What a thread waits for, from its stack and the kernel's word."""

from __future__ import annotations

import pytest

from whydied.read.waiting import ON_PURPOSE, WORDS, kernel_kind, stand_of
from whydied.records import Frame, TaskWait, ThreadStack

LIB = "/usr/lib/python3.11"
SITE = f"{LIB}/site-packages"


def user(source: str, line: int = 7) -> Frame:
    return Frame(file="/home/ann/train.py", line=line, function="main", user=True, source=source)


def lib(file: str, function: str) -> Frame:
    return Frame(file=f"{LIB}/{file}", line=1, function=function)


def site(file: str, function: str) -> Frame:
    return Frame(file=f"{SITE}/{file}", line=1, function=function)


def thread(*frames: Frame) -> ThreadStack:
    return ThreadStack(name="MainThread", ident=1, main=True, frames=list(frames))


WAITS = {
    "lock, by with": ("lock", [user("with other:")]),
    "lock, by acquire": ("lock", [user("guard.acquire()")]),
    "thread": ("thread", [user("t.join()"), lib("threading.py", "join"), lib("threading.py", "_wait_for_tstate_lock")]),
    "end of the interpreter": ("thread", [lib("threading.py", "_shutdown")]),
    "queue": ("queue", [user("q.get()"), lib("queue.py", "get"), lib("threading.py", "wait")]),
    "full queue": ("full queue", [user("q.put(1)"), lib("queue.py", "put"), lib("threading.py", "wait")]),
    "event": ("event", [user("e.wait()"), lib("threading.py", "wait"), lib("threading.py", "wait")]),
    "condition": ("condition", [user("c.wait()"), lib("threading.py", "wait")]),
    "barrier": (
        "barrier",
        [user("b.wait()"), lib("threading.py", "wait"), lib("threading.py", "_wait"), lib("threading.py", "wait_for")],
    ),
    "semaphore": ("semaphore", [user("with s:"), lib("threading.py", "acquire"), lib("threading.py", "wait")]),
    "pool": (
        "pool",
        [
            user("pool.map(f, xs)"),
            lib("multiprocessing/pool.py", "map"),
            lib("multiprocessing/pool.py", "get"),
            lib("multiprocessing/pool.py", "wait"),
            lib("threading.py", "wait"),
            lib("threading.py", "wait"),
        ],
    ),
    "future": (
        "future",
        [user("f.result()"), lib("concurrent/futures/_base.py", "result"), lib("threading.py", "wait")],
    ),
    "child": (
        "process",
        [user("p.join()"), lib("multiprocessing/process.py", "join"), lib("multiprocessing/popen_fork.py", "poll")],
    ),
    "command": (
        "process",
        [user("p.communicate()"), lib("subprocess.py", "_communicate"), lib("selectors.py", "select")],
    ),
    "pipe": ("pipe", [user("c.recv()"), lib("multiprocessing/connection.py", "_recv")]),
    "several pipes": (
        "pipe",
        [user("wait(cs)"), lib("multiprocessing/connection.py", "wait"), lib("selectors.py", "select")],
    ),
    "pipeline": (
        "pipeline",
        [
            user("for x in data:"),
            site("tensorflow/python/data/ops/iterator_ops.py", "__next__"),
            site("tensorflow/python/ops/gen_dataset_ops.py", "iterator_get_next"),
        ],
    ),
    "op": ("tensorflow", [user("tf.matmul(a, b)"), site("tensorflow/python/ops/gen_math_ops.py", "mat_mul")]),
    "server": ("server", [user("serve()"), lib("socketserver.py", "serve_forever"), lib("selectors.py", "select")]),
    "event loop": ("server", [user("asyncio.run(f())"), lib("asyncio/base_events.py", "_run_once")]),
    "sleep": ("sleep", [user("time.sleep(600)")]),
    "key": ("input", [user("name = input('who? ')")]),
    "debugger": ("prompt", [user("breakpoint()"), lib("pdb.py", "interaction"), lib("cmd.py", "cmdloop")]),
    "nothing that is known": ("unknown", [user("solve(grid)")]),
}


@pytest.mark.parametrize("name", WAITS)
def test_a_stack_tells_what_is_waited_for(name: str) -> None:
    kind, frames = WAITS[name]
    stand = stand_of(thread(*frames))
    assert stand.kind == kind
    assert stand.kind in WORDS


def test_the_kernel_knows_of_a_sleep_that_the_source_hides() -> None:
    stand = stand_of(thread(user("pause_until(noon)")), TaskWait(tid=1, state="S", call="clock_nanosleep"))
    assert stand.kind == "sleep"


def test_a_key_is_waited_for_where_the_terminal_is_read() -> None:
    task = TaskWait(tid=1, state="S", call="read", target="/dev/pts/3")
    assert stand_of(thread(user("answer = ask()")), task).kind == "input"
    elsewhere = TaskWait(tid=1, state="S", call="read", target="pipe:[4711]")
    assert stand_of(thread(user("answer = ask()")), elsewhere).kind == "unknown"


def test_a_socket_that_brings_data_is_no_wait() -> None:
    frames = [user("conn.recv(4096)")]
    still = TaskWait(tid=1, state="S", call="recvfrom", switched=False)
    moving = TaskWait(tid=1, state="S", call="recvfrom", switched=True)
    assert stand_of(thread(*frames), still).kind == "socket"
    assert stand_of(thread(*frames), moving).kind == "running"


def test_a_native_lock_is_told_where_the_thread_never_ran() -> None:
    frames = [user("library.solve(grid)")]
    assert stand_of(thread(*frames), TaskWait(tid=1, state="S", call="futex", switched=False)).kind == "native"
    assert stand_of(thread(*frames), TaskWait(tid=1, state="S", call="futex", switched=True)).kind == "unknown"


def test_who_waits_for_a_processor_runs() -> None:
    assert stand_of(thread(user("with other:")), TaskWait(tid=1, state="R")).kind == "running"


@pytest.mark.parametrize(
    ("call", "target", "kind"),
    [
        ("futex", "", "lock"),
        ("wait4", "", "process"),
        ("epoll_wait", "", "server"),
        ("nanosleep", "", "sleep"),
        ("read", "/dev/tty1", "input"),
        ("read", "socket:[1]", "socket"),
        ("read", "pipe:[1]", "file"),
        ("write", "pipe:[1]", "full pipe"),
        ("", "", "unknown"),
    ],
)
def test_without_a_stack_the_kernel_has_to_tell(call: str, target: str, kind: str) -> None:
    assert kernel_kind(TaskWait(tid=1, state="S", call=call, target=target)) == kind


def test_what_people_and_strangers_end_is_no_fault() -> None:
    assert {"sleep", "server", "input", "prompt"} <= ON_PURPOSE
    assert not {"lock", "queue", "pool", "process"} & ON_PURPOSE
