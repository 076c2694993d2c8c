"""What the workers of a pool load, loaded once."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs.pool_edits import loaded_before_fork

LOAD = "def load(path):\n    global table\n    table = read(path)\n"


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("Pool(8, initializer=load, initargs=(name,))", ["load(name)", "with Pool(8) as pool:"]),
        (
            "futures.ProcessPoolExecutor(initializer=load, max_workers=2)",
            ["load()", "with futures.ProcessPoolExecutor(max_workers=2) as pool:"],
        ),
        ("Pool(8)", None),
        ("Pool(8, initializer=load, initargs=names)", None),
        ("ProcessPoolExecutor(8, initializer=load, mp_context=spawn)", None),
        ("Pool(8, initializer=other)", None),
    ],
)
def test_an_initializer_is_called_before_the_fork(pool: str, expected: list[str] | None) -> None:
    source = source_of(f"{LOAD}with {pool} as pool:\n    pool.map(score, rows)\n")
    made = loaded_before_fork(source, FILE, 4)
    assert (after(source, made) if made else None) == expected


def test_an_initializer_that_sets_no_globals_stays() -> None:
    source = source_of("def load():\n    seed(1)\npool = Pool(8, initializer=load)\n")
    assert loaded_before_fork(source, FILE, 3) == []
