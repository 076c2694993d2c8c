"""Shows at the first cell of a notebook's kernel why an earlier one died, where no cell could show it then; runs in the
user's process.

Invariant: it is shown once, by whichever kernel of the notebook comes to it first. What is
read here is written by `whydied.jupyter.unseen_reports`.
"""

from __future__ import annotations

import os
from typing import Any

from whydied.inside.guest.guard import guarded

_FILE = "unseen.json"
"""As `whydied.places.unseen_report` names it."""


@guarded("unseen.show")
def show(shell: Any, info: Any, run: str) -> None:
    """To be called before a cell runs, until it has been shown."""
    path = os.path.join(run, _FILE)
    if not os.path.exists(path) or getattr(info, "silent", False) or not getattr(info, "store_history", True):
        return
    import msgspec

    with open(path, "rb") as file:
        kept = msgspec.json.decode(file.read())
    os.unlink(path)
    try:
        os.unlink(kept["keeper"])
    except FileNotFoundError:
        # Another kernel of this notebook was quicker.
        return
    shell.display_pub.publish({"text/html": kept["html"], "text/plain": kept["text"]})
