from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from whydied.live.memory_trend import Memory
from whydied.live.notices import Notice
from whydied.live.program import Census, LiveProgram, Process, Training
from whydied.live.step_rate import Steps
from whydied.records import Holder, ObjectGroup, RunStarted
from whydied.screen import panels

MIB = 1 << 20
EMPTY = LiveProgram().at(100.0)


def test_memory_with_its_trend_and_the_time_that_is_left() -> None:
    seen = Memory(300 * MIB, 320 * MIB, 300 * MIB, 600 * MIB, "resident memory of the program", 2 * MIB, 150.0)
    assert panels.memory(seen).plain == (
        "300 MiB of 600 MiB (50%) resident memory of the program\n"
        "peak 320 MiB; growing by 2.00 MiB/s: at the limit in 2 min 30 s"
    )
    assert panels.memory(seen, ended=True).plain.endswith("\npeak 320 MiB")
    assert panels.memory(seen._replace(used_bytes=500 * MIB)).plain.split("\n")[1].startswith("the program: 300 MiB,")
    assert panels.memory(seen._replace(limit_bytes=None, to_limit_s=None)).plain == (
        "300 MiB, peak 320 MiB; growing by 2.00 MiB/s"
    )
    assert panels.memory(Memory()).plain == "not measured yet"
    assert panels.trend(seen._replace(bytes_per_s=0.0)).plain == "steady"
    assert panels.trend(seen._replace(bytes_per_s=-3.0 * MIB)).plain == "shrinking by 3.00 MiB/s"


def test_steps_and_losses() -> None:
    picture = EMPTY._replace(
        now_s=100.0,
        steps=Steps("train", 500, 12.34, 2, 31, 0.1),
        training=Training("train_step", (0.5, float("nan")), 3.25, 0.01, 99.0),
    )
    assert panels.training(picture).plain == (
        "training: step 31 of epoch 3, 12.3 steps/s\nloss nan, gradient norm 3.25, learning rate 0.01"
    )
    slow = picture._replace(steps=Steps("session", 7, 0.5, None, None, 90.0), training=None)
    assert panels.training(slow).plain == "session runs: 7 so far, 2.0 s a step, none for 1 min 30 s"
    assert panels.training(EMPTY).plain == "no training step yet"


def test_holders_and_processes() -> None:
    group = ObjectGroup(
        kind="tensor", type="tf.EagerTensor", count=12, size_bytes=40 * MIB, shape=[8, 8], dtype="float32",
        holders=[Holder(path="self.debug", root="attribute")],
    )  # fmt: skip
    nothing = ObjectGroup(kind="file", type="io.TextIOWrapper", count=3, size_bytes=0)
    picture = EMPTY._replace(census=Census(95.0, 7, "peek", 90 * MIB, (group, nothing)))
    assert panels.holders(picture, 60, 8).plain == (
        "90.0 MiB at the census 5.0 s ago (asked for)\n 40.0 MiB  `self.debug`: 12 x EagerTensor [8, 8] float32"
    )
    assert panels.holders(EMPTY, 60, 8).plain == "no census yet: c takes one"
    several = [Process(number, "worker", "S", number * MIB, 1, 0.5, number == 3) for number in range(1, 7)]
    lines = panels.processes(several, 60, 3).plain.split("\n")
    assert [line.split()[0] for line in lines[1:]] == ["3", "6", "5", "3"]
    assert lines[-1].endswith("3 more, 7.00 MiB")


def test_bars_start_at_zero_and_keep_peaks() -> None:
    assert panels.bars([100.0, 101.0, 100.0], 10).plain == "███"
    assert panels.bars([0.0, 4.0, 8.0], 10, from_zero=False).plain == "▁▄█"
    tall = panels.bars([8.0, 16.0], 10, 2).plain
    assert tall == " █\n██"
    peak = panels.bars([1.0] * 500 + [9.0] + [1.0] * 500, 40).plain
    assert len(peak) == 40
    assert peak.count("█") == 1
    assert panels.bars([], 10).plain == panels.bars([1.0], 10).plain == ""


@given(st.text(max_size=60))
def test_a_hostile_program_prints_no_control_and_no_markup(text: str) -> None:
    started = RunStarted(
        run_id="x", argv=[text], cwd="", wall_time_s=0, boot_id="", supervisor_pid=1, whydied_version="", name=text
    )
    group = ObjectGroup(kind="x", type=text, count=1, size_bytes=5, holders=[Holder(path=text, root="local")])
    picture = EMPTY._replace(
        started=started,
        line=text,
        census=Census(1.0, 1, text, 1, (group,)),
        processes=(Process(1, text, "R", 1, 1, None, True),),
    )
    shown = [
        panels.head(picture, "going"),
        panels.holders(picture, 40, 5),
        panels.processes(picture.processes, 40, 5),
        panels.findings([Notice(1.0, "bad", text)], 0.0),
    ]
    assert all(character.isprintable() or character == "\n" for one in shown for character in one.plain)
