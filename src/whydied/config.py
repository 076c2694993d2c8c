"""Environment and `[tool.whydied]` of the nearest pyproject.toml, as one frozen Config.

[tool.whydied]
runs = "runs"             # where recordings go, relative to this file
silence = ["PRC012"]      # findings to leave out of reports
keep-days = 30            # for `whydied runs --prune`, which also happens quietly after each run
keep-bytes = "2G"

[tool.whydied.assert]     # checks of the outputs of Keras layers, by name; see docs/assertions.md
"dense*" = "finite"
"conv2d*" = ["finite", "range(-10, 10)", "bytes<1GB", "rank<=4", "shape(batch 28 28 _)"]

[tool.whydied.lint]       # for `whydied lint`; see docs/lint.md
select = ["LNT"]          # codes or prefixes; all without it
ignore = ["LNT018"]
exclude = ["third_party"]
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from whydied import places, words
from whydied.errors import UsageError
from whydied.records import LayerCheck, LayerChecks

LEAST_LIMIT_BYTES = 32 << 20
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SECONDS = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


class LintSettings(NamedTuple):
    """Codes or prefixes that `whydied lint` checks and leaves out, and files that it skips."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class Config(NamedTuple):
    runs: Path | None = None
    silence: tuple[str, ...] = ()
    keep_days: float = 30.0
    keep_bytes: int = 2 << 30
    asserts: tuple[LayerChecks, ...] = ()
    lint: LintSettings = LintSettings()


def load(directory: Path) -> Config:
    """The configuration for a directory. The environment wins over the file."""
    path = next((p for d in (directory, *directory.parents) if (p := d / "pyproject.toml").is_file()), None)
    table: dict[str, Any] = _table(path) if path else {}
    config = Config(
        runs=path.parent / str(table["runs"]) if path and "runs" in table else None,
        silence=tuple(str(code) for code in table.get("silence", ())),
        keep_days=float(table.get("keep-days", Config().keep_days)),
        keep_bytes=parse_bytes(str(table.get("keep-bytes", Config().keep_bytes))),
        asserts=tuple(_layer_checks(path, table.get("assert", {}))),
        lint=_lint_settings(path, table.get("lint", {})),
    )
    return config._replace(runs=None) if os.environ.get(places.ENV_RUNS) else config


def of_working_directory() -> Config:
    """The usual one where that directory is gone or forbidden."""
    try:
        return load(Path.cwd())
    except OSError:
        return Config()


def _table(path: Path) -> dict[str, Any]:
    try:
        import tomllib
    except ModuleNotFoundError:
        import tomli as tomllib  # type: ignore[import-not-found,no-redef]
    try:
        table = tomllib.loads(path.read_text("utf-8")).get("tool", {}).get("whydied", {})
    except OSError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}", "fix the file, or run elsewhere") from error
    return table if isinstance(table, dict) else {}


def _layer_checks(path: Path | None, table: Any) -> list[LayerChecks]:
    if not isinstance(table, dict):
        raise UsageError(f"[tool.whydied.assert] in {path} is not a table", 'write lines like "dense*" = "finite"')
    found = []
    for glob, texts in table.items():
        texts = texts if isinstance(texts, list) else [texts]
        found.append(LayerChecks(glob=glob, checks=[parse_check(str(text)) for text in texts]))
    return found


def _lint_settings(path: Path | None, given: Any) -> LintSettings:
    known = LintSettings._fields
    if not isinstance(given, dict) or not set(given) <= set(known):
        raise UsageError(f"[tool.whydied.lint] in {path} is not understood", f"its keys are {', '.join(known)}")
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    return LintSettings(**{name: tuple(str(one) for one in value) for name, value in lists.items()})


def parse_check(text: str) -> LayerCheck:
    """`finite`, `range(-1, 1)`, `range(0,)`, `bytes<1GB`, `rank<=4`, `shape(batch 28 28 1)`: a check of tensors."""
    word = text.strip()
    if word == "finite":
        return LayerCheck(kind="finite", text=word)
    if match := re.fullmatch(r"range\(\s*([^,\s]*)\s*,\s*([^,\s]*)\s*\)", word):
        low, high = (_bound(part, text) for part in match.groups())
        if (low, high) != (None, None):
            return LayerCheck(kind="range", low=low, high=high, text=word)
    if match := re.fullmatch(r"bytes\s*(<=?)\s*(.+)", word):
        return LayerCheck(kind="bytes", most=parse_bytes(match[2]) - (match[1] == "<"), text=word)
    if match := re.fullmatch(r"rank\s*(<=?)\s*(\d+)", word):
        return LayerCheck(kind="rank", most=int(match[2]) - (match[1] == "<"), text=word)
    if match := re.fullmatch(r"shape\((.*)\)", word):
        return LayerCheck(kind="shape", shape=match[1].strip(), text=word)
    raise _no_check(text)


def _bound(text: str, check: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise _no_check(check) from None


def _no_check(text: str) -> UsageError:
    return UsageError(
        f"{text!r} in [tool.whydied.assert] is not a check",
        "write finite, range(-1, 1), bytes<1GB, rank<=4 or shape(batch 28 28 1)",
    )


def parse_bytes(text: str) -> int:
    """`4G`, `512M`, `1.5GiB`, `2000000`: a size, in powers of 1024."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if not match:
        raise UsageError(f"{text!r} is not a size", "write it like 4G, 512M or 2000000")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def parse_memory_limit(text: str) -> int:
    """A size that a program can run in: a forgotten unit must not look like a death."""
    size_bytes = parse_bytes(text)
    if size_bytes < LEAST_LIMIT_BYTES:
        raise UsageError(
            f"a memory limit of {words.size(size_bytes)} is less than Python itself needs",
            f"write it with a unit, like {text.strip()}G" if text.strip().isdigit() else "give at least 32M",
        )
    return size_bytes


def parse_seconds(text: str) -> float:
    """`30`, `30s`, `5m`, `1.5h`: a time."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d|)\s*", text, re.IGNORECASE)
    if not match:
        raise UsageError(f"{text!r} is not a time", "write it like 30s, 5m or 1.5h")
    return float(match[1]) * _SECONDS[match[2].lower()]
