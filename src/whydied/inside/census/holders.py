"""The walk from the program's variables to what they hold; runs in the user's process, in the thread of the census.

Invariant: the walk begins at names (locals of running frames, globals of the user's modules, closures,
attributes of classes), goes breadth first, so that the shortest way names an object, and stops at its deadline. Large
containers are taken as a whole in single C calls: what lies in a list of a million dictionaries is held by that list.
Nothing of the user's is called, and nothing is kept after it.

However many objects there are, only so many are touched, and each step is short enough for the deadline to be kept: of
more, a sample stands for all. To touch an object costs a look into memory that is in no cache, about 0.1 µs.
"""

from __future__ import annotations

import gc
import sys
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import chain, islice
from types import FrameType, ModuleType
from typing import Any

from whydied.inside.census import array_sizes, object_kinds, open_figures, samples
from whydied.inside.census.holder_paths import class_file, is_user_path
from whydied.inside.census.object_counts import Node, ObjectCounts, root_node
from whydied.inside.census.object_kinds import TypeFacts, type_facts
from whydied.inside.guest import frame_variables
from whydied.inside.guest.ownership import Ownership

SMALL = 32
"""Containers up to this length are entered item by item, with a name for each."""
DEEPEST = 14
DEEPEST_BULK = 8
LARGEST_BULK = 40_000
"""Of more arrays or tensors than these in one level, a spread sample stands for all."""
LARGEST_ENTERED = 10_000
"""Of more containers than these in one level, a spread sample is entered for all."""
LARGEST_REFERENTS = 40_000
"""Of containers with more than these in all, fewer are entered: only to touch what lies in them takes the time."""
LONG = 1000
LARGEST_LONG = 256
"""Of containers that are longer a part stands for each, and of many such these stand for all."""
LARGEST_CACHE = 200_000
"""Of a larger `lru_cache` the number of entries is all that is known: they cannot be had in part."""
LARGEST_SEEN = 100_000
LARGEST_QUEUE = 4000
SHARE = 0.6
"""Of the time that is left, for one container."""
LARGEST_GLOBALS = 20_000
LARGEST_OF_OBJECTS = 16
"""Of more arrays of objects, such as columns of text, these stand for all."""
LARGEST_WALK = 60_000
ONE_BY_ONE = 0.7
"""The part of the time after which what still waits for a name of its own is counted under the variable it is in."""
_ENTERED_BY_REFERENTS = (
    "builtins",
    "functools",
    "_functools",
    "itertools",
    "collections",
    "_collections",
    "contextvars",
)
_IN_BULK = frozenset(
    {
        object_kinds.SEQUENCE,
        object_kinds.MAPPING,
        object_kinds.INSTANCE,
        object_kinds.CELL,
        object_kinds.MODEL,
        object_kinds.OPTIMIZER,
        object_kinds.FRAME,
        object_kinds.METHOD,
    }
)
_NOT_IN_BULK = frozenset({object_kinds.OPAQUE, object_kinds.FUNCTION, object_kinds.CLASS})
_SKIPPED = frozenset({object_kinds.OPAQUE, object_kinds.ATOM})
_PLAIN_KEYS = frozenset(map(id, (str, int, bool)))


