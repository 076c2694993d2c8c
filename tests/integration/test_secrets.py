"""No secret of any process is in any file of a run: the program's, its children's, its neighbours', its killer's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests import session

from whydied.places import list_runs

PROGRAM = """
import logging, os, subprocess, sys, time

API_KEY = "in-the-source-{SOURCE}"


class Client:
    def __init__(self, user, password):
        self.user, self.password = user, password

    def connect(self, address):
        raise ConnectionError(f"refused: {{address}} for {{self.user}} with {{self.password}}")


def main():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "--db-password", "{CHILD}"])
    print("connecting with", os.environ["SERVICE_TOKEN"])
    logging.warning("login as ann:%s", sys.argv[2])
    print("Authorization: Bearer {HEADER}", file=sys.stderr)
    print("ready", os.getpid(), child.pid, flush=True)
    token = os.environ["SERVICE_TOKEN"]
    try:
        Client("ann", token).connect("https://ann:{ADDRESS}@example.org/db")
    except ConnectionError as error:
        kept = error
    if "--raise" in sys.argv:
        child.kill()
        raise kept
    time.sleep(60)


main()
"""
SECRETS = {
    "SOURCE": "aa11bb22cc33",
    "CHILD": "hunter2-of-the-child",
    "HEADER": "dd44ee55ff66gg77",
    "ADDRESS": "pw-in-the-address",
}
VARIABLE, ARGUMENT, SENDER = "value-of-the-environment", "value-of-the-argument", "value-of-the-sender"


@pytest.mark.parametrize("ends", ["raises", "is terminated"])
def test_no_file_of_a_run_has_a_secret(tmp_path: Path, runs: Path, ends: str) -> None:
    (tmp_path / "serve.py").write_text(PROGRAM.format(**SECRETS))
    words = ["--raise"] if ends == "raises" else []
    argv = session.whydied_run(runs, "--json", "report.json", "serve.py", "--password", ARGUMENT, *words)
    with subprocess.Popen(
        argv,
        cwd=tmp_path,
        env=os.environ | {"SERVICE_TOKEN": VARIABLE},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as supervised:
        try:
            said = ""
            while "ready" not in said:
                said = supervised.stdout.readline() if supervised.stdout else ""
                assert said, "the program ended before it was ready"
            if ends == "is terminated":
                code = (
                    f"import os, time; time.sleep(0.5); os.kill({supervised.pid}, {int(signal.SIGTERM)}); time.sleep(1)"
                )
                subprocess.run([sys.executable, "-c", code, f"--token={SENDER}"], check=True)
            supervised.communicate(timeout=session.PATIENCE_S)
        finally:
            supervised.kill()
            _end(int(said.split()[2]))
    subprocess.run([sys.executable, "-m", "whydied", "show", "--all", "--runs", str(runs)], check=True)
    (directory,) = list_runs(runs)
    files = [path for path in directory.path.rglob("*") if path.is_file()]
    assert any(b"serve.py" in path.read_bytes() for path in files), "something was recorded"
    secrets = [*SECRETS.values(), VARIABLE, ARGUMENT, SENDER]
    found = [
        (secret, path.name)
        for path in [*files, tmp_path / "report.json"]
        for secret in secrets
        if secret.encode() in path.read_bytes()
    ]
    assert found == []


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
