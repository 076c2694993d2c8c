"""What an exception is about, and which kinds of guesses that makes likely. Pure.

The topic comes from the facts (shapes and types that differ, a name that was missed, a graph) and from the rule that
explains the exception; the text of a message is asked last.
"""

from __future__ import annotations

from typing import Literal

from whydied.prove.guesses.scene import Guess, Scene

Topic = Literal["shape", "dtype", "name", "attribute", "file", "graph", "feed", "range", "unpacking", "call", "other"]
_NAMES = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "KeyError")
_FILES = ("FileNotFoundError", "NotADirectoryError", "IsADirectoryError", "FileExistsError", "NotFoundError")
_OF_SHAPES = ("shape", "rank", "target-mismatch", "padding", "uneven", "unknown-size", "partial-batch")
_OF_GRAPHS = (
    *("uninitialised-variable", "other-graph", "eager-in-session", "symbolic-as-value", "graph-built-twice"),
    *("no-gradient", "finalised-graph", "fetch-mismatch", "deleted-variable", "checkpoint-mismatch"),
)
_OF_RANGES = ("label-out-of-range", "index-out-of-range", "index-beyond-size")

_LIKELY: dict[str, frozenset[str]] = {
    "shape": frozenset(
        {
            *("shape", "sequences", "layer", "width", "input", "target", "loss", "padding", "strides", "batch", "data"),
            *("size", "axis", "left-out", "switch", "dtype", "order", "brackets", "shapes", "feed", "open-size"),
            *("argument-dropped", "rounded"),
        }
    ),
    "dtype": frozenset({"shape", "dtype", "fraction", "form", "whole", "left-out", "target", "loss"}),
    "name": frozenset({"near", "other-name", "self", "order", "name-of-text", "parent", "loop"}),
    "attribute": frozenset(
        {"near", "other-name", "self", "form", "left-out", "brackets", "parent", "return", "mode", "eager"}
    ),
    "file": frozenset({"near", "directory", "form", "other-name"}),
    "graph": frozenset(
        {"graph", "initialiser", "mode", "eager", "traced", "tape", "symbolic", "test", "form", "left-out"}
    ),
    "feed": frozenset({"feed", "other-name", "shape", "dtype", "size", "left-out", "name-of-text", "form"}),
    "range": frozenset({"one-more", "width", "target", "size", "other-name"}),
    "unpacking": frozenset({"parts", "loop", "brackets", "form", "left-out", "return"}),
    "call": frozenset(
        {
            *(
                "argument-dropped",
                "argument",
                "near",
                "order",
                "packed",
                "unpacked",
                "called",
                "form",
                "whole",
                "brackets",
            ),
            *("switch", "name-of-text", "left-out", "self", "parent"),
        }
    ),
}
_ALWAYS = frozenset(
    {
        *(
            "added",
            "count",
            "given-out",
            "minimised",
            "listed",
            "pictures",
            "definition",
            "parameters",
            "api",
            "ending",
        ),
        *("own-objects", "keras", "return", "repeated", "opened", "sibling", "odd-axis", "helper", "prepared", "json"),
        *("objects", "plain-form"),
    }
)
_UNLIKELY = 1.2


def topic_of(scene: Scene) -> Topic:
    link, rule = scene.link, scene.rule
    if rule in _OF_RANGES or link.type == "IndexError":
        return "range"
    if rule in _OF_GRAPHS or "Graph" in link.type or "Graph" in link.message[:80]:
        return "graph"
    if rule == "feed-mismatch":
        return "feed"
    if scene.misfit is not None:
        return "dtype" if scene.misfit.kind == "dtype" else "shape"
    if "dtype" in rule:
        return "dtype"
    if any(one in rule for one in _OF_SHAPES):
        return "shape"
    if "unpack" in link.message:
        return "unpacking"
    if link.type in _NAMES:
        return "name"
    if link.type == "AttributeError":
        return "attribute"
    if link.type in _FILES:
        return "file"
    if "shape" in link.message or "dimension" in link.message:
        return "shape"
    return "call" if link.type == "TypeError" or scene.refused is not None else "other"


def added_cost(topic: Topic, guess: Guess) -> float:
    """What a guess of another topic costs more."""
    likely = _LIKELY.get(topic)
    return 0.0 if likely is None or guess.kind in likely | _ALWAYS else _UNLIKELY
