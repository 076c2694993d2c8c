"""Writes the contracts of a run as a file of tests for pytest, with the rows that broke them beside it. Runs in the
parent.

Invariant: the tests import NumPy and pytest (pandas where the data are read with it), and nothing of the
user's. An existing file is not replaced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from whydied.errors import UsageError
from whydied.report.contracts.data_contracts import BrokenRows, DataContract

_SKIP = 'pytest.skip("point load_data() at your data")'

_HEAD = '''"""Data contracts of run {run}, written by `whydied contract --pytest`.

This file is yours to change. Run it with: pytest {file}
"""

from pathlib import Path

import numpy as np
{imports}import pytest

HERE = Path(__file__).parent


# ---------------------------------------------------------------------------------------------------------------------
# POINT THIS AT YOUR DATA: return the arrays by name, all rows, as the model gets them.
# ---------------------------------------------------------------------------------------------------------------------
def load_data():
{load}


class Data(dict):
    def __missing__(self, name):
        pytest.skip(f"load_data() does not give {{name}}")


@pytest.fixture(scope="module")
def data():
    return Data({{name: np.asarray(value) for name, value in load_data().items()}})


def rows_where(bad):
    """The rows in which something is bad, in words; empty where there are none."""
    rows = np.flatnonzero(np.asarray(bad).reshape(len(bad), -1).any(axis=1))
    return f"{{len(rows)}} of {{len(bad)}} rows: {{rows[:20].tolist()}}" if len(rows) else ""
'''

_SAME_ROWS = '''

def rows_like(array, bad):
    """The rows of an array that are the same as one of the bad rows, NaN being the same as NaN."""
    found = set()
    for row in bad:
        same = (array == row) | ((array != array) & (row != row))
        found.update(np.flatnonzero(same.reshape(len(array), -1).all(axis=1)).tolist())
    return sorted(found)
'''


def write(contracts: Sequence[DataContract], run: str, target: Path) -> list[Path]:
    """Write the tests, and the rows as .npy files beside them. Returns what was written."""
    if target.suffix != ".py":
        raise UsageError(f"{target} is not a test file", "use a name such as test_data.py")
    if not contracts:
        raise UsageError("the run shows no data to make contracts of")
    files = _files(contracts, target.stem)
    written: list[Path] = []
    text = text_of(contracts, run, target.name)
    for path, data in [(target, text.encode()), *((target.parent / name, data) for name, data in files.items())]:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as stream:
                stream.write(data)
        except FileExistsError:
            raise UsageError(f"{path} exists and is not replaced", "name another file") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
        written.append(path)
    return written


def text_of(contracts: Sequence[DataContract], run: str, file: str) -> str:
    stem = file.removesuffix(".py")
    named = _named(contracts)
    rows = any(one.data for contract in contracts for one in contract.broken)
    loads = [contract.load or "" for contract in contracts]
    head = _HEAD.format(
        run=run,
        file=file,
        imports="import pandas as pd\n" if any(re.search(r"\bpd\.", load) for load in loads) else "",
        load=_load(named, stem),
    )
    tests = [test for word, contract in named.items() for test in _tests(word, contract, stem)]
    return head + (_SAME_ROWS if rows else "") + "".join(f"\n\n{test}" for test in tests)


def _named(contracts: Sequence[DataContract]) -> dict[str, DataContract]:
    """Each contract by the word that stands for it in the tests."""
    found: dict[str, DataContract] = {}
    for contract in contracts:
        word = re.sub(r"\W+", "_", contract.name).strip("_").lower() or "data"
        number = 2
        while word in found:
            word, number = f"{word.rstrip('0123456789_')}_{number}", number + 1
        found[word] = contract
    return found


def _load(named: dict[str, DataContract], stem: str) -> str:
    """Reads what the program reads where its source says how; else gives the bad rows, so that the tests fail until
    the good data stand there."""
    lines = ["    return {"]
    missing = []
    for word, contract in named.items():
        place = f"{contract.location.file.rsplit('/', 1)[-1]}:{contract.location.line}" if contract.location else ""
        comment = f"  # `{contract.variable}`{f' at {place}' if place else ''}"
        kept = next((at for at, one in enumerate(contract.broken) if one.data), None)
        if contract.load is not None:
            lines.append(f'        "{word}": {contract.load},{comment}')
        elif kept is not None:
            file = _row_file(stem, word, contract.broken[kept], kept)
            lines.append(f'        "{word}": np.load(HERE / "{file}"),{comment}: the rows that broke it, for now')
        else:
            missing.append(f"    # {word}: {comment.lstrip(' #')}")
    lines.append("    }")
    if not missing:
        return "\n".join(lines)
    if len(lines) == 2:
        return "\n".join([*missing, f"    {_SKIP}"])
    return "\n".join([*missing, *lines])


def _tests(word: str, contract: DataContract, stem: str) -> list[str]:
    tests = []
    if contract.shape:
        tests.append(_shape_test(word, contract))
    if contract.dtype:
        tests.append(_test(word, "type", f'assert {_data(word)}.dtype == "{contract.dtype}"'))
    if contract.finite:
        tests.append(_rows_test(word, "values_are_finite", f"~np.isfinite({_data(word)})", "must be finite"))
    if contract.low is not None or contract.high is not None:
        tests.append(_range_test(word, contract))
    if contract.classes:
        classes = ", ".join(f"{value:g}" for value in contract.classes)
        tests.append(_rows_test(word, "values_are_known", f"~np.isin({_data(word)}, [{classes}])", "seen before"))
    tests += [_broken_test(word, contract, one, at, stem) for at, one in enumerate(contract.broken) if one.data]
    return tests


def _data(word: str) -> str:
    return f'data["{word}"]'


def _test(word: str, what: str, *body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body)
    return f"def test_{word}_{what}(data):\n{lines}\n"


def _rows_test(word: str, what: str, bad: str, words: str, comment: str = "") -> str:
    said = [f"# {comment}"] if comment else []
    return _test(word, what, *said, f"wrong = rows_where({bad})", f'assert not wrong, f"{word} {words}: {{wrong}}"')


def _shape_test(word: str, contract: DataContract) -> str:
    body = [f"assert {_data(word)}.ndim == {len(contract.shape)}"]
    body += [
        f"assert {_data(word)}.shape[{at}] == {extent}"
        for at, extent in enumerate(contract.shape)
        if at and extent is not None
    ]
    return _test(word, "shape", *body)


def _range_test(word: str, contract: DataContract) -> str:
    parts = []
    if contract.low is not None:
        parts.append(f"({_data(word)} < {contract.low:g})")
    if contract.high is not None:
        parts.append(f"({_data(word)} > {contract.high:g})")
    seen = ""
    if contract.seen_low is not None and contract.seen_high is not None:
        seen = f"; seen: {contract.seen_low:g} to {contract.seen_high:g}"
    low = "" if contract.low is None else f"{contract.low:g}"
    high = "" if contract.high is None else f"{contract.high:g}"
    words = (
        f"must be from {low} to {high}"
        if low and high
        else f"must be at least {low}"
        if low
        else f"must be at most {high}"
    )
    return _rows_test(word, "values_are_in_range", " | ".join(parts), words, f"{contract.bounds}{seen}")


def _broken_test(word: str, contract: DataContract, one: BrokenRows, at: int, stem: str) -> str:
    rows = ", ".join(str(row) for row in one.rows[:8]) + (", …" if one.count > 8 else "")
    batch = f" of batch {one.batch}" if one.batch is not None else ""
    return _test(
        word,
        f"is_free_of_the_rows_that_broke_it{f'_{at + 1}' if at else ''}",
        f"# Rows {rows}{batch}: {', '.join(one.values[:4])}; expected {one.expected}.",
        f'found = rows_like({_data(word)}, np.load(HERE / "{_row_file(stem, word, one, at)}"))',
        f'assert not found, f"rows {{found[:20]}} of {word} are rows that broke the run"',
    )


def _row_file(stem: str, word: str, one: BrokenRows, at: int) -> str:
    return f"{stem}-{word}-{re.sub('[^a-z]+', '-', one.kind)}-{at + 1}.npy"


def _files(contracts: Sequence[DataContract], stem: str) -> dict[str, bytes]:
    return {
        _row_file(stem, word, one, at): one.data
        for word, contract in _named(contracts).items()
        for at, one in enumerate(contract.broken)
        if one.data
    }
