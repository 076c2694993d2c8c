"""What is known of a captured step while it is looked into; runs in the process of the replay.

Reads the files of the capture and holds its values as arrays, with the names that the user has for them.
"""

from __future__ import annotations

import os
from typing import Any, TypeVar

import msgspec

from whydied.inside.numerics import step_file
from whydied.records import Capture, CapturedRun, FedValue, Lines, StateValue
from whydied.replay.execution.graph_nodes import Source, tensor_source
from whydied.replay.execution.op_kernels import Kernels
from whydied.replay.execution.replay_errors import ReplayError
from whydied.replay.op_lines import LineTable
from whydied.replay.trials import Batch

_T = TypeVar("_T")
_K = TypeVar("_K")


class Scene:
    """A capture with its values. `feeds` and `reasons` together cover all that the step was given."""

    def __init__(self, directory: str, kernels: Kernels) -> None:
        self.directory = directory
        self.kernels = kernels
        self.capture = _decoded(directory, "step.json", Capture)
        self.lines = LineTable(self._lines())
        self.targets = tuple(tensor_source(name) for name in dict.fromkeys(self.capture.targets))
        self.fed: dict[Source, FedValue] = {tensor_source(value.tensor): value for value in self.capture.fed}
        self.state: dict[str, StateValue] = {value.node: value for value in self.capture.state}
        self.feeds: dict[Source, Any] = {}
        self.variables: dict[str, Any] = {}
        self.missing_feeds: dict[Source, str] = {}
        self.missing_variables: dict[str, str] = {}
        self._load()

    def graph(self) -> Any:
        """The GraphDef of the step."""
        proto = self.kernels.tensorflow.compat.v1.GraphDef()
        try:
            with open(os.path.join(self.directory, self.capture.graph), "rb") as stream:
                proto.ParseFromString(stream.read())
        except Exception as error:
            raise ReplayError(f"the step's graph cannot be read: {error}") from None
        return proto

    def move_to(self, run: CapturedRun, variables: dict[str, Any]) -> None:
        """Look into another run of a session, with the values that its variables had then."""
        self.fed = {tensor_source(value.tensor): value for value in run.fed}
        self.targets = tuple(tensor_source(name) for name in dict.fromkeys((*run.losses, *run.updates)))
        self.capture = msgspec.structs.replace(self.capture, fed=run.fed, losses=run.losses)
        self.feeds, self.missing_feeds = {}, {}
        for source, fed in self.fed.items():
            self._put(source, fed, fed.name or fed.tensor, self.feeds, self.missing_feeds)
        self.state |= {slot.node: slot for slot in self.capture.slots}
        self.variables.update(variables)

    def batch(self) -> Batch:
        return Batch({source: array for source, array in self.feeds.items() if self.fed[source].role == "batch"})

    def _load(self) -> None:
        for source, fed in self.fed.items():
            self._put(source, fed, fed.name or fed.tensor, self.feeds, self.missing_feeds)
        for node, variable in self.state.items():
            self._put(node, variable, variable.name or node, self.variables, self.missing_variables)

    def _put(
        self, key: _K, value: FedValue | StateValue, name: str, found: dict[_K, Any], missing: dict[_K, str]
    ) -> None:
        """Among the values that were found, or the reason among the missing ones."""
        try:
            if value.file is not None:
                found[key] = step_file.load(self.directory, value.file, value.dtype)
                return
        except (OSError, ValueError):
            pass
        missing[key] = f"the value of {name} is missing: {value.reason or 'it was not captured'}"

    def _lines(self) -> Lines:
        try:
            return _decoded(self.directory, self.capture.lines, Lines)
        except ReplayError:
            # The lines are a help to the reader; the step runs without.
            return Lines()


def _decoded(directory: str, file: str, kind: type[_T]) -> _T:
    try:
        with open(os.path.join(directory, file), "rb") as stream:
            return msgspec.json.decode(stream.read(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise ReplayError(f"{file} cannot be read: {error}") from None
