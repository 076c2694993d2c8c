"""An option of the command line is asked for that was not declared under that name.

## What it detects
`args.batch_size` where no `add_argument` declares `--batch-size`: the option is missing, misspelt, or has its value in
its name (`"--batch-size=5"`).

## Why it happens
`argparse` makes the attribute's name of the option's whole text: dashes become underscores, and all else stays.

## Evidence
The attribute, and the declared options.

## How it is proved
The options are read from the source that ran: likely.

## Fix
The option under the name that is asked for.

## Known problems
Options that a library declares are not seen.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import Frame
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change, Edit, over
from whydied.source.origins.value_makers import options
from whydied.source.text import Source

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    link = root_link(case)
    if link is None or link.type != "AttributeError" or not (link.wanted_in or "").endswith("Namespace"):
        return None
    declared = [(file, call, word) for file, call in options(case.project) if (word := _word(call)) is not None]
    wanted = link.wanted or ""
    found = next((one for one in declared if _attribute(one[2].value).partition("=")[0] == wanted), None)
    failing = place_of(case)
    if found is None or failing is None or "=" not in str(found[2].value):
        return None
    file, call, word = found
    place = case.locate(Frame(file=file, line=call.lineno, function="", user=True))
    name, _, value = str(word.value).partition("=")
    return Finding(
        message=f"{prefix(place)}the option {word.value!r} has a value in its name, so there is no `{wanted}` for "
        f"{line_words(failing)}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="option", name=str(word.value), near=[name]),
        evidence=[
            said(link),
            Evidence(
                fact="declared options", value=", ".join(str(one[2].value) for one in declared), source="the source"
            ),
        ],
        advice=[f"Write `{name!r}` and `default={value}`, or pass `{name} {value}` on the command line."],
        changes=_changes(case.project[file], file, call, word, name, value),
    )


def _word(call: ast.Call) -> ast.Constant | None:
    """The long name of an option, else its first."""
    words = [one for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return next((one for one in words if str(one.value).startswith("--")), words[0] if words else None)


def _attribute(option: object) -> str:
    return str(option).lstrip("-").replace("-", "_")


def _changes(source: Source, file: str, call: ast.Call, word: ast.Constant, name: str, value: str) -> list[Change]:
    edits: list[Edit | None] = [over(source, file, word, f'"{name}"')]
    numeric = value.replace(".", "", 1).isdigit()
    edits.append(set_argument(source, file, call, "default", None, value if numeric else f'"{value}"'))
    made = [edit for edit in edits if edit is not None]
    return [Change(title=f"Declare `{name}` with its default", kind="argument", edits=made)]
