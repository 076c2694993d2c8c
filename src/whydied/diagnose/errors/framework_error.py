"""The facts that were gathered around an exception of TensorFlow or Keras, and their parts in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, root_of
from whydied.diagnose.errors.exception_words import plain_message
from whydied.diagnose.finding import Culprit, Evidence
from whydied.records import ErrorFacts, LayerFacts, Party, RaisedException
from whydied.shapes.keras_layers import SAME
from whydied.source.text import Source

Shape = list[int | None]
_LARGEST_EVIDENCE = 6
_ROLES = {
    "x": "x",
    "y": "y",
    "target": "target",
    "output": "model output",
    "element": "x of each element",
    "label": "y of each element",
}


class FrameworkError(NamedTuple):
    """The exception at the root of the chain, with what was around it. `sources` are the files of the program."""

    facts: ErrorFacts
    link: RaisedException
    sources: Mapping[str, Source] = {}

    def of_role(self, *roles: str) -> list[Party]:
        return [party for party in self.facts.parties if party.role in roles]

    @property
    def message(self) -> str:
        return self.link.message


def framework_error(case: Case) -> FrameworkError | None:
    raised = case.uncaught
    if raised is None or case.principal is None or case.exit_code in (0, None):
        return None
    root = root_of(raised.chain)
    link = raised.chain[root]
    mine = [one for one in case.principal.all(ErrorFacts) if one.link == root]
    return FrameworkError(mine[-1], link, case.project) if mine else None


def shape_words(shape: Shape | None) -> str:
    """`(32, None, 3)`; an unknown size is None, as TensorFlow and Keras write it."""
    if shape is None:
        return "of unknown shape"
    sizes = [str(size) for size in shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def sizes_in(text: str) -> Shape:
    """`32, None, 3` as a shape; what is not a number is not known."""
    return [int(size) if size.strip().isdigit() else None for size in text.split(",") if size.strip()]


def conforms(shape: Shape, wanted: Shape) -> bool:
    """Whether a shape has each size that is wanted and known."""
    return len(shape) == len(wanted) and all(size in (None, own) for own, size in zip(shape, wanted, strict=True))


def name_of(party: Party, otherwise: str) -> str:
    return f"`{party.text}`" if party.text else otherwise


def axes_words(count: int) -> str:
    return "1 axis" if count == 1 else f"{count} axes"


def layer_words(layer: LayerFacts) -> str:
    """`Dense "dense_1" (line 12)`."""
    line = f" ({line_words(layer.made)})" if layer.made else ""
    return f'{layer.type} "{layer.name}"{line}'


def giver_of(facts: ErrorFacts) -> LayerFacts | None:
    """The layer that gave what went into the one at work its shape."""
    return facts.shaping or facts.feeding


def sizing_of(facts: ErrorFacts) -> LayerFacts | None:
    """The layer that sets the sizes of what went into the one at work: not one that gives what it is given."""
    known = {one.name: one for one in facts.layers}
    giver = giver_of(facts)
    for _ in range(len(known) + 1):
        if giver is None or (giver.type not in SAME and giver.type not in ("Reshape", "Flatten", "Permute")):
            return giver
        before = [known.get(name) for name in giver.inputs]
        giver = before[0] if len(before) == 1 and giver.type in SAME else None
    return None


def output_words(facts: ErrorFacts) -> str:
    """`the output of LSTM "lstm" (line 12), passed on by Dropout "dropout" (line 13),`; empty where nothing feeds."""
    giver = giver_of(facts)
    if giver is None:
        return ""
    passed = f", passed on by {layer_words(facts.feeding)}," if facts.shaping is not None and facts.feeding else ""
    return f"the output of {layer_words(giver)}{passed}"


def culprit_of(party: Party, kind: str = "tensor") -> Culprit:
    return Culprit(kind=kind, name=party.text or None, shape=party.shape, dtype=party.dtype)


def evidence_of(error: FrameworkError) -> list[Evidence]:
    """What each of the parties is and where it came from."""
    said = f"{error.link.type}: {plain_message(error.message)}"[:2000]
    return [Evidence(fact="exception", value=said, source="ExceptionRaised"), *party_evidence(error.facts.parties)]


def party_evidence(parties: list[Party]) -> list[Evidence]:
    told = []
    for party in parties:
        if not party.text and party.role == "operand" and not _is_named(party):
            continue
        if (
            party.role in ("feed", "yielded")
            or party.dtype in ("resource", "variant")
            or (party.role == "size" and not party.text.strip("-0123456789"))
        ):
            continue
        what = shape_words(party.shape) if party.shape is not None else _kind(party)
        words = f"{what}{f' {party.dtype}' if party.dtype else ''}{_from(party)}"
        one = Evidence(fact=_fact(party), value=words, source="ErrorFacts")
        if one not in told:
            told.append(one)
    return told[:_LARGEST_EVIDENCE]


def _is_named(party: Party) -> bool:
    """Whether the nearest source has a name that the program gave, and not one that a graph makes up."""
    name = party.sources[0].name if party.sources else ""
    return bool(name) and "/" not in name and not name.startswith("args_")


def _kind(party: Party) -> str:
    """What something without a shape is."""
    if party.role == "size":
        return str(party.lowest)
    name = party.type.rpartition(".")[2]
    return "a tf.data.Dataset" if name.endswith("Dataset") else f"a {name}" if name else shape_words(None)


def _fact(party: Party) -> str:
    role = _ROLES.get(party.role, "")
    return (
        f"`{party.text}`" + (f" ({role})" if role and role != party.text else "") if party.text else role or party.role
    )


def _from(party: Party) -> str:
    words = ""
    # Where a data set was made is told with the data set itself.
    shown = [one for one in party.sources if one.kind == "op"] if party.role in ("element", "label") else party.sources
    for source in [one for one in shown if not one.name.startswith("args_")][:3]:
        line = f" on {line_words(source.frame)}" if source.frame else ""
        verb = {"parameter": "passed", "file": "loaded"}.get(source.kind, "made")
        file = f" from {source.file}" if source.file else ""
        name = "" if source.name == party.text and not words else f"`{source.name}` "
        words += f"; {name}{verb}{line}{file}" + (f": `{source.text}`" if source.text else "")
    return words
