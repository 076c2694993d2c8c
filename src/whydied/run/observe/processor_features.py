"""What the processors of this machine can do; runs in the parent."""

from __future__ import annotations

import os
import re

from whydied.records import ProcessorSeen

_MODEL = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)


def seen(path: str = "/proc/cpuinfo") -> ProcessorSeen | None:
    """None where the system does not tell."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    features = features_of(text)
    if not features:
        return None
    model = _MODEL.search(text)
    return ProcessorSeen(
        architecture=os.uname().machine,
        model=" ".join(model[1].split()) if model else "",
        features=sorted(features),
    )


def features_of(text: str) -> set[str]:
    """What every processor in a text of /proc/cpuinfo can do."""
    found: set[str] | None = None
    for line in text.splitlines():
        name, _, words = line.partition(":")
        if name.strip() in ("flags", "Features"):
            found = set(words.split()) if found is None else found & set(words.split())
    return found or set()
