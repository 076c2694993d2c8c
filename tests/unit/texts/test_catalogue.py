"""The catalogue of what libraries say: each entry finds its own text, and can be provoked or says why not."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).resolve().parents[3]


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("texts_script", PROJECT / "scripts" / "texts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


script = _script()
CATALOGUE = script.catalogue()
Entry = script.Entry
Text = script.Text
Outcome = script.Outcome


def test_each_entry_finds_its_own_text() -> None:
    assert len(CATALOGUE) > 250
    assert [name for name, text in CATALOGUE.items() if not script.matches(text.text, [text.example])] == []


def test_each_entry_has_a_program_or_says_why_none() -> None:
    assert [name for name, text in CATALOGUE.items() if bool(text.provoked_by) == bool(text.known_from)] == []
    for text in CATALOGUE.values():
        if text.provoked_by.endswith(".py"):
            assert (script.PROGRAMS / text.provoked_by).is_file()
        else:
            ast.parse(text.provoked_by)


def test_what_can_be_provoked_was_heard() -> None:
    missing = [name for name, text in CATALOGUE.items() if text.provoked_by and not text.seen]
    assert missing == [], "python scripts/texts.py --record " + " ".join(missing)


def test_versions_are_those_of_the_library() -> None:
    wrong = [
        (name, version)
        for name, text in CATALOGUE.items()
        for version in text.seen
        if not re.fullmatch(r"(\S+)(?: \d+\.\d+)?", version)
        or version.split()[0] not in ({"keras", "tf_keras"} if "keras" in text.library else {text.library})
    ]
    assert wrong == []


def test_each_entry_is_used() -> None:
    """One that nobody imports can go."""
    sources = [path.read_text("utf-8") for path in (PROJECT / "src" / "whydied").rglob("*.py")]
    used = {name for text in sources for name in re.findall(r"\b[a-z_]+\.([A-Z][A-Z0-9_]+)\b", text)}
    used |= {name for text in sources for name in re.findall(r"\b([A-Z][A-Z0-9_]+)\.(?:pattern|search|match)\b", text)}
    assert [name for name in CATALOGUE if name.partition(".")[2] not in used] == []


# scripts/texts.py


@pytest.mark.parametrize(
    ("seen", "outcomes", "lost"),
    [
        (("keras 3.14",), [Outcome("keras 3.15", False, "other words")], True),
        (("keras 3.14",), [Outcome("keras 3.15", True, "the words")], False),
        (("keras 2.15",), [Outcome("keras 3.15", False, "other words")], False),
        ((), [Outcome("keras 3.15", False, "other words")], True),
        (("keras 3.14",), [], False),
    ],
)
def test_a_text_is_lost_where_its_major_version_says_something_else(
    seen: tuple[str, ...], outcomes: list[object], lost: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Entry(Text("keras", "the words"), "the words", seen=seen, provoked_by="pass")
    assert script.report({"layers.WORDS": text}, {"layers.WORDS": outcomes}) == (1 if lost else 0)
    assert ("no longer found: 1" in capsys.readouterr().out) == lost


def test_versions_are_written_into_the_entries() -> None:
    source = '[A]\nexample = "a"\n\n[B]\nseen = ["keras 3.1"]\nexample = "b"\n'
    once = script.with_versions(source, "A", ["keras 3.1"])
    twice = script.with_versions(once, "A", ["keras 3.1", "keras 3.2"])
    assert (
        twice == '[A]\nseen = ["keras 3.1", "keras 3.2"]\nexample = "a"\n\n[B]\nseen = ["keras 3.1"]\nexample = "b"\n'
    )
