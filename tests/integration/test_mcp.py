"""`whydied mcp`, as an assistant uses it: the SDK's own client, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.handmade import recorded_run
from tests.session import terminal, wait_until
from tests.stored import stored_run

from whydied.diagnose.registry import find_rule

mcp = pytest.importorskip("mcp")

NAN, DEAD = "20250110-101010-nan-row-ab12cd", "20250111-101010-picture-ef34ab"
Call = Callable[..., subprocess.CompletedProcess[bytes]]
Asks = Callable[..., Any]


@pytest.fixture
def recorded(runs: Path) -> Path:
    stored_run(runs, "numerics/accumulates_for_ever", NAN)
    stored_run(runs, "memory/activations_of_one_picture", DEAD)
    return runs


def served(runs: Path, use: Callable[[Any], Awaitable[Any]], *words: str, log: Path | None = None, **env: str) -> Any:
    """What a use of the client gives; the server's standard error goes to a file."""
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "LD_LIBRARY_PATH") if name in os.environ}
    parameters = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "whydied", "mcp", *words],
        env={**kept, "WHYDIED_RUNS": str(runs), **env},
    )

    async def session() -> Any:
        with open(log or os.devnull, "w") as errors:
            async with mcp.Client(mcp.stdio_client(parameters, errors), read_timeout_seconds=120) as client:
                return await use(client)

    return asyncio.run(session())


def found(result: Any) -> Any:
    assert not result.is_error, result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def refused(result: Any) -> str:
    assert result.is_error
    text: str = result.content[0].text
    assert "Traceback" not in text
    return text


def test_the_report_is_what_show_says(recorded: Path, whydied: Call) -> None:
    async def use(client: Any) -> Any:
        return [await client.call_tool("report", {"run": run}) for run in (NAN, DEAD)] + [
            await client.call_tool("report", {})
        ]

    told = [found(one) for one in served(recorded, use)]
    shown = [json.loads(whydied("show", run, "--json").stdout) for run in (NAN, DEAD)]
    assert told == [*shown, shown[1]]
    assert told[1]["cause"]["code"] == "MEM026"


@pytest.mark.variation
def test_evidence_is_that_of_the_report_with_what_the_code_means(recorded: Path, whydied: Call) -> None:
    shown = json.loads(whydied("show", DEAD, "--json").stdout)

    async def use(client: Any) -> Any:
        return [
            await client.call_tool("evidence", {"run": "ef34ab"}),
            await client.call_tool("evidence", {"run": "ef34ab", "finding": shown["death"]["id"]}),
            await client.call_tool("evidence", {"run": "ef34ab", "finding": "XYZ001"}),
        ]

    cause, death, none = served(recorded, use)
    rule = find_rule("MEM026")
    assert rule is not None
    assert (found(cause)["finding"], found(cause)["explanation"]) == (shown["cause"], rule.documentation)
    assert found(cause)["led_to"] == [shown["death"]["id"]]
    assert found(death)["finding"]["evidence"] == shown["death"]["evidence"]
    assert "no finding 'XYZ001'" in refused(none)
    assert "MEM026" in refused(none)


def test_the_source_is_that_of_the_recording_and_of_nothing_else(recorded: Path, whydied: Call) -> None:
    cause = json.loads(whydied("show", DEAD, "--json").stdout)["cause"]["location"]

    async def use(client: Any) -> Any:
        names = [None, os.path.basename(cause["file"]), "/etc/passwd", "../../../../etc/passwd", "activatoins.py"]
        calls = [await client.call_tool("source", {"run": DEAD, **({"file": one} if one else {})}) for one in names]
        part = {"run": DEAD, "first_line": cause["line"], "last_line": cause["line"]}
        return [*calls, await client.call_tool("source", part), await client.call_tool("source", {"first_line": 10**6})]

    whole, named, absolute, climbing, near, line, beyond = served(recorded, use)
    assert found(whole) == found(named)
    assert found(whole)["file"] == cause["file"]
    assert cause["source"].splitlines()[0].strip() in found(line)["text"]
    assert found(line)["text"] in found(whole)["text"]
    for result in (absolute, climbing):
        assert "is not a file of this recording" in refused(result)
    assert "is not a file of this recording" in refused(near)
    assert "lines" in refused(beyond)


