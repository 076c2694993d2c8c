"""The failing statement with all that is known around it: what every family of guesses is given. Pure.

A *site* is a statement that may be at fault: the lines that were running, the innermost first, then those that made
what they use, and those that made the layers, the Input and the loss which the exception is about. `far` counts how
many steps it is away from the line that failed.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.diagnose.case import Case, root_of
from whydied.diagnose.errors.framework_error import FrameworkError, framework_error
from whydied.diagnose.errors.misfit import Misfit, misfit
from whydied.diagnose.finding import Finding
from whydied.records import ApiCalled, CallRefused, ErrorFacts, Frame, RaisedException
from whydied.source.bindings import module_files
from whydied.source.edits.edit import Edit, Harm
from whydied.source.origins.trails import Call, Trails
from whydied.source.text import Source
from whydied.source.trees import Node, nodes_on, scope_at, within, written
from whydied.texts import tensors
from whydied.texts.entry import any_of

MOST_FRAMES = 4
MOST_SITES = 24
_MOST_LAYERS = 8
_STEP, _OF_CAUSE, _OF_PART, _FARTHEST = 0.6, 0.4, 1.5, 2.5
_OTHER_ENDS = ("KeyboardInterrupt", "SystemExit", "MemoryError", "ResourceExhaustedError")
"""No mistake of the failing line: memory has candidates of its own."""
_OWN_CHECKS = ("AssertionError", "CheckFailed", "ContractError")
_BROKEN = "contract-broken"
"""The program's own checks did what they are for: a guess would take the check away."""
_NONE = any_of(tensors.NONE_CONVERTED, tensors.NONE_UNSUPPORTED)
_FILLING = ("append", "extend", "update", "add", "insert", "setdefault", "remove", "pop")


class Guess(NamedTuple):
    """Edits at a site. `wrong` says what was wrong there if they help, `cost` how unlikely that is: the cheap ones are
    tried first."""

    kind: str
    title: str
    wrong: str
    edits: list[Edit]
    cost: float
    harm: Harm = "changed result"


class Known(NamedTuple):
    """What was recorded of a value. `value` is that of a plain scalar."""

    type: str
    shape: list[int | None] | None = None
    dtype: str | None = None
    length: int | None = None
    value: str | None = None

    @property
    def name(self) -> str:
        """`ndarray` of `numpy.ndarray`."""
        return self.type.rpartition(".")[2]


class Site(NamedTuple):
    """A statement, by any line of it. `values` are the expressions of which something is known, as written."""

    file: str
    line: int
    far: float
    values: Mapping[str, Known]
    is_running: bool = False


