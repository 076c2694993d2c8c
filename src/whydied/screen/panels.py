"""What each panel of the view says, as text. Pure.

Invariant: texts of the program are text, never markup or terminal control; no line is wider than asked.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from itertools import pairwise

from rich.text import Text

from whydied import words
from whydied.live.memory_trend import Memory
from whydied.live.notices import Notice
from whydied.live.program import Picture, Process
from whydied.live.step_rate import Steps
from whydied.records import ObjectGroup
from whydied.report import plain

_LEVELS = {"bad": "bold red", "warning": "yellow", "news": ""}
_UNITS = {
    "train": "training",
    "test": "evaluating",
    "predict": "predicting",
    "apply": "optimizer updates",
    "function": "calls of tf.functions",
    "session": "session runs",
}
_BARS = "▁▂▃▄▅▆▇█"
_NEAR, _SOON_S = 0.8, 300.0
_IDLE_S = 30.0
HELP = (
    ("q", "quit; the program goes on"),
    ("p", "pause the view, and go on"),
    ("c", "take a census: what the program holds, and who holds it; pauses it for well under a second"),
    ("h", "this help"),
)


def head(picture: Picture, state: str) -> Text:
    """The program, and how it is."""
    started = picture.started
    command = plain.line(" ".join(_short(word) for word in started.argv)) if started else "(no program yet)"
    name = f" ({plain.line(started.name)})" if started and started.name else ""
    line = f"  {plain.line(picture.line)}" if picture.line and not picture.ended else ""
    how = {"going": "green", "ended": "bold", "abandoned": "bold red"}.get(state, "")
    said = {"going": "running", "ended": "ended", "abandoned": "its supervisor died"}.get(state, state)
    return Text.assemble(
        (command + name, "bold"), "  ", (said, how), f" {words.duration(picture.elapsed_s)}", (line, "dim")
    )


def _short(word: str) -> str:
    return os.path.basename(word) or word


def memory(seen: Memory, *, ended: bool = False) -> Text:
    if not seen.used_bytes:
        return Text("not measured yet", "dim")
    if seen.limit_bytes is None or seen.share is None:
        told = Text(f"{words.size(seen.used_bytes)}, peak {words.size(seen.peak_bytes)}")
    else:
        style = "bold red" if seen.share >= _NEAR else "bold"
        told = Text.assemble(
            (f"{words.size(seen.used_bytes)} of {words.size(seen.limit_bytes)} ({seen.share:.0%})", style),
            (f" {seen.counted}", "dim"),
        )
        same = seen.used_bytes == seen.rss_bytes
        program = "" if same else f"the program: {words.size(seen.rss_bytes)}, "
        told.append(f"\n{program}peak {words.size(seen.peak_bytes)}")
    # Of a program that has ended nothing goes on.
    return told if ended else told.append("; ").append_text(trend(seen))


def trend(seen: Memory) -> Text:
    if seen.bytes_per_s is None:
        return Text("trend: after 10 s", "dim")
    if seen.bytes_per_s == 0:
        return Text("steady")
    if seen.bytes_per_s < 0:
        return Text(f"shrinking by {words.size(-seen.bytes_per_s)}/s")
    grows = f"growing by {words.size(seen.bytes_per_s)}/s"
    if seen.to_limit_s is None:
        return Text(grows, "yellow")
    style = "bold red" if seen.to_limit_s < _SOON_S else "yellow"
    return Text(f"{grows}: at the limit in {words.duration(seen.to_limit_s)}", style)


def bars(values: Sequence[float], width: int, height: int = 1, *, from_zero: bool = True) -> Text:
    """The values as bars, as many as fit, of those that share one the highest. From zero where a share counts: between
    the lowest and the highest a memory that stands still would look as if it moved."""
    shown = [one for one in values if math.isfinite(one)]
    if len(shown) < 2 or width < 2:
        return Text("")
    ends = [at * len(shown) // width for at in range(width + 1)] if len(shown) > width else list(range(len(shown) + 1))
    tops = [max(shown[begin:end]) for begin, end in pairwise(ends)]
    low, high = 0.0 if from_zero else min(tops), max(tops)
    levels = len(_BARS) * height
    scaled = [round((one - low) / (high - low) * levels) if high > low else levels // 2 for one in tops]
    rows = []
    for row in range(height - 1, -1, -1):
        parts = [min(len(_BARS), max(0, one - row * len(_BARS))) for one in scaled]
        # The lowest row has at least a trace of each.
        rows.append("".join(_BARS[part - 1] if part else _BARS[0] if row == 0 else " " for part in parts))
    return Text("\n".join(rows))


def gpus(picture: Picture) -> list[Text]:
    rows = []
    for one in picture.gpus:
        busy = f", {one.busy_percent} % busy" if one.busy_percent is not None else ""
        used = f"{words.size(one.used_bytes)} of {words.size(one.total_bytes)}"
        rows.append(Text(f"GPU {one.number} {plain.line(one.name)}: {used}{busy}"))
    return rows


def training(picture: Picture) -> Text:
    parts = [_steps(picture.steps)] if picture.steps is not None else [Text("no training step yet", "dim")]
    seen = picture.training
    if seen is not None:
        age = picture.now_s - seen.at_s
        old = f" ({words.duration(age)} ago)" if age > 5 and not picture.ended else ""
        values = []
        if seen.losses:
            values.append(("loss", seen.losses[-1]))
        if seen.norm is not None:
            values.append(("gradient norm", seen.norm))
        if seen.learning_rate is not None:
            values.append(("learning rate", seen.learning_rate))
        line = Text("\n")
        for at, (name, value) in enumerate(values):
            line.append(", " if at else "")
            line.append(f"{name} {value:.4g}", "" if math.isfinite(value) else "bold red")
        parts.append(line.append(old, "dim"))
    return Text.assemble(*parts)


def _steps(steps: Steps) -> Text:
    kind = _UNITS.get(steps.unit, steps.unit)
    where = f"step {steps.step:,}" if steps.step is not None else f"{steps.begun:,} so far"
    # Epochs count as Keras prints them.
    epoch = f" of epoch {steps.epoch + 1:,}" if steps.epoch is not None else ""
    told = Text(f"{kind}: {where}{epoch}")
    if steps.per_s is not None:
        rate = f"{steps.per_s:.1f} steps/s" if steps.per_s >= 1 else f"{1 / steps.per_s:.1f} s a step"
        told.append(f", {rate}", "bold")
    if steps.idle_s > _IDLE_S:
        told.append(f", none for {words.duration(steps.idle_s)}", "yellow")
    return told


def holders(picture: Picture, width: int, most: int, remark: str = "") -> Text:
    census = picture.census
    if census is None:
        return Text(remark or "no census yet: c takes one", "dim")
    taken = "asked for" if census.trigger == "peek" else plain.line(census.trigger)
    ago = "" if picture.is_over else f" {words.duration(max(0.0, picture.now_s - census.at_s))} ago"
    told = f"{words.size(census.rss_bytes)} at the census{ago} ({taken})"
    rows = [Text(_fitted(remark or told, width), "dim")]
    large = [group for group in census.groups if group.size_bytes]
    rows += [Text(_fitted(f"{words.size(group.size_bytes):>9}  {_group(group)}", width)) for group in large[:most]]
    return Text("\n").join(rows)


def _group(group: ObjectGroup) -> str:
    held = next((f"`{holder.path}`: " for holder in group.holders), "")
    shape = f" {group.shape}" if group.shape is not None else ""
    dtype = f" {group.dtype}" if group.dtype else ""
    return plain.line(f"{held}{group.count:,} x {group.type.rpartition('.')[2]}{shape}{dtype}")


def processes(seen: Sequence[Process], width: int, most: int) -> Text:
    if not seen:
        return Text("none", "dim")
    first, *others = sorted(seen, key=lambda one: (not one.is_first, -one.rss_bytes))
    rows = [Text("    pid      memory  cores  name", "dim")]
    for one in [first, *others][:most]:
        cores = f"{one.cores:.1f}" if one.cores is not None else ""
        line = f"{one.pid:>7}  {words.size(one.rss_bytes):>10}  {cores:>5}  {plain.line(one.name)}"
        style = "red" if one.state in ("Z", "D") else ""
        rows.append(Text(_fitted(line + {"Z": " (dead)", "D": " (waits for a disk)"}.get(one.state, ""), width), style))
    if len(seen) > most:
        rest = sorted(seen, key=lambda one: (not one.is_first, -one.rss_bytes))[most:]
        rows.append(Text(f"{len(rest):>7} more, {words.size(sum(one.rss_bytes for one in rest))}", "dim"))
    return Text("\n").join(rows)


def findings(notices: Sequence[Notice], began_s: float) -> Text:
    """The newest last, each with its time since the start."""
    if not notices:
        return Text("nothing so far", "dim")
    rows = [
        Text.assemble(
            (f"{words.duration(max(0.0, one.at_s - began_s)):>9}  ", "dim"), (plain.line(one.words), _LEVELS[one.level])
        )
        for one in notices
    ]
    return Text("\n").join(rows)


def help_text() -> Text:
    rows = [Text.assemble((f" {key} ", "bold"), f" {told}") for key, told in HELP]
    counted = "The trend is that of the last minute, of which jumps and the ups and downs of a step are left out."
    return Text("\n").join([*rows, Text(counted, "dim")])


def _fitted(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: max(0, width - 1)]}…"
