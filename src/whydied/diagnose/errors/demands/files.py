"""What a call demands of a path: the prefix of a checkpoint, not its directory nor one of its files. Pure."""

from __future__ import annotations

import ast
import os
import re

from whydied.diagnose.errors.advice import advised
from whydied.diagnose.errors.demands.demand import Entry, Scene, Told
from whydied.records import CheckpointSought
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.texts import saving

_READERS = ("restore", "read", "load_weights", "load_checkpoint")
_PART = re.compile(r"\.(?:index|data-\d+-of-\d+|meta)$")


def _checkpoint(scene: Scene) -> Told | None:
    index = scene.said.raised.chain.index(scene.said.link)
    sought = [one for one in scene.case.records.all(CheckpointSought) if one.link == index]
    if not sought:
        return None
    facts, name = sought[-1], os.path.basename(sought[-1].path.rstrip("/"))
    call = next((one for one in scene.calls() if callee(one) in _READERS and one.args), None)
    path = call.args[-1 if callee(call) == "restore" and len(call.args) == 2 else 0] if call is not None else None
    listed = ", ".join(facts.found) if facts.found else "none"
    if facts.is_directory and facts.found:
        text = written_in(scene.source, path) if scene.source is not None and path is not None else "directory"
        return Told(
            f"`{facts.path}` is a directory of checkpoints, and `{callee(call) if call else 'restore'}` takes the "
            f"prefix of one; it has {listed}",
            advised(f"Take the newest: `tf.train.latest_checkpoint({text})`.", "call", _newest(scene, path, text)),
            culprit=facts.path,
        )
    if _PART.sub("", name) != name and _PART.sub("", name) in facts.found:
        return Told(
            f"`{name}` is one file of a checkpoint, whose name is `{_PART.sub('', name)}`",
            advised(f"Leave the ending out: `{_PART.sub('', facts.path)}`.", "call"),
            culprit=facts.path,
        )
    if facts.is_directory or not facts.folder:
        return None
    advice = f"`{os.path.join(facts.folder, facts.found[0])}` is the newest" if facts.found else ""
    return Told(
        f"there is no checkpoint `{name}` in {facts.folder}, which has {listed}",
        advised(
            f"{advice}; `tf.train.latest_checkpoint({facts.folder!r})` gives it."
            if advice
            else "Look at the directory that the checkpoints are saved in: nothing was saved here.",
            "call",
        ),
        culprit=facts.path,
    )


def _newest(scene: Scene, path: ast.expr | None, text: str) -> list[Edit] | None:
    if path is None or scene.source is None or scene.said.place is None:
        return None
    return [over(scene.source, scene.said.place.file, path, f"tf.train.latest_checkpoint({text})")]


ENTRIES = (Entry(saving.NO_CHECKPOINT.pattern, _checkpoint), Entry(saving.NOT_A_TABLE.pattern, _checkpoint))
