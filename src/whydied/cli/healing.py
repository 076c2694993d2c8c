"""`whydied run --heal`: after a death that a proved change answers, the next start of the program. Runs in the parent.

    run ─► report ─► trials in the sandbox ─► the program again, for real, with the proved change of the least harm

Invariant: the user's files are not changed; each run has a recording of its own, labelled with the run before it; what
was changed is said before it is used.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec

from whydied.errors import NotEditable, NotStarted, WhydiedError
from whydied.places import replace_whole, working_directory
from whydied.prove import standing_in
from whydied.prove.experiment import Start
from whydied.prove.patching.rewritten_files import edited_files
from whydied.prove.proof import Proof, Tried
from whydied.prove.sandbox.clearing import remove_tree
from whydied.read.recording import load
from whydied.records import FitState
from whydied.report.finish import stored_report
from whydied.report.headline import program
from whydied.report.proving import ProofWish, proven
from whydied.report.summary import Report
from whydied.report.terminal.proof_display import display_on
from whydied.run.supervise import RunOutcome, RunRequest
from whydied.source.edits.edit import Harm
from whydied.source.edits.unified_diff import difference, shown_name
from whydied.source.text import decoded

HARMS: dict[str, int] = {"exact": 0, "same": 1, "any": 2}
HEALED_FROM, HEALED_BY = "healed_from", "healed_by"
"""Labels of a run: the run that died, and what is changed since it."""
PATCH = "healed.patch"
DIVERGED = 2.0
"""A loss so many times its lowest is not that of a good state."""
_BACKUP = "backup"
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_COSTS = {
    "exact": "This leaves every number as it is: {}.",
    "same result": "This changes rounding or order and not the result: {}.",
    "changed result": "This changes the result: {}.",
}


class Chosen(NamedTuple):
    """The change that is taken, as files; `backup` says whether the trainings go on from their last good state."""

    tried: Tried
    files: dict[str, bytes]
    backup: bool


class Healer:
    """Counts the restarts of one program. `say` writes lines for the user."""

    def __init__(
        self, most: int, harm: str, silence: tuple[str, ...], say: Callable[..., None], *, quiet: bool
    ) -> None:
        self._most, self._harm, self._silence = most, harm, silence
        self._say, self._quiet = say, quiet
        self._done = 0
        self._files: dict[str, bytes] = {}
        self._backup: Path | None = None
        self._shown = ""

    def first(self, wanted: RunRequest) -> RunRequest:
        """The request of the first run. Refuses what could not be healed afterwards."""
        if wanted.command.form == "notebook":
            raise NotStarted(
                "--heal cannot restart a notebook, whose cells are not files",
                "run it without --heal, then: whydied prove, whydied fix",
            )
        if not standing_in.is_possible():
            raise NotStarted(
                "--heal needs a mount namespace to run edited source without changing your files, and this system does "
                "not permit one",
                "run it with --prove, and apply the patch with: whydied fix --apply",
            )
        return wanted._replace(wishes=msgspec.structs.replace(wanted.wishes, backup=_BACKUP))

    def next(self, wanted: RunRequest, outcome: RunOutcome) -> RunRequest | None:
        """The request of another run, or None: it ended well, or nothing is known to help. Never raises."""
        self._backup = self._backup or outcome.directory.path / _BACKUP
        try:
            # They hold what a recording leaves out: secrets in the source.
            remove_tree(self._shown)
            if outcome.exit_status == 0:
                self._finished(outcome)
                return None
            return self._after_death(wanted, outcome)
        except KeyboardInterrupt:
            self._tell("whydied: not healed: the trials were stopped; what is known of them is kept")
        except WhydiedError as error:
            self._tell(f"whydied: not healed: {error}")
        except Exception as error:
            self._tell(f"whydied: not healed: internal error of whydied: {error!r}")
        return None

    def _finished(self, outcome: RunOutcome) -> None:
        remove_tree(str(self._backup))
        if self._done:
            self._tell(f"whydied: healed with {_times(self._done)}; the change as a patch: {self._patch(outcome)}")

    def _after_death(self, wanted: RunRequest, outcome: RunOutcome) -> RunRequest | None:
        report = stored_report(outcome.directory)
        if report is None or outcome.signal in _STOPS or outcome.exit_status == 128 + signal.SIGINT:
            return None
        if self._done >= self._most:
            self._tell(f"whydied: not healed: it failed again after {_times(self._done)}")
            return None
        chosen = self._choose(outcome, report)
        # The trials may have named another cause.
        report = stored_report(outcome.directory) or report
        return self._again(wanted, outcome, report, chosen) if chosen else None

    def _choose(self, outcome: RunOutcome, report: Report) -> Chosen | None:
        """Tried from where the trainings were, and if nothing helps there, from the beginning: the state may be what is
        wrong."""
        assert self._backup is not None
        states = self.states()
        of_values = report.cause is not None and report.cause.code.startswith("NUM")
        is_good = bool(states) and not (of_values and _diverges(states[-1]))
        ways = [str(self._backup), ""] if is_good else [""]
        refused = ""
        for backup in ways:
            with display_on(None if self._quiet else sys.stderr) as display:
                wish = ProofWish(start=Start(self._files, backup))
                found = proven(outcome.directory, wish, display, self._silence)
            best, refused = self._gentlest(found.proof)
            if best is not None:
                try:
                    files = edited_files(load(outcome.directory), best.edits, self._files)
                    return Chosen(best, files, bool(backup))
                except NotEditable as error:
                    refused = str(error)
            if refused:
                break
            if found.proof.reproduced is not True:
                refused = f"it did not fail again in the sandbox{_because(found.proof.stopped)}"
        self._tell(f"whydied: not healed: {refused or 'none of the changes that were tried removes the failure'}")
        return None

    def _gentlest(self, proof: Proof) -> tuple[Tried | None, str]:
        """Of those that let the program finish, or go on, before those that only get it past a failure."""
        harms = get_args(Harm)
        proved = sorted(
            (one for one in proof.tried if one.verdict == "proved"),
            key=lambda one: ((one.after or {}).get("outcome") == "failed", harms.index(one.harm)),
        )
        if not proved:
            return None, ""
        best = proved[0]
        if harms.index(best.harm) > HARMS[self._harm]:
            return None, f"the change that helps is not among those that --heal-harm {self._harm} allows: {best.title}"
        return best, ""

    def _again(self, wanted: RunRequest, outcome: RunOutcome, report: Report, chosen: Chosen) -> RunRequest:
        assert self._backup is not None
        if not chosen.backup:
            remove_tree(str(self._backup))
        self._done += 1
        self._files.update(chosen.files)
        change = chosen.tried
        cost = _COSTS[change.harm].format(change.title.rstrip("."))
        self._tell(
            f"whydied: {_ended(report)}; starting it again (restart {self._done} of at most {self._most})",
            f"  {cost} {self._where()}",
        )
        self._shown = str(outcome.directory.path / "healing")
        shown = standing_in.written(self._shown, self._files)
        what = f"{change.title} ({change.harm})"
        labels = {**dict(wanted.labels), HEALED_FROM: outcome.directory.id, HEALED_BY: what}
        return wanted._replace(
            enter=standing_in.showing(shown),
            labels=tuple(labels.items()),
            wishes=msgspec.structs.replace(wanted.wishes, backup=str(self._backup)),
        )

    def states(self) -> list[FitState]:
        """Of all trainings, the last one last."""
        if self._backup is None:
            return []
        found = []
        for path in sorted(self._backup.glob("*/*/state.json"), key=lambda path: path.stat().st_mtime_ns):
            with contextlib.suppress(OSError, msgspec.MsgspecError):
                found.append(msgspec.json.decode(path.read_bytes(), type=FitState))
        return found

    def _patch(self, outcome: RunOutcome) -> str:
        """All changes together, as a file beside the recording of the last run."""
        parts: list[str] = []
        for file, data in self._files.items():
            before, after = (decoded(content) for content in (Path(file).read_bytes(), data))
            parts.append(difference(before, after, shown_name(file, working_directory())))
        path = outcome.directory.path / PATCH
        replace_whole(path, "".join(parts).encode())
        return str(path)

    def _where(self) -> str:
        states = self.states()
        if not states:
            return "It begins anew."
        last = states[-1]
        if last.finished:
            return "The trainings that were done are not done again."
        return f"The training goes on at epoch {last.epoch + 1} of {last.epochs}."

    def _tell(self, *lines: str) -> None:
        if not self._quiet:
            self._say(*lines)


def _ended(report: Report) -> str:
    cause = report.cause
    if cause is None:
        return f"{program(report)} {report.outcome}"
    place = f" ({cause.location.spelled})" if cause.location else ""
    return f"{program(report)} {report.outcome}: {cause.code} {cause.name}{place}"


def _diverges(state: FitState) -> bool:
    """Whether weights that are still finite may be on their way to what is not: a program that then survives has won
    nothing."""
    losses = state.history.get("loss", [])
    known = [loss for loss in losses if loss is not None]
    return len(known) < max(2, len(losses)) or known[-1] > DIVERGED * min(known)


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def _times(count: int) -> str:
    return "one restart" if count == 1 else f"{count} restarts"
