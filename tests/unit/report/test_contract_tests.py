"""Tests that `whydied contract` writes: they hold for good data and fail for the rows that broke the run."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from whydied.errors import UsageError
from whydied.report.contracts import blamed_rows, contract_tests
from whydied.report.contracts.data_contracts import BrokenRows, DataContract


def npy(array: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asarray(array))
    return stream.getvalue()


def contract(**fields: object) -> DataContract:
    facts = {
        "name": "x",
        "variable": "features",
        "role": "input",
        "kind": "fit",
        "model": "m",
        "location": None,
        "shape": [None, 3],
        "dtype": "float64",
        "rows_seen": 10,
        "rows": 10,
        "finite": True,
        "low": 0.0,
        "high": 1.0,
        "bounds": "seen",
    }
    return DataContract(**{**facts, **fields})  # type: ignore[arg-type]


def ran(path: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout


def test_good_data_pass_and_bad_rows_fail(tmp_path: Path) -> None:
    good = np.linspace(0, 1, 30).reshape(10, 3)
    bad = good.copy()
    bad[4, 1], bad[6, 2] = np.nan, 7
    kept = [
        BrokenRows(expected="finite values", kind="finite", rows=[4], count=1, values=["nan"], data=npy(bad[[4]])),
        BrokenRows(expected="values to 1", kind="range", rows=[6], count=1, values=["7"], data=npy(bad[[6]])),
    ]
    np.save(tmp_path / "data.npy", bad)
    target = tmp_path / "test_data.py"
    load = f"np.load({str(tmp_path / 'data.npy')!r})"
    written = contract_tests.write([contract(broken=kept, load=load)], "run-1", target)
    assert [path.name for path in written] == ["test_data.py", "test_data-x-finite-1.npy", "test_data-x-range-2.npy"]
    status, output = ran(target)
    assert status == 1
    assert "4 failed" in output
    assert "1 of 10 rows: [4]" in output
    assert "1 of 10 rows: [6]" in output
    np.save(tmp_path / "data.npy", good)
    assert ran(target)[0] == 0


def test_without_a_way_to_load_the_bad_rows_stand_for_the_data(tmp_path: Path) -> None:
    rows = BrokenRows(
        expected="finite values", kind="finite", rows=[4], count=1, values=["nan"], data=npy([[0.0, np.nan, 1.0]])
    )
    target = tmp_path / "test_data.py"
    contract_tests.write([contract(broken=[rows]), contract(name="y", finite=False)], "run-1", target)
    status, output = ran(target)
    assert status == 1
    assert "2 failed" in output
    assert "skipped" in output


def test_of_a_good_run_without_a_way_to_load_all_is_skipped(tmp_path: Path) -> None:
    target = tmp_path / "test_data.py"
    contract_tests.write([contract(), contract(name="x['ids']", classes=[0.0, 1.0])], "run-1", target)
    status, output = ran(target)
    assert status == 0
    assert "9 skipped" in output
    names = [node.name for node in ast.parse(target.read_text()).body if isinstance(node, ast.FunctionDef)]
    assert "test_x_ids_values_are_known" in names


def test_no_file_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "test_data.py"
    target.write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        contract_tests.write([contract()], "run-1", target)
    with pytest.raises(UsageError, match="no data"):
        contract_tests.write([], "run-1", tmp_path / "test_b.py")
    with pytest.raises(UsageError, match="not a test file"):
        contract_tests.write([contract()], "run-1", tmp_path / "data.txt")
    assert target.read_text() == "mine"


@pytest.mark.parametrize("array", [np.arange(24.0).reshape(4, 3, 2), np.arange(4), np.array([b"ab", b"cd", b"e", b""])])
def test_rows_are_cut_out_of_a_file_without_numpy(array: np.ndarray) -> None:  # type: ignore[type-arg]
    cut = blamed_rows.rows_of(npy(array), [2, 0, 99])
    assert cut is not None
    np.testing.assert_array_equal(np.load(io.BytesIO(cut)), array[[2, 0]])


@pytest.mark.parametrize("data", [b"", b"not numpy at all", b"\x93NUMPY\x01\x00\xff\xff{", npy(np.float64(3))[:40]])
def test_a_torn_file_gives_no_rows(data: bytes) -> None:
    assert blamed_rows.rows_of(data, [0]) is None
