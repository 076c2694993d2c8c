"""Every setting is on the page that lists them, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from whydied import config

VARIABLE = re.compile(r"_?\bWHYDIED_[A-Z_]+\b")
KEY = re.compile(r"""table(?:\.get\(|\[)"([\w-]+)\"""")
_ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


@pytest.fixture
def page(project: Path) -> str:
    return (project / "docs" / "configuration.md").read_text("utf-8")


def read_variables(project: Path) -> set[str]:
    """The names in the source and the scripts."""
    files = [*(project / "src").rglob("*.py"), *(path for path in (project / "scripts").iterdir() if path.is_file())]
    return {name for file in files for name in VARIABLE.findall(file.read_text("utf-8"))}


def test_every_variable_is_on_the_page(project: Path, page: str) -> None:
    rows = {name for name in _ROW.findall(page) if VARIABLE.fullmatch(name)}
    assert rows == read_variables(project)


def test_every_key_is_on_the_page(project: Path, page: str) -> None:
    source = (project / "src" / "whydied" / "config.py").read_text("utf-8")
    table = page[page.index("| key in") : page.index("```toml")]
    keys = set(_ROW.findall(table))
    assert keys == set(KEY.findall(source))
    assert len(keys) == len(config.Config._fields)


def test_the_example_is_read_as_it_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHYDIED_RUNS", raising=False)
    example = page[page.index("```toml") + len("```toml") :]
    (tmp_path / "pyproject.toml").write_text(example[: example.index("```")])
    loaded = config.load(tmp_path)
    assert (loaded.runs, loaded.silence, loaded.keep_days, loaded.keep_bytes) == (
        tmp_path / "runs",
        ("PRC012",),
        7.0,
        500 << 20,
    )
    assert [checks.glob for checks in loaded.asserts] == ["dense*", "conv2d*"]
