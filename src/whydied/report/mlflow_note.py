"""A note on the MLflow run of a program that died: its description, tags and the report as artifacts. `prepare` and
`deliver` run in the parent; `main` in a process of its own, because a tracking server may not answer.

How the run is found: MLflow puts what `MLFLOW_RUN_CONTEXT` has on every run as tags, and the program is given a word of
ours in it. The server is the one that MLflow finds by its settings in the program's directory.

Invariant: nothing but runs with our word is changed, and a run that has ended stays as it ended. The parent does not
import MLflow.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

from whydied.errors import RecordingError, UsageError
from whydied.report.markdown.document import report_document
from whydied.report.summary import Report, as_json

CONTEXT = "MLFLOW_RUN_CONTEXT"
TAG = "whydied.run"
DESCRIPTION = "mlflow.note.content"
LONGEST_S = 90.0
MOST_CHARACTERS = 7000
"""MLflow cuts the value of a tag at 8,000."""
_ENTRY = "import sys; sys.path.extend(sys.argv[1:]); from whydied.report.mlflow_note import main; main()"
_STATUS = {"failed": "FAILED", "died": "KILLED", "hung": "KILLED", "stopped": "KILLED"}
"""What a run becomes that nobody ended. Of a program that finished none is left running by its death."""


def prepare() -> str:
    """The word by which the program's runs are found. From here on it is in our environment, and in the program's."""
    if find_spec("mlflow") is None:
        raise UsageError(f"--note mlflow needs mlflow in {sys.prefix}", f"{sys.executable} -m pip install mlflow")
    word = secrets.token_hex(8)
    try:
        context = json.loads(os.environ.get(CONTEXT) or "{}")
    except ValueError as error:
        raise UsageError(f"{CONTEXT} is not JSON: {error}", f"unset {CONTEXT}") from error
    os.environ[CONTEXT] = json.dumps({**context, TAG: word})
    return word


def deliver(report: Report, word: str) -> list[str]:
    """The ids of the runs that have the note now. A healthy end needs none."""
    if report.cause is None and report.outcome in ("finished", "running"):
        return []
    about = report.cause or report.death
    asked = {
        "word": word,
        "note": report_document(report, MOST_CHARACTERS),
        "tags": {"whydied.outcome": report.outcome, "whydied.cause": f"{about.code} {about.name}" if about else ""},
        "files": {"report.md": report_document(report), "report.json": as_json(report).decode()},
        "status": _STATUS.get(report.outcome, ""),
    }
    answer = _asked(asked, report.run.cwd)
    if "error" in answer:
        raise RecordingError(f"no note on an MLflow run: {answer['error']}")
    return [str(one) for one in answer["noted"]]


def _asked(asked: dict[str, Any], cwd: str) -> dict[str, Any]:
    argv = [sys.executable, "-c", _ENTRY, *[entry for entry in sys.path if os.path.isabs(entry)]]
    try:
        done = subprocess.run(
            argv, input=json.dumps(asked).encode(), capture_output=True, cwd=cwd or None, timeout=LONGEST_S, check=False
        )
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"error": f"MLflow did not answer within {LONGEST_S:.0f} s"}
    except (OSError, ValueError, IndexError) as error:
        return {"error": repr(error)}
    return answer


def main() -> None:
    """Reads what to note from standard input, and answers in the last line of standard output."""
    asked = json.load(sys.stdin)
    try:
        answer: dict[str, Any] = _note(asked)
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(f"\n{json.dumps(answer)}\n")


def _note(asked: dict[str, Any]) -> dict[str, Any]:
    import mlflow

    client = mlflow.MlflowClient()
    experiments = [one.experiment_id for one in client.search_experiments()]
    found = client.search_runs(experiments, f"tags.`{TAG}` = '{asked['word']}'", order_by=["attributes.start_time"])
    if not found:
        where = mlflow.get_tracking_uri()
        return {"error": f"the program started no run at {where}; does it set another server itself?"}
    # What still runs was running when the program died. One that ended well is not to blame for what came after it.
    last = [run for run in list(found)[-1:] if run.info.status != "FINISHED" or not asked["status"]]
    dead = [run for run in found if run.info.status == "RUNNING"] or last
    if not dead:
        return {"error": "all its runs had finished when it died"}
    for run in dead:
        _note_on(client, run, asked)
    return {"noted": [run.info.run_id for run in dead]}


def _note_on(client: Any, run: Any, asked: dict[str, Any]) -> None:
    number = run.info.run_id
    before = run.data.tags.get(DESCRIPTION, "")
    room = MOST_CHARACTERS + 900 - len(asked["note"])
    kept = f"{before}\n\n" if before and len(before) < room else ""
    client.set_tag(number, DESCRIPTION, f"{kept}{asked['note']}")
    for name, value in asked["tags"].items():
        client.set_tag(number, name, value)
    if run.info.status == "RUNNING" and asked["status"]:
        client.set_terminated(number, asked["status"])
    for name, text in asked["files"].items():
        client.log_text(number, text, f"whydied/{name}")
