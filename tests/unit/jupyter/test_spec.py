"""Kernelspecs of ours: beside others, in their place, and gone again without a trace."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from whydied.errors import UsageError
from whydied.jupyter import spec

MINE = b'{"argv": ["/opt/r/bin/R", "--slave", "--args", "{connection_file}"],\n\t"display_name": "R", "language": "R"}'


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The kernelspecs of a user who has just one."""
    for name in ("JUPYTER_PATH", "JUPYTER_PREFER_ENV_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    mine = tmp_path / "data" / "kernels" / "ir"
    mine.mkdir(parents=True)
    (mine / "kernel.json").write_bytes(MINE)
    (mine / "kernel.json").chmod(0o640)
    (mine / "kernel.js").write_text("// theirs")
    return mine.parent


def words(directory: Path) -> dict[str, object]:
    found = json.loads((directory / "kernel.json").read_text())
    assert isinstance(found, dict)
    return found


def test_a_spec_beside_the_others(kernels: Path) -> None:
    made = spec.install(env={"A": "1"}, options=("--memory-limit=2G",))
    assert made.directory == kernels / "whydied"
    told = words(made.directory)
    assert told["argv"] == [
        sys.executable, "-m", "whydied.jupyter.kernel", "--memory-limit=2G", "-f", "{connection_file}"
    ]  # fmt: skip
    assert str(told["display_name"]).endswith(" (whydied)")
    assert (told["language"], told["env"]) == ("python", {"A": "1"})
    assert (made.directory / "logo-64x64.png").exists()
    assert [one.name for one in spec.ours()] == ["whydied"]
    assert spec.ours()[0].works
    assert spec.install(name="whydied").directory == made.directory, "once more is no error"
    spec.uninstall(made)
    assert [entry.name for entry in kernels.iterdir()] == ["ir"]


def test_a_prefix_and_a_name(kernels: Path, tmp_path: Path) -> None:
    made = spec.install(name="tf", prefix=str(tmp_path / "env"))
    assert made.directory == tmp_path / "env" / "share" / "jupyter" / "kernels" / "tf"
    assert [spec.ours(), spec.ours(str(tmp_path / "env"))] == [[], [made]]
    with pytest.raises(UsageError, match="not a valid kernelspec name"):
        spec.install(name="../tf")


def test_in_the_place_of_another_and_back(kernels: Path) -> None:
    own = kernels / "ir" / "kernel.json"
    before = own.stat()
    made = spec.replace("ir", env={"A": "1"})
    spec.replace("ir", env={"A": "2"})
    told = words(made.directory)
    argv = told["argv"]
    assert isinstance(argv, list)
    assert argv[argv.index("--") + 1 :] == ["/opt/r/bin/R", "--slave", "--args", "{connection_file}"]
    assert (told["display_name"], told["env"]) == ("R (whydied)", {"A": "2"})
    (found,) = spec.ours()
    assert (found.kind, found.wraps) == ("instead", "ir")
    spec.uninstall(found)
    assert own.read_bytes() == MINE
    after = own.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert sorted(entry.name for entry in own.parent.iterdir()) == ["kernel.js", "kernel.json"]
    assert spec.ours() == []


def test_no_spec_of_others_is_lost(kernels: Path) -> None:
    with pytest.raises(UsageError, match="not a whydied kernelspec"):
        spec.install(name="ir")
    spec.replace("ir")
    with pytest.raises(UsageError, match="not a whydied kernelspec"):
        spec.install(name="ir")
    for found in spec.ours():
        spec.uninstall(found)
    assert (kernels / "ir" / "kernel.json").read_bytes() == MINE
    with pytest.raises(UsageError, match="no kernelspec named nope"):
        spec.replace("nope")
    made = spec.install()
    with pytest.raises(UsageError, match="replaces nothing"):
        spec.replace(made.name)


def test_every_python_kernel_and_back(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_client.kernelspec.jupyter_path", lambda *parts: [str(kernels)])
    argv = ["/opt/tf/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    text = json.dumps({"argv": argv, "display_name": "TF", "language": "python"})
    (kernels / "tf").mkdir()
    (kernels / "tf" / "kernel.json").write_text(text)
    beside = spec.install(name="mine")
    made = spec.replace_all(options=("--memory-limit=2G",))
    assert [one.name for one in made] == ["python3", "tf"], "neither R nor what supervises already"
    told = words(kernels / "tf")
    assert told["display_name"] == "TF", "the launcher shows what it showed"
    assert told["argv"] == [
        sys.executable, "-m", "whydied.jupyter.kernel", "--memory-limit=2G", "-f", "{connection_file}", "--", *argv
    ]  # fmt: skip
    assert [one.name for one in spec.replace_all()] == ["tf"], "once more is no error"
    for one in spec.ours():
        spec.uninstall(one)
    assert not beside.directory.exists()
    assert (kernels / "tf" / "kernel.json").read_text() == text
    assert (kernels / "ir" / "kernel.json").read_bytes() == MINE
    assert sorted(entry.name for entry in kernels.iterdir()) == ["ir", "tf"]
