"""A small program that is run here for real, and the case that its exception makes: what the recorder sees at an
exception, and what the rules say of it, without a process of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.unit.diagnose.case_of import recording_of
from whydied.diagnose.case import Case
from whydied.inside.errors import data_facts
from whydied.inside.errors.exception_chain import exception_raised
from whydied.inside.errors.makers import maker_facts
from whydied.inside.guest import live_source
from whydied.inside.guest.ownership import Ownership
from whydied.records import Record
from whydied.source.text import Source


def died_of(directory: Path, *texts: str, facts: Sequence[Record] = ()) -> Case:
    """The case of a program, or with several texts that of a notebook whose cells they are. `facts` were recorded
    before."""
    names: dict[str, Any] = {"__name__": "__main__"}
    # The recorder reads a file once.
    folder = directory / str(len(list(directory.iterdir())))
    sources: dict[str, Source] = {}
    for number, text in enumerate(texts, 1):
        # A cell has a file here, so that the recorder can read it; to the rules it is a cell.
        file = folder / (f"work.ipynb/cell [{number}]" if len(texts) > 1 else "train.py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).strip() + "\n")
        sources[str(file.resolve())] = Source(file.read_text())
        if len(texts) > 1:
            live_source.provide(str(file.resolve()), file.read_text())
    for name in sources:
        try:
            exec(compile(Path(name).read_text(), name, "exec"), names)
        except Exception as error:
            return _case(error, Ownership(str(directory)), sources, facts)
    raise AssertionError("nothing was raised")


def _case(error: Exception, ownership: Ownership, sources: dict[str, Source], facts: Sequence[Record]) -> Case:
    written = list(facts)
    # The frame of `died_of` is no part of the program.
    trace = error.__traceback__.tb_next if error.__traceback__ is not None else None
    written.append(exception_raised("main", error, trace, "", ownership))
    owner: Any = SimpleNamespace(ownership=ownership, write=written.append)
    data_facts.look(owner, error, trace)
    maker_facts.look(owner, error, trace)
    recording = recording_of(process=written, exit_code=1)
    recording.sources.clear()
    recording.sources.update(sources)
    return Case(recording)
