"""The failing statement of an exception with what its data held and where they came from. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, root_of
from whydied.diagnose.errors.usage import root_link
from whydied.diagnose.finding import Evidence, Location
from whydied.records import DataLooked, Frame, Operand, RaisedException
from whydied.source.origins.trails import Call, Trails, expression, expressions_on
from whydied.source.text import Source
from whydied.source.trees import enclosing, tree_of


class Failing(NamedTuple):
    """`data` are those of the failing statement and of what flows into it, the nearest first."""

    case: Case
    link: RaisedException
    place: Location
    trails: Trails
    data: list[DataLooked]

    @property
    def sources(self) -> dict[str, Source]:
        return self.case.project

    @property
    def expressions(self) -> list[ast.expr]:
        return expressions_on(self.sources, self.place.file, self.place.line)

    def expression(self, text: str) -> ast.expr | None:
        return expression(self.sources, self.place.file, self.place.line, text)

    def operand(self, text: str) -> Operand | None:
        return next((one for one in self.link.operands if one.text == text), None)

    def looked(self, text: str) -> DataLooked | None:
        return next((one for one in self.data if one.text == text), None)

    def located(self, file: str, line: int) -> Location:
        function = enclosing(tree_of(self.sources, file), line)
        return self.case.locate(Frame(file=file, line=line, function=function, user=True))

    def is_editable(self, file: str) -> bool:
        """Whether the text of a file or cell is known, so that a patch of it can be written."""
        return file in self.sources


def failing(case: Case, *types: str) -> Failing | None:
    """The failing statement, where the exception at the root is of one of these types. Of one that a library raised and
    told again it is the first above it that has a line of the user's."""
    if root_link(case) is None or case.uncaught is None:
        return None
    chain = case.uncaught.chain
    above = reversed(chain[: root_of(chain) + 1])
    link = next((one for one in above if any(frame.user for frame in one.frames)), None)
    place = case.locate_user(link.frames) if link is not None else None
    if link is None or place is None or (types and link.type not in types):
        return None
    running = [Call(one.file, one.line, one.function) for one in link.frames if one.user]
    index = chain.index(link)
    data = [one for one in case.records.all(DataLooked) if one.link == index]
    return Failing(case, link, place, Trails(case.project, running), sorted(data, key=lambda one: one.distance))


def words_at(file: str, line: int) -> str:
    return line_words(Frame(file=file, line=line, function=""))


def fact(name: str, value: str, source: str = "DataLooked") -> Evidence:
    return Evidence(fact=name, value=value[:300], source=source)
