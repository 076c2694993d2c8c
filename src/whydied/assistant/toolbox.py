"""The tools that an assistant can use, and what each does. Runs in the server of `whydied mcp`.

Invariant: without leave nothing changes but that a report that nobody could make is made; what a tool says of a run is
what `whydied show --json` says of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from whydied.assistant import commands
from whydied.assistant.recorded_source import recorded_source
from whydied.assistant.tool_arguments import Parameter, read
from whydied.diagnose.registry import find_rule
from whydied.errors import UsageError
from whydied.places import RunDirectory

LEAVES = ("prove", "fix")
"""What has to be allowed."""
_RUN = Parameter("run", "string", "The id of a run, a part of it, or its name. The newest run if left out.")
_MOST_RUNS = 50

Find = Callable[[str | None], RunDirectory]
"""Finds a run among those that the server may show."""


class Tool(NamedTuple):
    """`changes` says whether it does more than read."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    handler: Callable[[Mapping[str, Any], commands.Hears | None], Awaitable[dict[str, Any]]]
    changes: bool = False


class Toolbox:
    def __init__(self, find: Find, runs: tuple[str, ...] = (), allowed: frozenset[str] = frozenset()) -> None:
        """`runs` are the words of a command that say where the runs are."""
        self._find = find
        self._runs = runs
        self._allowed = allowed
        self.tools = {tool.name: tool for tool in self._made()}

    async def call(self, name: str, sent: Mapping[str, Any], hears: commands.Hears | None = None) -> dict[str, Any]:
        """What a tool answers. Raises WhydiedError for what cannot be answered."""
        tool = self.tools.get(name)
        if tool is None:
            if name in LEAVES:
                raise UsageError(f"{name} is not allowed", f"start the server with: whydied mcp --allow {name}")
            raise UsageError(f"there is no tool {name[:80]!r}", f"there are {', '.join(self.tools)}")
        if name == "fix" and sent.get("apply") and "fix" not in self._allowed:
            raise UsageError(
                "writing a fix is not allowed; without `apply` it is only shown",
                "start the server with: whydied mcp --allow fix",
            )
        return await tool.handler(read(tool.parameters, sent), hears)

    def _made(self) -> list[Tool]:
        tools = [
            Tool(
                "runs",
                "List the recorded runs of TensorFlow and Keras programs, the newest first: id, name, outcome, code of "
                "the cause.",
                (Parameter("most", "integer", "How many at most.", _MOST_RUNS, least=1),),
                self._list,
            ),
            Tool(
                "report",
                "Why a run died: outcome, death, root cause with its line and certainty, evidence, fixes with their "
                "patches and whether they were tried, memory. The same as `whydied show --json`.",
                (_RUN,),
                self._report,
            ),
            Tool(
                "evidence",
                "The evidence of one finding of a run, what it led to, and what its code means: what is detected, why "
                "it happens, the thresholds and the usual fix.",
                (
                    _RUN,
                    Parameter(
                        "finding", "string", "The id of a finding in the report, or its code. The cause if left out."
                    ),
                ),
                self._evidence,
            ),
            Tool(
                "source",
                "The program's own files as they ran, from the recording (not from the disk, where they may have been "
                "edited since). Without `file`: the file of the cause.",
                (
                    _RUN,
                    Parameter("file", "string", "The path of a recorded file, or the end of it."),
                    Parameter("first_line", "integer", "The first line wanted, from 1.", least=1),
                    Parameter("last_line", "integer", "The last line wanted.", least=1),
                ),
                self._source,
            ),
            self._fix_tool(),
        ]
        return [*tools, *([self._prove_tool()] if "prove" in self._allowed else [])]

    def _fix_tool(self) -> Tool:
        writes = "fix" in self._allowed
        shown = (
            "The changes of the program that remove the cause, as unified diffs, the best first, each with its verdict."
        )
        parameters = [_RUN]
        if writes:
            parameters += [
                Parameter("number", "integer", "Take this fix of the list, from 1, and not the best.", least=1),
                Parameter("apply", "boolean", "Write it into the program's files; a backup stays beside each.", False),
                Parameter("untested", "boolean", "With `apply`: also a fix that was not tried.", False),
                Parameter("undo", "boolean", "Put back the files that a fix of this run replaced.", False),
            ]
        return Tool("fix", shown, tuple(parameters), self._fix, changes=writes)

    def _prove_tool(self) -> Tool:
        return Tool(
            "prove",
            "Run the program again in a sandbox, once as it is and once with each change that could remove its "
            "failure. Takes minutes. Answers with the report, whose fixes then have their verdicts.",
            (
                _RUN,
                Parameter("tries", "integer", "How many changes to try at most.", least=1),
                Parameter("minutes", "integer", "A bound for all trials together.", 15, least=1),
            ),
            self._prove,
            changes=True,
        )

    async def _list(self, given: Mapping[str, Any], hears: commands.Hears | None) -> dict[str, Any]:
        found = await commands.answer(["runs", "--json", *self._runs], hears)
        rows = found["runs"][::-1]
        return {**found, "runs": rows[: given["most"]], "left_out": max(0, len(rows) - given["most"])}

    async def _report(self, given: Mapping[str, Any], hears: commands.Hears | None) -> dict[str, Any]:
        return await self._shown(self._find(given["run"]), hears)

    async def _shown(self, directory: RunDirectory, hears: commands.Hears | None) -> dict[str, Any]:
        return await commands.answer(["show", directory.id, "--json", *_place(directory)], hears)

    async def _evidence(self, given: Mapping[str, Any], hears: commands.Hears | None) -> dict[str, Any]:
        report = await self._shown(self._find(given["run"]), hears)
        finding = _finding(report, given["finding"])
        if finding is None:
            return {"run": report["run"]["id"], "outcome": report["outcome"], "finding": None, "notes": report["notes"]}
        rule = find_rule(finding["code"])
        led_to = [other["id"] for other in report["findings"] if other["because_of"] == finding["id"]]
        return {
            "run": report["run"]["id"],
            "outcome": report["outcome"],
            "finding": finding,
            "led_to": led_to,
            "explanation": rule.documentation if rule is not None else None,
        }

    async def _source(self, given: Mapping[str, Any], hears: commands.Hears | None) -> dict[str, Any]:
        directory = self._find(given["run"])
        return recorded_source(directory, await self._shown(directory, hears), given)

    async def _fix(self, given: Mapping[str, Any], hears: commands.Hears | None) -> dict[str, Any]:
        directory = self._find(given["run"])
        words = ["fix", directory.id, "--json", *_place(directory)]
        if given.get("undo"):
            return await commands.answer([*words, "--undo"], hears)
        words += ["--number", str(given["number"])] if given.get("number") else []
        words += ["--apply"] if given.get("apply") else []
        words += ["--untested"] if given.get("apply") and given.get("untested") else []
        return await commands.answer(words, hears)

    async def _prove(self, given: Mapping[str, Any], hears: commands.Hears | None) -> dict[str, Any]:
        directory = self._find(given["run"])
        words = ["prove", directory.id, "--json", "--time", f"{given['minutes']}m", *_place(directory)]
        return await commands.answer([*words, *(["--tries", str(given["tries"])] if given["tries"] else [])], hears)


def _place(directory: RunDirectory) -> list[str]:
    return ["--runs", str(directory.path.parent)]


def _finding(report: Mapping[str, Any], wanted: str | None) -> Mapping[str, Any] | None:
    found: list[Mapping[str, Any]] = report["findings"]
    if wanted is None:
        cause: Mapping[str, Any] | None = report["cause"] or report["death"]
        return cause
    named = [one for one in found if wanted in (one["id"], one["code"], one["name"])]
    if not named:
        there = ", ".join(f"{one['id']} ({one['code']} {one['name']})" for one in found) or "none"
        raise UsageError(f"the report has no finding {wanted[:80]!r}", f"its findings: {there}")
    return named[0]
