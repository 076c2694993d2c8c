"""The note on an MLflow run, with a stand-in for MLflow that keeps its runs in a file, and with MLflow itself where it
is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

STAND_IN = """
import json, os, types

FILE = os.environ["STAND_IN_RUNS"]


def _runs():
    return json.load(open(FILE)) if os.path.exists(FILE) else []


def _write(runs):
    json.dump(runs, open(FILE, "w"))


def start_run(name, status="RUNNING", **tags):
    runs = _runs()
    tags = {**json.loads(os.environ.get("MLFLOW_RUN_CONTEXT", "{}")), **tags}
    _write([*runs, {"id": name, "status": status, "tags": tags, "files": {}}])


def get_tracking_uri():
    return "sqlite:///here.db"


class MlflowClient:
    def search_experiments(self):
        return [types.SimpleNamespace(experiment_id="0")]

    def search_runs(self, experiments, filter_string, order_by):
        assert experiments == ["0"]
        name, _, value = filter_string.removeprefix("tags.").partition(" = ")
        wanted = [one for one in _runs() if one["tags"].get(name.strip("`")) == value.strip("'")]
        return [
            types.SimpleNamespace(
                info=types.SimpleNamespace(run_id=one["id"], status=one["status"]),
                data=types.SimpleNamespace(tags=one["tags"]),
            )
            for one in wanted
        ]

    def _change(self, number, change):
        runs = _runs()
        change(next(one for one in runs if one["id"] == number))
        _write(runs)

    def set_tag(self, number, name, value):
        assert len(value) <= 8000
        self._change(number, lambda one: one["tags"].update({name: value}))

    def set_terminated(self, number, status):
        self._change(number, lambda one: one.update(status=status))

    def log_text(self, number, text, path):
        self._change(number, lambda one: one["files"].update({path: text}))
"""
REAL = """
    import os
    import mlflow

    with mlflow.start_run(run_name="before"):
        pass
    with mlflow.start_run(run_name="killed", description="my own words"):
        os.kill(os.getpid(), 9)
"""


def run(tmp_path: Path, program: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "train.py").write_text(program)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MLFLOW", "WHYDIED"))}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "whydied",
            "run",
            "--runs",
            str(tmp_path / "runs"),
            *words,
            "--note",
            "mlflow",
            "train.py",
        ],
        cwd=tmp_path,
        env={**kept, "STAND_IN_RUNS": str(tmp_path / "runs.json"), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def stand_in(tmp_path: Path) -> str:
    package = tmp_path / "modules" / "mlflow"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(STAND_IN)
    return os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")])


def noted(tmp_path: Path) -> dict[str, dict[str, object]]:
    return {one["id"]: one for one in json.loads((tmp_path / "runs.json").read_text())}


def test_the_run_that_was_going_gets_the_note(tmp_path: Path, stand_in: str) -> None:
    program = """import mlflow, os
mlflow.start_run("before", status="FINISHED")
mlflow.start_run("going", **{"mlflow.note.content": "my own words"})
os._exit(3)
"""
    (tmp_path / "runs.json").write_text(json.dumps([{"id": "other", "status": "RUNNING", "tags": {}, "files": {}}]))
    done = run(tmp_path, program, PYTHONPATH=stand_in, MLFLOW_RUN_CONTEXT='{"mine": "1"}')
    assert done.returncode == 3
    assert "whydied: noted on the MLflow run going" in done.stderr
    runs = noted(tmp_path)
    going = runs["going"]
    assert going["status"] == "FAILED"
    tags = going["tags"]
    assert isinstance(tags, dict)
    assert tags["mlflow.note.content"].startswith("my own words\n\n### train.py exited on its own (exit status 3)")
    assert (tags["mine"], tags["whydied.outcome"], tags["whydied.cause"]) == ("1", "failed", "PRC009 exited-early")
    files = going["files"]
    assert isinstance(files, dict)
    assert json.loads(files["whydied/report.json"])["run"]["exit_code"] == 3
    assert runs["before"]["status"] == "FINISHED"
    assert "mlflow.note.content" not in runs["before"]["tags"]  # type: ignore[operator]
    assert runs["other"] == {"id": "other", "status": "RUNNING", "tags": {}, "files": {}}


def test_a_run_that_ended_well_is_left_alone(tmp_path: Path, stand_in: str) -> None:
    done = run(
        tmp_path, 'import mlflow\nmlflow.start_run("a", status="FINISHED")\nraise SystemExit(2)\n', PYTHONPATH=stand_in
    )
    assert done.returncode == 2
    assert "all its runs had finished when it died" in done.stderr
    assert set(noted(tmp_path)["a"]["tags"]) == {"whydied.run"}  # type: ignore[call-overload]


def test_a_healthy_program_and_one_without_a_run(tmp_path: Path, stand_in: str) -> None:
    assert "MLflow" not in run(tmp_path, "print(1)\n", PYTHONPATH=stand_in).stderr
    failed = run(tmp_path, "raise SystemExit(5)\n", "--quiet", PYTHONPATH=stand_in)
    assert failed.returncode == 5
    assert "the program started no run at sqlite:///here.db" in failed.stderr


@pytest.mark.skipif(importlib.util.find_spec("mlflow") is not None, reason="mlflow is installed")
def test_without_mlflow_nothing_starts(tmp_path: Path) -> None:
    done = run(tmp_path, "open('ran', 'w')\n")
    assert done.returncode == 125
    assert "--note mlflow needs mlflow in" in done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.variation
@pytest.mark.skipif(importlib.util.find_spec("mlflow") is None, reason="mlflow is not installed")
@pytest.mark.filterwarnings("ignore")  # MLflow's own, of the libraries below it
def test_with_mlflow_itself(tmp_path: Path) -> None:
    import textwrap

    done = run(tmp_path, textwrap.dedent(REAL).lstrip(), MLFLOW_TRACKING_URI=f"sqlite:///{tmp_path}/runs.db")
    assert done.returncode == 137
    assert "whydied: noted on the MLflow run" in done.stderr
    import mlflow

    client = mlflow.MlflowClient(f"sqlite:///{tmp_path}/runs.db")
    runs = {one.info.run_name: one for one in client.search_runs(["0"])}
    assert runs["before"].info.status == "FINISHED"
    assert "whydied.cause" not in runs["before"].data.tags
    assert runs["killed"].info.status == "KILLED"
    assert runs["killed"].data.tags["mlflow.note.content"].startswith("my own words\n\n### train.py was killed")
    paths = [one.path for one in client.list_artifacts(runs["killed"].info.run_id, "whydied")]
    assert sorted(paths) == ["whydied/report.json", "whydied/report.md"]
