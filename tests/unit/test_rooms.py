"""The tree says where a line belongs: no folder is too full, no file is two ideas, a name means one thing."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

MOST_MODULES = 25
MOST_LINES = 500
SAME_CONCEPT = {"cells", "contracts", "journal", "kept_sources", "watched"}
"""What one layer records, another reads or judges, under the same name on purpose."""
NAMED_AFTER_OTHERS = ("records", "cli")
"""Records are named after what they are about, and a command's file after what it runs."""
ENTRANCES = ("__init__", "__main__", "sitecustomize")


def _modules(source: Path) -> list[Path]:
    return [path for path in sorted(source.rglob("*.py")) if path.stem not in ENTRANCES]


def crowded(source: Path) -> list[str]:
    numbers: dict[Path, int] = defaultdict(int)
    for path in _modules(source):
        numbers[path.parent] += 1
    return [folder.name for folder, number in numbers.items() if number > MOST_MODULES]


def long(source: Path) -> list[str]:
    return [path.name for path in source.rglob("*.py") if len(path.read_text("utf-8").splitlines()) > MOST_LINES]


def ambiguous(source: Path) -> list[str]:
    places: dict[str, list[Path]] = defaultdict(list)
    for path in _modules(source):
        if path.relative_to(source).parts[0] not in NAMED_AFTER_OTHERS:
            places[path.stem].append(path)
    return [name for name, paths in places.items() if len(paths) > 1 and name not in SAME_CONCEPT]


@pytest.mark.parametrize("check", [crowded, long, ambiguous])
def test_the_rooms(check: object, project: Path) -> None:
    assert callable(check)
    assert check(project / "src" / "whydied") == []


def test_the_checks_can_fail(tmp_path: Path) -> None:
    for number in range(MOST_MODULES + 1):
        path = tmp_path / "full" / f"module_{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    for folder in ("one", "two", "records"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "steps.py").write_text("x = 1\n" * (MOST_LINES + 1 if folder == "two" else 1))
    assert (crowded(tmp_path), long(tmp_path), ambiguous(tmp_path)) == (["full"], ["steps.py"], ["steps"])


def test_a_concept_of_several_layers_is_still_one(project: Path) -> None:
    """A name that is no longer shared leaves the list."""
    modules = [path.stem for path in _modules(project / "src" / "whydied") if path.parent.name != "records"]
    assert {name for name in SAME_CONCEPT if modules.count(name) < 2} == set()