class Scene:
    """What the families of guesses ask. Nothing is looked up before somebody asks for it."""

    def __init__(self, case: Case, link: RaisedException, cause: Finding) -> None:
        self.case = case
        self.link = link
        self.cause = cause
        self.rule = cause.name
        self._nodes: dict[tuple[str, int], list[ast.AST]] = {}
        self.sources: dict[str, Source] = {file: source for file, source in case.project.items() if source.tree.body}

    @functools.cached_property
    def error(self) -> FrameworkError | None:
        return framework_error(self.case)

    @property
    def facts(self) -> ErrorFacts | None:
        return self.error.facts if self.error is not None else None

    @functools.cached_property
    def misfit(self) -> Misfit | None:
        return misfit(self.case)

    @functools.cached_property
    def called(self) -> ApiCalled | None:
        found = self.case.records.all(ApiCalled)
        return found[-1] if found else None

    @functools.cached_property
    def refused(self) -> CallRefused | None:
        found = self.case.records.all(CallRefused)
        return found[-1] if found else None

    @functools.cached_property
    def frames(self) -> list[Frame]:
        """The user's lines that were running, the innermost first, each once."""
        raised = self.case.uncaught
        chains = [self.link.frames, *(one.frames for one in (raised.chain if raised else []))]
        place = self.facts.place if self.facts is not None else None
        found: dict[tuple[str, int], Frame] = {}
        for frames in [*chains, [place] if place is not None else []]:
            own = [one for one in reversed(frames) if one.user and one.file in self.sources]
            for one in own if not found else []:
                found.setdefault((one.file, one.line), one)
        if place is not None and place.file in self.sources:
            # A library's code may have called the user's again: both lines may be at fault.
            found.setdefault((place.file, place.line), place)
        return list(found.values())

    @functools.cached_property
    def is_of_none(self) -> bool:
        """Whether a value that is missing is what the exception is about: no change of the statement that uses it makes
        it the value that was meant."""
        none = any(one.type == "NoneType" for one in self.link.operands)
        told = "NoneType" in self.link.message or _NONE.search(self.link.message) is not None
        return none or told or self.rule == "none-result"

    @functools.cached_property
    def trails(self) -> Trails:
        running = [Call(one.file, one.line, one.function) for one in reversed(self.frames)]
        return Trails(self.sources, running)

    @functools.cached_property
    def sites(self) -> list[Site]:
        """The statements in question, the nearest first."""
        found: dict[tuple[str, int], Site] = {}
        for at, frame in enumerate(self.frames[:MOST_FRAMES]):
            self._keep(found, Site(frame.file, frame.line, at, self._values(frame, at), is_running=True))
        place = self.cause.location
        if place is not None:
            self._keep(found, Site(place.file, place.line, _OF_CAUSE, {}))
        self._follow(found, MOST_SITES // 2)
        for frame in self._parts():
            self._keep(found, Site(frame.file, frame.line, _OF_PART, {}))
        self._follow(found, MOST_SITES)
        return sorted(found.values(), key=lambda one: one.far)

    def _follow(self, found: dict[tuple[str, int], Site], most: int) -> None:
        """Back from the statements that are known, the nearest first."""
        waiting = sorted(found.values(), key=lambda one: one.far)
        while waiting and len(found) < most:
            site = waiting.pop(0)
            behind = [one for one in self._behind(site) if self._keep(found, one)]
            waiting = sorted([*waiting, *behind], key=lambda one: one.far) if site.far < _FARTHEST else waiting

    def _keep(self, found: dict[tuple[str, int], Site], site: Site) -> bool:
        """Whether the statement of a site is a new one."""
        source = self.sources.get(site.file)
        key = (site.file, source.span(site.line)[0] if source is not None else 0)
        if source is None or key in found:
            return False
        found[key] = site
        return True

    def _values(self, frame: Frame, far: float) -> dict[str, Known]:
        found = {one.name: Known(one.type, one.shape, one.dtype, one.length) for one in frame.locals}
        if far == 0:
            for one in self.link.operands:
                found[one.text] = Known(one.type, one.shape, one.dtype, one.length, one.value)
            for party in self.facts.parties if self.facts is not None else []:
                if party.text and party.type:
                    found.setdefault(party.text, Known(party.type, party.shape, party.dtype))
        called = self.called
        if called is not None and called.frame is not None and called.frame.line == frame.line:
            for given in called.arguments:
                if given.text:
                    known = Known(given.type, given.shape, given.dtype, given.length, given.value)
                    found.setdefault(given.text, known)
        return found

    def _behind(self, site: Site) -> Iterator[Site]:
        """What made or filled the values of a statement, one step back."""
        source = self.sources[site.file]
        own = source.span(site.line)[0]
        for node in self._statement(site.file, site.line):
            if isinstance(node, ast.Call) and (function := self.trails.called(node)) is not None:
                for one in within(function[1]):
                    if isinstance(one, ast.Return) and one.value is not None:
                        yield Site(function[0], one.lineno, site.far + _STEP, {})
            if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            known = site.values.get(written(node))
            for step in self.trails.trail(site.file, site.line, node)[:1]:
                values = {written(step.value): known} if known is not None else {}
                yield Site(step.file, step.line, site.far + _STEP, values)
            for line in self._filled(source, site.line, written(node)):
                yield Site(site.file, line, site.far + _STEP, {})
            for file, bound in self.trails.bound(site.file, own, written(node))[:2]:
                if bound.value is not None and bound.line != own:
                    yield Site(file, bound.line, site.far + _STEP, {})

    def _filled(self, source: Source, line: int, name: str) -> Iterator[int]:
        """Statements above a line that put something into what a name stands for."""
        for node in within(scope_at(source.tree, line)):
            if not isinstance(node, ast.Expr | ast.Assign) or node.lineno >= line:
                continue
            call = node.value
            method = call.func if isinstance(node, ast.Expr) and isinstance(call, ast.Call) else None
            if isinstance(method, ast.Attribute) and method.attr in _FILLING and written(method.value) == name:
                yield node.lineno
            if isinstance(node, ast.Assign):
                stored = [one for one in node.targets if isinstance(one, ast.Subscript)]
                yield from (node.lineno for one in stored if written(one.value) == name)

    def _parts(self) -> Iterator[Frame]:
        """The lines of what the exception is about, beside those that ran."""
        facts = self.facts
        if facts is None:
            return
        for layer in (facts.layer, facts.feeding, facts.shaping):
            if layer is not None and layer.made is not None:
                yield layer.made
        if facts.compiled is not None:
            yield facts.compiled
        for layer in reversed(facts.layers[-_MOST_LAYERS:]):
            if layer.made is not None:
                yield layer.made
        for party in facts.parties:
            yield from (one.frame for one in party.sources[:3] if one.frame is not None)
            yield from (one.frame for axis in party.size_makers for one in axis[:2] if one.frame is not None)

    def nodes(self, site: Site, kind: type[Node] | tuple[type[Node], ...]) -> list[Node]:
        """The nodes of a kind in the statement of a site."""
        return [one for one in self._statement(site.file, site.line) if isinstance(one, kind)]

    def _statement(self, file: str, line: int) -> list[ast.AST]:
        first = self.sources[file].span(line)[0]
        if (file, first) not in self._nodes:
            self._nodes[file, first] = nodes_on(self.sources[file], line)
        return self._nodes[file, first]

    def known(self, site: Site, node: ast.AST) -> Known | None:
        return site.values.get(written(node))

    def names_in_sight(self, site: Site) -> dict[str, Known | None]:
        """The variables of the statement's own function and of its module, with what is known of them."""
        frame = next((one for one in self.frames if (one.file, one.line) == (site.file, site.line)), None)
        found: dict[str, Known | None] = {}
        for file in module_files(self.sources, self.trails.module(site.file)):
            # Of other cells all that they made.
            for name in _bound_before(self.sources[file], site.line if file == site.file else 1 << 30):
                found[name] = None
        for one in frame.locals if frame is not None else []:
            found[one.name] = Known(one.type, one.shape, one.dtype, one.length)
        return found


def scene_of(case: Case, cause: Finding) -> Scene | None:
    """None where no exception ended the program, or none of the user's lines was in it."""
    raised = case.uncaught
    if raised is None or not raised.chain or case.was_stopped or raised.chain[0].type in _OTHER_ENDS:
        return None
    if cause.name == _BROKEN or any(link.type.rpartition(".")[2] in _OWN_CHECKS for link in raised.chain):
        return None
    scene = Scene(case, raised.chain[root_of(raised.chain)], cause)
    return scene if scene.frames else None


def _bound_before(source: Source, line: int) -> list[str]:
    found: list[str] = []
    for scope in {id(one): one for one in (scope_at(source.tree, line), source.tree)}.values():
        limit = line if scope is not source.tree or scope_at(source.tree, line) is source.tree else 1 << 30
        for node in within(scope):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.lineno < limit:
                found.append(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.append(node.name)
        arguments = getattr(scope, "args", None)
        if isinstance(arguments, ast.arguments):
            found += [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return list(dict.fromkeys(found))


_OF_SHAPES = ("shape", "rank", "target", "feed", "padding", "uneven", "unknown-size", "estimator", "batch")


def is_about_shapes(scene: Scene) -> bool:
    """Whether sizes or axes do not fit: by the facts, by the rule, at last by what the exception says."""
    if scene.misfit is not None:
        return scene.misfit.kind != "dtype"
    if any(one in scene.rule for one in _OF_SHAPES):
        return True
    return "shape" in scene.link.message or "dimension" in scene.link.message
