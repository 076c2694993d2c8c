"""Proves a run: lets its candidates be tried, and makes its report anew. Runs in the parent, or beside a kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.errors import NoRoom
from whydied.places import RunDirectory
from whydied.prove import proof as proofs
from whydied.prove.experiment import FRESH, Laboratory, Pulse, Start
from whydied.prove.guesses.enumeration import guesses
from whydied.prove.proof import Proof
from whydied.prove.prover import Plan, Prover, Teller
from whydied.prove.sandbox import mechanism
from whydied.prove.terms import CannotProve, terms_of
from whydied.read.recording import Recording, load
from whydied.report.finish import compose, finish, write_whole
from whydied.report.patience import patience
from whydied.report.summary import Report, as_json


class ProofWish(NamedTuple):
    plan: Plan = Plan()
    allow_network: bool = False
    guess: bool = True
    start: Start = FRESH


class LiveTeller(Teller):
    """A teller that is also told how a trial goes on."""

    def beats(self, pulse: Pulse) -> None:
        """Nothing where nobody looks."""


class Proven(NamedTuple):
    proof: Proof
    report: Report


def proven(directory: RunDirectory, wish: ProofWish, teller: LiveTeller, silence: tuple[str, ...] = ()) -> Proven:
    """Try what would remove the failure of a run that is over. The report beside the recording is replaced."""
    # A report that nobody could finish is finished first, from all that the machine still tells.
    with patience("reading the recording"):
        finish(directory, silence=silence, quiet=True)
        recording = load(directory)
    if not recording.complete:
        raise CannotProve("the recording of this run has no end", "run the program again under `whydied run`")
    try:
        proof = trials(recording, wish, teller, lambda known: proofs.write(directory.proof, known), silence)
    finally:
        with patience("making the report from the recording"):
            report = compose(load(directory), silence)
        with contextlib.suppress(NoRoom):
            write_whole(directory.report, as_json(report))
    return Proven(proof, report)


def trials(
    recording: Recording,
    wish: ProofWish,
    teller: LiveTeller,
    keep: Callable[[Proof], None],
    silence: tuple[str, ...] = (),
) -> Proof:
    """What came of all that was tried; `keep` is given what is known after each."""
    case = Case(recording)
    diagnosis = diagnose(recording, silence, case)
    if diagnosis.cause is None:
        raise CannotProve("nothing was found to be wrong with this run", "there is nothing to prove")
    laboratory = laboratory_for(recording, teller, allow_network=wish.allow_network, start=wish.start)
    prover = Prover(laboratory, guesses if wish.guess else lambda case, diagnosis: [], wish.plan, teller, keep)
    return prover.prove(case, diagnosis)


def laboratory_for(
    recording: Recording, teller: LiveTeller, *, allow_network: bool, start: Start = FRESH
) -> Laboratory:
    """A place to run the program of a run again."""
    held = mechanism(allow_network=allow_network)
    if held is None:
        raise CannotProve(
            "this system gives whydied no way to keep a trial away from your files (no user namespaces, no Landlock)",
            "run it where user namespaces or Landlock are allowed, such as on the host of the container",
        )
    return Laboratory(terms_of(recording), held, allow_network=allow_network, watch=teller.beats, start=start)
