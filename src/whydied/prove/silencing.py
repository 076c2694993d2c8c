"""Whether a change only silences a failure: what the program asked for is given up, or weights stay as they were made.
Pure.

Such a change is tried last, and its verdict says what it costs: that the program finishes does not show that it does
what was meant.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.edits.edit import Change, Edit, text_between
from whydied.source.text import Source, tree_or_empty
from whydied.source.trees import around, walk, written

_GIVES_UP = {
    "skip_mismatch": "the weights that do not fit stay as they were made",
    "ignore_errors": "what fails is left out",
}
"""Arguments that let something pass which does not fit."""
_WITHOUT_LOSS = frozenset({"verbose", "name", "workers", "use_multiprocessing", "max_queue_size", "lr", "decay"})
"""Arguments that change nothing of what is computed, or are gone from the library."""


def given_up(sources: Mapping[str, Source], change: Change) -> str:
    """What a change costs beside the failure, in half a sentence; empty where it gives nothing up."""
    for word, words in _GIVES_UP.items():
        if any(f"{word}=True" in edit.text.replace(" ", "") for edit in change.edits):
            return words
    lost = [name for edit in change.edits if (name := _dropped(sources.get(edit.file), edit))]
    return (
        f"what {' and '.join(f'`{one}`' for one in lost)} was for is given up" if lost and _only_drops(change) else ""
    )


def _only_drops(change: Change) -> bool:
    return all(not edit.text.strip(" ,()\n") for edit in change.edits)


def _dropped(source: Source | None, edit: Edit) -> str:
    """The keyword argument that an edit takes out of a call that the library takes it in."""
    if source is None:
        return ""
    old = text_between(source, edit.start, edit.end).strip(" ,\n")
    words = walk(tree_or_empty(f"f({old})"), ast.keyword) if old else []
    names = [one for one in words if one.arg is not None and one.arg not in _WITHOUT_LOSS]
    inside = around(source.tree, edit.start[0], ast.Call)
    return written(names[0]) if len(names) == 1 and inside else ""
