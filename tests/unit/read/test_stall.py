"""Who waits for whom, and whether that is a hang."""

from __future__ import annotations

from typing import Any

from whydied.read.stall import examine
from whydied.read.waiting import NO_PYTHON
from whydied.records import Frame, LockUse, ProcessWait, StacksTaken, TaskWait, ThreadStack
from whydied.records.hangs import Polled

FILE = "/home/ann/train.py"
LIB = "/usr/lib/python3.11"


def user(source: str, line: int = 7) -> Frame:
    return Frame(file=FILE, line=line, function="main", user=True, source=source)


def lib(file: str, function: str) -> Frame:
    return Frame(file=f"{LIB}/{file}", line=1, function=function)


def queue_get(line: int = 7) -> list[Frame]:
    return [user("q.get()", line), lib("queue.py", "get"), lib("threading.py", "wait")]


def thread(ident: int, *frames: Frame, **fields: Any) -> ThreadStack:
    name = "MainThread" if ident == 1 else f"worker-{ident}"
    return ThreadStack(name=name, ident=ident, main=ident == 1, frames=list(frames), **fields)


def uses(how: str, lock: int, line: int, **fields: Any) -> LockUse:
    return LockUse(how=how, name=f"lock{lock}", kind="lock", lock=lock, file=FILE, line=line, **fields)


def taken(pid: int, *threads: ThreadStack) -> StacksTaken:
    return StacksTaken(pid=pid, how="inside", moment=1, threads=list(threads))


def process(pid: int, ppid: int = 1, call: str = "futex", **fields: Any) -> ProcessWait:
    task = TaskWait(tid=pid, state="S", call=call, switched=False)
    return ProcessWait(pid=pid, ppid=ppid, name="python", state="S", tasks=[task], **fields)


def test_two_threads_that_wait_for_each_other() -> None:
    first = thread(1, user("with b:"), locks=[uses("waits", 2, 9), uses("holds", 1, 8)])
    second = thread(2, user("with a:"), locks=[uses("waits", 1, 14), uses("holds", 2, 13)])
    stall = examine(100, [process(100)], [taken(100, first, second)])
    assert stall.hangs
    assert [knot.thread.ident for knot in stall.circle] == [1, 2]
    assert [knot.held.line for knot in stall.circle if knot.held] == [13, 8]


def test_locks_in_the_same_order_make_no_circle() -> None:
    first = thread(1, user("with a:"), locks=[uses("waits", 1, 8)])
    second = thread(2, user("time.sleep(1)"), locks=[uses("holds", 1, 13), uses("holds", 2, 14)])
    stall = examine(100, [process(100)], [taken(100, first, second)])
    assert not stall.circle
    assert not stall.hangs, "the holder only lets time pass"


def test_a_lock_taken_twice_and_the_same_lock_of_another_process() -> None:
    alone = thread(1, user("with a:"), locks=[uses("waits", 1, 9), uses("holds", 1, 8)])
    assert len(examine(100, [process(100)], [taken(100, alone)]).circle) == 1
    waits = taken(100, thread(1, user("with a:"), locks=[uses("waits", 1, 9)]))
    holds = taken(101, thread(1, *queue_get(), locks=[uses("holds", 1, 8)]))
    assert not examine(100, [process(100), process(101, 100)], [waits, holds]).circle


def test_a_join_is_part_of_a_circle_and_a_reentrant_lock_names_its_owner() -> None:
    main = thread(1, user("t.join()"), lib("threading.py", "join"), joins=2)
    writer = thread(2, user("guard.acquire()"), locks=[uses("waits", 1, 12, owner=1)])
    stall = examine(100, [process(100)], [taken(100, main, writer)])
    assert stall.hangs
    assert len(stall.circle) == 2


def pooled(ident: int, *frames: Frame, **fields: Any) -> ThreadStack:
    return thread(ident, lib("concurrent/futures/thread.py", "_worker"), *frames, **fields)


def waits_for_future(**fields: Any) -> ThreadStack:
    frames = [user("f.result()", 5), lib("concurrent/futures/_base.py", "result"), lib("threading.py", "wait")]
    return thread(1, *frames, **fields)


def test_a_lock_that_is_held_while_a_task_needs_it() -> None:
    main = waits_for_future(locks=[uses("holds", 1, 4)])
    task = pooled(2, user("with a:"), locks=[uses("waits", 1, 9)])
    stall = examine(100, [process(100)], [taken(100, main, task)])
    assert [knot.kind for knot in stall.circle] == ["future", "lock"]
    sleeping = pooled(3, user("time.sleep(60)"))
    assert not examine(100, [process(100)], [taken(100, main, task, sleeping)]).circle, "it may be the task"


def test_many_workers_that_wait_are_looked_through_at_once() -> None:
    waits = [user("f.result()"), lib("concurrent/futures/_base.py", "result"), lib("threading.py", "wait")]
    stall = examine(100, [process(100)], [taken(100, waits_for_future(), *(pooled(n, *waits) for n in range(2, 40)))])
    assert stall.hangs
    assert not stall.circle


def test_the_chain_goes_from_the_join_to_the_queue() -> None:
    main = thread(1, user("t.join()", 20), lib("threading.py", "join"), joins=2)
    stall = examine(100, [process(100)], [taken(100, main, thread(2, *queue_get(9)))])
    assert stall.hangs
    assert [(waiter.stand.kind, waiter.stand.line and waiter.stand.line.line) for waiter in stall.chain] == [
        ("thread", 20),
        ("queue", 9),
    ]


def test_a_joined_thread_that_sleeps_is_no_hang() -> None:
    main = thread(1, user("t.join()"), lib("threading.py", "join"), joins=2)
    assert not examine(100, [process(100)], [taken(100, main, thread(2, user("time.sleep(60)")))]).hangs


