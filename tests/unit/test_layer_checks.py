"""`[tool.whydied.assert]`: what is a check, and what is refused with a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from whydied import config
from whydied.errors import UsageError
from whydied.places import RunDirectory
from whydied.records import LayerCheck, Wishes
from whydied.run import opening


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("finite", LayerCheck(kind="finite")),
        ("range(-1.5, 2e3)", LayerCheck(kind="range", low=-1.5, high=2000.0)),
        ("range(0,)", LayerCheck(kind="range", low=0.0)),
        ("bytes<1KB", LayerCheck(kind="bytes", most=1023)),
        ("bytes <= 1KB", LayerCheck(kind="bytes", most=1024)),
        ("rank<=4", LayerCheck(kind="rank", most=4)),
        ("shape(batch 28 _)", LayerCheck(kind="shape", shape="batch 28 _")),
    ],
)
def test_checks(text: str, wanted: LayerCheck) -> None:
    found = config.parse_check(text)
    assert (found.kind, found.low, found.high, found.most, found.shape) == (
        wanted.kind,
        wanted.low,
        wanted.high,
        wanted.most,
        wanted.shape,
    )


@pytest.mark.parametrize("text", ["", "finit", "range(,)", "range(a, 1)", "range(1)", "bytes<many", "rank<=x"])
def test_what_is_no_check(text: str) -> None:
    with pytest.raises(UsageError):
        config.parse_check(text)


def test_the_table_reaches_the_recorder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.whydied.assert]\n"a*" = "finite"\nb = ["finite", "rank<=2"]\n')
    settings = config.load(tmp_path)
    assert [(group.glob, len(group.checks)) for group in settings.asserts] == [("a*", 1), ("b", 2)]
    directory = RunDirectory(tmp_path)
    opening.write_requests(directory, Wishes())
    assert not directory.wishes.exists()
    opening.write_requests(directory, opening.requests_from(settings, ["dense*"], 5, tmp_path))
    assert directory.wishes.stat().st_mode & 0o077 == 0
    assert b"dense*" in directory.wishes.read_bytes()


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.whydied]\nassert = "finite"\n')
    with pytest.raises(UsageError):
        config.load(tmp_path)
