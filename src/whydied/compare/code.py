"""Which lines of the user's own files differ between two runs. Pure.

Files are those that ran, as they were then. The main files belong together whatever they are called; the others by
their paths below the main file's directory. Lines that differ only in comments or blanks do not count.
"""

from __future__ import annotations

import ast
import difflib
import io
import os
import tokenize
from collections.abc import Iterator, Mapping

from whydied.compare.difference import Difference, Hunk
from whydied.read.recording import Recording
from whydied.source.text import Source
from whydied.source.trees import located

_WIDEST = 60
_NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def changed_code(good: Recording, bad: Recording) -> Iterator[Difference]:
    before, after = _files(good), _files(bad)
    for name, (file, source) in after.items():
        if name not in before:
            yield Difference(
                kind="code", what=os.path.basename(file), good="not loaded", bad=f"{len(source.lines)} lines"
            )
            continue
        for hunk in hunks(before[name][1], source, file):
            place = located({file: source}, file, min(hunk.first, max(1, len(source.lines))))
            yield Difference(
                kind="code",
                what=f"{os.path.basename(file)}:{hunk.first}",
                good=_short(hunk.old) or "(nothing)",
                bad=_short(hunk.new) or "(taken out)",
                location=place,
                hunk=hunk,
            )
    for name, (file, source) in before.items():
        if name not in after:
            yield Difference(
                kind="code", what=os.path.basename(file), good=f"{len(source.lines)} lines", bad="not loaded"
            )


def hunks(before: Source, after: Source, file: str) -> list[Hunk]:
    """What the second text has in the place of lines of the first. Lines that follow one another are told apart where
    each stands for one."""
    if ast.dump(before.tree) == ast.dump(after.tree) and before.tree.body:
        return []
    matcher = difflib.SequenceMatcher(None, before.lines, after.lines, autojunk=False)
    found = [
        part
        for tag, first, last, start, stop in matcher.get_opcodes()
        if tag != "equal"
        for part in _parts(
            Hunk(file=file, first=start + 1, old=list(before.lines[first:last]), new=list(after.lines[start:stop]))
        )
    ]
    return [one for one in found if _tokens(one.old) != _tokens(one.new)]


def _parts(hunk: Hunk) -> list[Hunk]:
    """The lines of a hunk one by one, where both sides have as many and each is a statement."""
    old = [line for line in hunk.old if _tokens([line])]
    new = [(number, line) for number, line in enumerate(hunk.new, hunk.first) if _tokens([line])]
    if len(old) != len(new) or len(old) < 2 or not all(map(_is_whole, [*old, *(line for _, line in new)])):
        return [hunk]
    pairs = zip(old, new, strict=True)
    return [Hunk(file=hunk.file, first=number, old=[was], new=[line]) for was, (number, line) in pairs]


def _is_whole(line: str) -> bool:
    try:
        ast.parse(line.strip())
    except SyntaxError:
        return False
    return True


def taken_back(text: Source, chosen: list[Hunk]) -> str:
    """The second text with the first one's lines in the place of these hunks."""
    lines = list(text.lines)
    for hunk in sorted(chosen, key=lambda one: -one.first):
        lines[hunk.first - 1 : hunk.first - 1 + len(hunk.new)] = hunk.old
    return "".join(f"{line}\n" for line in lines)


def _files(recording: Recording) -> dict[str, tuple[str, Source]]:
    """The files of a run by a name that the other run has too."""
    main = recording.process_of_program.main_file if recording.process_of_program else None
    started = recording.started
    root = os.path.dirname(main) if main else started.cwd if started else ""
    project: Mapping[str, Source] = {**recording.project, **recording.sources}
    return {"<main>" if file == main else os.path.relpath(file, root): (file, one) for file, one in project.items()}


def _tokens(lines: list[str]) -> list[str]:
    """What is code in some lines; the lines themselves where they are not whole statements."""
    text = "\n".join(line.strip() for line in lines)
    try:
        found = tokenize.generate_tokens(io.StringIO(text).readline)
        return [token.string for token in found if token.type not in _NO_CODE]
    except (tokenize.TokenError, SyntaxError):
        return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def _short(lines: list[str]) -> str:
    """The first line of code, with how many follow."""
    kept = [line.strip() for line in lines if line.strip()]
    if not kept:
        return ""
    first = kept[0] if len(kept[0]) <= _WIDEST else f"{kept[0][: _WIDEST - 1]}…"
    return first if len(kept) == 1 else f"{first} (+{len(kept) - 1} lines)"