def test_an_event_may_be_set_by_a_server_and_not_by_a_waiting_thread() -> None:
    main = thread(1, user("e.wait()"), lib("threading.py", "wait"), lib("threading.py", "wait"))
    server = thread(
        2, lib("threading.py", "run"), lib("socketserver.py", "serve_forever"), lib("selectors.py", "select")
    )
    assert not examine(100, [process(100)], [taken(100, main, server)]).hangs
    assert examine(100, [process(100)], [taken(100, main, thread(2, *queue_get()))]).hangs


def test_a_worker_at_work_is_followed_and_an_idle_one_is_not() -> None:
    main = thread(1, user("pool.map(f, xs)", 30), lib("multiprocessing/pool.py", "get"), lib("threading.py", "wait"))
    idle = taken(
        101, thread(1, lib("multiprocessing/pool.py", "worker"), lib("multiprocessing/connection.py", "_recv"))
    )
    busy = taken(102, thread(1, *queue_get(11)))
    processes = [process(100), process(101, 100), process(102, 100)]
    stall = examine(100, processes, [taken(100, main), idle, busy])
    assert stall.hangs
    assert [waiter.pid for waiter in stall.chain] == [100, 102]
    assert [waiter.pid for waiter in examine(100, processes, [taken(100, main), idle]).chain] == [100]


def test_a_worker_that_sleeps_keeps_the_pool_waiting_on_purpose() -> None:
    main = thread(1, user("pool.map(f, xs)"), lib("multiprocessing/pool.py", "get"), lib("threading.py", "wait"))
    busy = taken(101, thread(1, user("time.sleep(600)")))
    assert not examine(100, [process(100), process(101, 100)], [taken(100, main), busy]).hangs


def test_a_shell_is_looked_through() -> None:
    stall = examine(100, [process(100, call="wait4"), process(101, 100)], [taken(101, thread(1, *queue_get()))])
    assert stall.hangs
    assert stall.chain[0].pid == 101


def test_nothing_is_said_where_no_stack_is_known() -> None:
    assert not examine(100, [process(100)], []).hangs


def test_a_command_that_waits_for_the_network_is_left_alone() -> None:
    main = thread(1, user("subprocess.run(cmd)"), lib("subprocess.py", "_try_wait"), awaits=101)
    remote = ProcessWait(
        pid=101, ppid=100, name="ssh", state="S", tasks=[TaskWait(tid=101, state="S", call="poll", switched=False)]
    )
    assert not examine(100, [process(100), remote], [taken(100, main)]).hangs


def test_a_command_of_another_language_may_rest_on_a_lock() -> None:
    main = thread(1, user("subprocess.run(cmd)"), lib("subprocess.py", "_try_wait"), awaits=101)
    assert not examine(100, [process(100), process(101, 100, without=NO_PYTHON)], [taken(100, main)]).hangs
    assert examine(100, [process(100), process(101, 100, without="ptrace is forbidden")], [taken(100, main)]).hangs


POLLS = Polled(condition="q.qsize() != count", line=6, values={"q.qsize()": "1", "count": "0"})


def poller() -> ThreadStack:
    return thread(1, user("time.sleep(0.05)"), polls=POLLS)


def polling(*switched: tuple[int, bool | None], **fields: Any) -> ProcessWait:
    """A process whose main thread sleeps, with other tasks that ran or did not."""
    tasks = [TaskWait(tid=100, state="S", call="clock_nanosleep", switched=True)]
    tasks += [TaskWait(tid=tid, state="S", call="futex", switched=ran) for tid, ran in switched]
    return ProcessWait(pid=100, ppid=1, name="python", state="S", tasks=tasks, **fields)


RECORDER = (101, True)


def waiting(source: str = "self.go.acquire()") -> ThreadStack:
    return thread(2, user(source), lib("threading.py", "acquire"), lib("threading.py", "wait"), native_id=102)


def test_a_condition_that_no_thread_can_change_is_a_hang() -> None:
    stall = examine(100, [polling(RECORDER, (102, False))], [taken(100, poller(), waiting())])
    assert stall.hangs
    assert stall.chain[-1].stand.kind == "polled"


def test_a_healthy_poller_is_no_hang() -> None:
    still = polling(RECORDER, (102, False))
    plain = thread(1, user("time.sleep(0.05)"))
    timer = thread(2, lib("threading.py", "run"), lib("threading.py", "wait"), native_id=102)
    answers = thread(2, user("sock.recv(10)"), lib("socket.py", "recv"), native_id=102)
    sleeper = thread(2, user("time.sleep(600)"), native_id=102)
    child = ProcessWait(pid=200, ppid=100, name="python", state="S")
    for why, processes, threads in (
        ("no condition of its own", [still], [plain, waiting()]),
        ("the worker ran", [polling(RECORDER, (102, True))], [poller(), waiting()]),
        ("it is not known yet", [polling((101, None), (102, None))], [poller(), waiting()]),
        ("native threads ran", [polling(RECORDER, (102, False), (103, True))], [poller(), waiting()]),
        ("the worker goes on by itself", [still], [poller(), waiting("self.go.acquire(timeout=60)")]),
        ("the same, by position", [still], [poller(), waiting("self.go.wait(60)")]),
        ("a timer", [still], [poller(), timer]),
        ("another machine answers", [still], [poller(), answers]),
        ("the worker sleeps", [still], [poller(), sleeper]),
        ("another process works", [still, child], [poller(), waiting()]),
    ):
        assert not examine(100, processes, [taken(100, *threads)]).hangs, why
