"""A generator yields an element that is not what was declared or seen before.

## What it detects
An element of a generator, given to Keras or to `tf.data.Dataset.from_generator`, whose shape, type or structure is
not that of its `output_signature`, or of its first batches where Keras took the form from those. A list of rows, or a
single number, where Keras wants an array of rows.

## Why it happens
A picture of another size or a series of another length among the files, a label that is missing, a text where a number
should be; or a signature that promises a fixed size where the sizes vary.

## Evidence
The exception with what was yielded and what was expected; the function with the `yield`, where the program has just one
that it can have been; the step of the call that it came out of.

## How it is proved
The exception names both: certain.

## Fix
Bring the element to the form of the others before it is yielded, or leave it out with an `if` around the `yield`; or
declare a size that varies as `None` in the signature.

## Known problems
Of an element with several parts the part is known by its shape alone.

## References
TensorFlow documentation: tf.data.Dataset.from_generator.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.yielded_arrays import as_parts, printed_rows
from whydied.diagnose.errors.advice import Advice, Way, advised, capital, changes_of
from whydied.diagnose.errors.exception_context import party_texts
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import Shape, conforms, framework_error, shape_words, sizes_in
from whydied.diagnose.errors.framework_error import evidence_of as framework_evidence
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.errors.samples.yielded_samples import yielding_batches
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Frame, StepBegan
from whydied.source.calls import callee
from whydied.source.container_parts import count_of
from whydied.source.edits.edit import Change, Edit, over, statement, written_in
from whydied.source.edits.runs import yielded_elements as yielded
from whydied.source.edits.runs.element_forms import arrays_of, element_forms
from whydied.source.edits.shapes.loss_edits import called_name
from whydied.source.edits.shapes.whole_numbers import sizes_edits, written_shapes
from whydied.source.generators import Generator, loop_targets, only_generator, only_giver
from whydied.source.text import Source, tree_or_empty
from whydied.source.trees import across, nodes_on, walk
from whydied.texts import data_pipelines

_SHAPE = data_pipelines.YIELDED_SHAPE.pattern
_SPEC = data_pipelines.YIELDED_SPEC.pattern
_STRUCTURE = data_pipelines.YIELDED_STRUCTURE.pattern
_TYPE = data_pipelines.YIELDED_TYPE.pattern
_PART = data_pipelines.SPEC.pattern
_FIRST_BATCHES = data_pipelines.YIELDED_TO_KERAS.pattern
_NO_BATCH_AXIS = data_pipelines.NO_BATCH_AXIS.pattern
_LONGEST = 60


ROLE = "explanation"


def check(case: Case) -> Finding | None:
    said = quoted(case, _SHAPE, _STRUCTURE, _TYPE, _SPEC)
    if said is None:
        return _list_among_parts(case) or _single_values(case)
    found = only_generator(case.sources, said.place)
    place = said.place
    if found is not None:
        place = case.locate(Frame(file=found.file, line=found.line, function=found.name, user=True))
    unpacked = _array(case, said, found)
    counted = _other_number(case, said, found) or _nested(case, said, found)
    shape, what, advice = unpacked or counted or _told(case, said)
    who = f"{found.name}()" if found and found.name != "__iter__" else "the generator"
    return Finding(
        message=f"{prefix(place)}{who} yields {what}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="element", name=found.name if found else None, shape=shape),
        evidence=evidence_of(said.link, said.raised, party_texts(case)),
        advice=advice.sentences,
        # All elements are such arrays: none would be left.
        changes=advice.changes if unpacked or counted else [*advice.changes, *_left_out(case, said, found)],
    )


def _list_among_parts(case: Case) -> Finding | None:
    """Inputs in a list: Keras makes a data set of a generator, and a data set has tuples for several parts."""
    said = quoted(case, data_pipelines.LIST_IN_SIGNATURE.pattern)
    found = only_giver(case.project, said.place) if said is not None else None
    source = case.project.get(found.file) if found is not None else None
    if said is None or found is None or source is None:
        return None
    forms = element_forms(source, found.file, found)
    place = case.locate(Frame(file=found.file, line=found.line, function=found.name, user=True))
    gives, give, who = _giving(source, found)
    told, wanted = (forms[0].given, f"{forms[0].right}: {forms[0].meaning}") if forms else ("a list", "a tuple")
    ways = [Way(f"{give} {one.right} ({one.meaning})", one.edits) for one in forms]
    return Finding(
        message=f"{prefix(place)}{who} {gives} {told} among its parts, a list; Keras takes {wanted}",
        certainty="certain" if forms else "likely",
        location=place,
        culprit=Culprit(kind="element", name=found.name),
        evidence=evidence_of(said.link, said.raised, party_texts(case)),
        advice=[f"{ways[0].words}." if ways else f"{give} a tuple in its place."],
        changes=changes_of("data", ways),
    )


def _left_out(case: Case, said: Quotation, found: Generator | None) -> list[Change]:
    """The generator without elements such as the one that was refused. Where no other element came through it might
    have none left."""
    if found is None or not _came_through(case):
        return []
    source, place = case.sources[found.file], (found.file, found.line)
    got, wanted = said.match["got"], said.match["wanted"]
    which, edits = "", list[Edit]()
    if said.match.re is _SHAPE:
        which, edits = "of another shape", yielded.only_of_shape(source, *place, sizes_in(wanted))
    elif said.match.re is _STRUCTURE:
        which, edits = "with other parts", yielded.only_of_parts(source, *place, _number_of_parts(wanted))
    elif said.match.re is _TYPE and got == "None":
        which, edits = "with a part that is None", yielded.only_given(source, *place)
    elif said.match.re is _TYPE and got[:1].isalpha():
        which, edits = "with a text in the place of a number", yielded.only_numbers(source, *place)
    title = f"Leave out elements {which}"
    return [Change(title=title, kind="data", edits=edits)] if edits else []


def _array(case: Case, said: Quotation, found: Generator | None) -> tuple[None, str, Advice] | None:
    """An array with as many rows as there are parts."""
    if said.match.re is not _STRUCTURE:
        return None
    parts, rows = _number_of_parts(said.match["wanted"]), printed_rows(said.match["got"])
    if rows is None or rows != parts or parts < 2:
        return None
    words = f"one array with {rows} rows, where a tuple of {parts} parts, {_short(said.match['wanted'])}, was expected"
    return None, words, as_parts(case.sources, found, parts)


def _came_through(case: Case) -> bool:
    """Whether a step came after another one, or a loop over data has something in its variables. The first step begins
    before its data are there."""
    if any(one.count > 1 for one in case.records.all(StepBegan)):
        return True
    frames = [frame for link in case.uncaught.chain for frame in link.frames] if case.uncaught is not None else []
    return any(
        {one.id for target in loop_targets(case.sources, case.locate(frame)) for one in walk(target, ast.Name)}
        & {local.name for local in frame.locals}
        for frame in frames
        if frame.user
    )


def _number_of_parts(structure: str) -> int:
    """2 of `(tf.float32, tf.int32)`."""
    try:
        node = ast.parse(structure.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return 0
    return len(node.elts) if isinstance(node, ast.Tuple) else 0


def _single_values(case: Case) -> Finding | None:
    """A list of numbers, or a single one, where Keras wants arrays of rows."""
    error = framework_error(case)
    if error is None or not _NO_BATCH_AXIS.search(error.message):
        return None
    made = [one for party in error.of_role("x") for one in party.sources if one.kind == "generator" and one.frame]
    called_at = case.locate_user(error.link.frames)
    at = made[0].frame if len(made) == 1 else None
    found = Generator(made[0].name, at.file, at.line) if at is not None else only_giver(case.project, called_at)
    source = case.project.get(found.file) if found is not None else None
    if found is None or source is None:
        return None
    place = case.locate(Frame(file=found.file, line=found.line, function=found.name, user=True))
    seen = {party.text: party.type for party in error.of_role("yielded")}
    lists = element_forms(source, found.file, found, seen)
    gives, give, who = _giving(source, found)
    whole = yielding_batches(error) if not lists else None
    ways = [Way(whole.words, whole.edits)] if whole is not None else []
    ways += [
        Way(f"{give} {one.right} ({one.meaning})", one.edits) for one in lists or arrays_of(source, found.file, found)
    ]
    what = f"{lists[0].given}, a list," if lists else "a single value"
    return Finding(
        message=(
            f"{prefix(place)}{who} {gives} {what} where Keras expects an array of rows (a list "
            "counts as one array per input, not as rows)"
        ),
        certainty="certain" if lists or made else "likely",
        location=place,
        culprit=Culprit(kind="element", name=found.name),
        evidence=framework_evidence(error),
        advice=[
            f"{capital(ways[0].words)}."
            if lists or whole is not None
            else f"{give} one array for each input and each target, with the rows along the first axis: "
            "`np.array(labels)`; of several inputs a tuple of such arrays, not a list of rows."
        ],
        changes=changes_of("data", ways),
    )


def _giving(source: Source, found: Generator) -> tuple[str, str, str]:
    """What a generator or a class of batches does with its element, and its name."""
    if any(isinstance(one, ast.Return) for one in nodes_on(source, found.line)):
        return "returns", "Return", f"{found.name}.__getitem__()"
    return "yields", "Yield", f"{found.name}()"


def _told(case: Case, said: Quotation) -> tuple[Shape | None, str, Advice]:
    """The shape that was yielded, what is wrong with the element, and what to do."""
    got, wanted = said.match["got"], said.match["wanted"]
    source = "in its first batches" if _FIRST_BATCHES.search(said.link.message) else "by its signature"
    if said.match.re is _SHAPE:
        return _shapes(case, sizes_in(got), sizes_in(wanted), source)
    if said.match.re is _TYPE:
        words = f"{_short(got)}, where a number of type {wanted} was expected {source}"
        return None, words, Advice(["Convert it to a number before yielding it, or skip such elements."], [])
    if said.match.re is _SPEC:
        for one, other in zip(_PART.finditer(got), _PART.finditer(wanted), strict=False):
            if one["dtype"] != other["dtype"]:
                words = f"values of type {one['dtype']}, where {other['dtype']} was expected {source}"
                told = f"Yield them as {other['dtype']}, or declare {one['dtype']} in the signature."
                return None, words, Advice([told], [])
            if not conforms(sizes_in(one["shape"]), sizes_in(other["shape"])):
                return _shapes(case, sizes_in(one["shape"]), sizes_in(other["shape"]), source)
    if said.match.re is _STRUCTURE and got.startswith("[") and wanted.startswith("(") and re.search("[a-z']", got):
        # TensorFlow takes a list for one array, and a tuple for the parts of an element. A list of numbers alone may be
        # one part of it, and the others missing.
        given = re.match(r"yield\s+(?P<what>[^#]+)", said.place.source or "") if said.place else None
        what = given["what"].strip() if given else ""
        right = f"({what[1:-1]})" if what.startswith("[") else f"tuple({what})"
        fix = f"`yield {right}`" if what else "`yield tuple(element)`"
        words = f"a list, where a tuple like {_short(wanted)} was expected {source}"
        return None, words, advised(f"Write {fix}.", "data", _yielded(case, said, right) if what else None)
    words = f"{_short(got)}, where an element like {_short(wanted)} was expected {source}"
    return None, words, Advice(["Yield every element with the same parts, or skip those that lack one."], [])


def _other_number(case: Case, said: Quotation, found: Generator | None) -> tuple[Shape | None, str, Advice] | None:
    """More parts at every `yield` than the signature declares: only the first ones are yielded, or all are declared."""
    source = case.sources.get(found.file) if found is not None else None
    if said.match.re is not _STRUCTURE or found is None or source is None:
        return None
    yields = [one.value for one in nodes_on(source, found.line) if isinstance(one, ast.Yield)]
    given = yields[0].elts if len(yields) == 1 and isinstance(yields[0], ast.Tuple) else []
    declared = count_of(said.match["wanted"])
    if declared is None or not 0 < declared < len(given):
        return None
    fewer = ", ".join(written_in(source, one) for one in given[:declared])
    fewer += "," if declared == 1 else ""
    words = f"{len(given)} parts, and its signature declares {declared}: `{said.match['wanted'][:_LONGEST]}`"
    told = f"Declare all {len(given)} parts in the signature; or yield only those {declared}: `yield {fewer}`."
    edits = [over(source, found.file, yields[0], fewer)] if yields[0] is not None else None
    return None, words, advised(told, "data", Way(f"Yield only the {declared} declared parts: `{fewer}`", edits))


def _nested(case: Case, said: Quotation, found: Generator | None) -> tuple[Shape | None, str, Advice] | None:
    """Lists among the parts of every element, where the signature has tuples: TensorFlow takes a list for one array."""
    source = case.sources.get(found.file) if found is not None else None
    if said.match.re is not _STRUCTURE or found is None or source is None:
        return None
    yields = [one.value for one in nodes_on(source, found.line) if isinstance(one, ast.Yield)]
    wanted = [one.value for one in tree_or_empty(said.match["wanted"]).body if isinstance(one, ast.Expr)]
    if len(yields) != 1 or not isinstance(yields[0], ast.Tuple) or not wanted or not isinstance(wanted[0], ast.Tuple):
        return None
    pairs = zip(yields[0].elts, wanted[0].elts, strict=False)
    lists = [one for one, other in pairs if isinstance(one, ast.List) and isinstance(other, ast.Tuple) and one.elts]
    if not lists:
        return None
    rights = [
        f"({', '.join(written_in(source, one) for one in each.elts)}{',' * (len(each.elts) == 1)})" for each in lists
    ]
    names = [f"`{written_in(source, one)}`" for one in lists]
    words = f"the list {' and '.join(names)}, which is taken for one array; its signature has a tuple of parts there"
    title = " and ".join(f"`{right}` instead of {name}" for right, name in zip(rights, names, strict=True))
    edits = [over(source, found.file, one, right) for one, right in zip(lists, rights, strict=True)]
    return None, words, advised(f"Write {title}.", "data", edits)


def _yielded(case: Case, said: Quotation, right: str) -> list[Edit] | None:
    """The statement that failed, with another element."""
    place = said.place
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return None
    return [statement(source, place.file, place.line, f"yield {right}")]


def _varying(case: Case, wanted: Shape, varying: Shape) -> list[Edit] | None:
    """The only part of a signature with a shape, left open where sizes vary, and the batch that pads."""
    specs = [(file, call) for file, call in across(case.sources, ast.Call) if callee(call) == "TensorSpec"]
    found = [
        (file, shape) for file, call in specs for shape in written_shapes(case.sources[file], call.args[:1], wanted)
    ]
    batches = [(file, call) for file, call in across(case.sources, ast.Call) if callee(call) == "batch"]
    if len(found) != 1 or len(batches) > 1:
        return None
    file, shape = found[0]
    edits = sizes_edits(case.sources[file], file, shape, wanted, varying)
    for other, call in batches:
        padded = called_name(case.sources[other], other, call.lineno, "batch", "padded_batch")
        edits = [*edits, *padded] if edits and padded else None
    return edits


def _shapes(case: Case, got: Shape, wanted: Shape, source: str) -> tuple[Shape, str, Advice]:
    words = f"an element of shape {shape_words(got)}, where {shape_words(wanted)} was expected {source}"
    if len(got) != len(wanted):
        words += f": {len(got)} axes vs {len(wanted)}"
        return got, words, Advice(["Give all elements the same number of axes before yielding them."], [])
    differing = [at for at, pair in enumerate(zip(got, wanted, strict=True)) if not conforms([pair[0]], [pair[1]])]
    axes = " and ".join(map(str, differing))
    words += f": axis {axes} differs" if len(differing) == 1 else f": axes {axes} differ"
    varying = [None if at in differing else size for at, size in enumerate(wanted)]
    declared = shape_words(varying)
    if source.endswith("signature"):
        declare = f"if sizes may vary, declare {declared} in the signature and use `padded_batch`"
        way = Way(declare, _varying(case, wanted, varying))
    else:
        declare = f"if sizes may vary, use an `Input` and a model that accept {declared}, and first batches that differ"
        way = Way(declare)
    told = f"Bring the element to {shape_words(wanted)} before yielding it; {declare}."
    return got, words, advised(told, "data", way)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return f"`{flat}`" if len(flat) <= _LONGEST else f"`{flat[:_LONGEST]}…`"