@pytest.mark.variation
def test_runs_are_listed_the_newest_first(recorded: Path, whydied: Call) -> None:
    shown = json.loads(whydied("runs", "--json").stdout)

    async def use(client: Any) -> Any:
        return await client.call_tool("runs", {}), await client.call_tool("runs", {"most": 1})

    every, one = served(recorded, use)
    assert found(every)["runs"] == shown["runs"][::-1]
    assert (found(one)["runs"], found(one)["left_out"]) == (shown["runs"][-1:], 1)


def test_it_only_reads_unless_more_is_allowed(recorded: Path) -> None:
    async def use(client: Any) -> Any:
        tools = (await client.list_tools()).tools
        calls = [("prove", {}), ("fix", {"run": DEAD, "apply": True}), ("fix", {"run": DEAD})]
        return tools, [await client.call_tool(name, arguments) for name, arguments in calls]

    tools, (proving, writing, showing) = served(recorded, use)
    assert [tool.name for tool in tools] == ["runs", "report", "evidence", "source", "fix"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert "prove is not allowed (start the server with: whydied mcp --allow prove)" in refused(proving)
    assert "writing a fix is not allowed" in refused(writing)
    assert "fixes" in found(showing)

    async def listed(client: Any) -> Any:
        return {tool.name: tool for tool in (await client.list_tools()).tools}

    allowed = served(recorded, listed, "--allow", "prove,fix")
    assert {name for name, tool in allowed.items() if not tool.annotations.read_only_hint} == {"prove", "fix"}
    assert "apply" in allowed["fix"].input_schema["properties"]


@pytest.mark.variation
def test_a_fix_is_written_and_taken_back(runs: Path, tmp_path: Path, whydied: Call) -> None:
    script = tmp_path / "train.py"
    script.write_text("values = {'loss': 1}\nprint(values['los'])\n")
    whydied("run", "--no-trials", "--quiet", str(script))
    before = script.read_text()

    async def use(client: Any) -> Any:
        refused_first = await client.call_tool("fix", {"apply": True})
        applied = await client.call_tool("fix", {"apply": True, "untested": True})
        written = script.read_text()
        undone = await client.call_tool("fix", {"undo": True})
        return refused_first, applied, written, undone

    first, applied, written, undone = served(runs, use, "--allow", "fix")
    assert "was not tried on the program" in refused(first)
    assert found(applied)["written"][0]["file"] == str(script)
    assert "values['loss']" in written
    assert found(undone)["restored"] == [str(script)]
    assert script.read_text() == before


@pytest.mark.variation
def test_what_is_proved_is_told_with_its_progress(runs: Path, tmp_path: Path, whydied: Call) -> None:
    script = tmp_path / "train.py"
    script.write_text("values = {'loss': 1}\nprint(values['los'])\n")
    whydied("run", "--no-trials", "--quiet", str(script))
    heard: list[str] = []

    async def progress(number: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    async def use(client: Any) -> Any:
        return await client.call_tool("prove", {"tries": 1, "minutes": 2}, progress_callback=progress)

    told = found(served(runs, use, "--allow", "prove"))
    assert told == json.loads(whydied("show", "--json").stdout)
    assert [fix["verdict"] for fix in told["fixes"]][:1] == ["proved"]
    assert any("running the program again" in line for line in heard)


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("report", {"run": "nosuch"}, "no run 'nosuch' in "),
    ("report", {"run": "/etc"}, "/etc is not the directory of a run"),
    ("report", {"run": "ELSEWHERE"}, "is not a run of this server"),
    ("report", {"run": 7}, "run has to be a text, not '7'"),
    ("report", {"rnu": "x"}, "there is no argument 'rnu' (it takes run)"),
    ("runs", {"most": 0}, "most has to be at least 1, not 0"),
    ("runs", {"most": True}, "most has to be a whole number"),
    ("nothing", {}, "there is no tool 'nothing' (there are runs, report"),
]


def test_errors_are_sentences(recorded: Path, tmp_path: Path) -> None:
    other = str(recorded_run(tmp_path / "elsewhere").path)

    async def use(client: Any) -> Any:
        given = [
            (name, {key: other if value == "ELSEWHERE" else value for key, value in sent.items()})
            for name, sent, _ in MISTAKES
        ]
        return [await client.call_tool(name, sent) for name, sent in given]

    for (name, sent, sentence), result in zip(MISTAKES, served(recorded, use), strict=True):
        assert sentence in refused(result), (name, sent)


@pytest.mark.variation
def test_a_damaged_run_is_a_sentence_and_the_server_goes_on(recorded: Path, tmp_path: Path) -> None:
    (recorded / "20260101-000000-broken-cccccc" / "streams").mkdir(parents=True)
    (recorded / "20260101-000000-broken-cccccc" / "streams" / "supervisor.key.000000.rec").write_bytes(b"\xff" * 100)

    async def use(client: Any) -> Any:
        return [await client.call_tool("report", {}), await client.call_tool("report", {"run": NAN})]

    log = tmp_path / "log"
    broken, whole = served(recorded, use, log=log)
    assert "Traceback" not in broken.content[0].text
    assert found(whole)["run"]["id"] == NAN
    assert "Traceback" not in log.read_text()


@pytest.mark.variation
def test_ctrl_c_ends_it_and_what_it_runs(runs: Path, tmp_path: Path, whydied: Call) -> None:
    script = tmp_path / "train.py"
    script.write_text("import os, time\nif os.path.exists('going'): time.sleep(600)\nprint({'loss': 1}['los'])\n")
    whydied("run", "--no-trials", "--quiet", str(script))
    (tmp_path / "going").touch()
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "prove", "arguments": {}}}
    opening = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with terminal(
        [sys.executable, "-m", "whydied", "mcp", "--allow", "prove", "--runs", str(runs)], tmp_path
    ) as session:
        for message in (opening, ready, request):
            session.type(json.dumps(message).encode() + b"\n")
        server = psutil.Process(session.process.pid)
        wait_until(lambda: session.read() and len(server.children(recursive=True)) > 1, "a trial")
        below = server.children(recursive=True)
        session.type(b"\x03")
        assert session.finish() == 130
        assert psutil.wait_procs(below, timeout=60)[1] == []


def test_without_the_sdk_it_says_what_to_install(whydied: Call) -> None:
    code = (
        "import sys\nfrom importlib import metadata\n"
        "def missing(name): raise metadata.PackageNotFoundError(name)\n"
        "metadata.version = missing\n"
        "from whydied.cli import main\nsys.exit(main(['mcp']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, b'pip install "whydied[mcp]"' in done.stderr) == (2, True)
    assert b"cannot be allowed" in whydied("mcp", "--allow", "everything").stderr


@pytest.mark.variation
def test_a_command_whose_caller_went_away_is_ended(tmp_path: Path) -> None:
    import anyio

    from whydied.assistant import commands

    ready = tmp_path / "ready"
    script = tmp_path / "waits.py"
    script.write_text(f"import os, time\nopen({str(ready)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n")

    async def cancelled() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(commands.answer, ["run", "--quiet", "--runs", str(tmp_path / "runs"), str(script)])
            with anyio.fail_after(60):
                while not ready.exists() or not ready.read_text():
                    await anyio.sleep(0.05)
            group.cancel_scope.cancel()

    anyio.run(cancelled)
    assert not psutil.pid_exists(int(ready.read_text()))