class Walk:
    def __init__(
        self, ownership: Ownership, counts: ObjectCounts, deadline: float, seen: set[int] | None = None
    ) -> None:
        self._ownership = ownership
        self.counts = counts
        self._deadline = deadline
        self._one_by_one_until = time.thread_time() + (deadline - time.thread_time()) * ONE_BY_ONE
        self._queue: deque[tuple[Any, Node, int]] = deque()
        self.seen: set[int] = seen if seen is not None else set()
        self._most_seen = len(self.seen) + LARGEST_SEEN
        self.seen |= {
            id(self),
            id(counts),
            id(counts.groups),
            id(counts.large),
            id(counts.models),
            id(self._queue),
        }
        self.seen |= {id(self.seen), id(self.__dict__), id(counts.__dict__)}
        self.complete = True
        self._notebook_names: frozenset[str] = frozenset()

    def run(self, error: BaseException | None = None) -> None:
        frames = [*_raised_through(error), *_frames()]
        notebook = sys.modules.get("whydied.inside.notebook.notebook_variables")
        self._notebook_names = notebook.names() if notebook is not None else frozenset()
        self._add_frames(frames, users=True)
        self._add_modules()
        # What the user's own names lead to is theirs; the rest is what the notebook and pyplot keep.
        self._drain()
        for value, node in notebook.holdings(self._ownership) if notebook is not None else ():
            if node.root != "figure":
                self.of(value, node)
        self._add_figures()
        self._add_frames(frames, users=False)
        frames.clear()
        self._drain()

    def run_from(self, roots: list[tuple[Any, Node]]) -> None:
        """Count what these lead to."""
        self.seen.add(id(roots))
        for value, node in roots:
            self._push(value, node, 0)
        roots.clear()
        self._drain()

    def _drain(self) -> None:
        visits = 0
        while self._queue:
            visits += 1
            late = visits % 32 == 0 and time.thread_time() > self._one_by_one_until
            if late or visits > LARGEST_WALK or len(self._queue) > LARGEST_QUEUE:
                self._drain_at_once()
                return
            self._visit(*self._queue.popleft())

    def _drain_at_once(self) -> None:
        self.complete = False
        waiting: dict[Node, list[Any]] = {}
        for thing, node, _ in self._queue:
            while node.parent is not None:
                node = node.parent
            waiting.setdefault(node, []).append(thing)
        self._queue.clear()
        left = sum(map(len, waiting.values()))
        for node, things in sorted(waiting.items(), key=lambda pair: -len(pair[1])):
            self._bulk(things, node, 0, share=max(SHARE, len(things) / left))
            left -= len(things)

    # Roots.

    def _add_frames(self, frames: list[FrameType], users: bool) -> None:
        for frame in frames:
            file = self._ownership.user_file(frame)
            if (file is not None) is not users:
                continue
            code = frame.f_code
            root = "local" if users else "library"
            if code.co_name == "<module>":
                if not users:
                    continue
                root = "global"
            for name, value in frame_variables.variables(frame):
                if name.startswith(("__", ".")) or (root == "global" and name in self._notebook_names):
                    continue
                place = file or self._ownership.resolve(code.co_filename)
                self._push(value, root_node(name, root, place, code.co_firstlineno, code.co_name), 0)

    def _add_modules(self) -> None:
        for module_name, module in list(sys.modules.items()):
            if type(module) is not ModuleType:
                continue
            file = module.__dict__.get("__file__")
            is_main = module_name == "__main__"
            if not is_main and (not isinstance(file, str) or not is_user_path(file, self._ownership)):
                continue
            prefix = "" if is_main else f"{module_name.rpartition('.')[2]}."
            path = self._ownership.resolve(file) if isinstance(file, str) else ""
            for name, value in list(islice(module.__dict__.items(), LARGEST_GLOBALS)):
                if not isinstance(name, str) or name.startswith("__") or (is_main and name in self._notebook_names):
                    continue
                self._push(value, root_node(prefix + name, "global", path, 1, "<module>"), 0)

    def _add_figures(self) -> None:
        """What is drawn in figures, and no more of them: each is thousands of objects that weigh nothing."""
        figures = open_figures.figures()
        few = len(figures) <= SMALL
        every = Node(None, f"{len(figures)} pyplot figures", "figure")
        every.length = len(figures)
        for number, figure in figures:
            self.seen.add(id(figure))
            node = Node(None, f"pyplot figure {number}", "figure") if few else every
            self._bulk(open_figures.drawn(figure), node, DEEPEST_BULK - 3)

    # The walk.

    def of(self, thing: Any, node: Node) -> None:
        """Count what one name leads to, and nothing that was counted before; the other name then has one more."""
        if id(thing) in self.seen:
            self.counts.aliases.setdefault(id(thing), []).append(node.label)
            return
        self._push(thing, node, 0)
        self._drain()

    def _push(self, thing: Any, node: Node, depth: int) -> None:
        if depth > DEEPEST:
            return
        facts = type_facts(type(thing))
        if facts.name in _SKIPPED or id(thing) in self.seen:
            return
        if facts.name in object_kinds.LEAVES or facts.name == object_kinds.KERAS_VARIABLE:
            self.seen.add(id(thing))
            base: Any = facts.base
            if facts.name != object_kinds.TEXT or base.__len__(thing) > object_kinds.LARGE_TEXT_BYTES:
                self.counts.add(thing, facts, _holding(node))
            if facts.name == object_kinds.ARRAY:
                items, count = array_sizes.elements(thing, facts)
                self._bulk(items, _holding(node), 0, count / max(1, len(items)))
            return
        self._queue.append((thing, node, depth))

    def _visit(self, thing: Any, node: Node, depth: int) -> None:
        if id(thing) in self.seen:
            return
        self.seen.add(id(thing))
        facts = type_facts(type(thing))
        if facts.name in object_kinds.ALWAYS_LISTED:
            self.counts.add(thing, facts, _holding(node))
        if facts.name == object_kinds.SEQUENCE:
            self._sequence(thing, facts, node, depth)
        elif facts.name == object_kinds.MAPPING:
            self._mapping(thing, facts, node, depth)
        elif facts.name == object_kinds.FUNCTION:
            self._function(thing, node, depth)
        elif facts.name == object_kinds.CLASS:
            self._class(thing, node, depth)
        elif facts.name == object_kinds.METHOD:
            self._push(thing.__self__, node, depth + 1)
        elif facts.name == object_kinds.CELL:
            self._bulk([thing], node, 0)
        else:
            self._instance(thing, facts, node, depth)
            return
        if (
            facts.attributes is not None
            and facts.name in (object_kinds.SEQUENCE, object_kinds.MAPPING)
            and class_file(type(thing), self._ownership)
        ):
            self._attributes(thing, facts, node, depth)

    def _sequence(self, thing: Any, facts: TypeFacts, node: Node, depth: int) -> None:
        node.holds(thing, facts)
        stored = object_kinds.storage(thing, facts)
        node.length = int(facts.base.__len__(stored))  # type: ignore[attr-defined]
        items = stored if type(stored) is list or type(stored) is tuple else object_kinds.some_items(stored, facts)
        if len(items) > SMALL:
            self.counts.add(thing, facts, node)
            self._bulk(items, node, 0, node.length / len(items))
            return
        ordered = facts.base is list or facts.base is tuple or facts.base is deque
        shift = 0
        for index, item in enumerate(items):
            if (
                node.attribute == "layers"
                and type_facts(type(item)).type.endswith("InputLayer")
                and _is_sequential(node)
            ):
                shift += 1
            child = Node(node, f"[{index - shift}]" if ordered else "")
            child.container, child.length = node.container, node.length
            self._push(item, child, depth + 1)

    def _mapping(self, thing: Any, facts: TypeFacts, node: Node, depth: int) -> None:
        node.holds(thing, facts)
        length = dict.__len__(thing)
        items = list(dict.items(thing)) if length <= SMALL * 4 else []
        if length > SMALL * 4 or not all(id(type(key)) in _PLAIN_KEYS for key, _ in items):
            self.counts.add(thing, facts, node)
            for some in (object_kinds.some_values(thing), object_kinds.some_keys(thing)):
                self._bulk(some, node, 0, length / max(1, len(some)))
            return
        for key, value in items:
            child = Node(node, f"[{key[:60]!r}]" if type(key) is str else f"[{key}]")
            child.container, child.length = node.container, node.length
            self._push(value, child, depth + 1)

    def _instance(self, thing: Any, facts: TypeFacts, node: Node, depth: int) -> None:
        if facts.proxied is not None:
            self._push(facts.proxied.__get__(thing), node, depth + 1)
            return
        if facts.module.partition(".")[0] in _ENTERED_BY_REFERENTS or facts.name == object_kinds.FRAME:
            node.container = node.container or facts.type
            if self._is_small(thing, facts):
                self._bulk(gc.get_referents(thing), _holding(node), 0)
            return
        many = object_kinds.many_attributes(thing, facts)
        if many is not None:
            self._mapping(many, type_facts(dict), node, depth)
            return
        self._attributes(thing, facts, node, depth)
        if facts.attributes is None and not facts.slots:
            self._bulk(gc.get_referents(thing), node, 0)

    def _is_small(self, thing: Any, facts: TypeFacts, most: int = LARGEST_CACHE) -> bool:
        if facts.type != object_kinds.CACHE or type(thing).cache_info(thing).currsize <= most:
            return True
        self.complete = False
        return False

    def _attributes(self, thing: Any, facts: TypeFacts, node: Node, depth: int) -> None:
        found = object_kinds.attributes(thing, facts)
        # What the library calls its own comes last: the public name is the one that the user's code writes.
        found.sort(key=lambda pair: pair[0].startswith("_"))
        kind = type(thing)
        for name, value in found:
            shown = "layers" if name == "_layers" and facts.module.partition(".")[0] in ("keras", "tf_keras") else name
            child = Node(node, f".{shown}")
            child.owner, child.attribute, child.container = kind, shown, facts.type
            self._push(value, child, depth + 1)

    def _function(self, thing: Any, node: Node, depth: int) -> None:
        code = thing.__code__
        if not is_user_path(code.co_filename, self._ownership) and not code.co_filename.startswith("<"):
            self._bulk(list(thing.__closure__ or ()), node, DEEPEST_BULK - 1)
            return
        file = self._ownership.resolve(code.co_filename)
        pairs = list(zip(code.co_freevars, thing.__closure__ or (), strict=False))
        for name, cell in pairs:
            try:
                self._push(cell.cell_contents, _owned(name, file, code), depth + 1)
            except ValueError:
                continue
        names = code.co_varnames[: code.co_argcount]
        defaults = thing.__defaults__ or ()
        for name, value in zip(names[len(names) - len(defaults) :], defaults, strict=False):
            self._push(value, _owned(name, file, code), depth + 1)
        for name, value in list((thing.__kwdefaults__ or {}).items()):
            self._push(value, _owned(name, file, code), depth + 1)
        for name, value in list(islice(thing.__dict__.items(), LARGEST_GLOBALS)):
            self._push(value, Node(node, f".{name}"), depth + 1)

    def _class(self, thing: type, node: Node, depth: int) -> None:
        if type.__getattribute__(thing, "__module__") != "__main__" and not class_file(thing, self._ownership):
            return
        for name, value in list(type.__getattribute__(thing, "__dict__").items()):
            if not name.startswith("__") or type(value).__name__ == "function":
                self._push(value, Node(node, f".{name}"), depth + 1)

    # Many at once.

    def _bulk(self, things: Sequence[Any], node: Node, level: int, weight: float = 1, share: float = SHARE) -> None:
        """Count what lies in a large container, then what lies in that, all under the container's name. Each of these
        things stands for `weight` of them."""
        # One huge container must not take the time of all others.
        now = time.thread_time()
        until = now + (self._deadline - now) * share
        while things and level < DEEPEST_BULK:
            if time.thread_time() > until or len(self.seen) > self._most_seen:
                self.complete = False
                return
            most = LARGEST_ENTERED if samples.all_alike(things, LARGEST_ENTERED) else LARGEST_BULK
            things, weight = samples.spread(things, most, weight)
            unique, shared = samples.apart(things, weight)
            for known in self.seen.intersection(unique):
                del unique[known]
            self.seen.update(unique)
            if shared:
                self._bulk(shared, node, level, 1)
            fresh = list(unique.values())
            del unique, shared
            entered, held = self._level(fresh, node, weight, level)
            fitting = len(entered) if held <= LARGEST_REFERENTS else int(len(entered) * LARGEST_REFERENTS / held)
            some, weight = samples.spread(entered, max(1, min(fitting, LARGEST_ENTERED)), weight)
            things = gc.get_referents(*some) if some else []
            level += 1

    def _level(self, things: list[Any], node: Node, weight: float, level: int) -> tuple[list[Any], float]:
        """Count one level; return what in it has something inside, and about how much that is."""
        entered: list[Any] = []
        held = 0.0
        by_kind: dict[int, list[Any]] = defaultdict(list)
        for thing in things:
            by_kind[id(type(thing))].append(thing)
        for members in by_kind.values():
            kind = type(members[0])
            facts = type_facts(kind)
            if facts.name in _NOT_IN_BULK or kind is type(None) or kind is bool:
                continue
            self.counts.add_bulk(members, facts, node, weight)
            if facts.name == object_kinds.ARRAY:
                self._arrays_of_objects(members, facts, node, weight)
            if facts.name in _IN_BULK:
                short = self._short_ones(members, facts, node, weight, level)
                entered += short
                held += samples.held(short, facts)
        return entered, held

    def _short_ones(self, things: list[Any], facts: TypeFacts, node: Node, weight: float, level: int) -> list[Any]:
        """Count what lies in long containers by a part of each, and return the others."""
        if facts.name not in (object_kinds.SEQUENCE, object_kinds.MAPPING):
            is_cache = facts.type == object_kinds.CACHE
            return [one for one in things if self._is_small(one, facts, LONG)] if is_cache else things
        length: Any = facts.base.__len__  # type: ignore[attr-defined]
        if max(map(length, things)) <= LONG:
            return things
        long = [thing for thing in things if length(thing) > LONG]
        some, each = samples.spread(long, LARGEST_LONG, weight)
        whole = sum(map(length, some))
        share = min(1.0, LARGEST_ENTERED / whole)
        mapped = facts.name == object_kinds.MAPPING
        takers = (object_kinds.some_values, object_kinds.some_keys) if mapped else (samples.items_of(facts),)
        for take in takers:
            taken = list(chain.from_iterable(take(thing, int(length(thing) * share) + 1) for thing in some))
            self._bulk(taken, node, level + 1, each * whole / len(taken))
        return [thing for thing in things if length(thing) <= LONG]

    def _arrays_of_objects(self, arrays: list[Any], facts: TypeFacts, node: Node, weight: float) -> None:
        filled = [array for array in arrays if array_sizes.has_objects(array, facts)]
        some = filled[:: -(-len(filled) // LARGEST_OF_OBJECTS)] if filled else []
        items: list[Any] = []
        whole = 0
        for array in some:
            part, count = array_sizes.elements(array, facts, LARGEST_ENTERED // len(some))
            items += part
            whole += count
        if items:
            # All at once: a part that time cuts off must not stand for the whole.
            self._bulk(items, node, DEEPEST_BULK - 3, weight * whole / len(items) * len(filled) / len(some))


def _holding(node: Node) -> Node:
    """An item is held by its list; a value of a dictionary and an attribute have a name of their own."""
    while node.parent is not None and (node.label == "" or (node.label[0] == "[" and node.label[1] not in "'\"")):
        node = node.parent
    return node


def _owned(name: str, file: str, code: Any) -> Node:
    return root_node(name, "closure", file, code.co_firstlineno, getattr(code, "co_qualname", code.co_name))


def _is_sequential(node: Node) -> bool:
    return node.owner is not None and type_facts(node.owner).type.endswith("Sequential")


def _frames() -> list[FrameType]:
    """The frames of all threads, each thread's innermost first, without our own."""
    current = sys._current_frames()
    found: list[FrameType] = []
    for top in current.values():
        frame: FrameType | None = top
        steps = 0
        while frame is not None and steps < 400:
            if not _is_ours(frame):
                found.append(frame)
            frame, steps = frame.f_back, steps + 1
    # This very frame is among them: a cycle that would keep all of them, and the user's variables, until a collection.
    current.clear()
    top = frame = None  # type: ignore[assignment]
    return found


def _raised_through(error: BaseException | None) -> list[FrameType]:
    found: list[FrameType] = []
    step = error.__traceback__ if error is not None else None
    while step is not None and len(found) < 400:
        found.append(step.tb_frame)
        step = step.tb_next
    found.reverse()
    return found


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    return isinstance(name, str) and name.startswith("whydied.")
