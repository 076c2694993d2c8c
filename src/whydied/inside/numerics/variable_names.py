"""What the user calls the variables of a step, and what they are for; runs in the user's process, at a capture.

Found among all living objects, once: variables of Keras know their path; layers, metrics, optimizers and seed
generators know their variables. A variable that was given no name is called what the running code calls it.

Invariant: no method of the program's is called; what cannot be found has TensorFlow's name and the role
"other".
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import islice
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest import frame_variables, garbage_collection, tracked_objects
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.user_frames import stack_of

_LARGEST_ATTRIBUTES = 200


class Name(NamedTuple):
    name: str
    role: str
    layer: str = ""
    trainable: bool = True


class Names:
    """By the id of a variable's handle. `called` are names for variables that have only TensorFlow's own."""

    def __init__(self, called: dict[int, str] | None = None) -> None:
        self._names: dict[int, Name] = {}
        with garbage_collection.held_off():
            sorted_objects = _Living()
        self._variables(sorted_objects)
        self._roles(sorted_objects)
        self._tensors = _tensors(sorted_objects.layers)
        self._loss_scales = sorted_objects.loss_scales
        for key, name in (called or {}).items():
            if key in self._names and _is_nameless(self._names[key].name):
                self._names[key] = self._names[key]._replace(name=name)

    def of(self, handle: Any) -> Name | None:
        return self._names.get(id(handle))

    def of_variable(self, variable: Any) -> Name | None:
        """By a variable of TensorFlow or Keras."""
        handle = handle_of(variable)
        return self.of(handle) if handle is not None else None

    def of_tensor(self, tensor: Any) -> str:
        """Of a tensor that a layer holds as an attribute: `normalization.mean`; "" of any other."""
        return self._tensors.get(id(tensor), "")

    def loss_scale(self, used: Iterable[Any]) -> Any:
        """The variable with the loss scale of mixed precision, where it is among the handles that a step uses."""
        handles = {id(handle) for handle in used}
        for optimizer in self._loss_scales:
            scale = scale_of(optimizer)
            if scale is not None and id(handle_of(scale)) in handles:
                return scale
        return None

    def _variables(self, living: _Living) -> None:
        for variable in living.variables:
            handle = handle_of(variable)
            if handle is not None:
                name = str(getattr(variable, "name", "") or "").partition(":")[0]
                self._names[id(handle)] = Name(name, "other", "", bool(getattr(variable, "trainable", True)))
        for variable in living.keras_variables:
            handle = handle_of(variable)
            if handle is not None:
                path, known = instance_dict(variable).get("_path"), self._names.get(id(handle), Name("", "other"))
                role = "weight" if _is_trainable(variable) else "other"
                name = path if isinstance(path, str) else known.name
                self._names[id(handle)] = Name(name, role, "", role == "weight")

    def _roles(self, living: _Living) -> None:
        for layer in living.layers:
            own = instance_dict(layer)
            called = own.get("_name") or own.get("name")
            layer_name = called if isinstance(called, str) else ""
            for key, role in (
                ("_trainable_variables", "weight"),
                ("_non_trainable_variables", "statistic"),
                ("_trainable_weights", "weight"),
                ("_non_trainable_weights", "statistic"),
            ):
                self._give(own.get(key), role, layer_name)
        for thing in living.optimizers:
            self._give(_all_variables(thing), "slot", "")
        for thing in living.metrics:
            self._give(_all_variables(thing), "metric", "")
            self._call(_all_variables(thing), instance_dict(thing))
        for thing in living.seeds:
            self._give([instance_dict(thing).get("state"), instance_dict(thing).get("_state_var")], "seed", "")

    def _give(self, variables: Any, role: str, layer: str) -> None:
        if not isinstance(variables, (list, tuple)):
            return
        for variable in variables:
            handle = handle_of(variable)
            known = self._names.get(id(handle)) if handle is not None else None
            # The optimizer lists the weights beside its slots; a frozen weight is not a statistic.
            if known is None or (role == "slot" and known.role in ("weight", "statistic")):
                continue
            self._names[id(handle)] = known._replace(role=role, layer=layer or known.layer)

    def _call(self, variables: list[Any], metric: dict[str, Any]) -> None:
        """Give the variables of a metric the name that `compile` gave it after they were made."""
        name = metric.get("name") or metric.get("_name")
        for variable in variables if isinstance(name, str) else ():
            handle = handle_of(variable)
            known = self._names.get(id(handle)) if handle is not None else None
            if known is not None and known.role == "metric":
                own = known.name.rpartition("/")[2]
                self._names[id(handle)] = known._replace(name=f"{name}/{own}")


class _Living:
    """The objects of interest among all that are alive."""

    def __init__(self) -> None:
        self.variables: list[Any] = []
        self.keras_variables: list[Any] = []
        self.layers: list[Any] = []
        self.optimizers: list[Any] = []
        self.metrics: list[Any] = []
        self.seeds: list[Any] = []
        self.loss_scales: list[Any] = []
        kinds: dict[type, tuple[list[Any], ...]] = {}
        many = sys.getallocatedblocks() > tracked_objects.LARGEST_BLOCKS
        for thing in tracked_objects.reachable(_roots()) if many else tracked_objects.objects():
            kind = type(thing)
            lists = kinds.get(kind)
            if lists is None:
                lists = kinds[kind] = self._lists(kind)
            for found in lists:
                found.append(thing)

    def _lists(self, kind: type) -> tuple[list[Any], ...]:
        found: list[list[Any]] = []
        for base in kind.__mro__:
            name = base.__name__
            module = getattr(base, "__module__", "")
            if not isinstance(module, str):
                continue
            if name == "BaseResourceVariable" and module.startswith("tensorflow."):
                found.append(self.variables)
            elif "keras" in module:
                found += self._keras(name, module)
        return tuple({id(item): item for item in found}.values())

    def _keras(self, name: str, module: str) -> list[list[Any]]:
        if name in ("Variable", "KerasVariable") and ".backend." in module:
            return [self.keras_variables]
        if name == "Layer":
            return [self.layers]
        if name in ("BaseOptimizer", "_BaseOptimizer", "OptimizerV2"):
            return [self.optimizers]
        if name == "Metric":
            return [self.metrics]
        if name in ("SeedGenerator", "RandomGenerator"):
            return [self.seeds]
        if name in ("LossScaleOptimizer", "LossScaleOptimizerV3"):
            return [self.loss_scales, self.optimizers]
        return []


def _roots() -> list[Any]:
    """The variables of all running functions and of the program's modules."""
    owner = journal.current()
    found: list[Any] = []
    for frame in list(sys._current_frames().values()):
        for one in stack_of(frame):
            found += [value for _, value in frame_variables.variables(one)]
    for module in list(sys.modules.values()):
        file = instance_dict(module).get("__file__")
        if owner is not None and isinstance(file, str) and owner.ownership.is_user_path(file):
            found += list(instance_dict(module).values())
    return found


def _tensors(layers: list[Any]) -> dict[int, str]:
    """The names of the tensors that layers hold, by their ids."""
    found: dict[int, str] = {}
    for layer in layers:
        own = instance_dict(layer)
        name = own.get("_name") or own.get("name")
        for key, value in own.items():
            if type(value).__name__ == "EagerTensor" and isinstance(key, str) and isinstance(name, str):
                found[id(value)] = f"{name}.{key}"
    return found


def scale_of(optimizer: Any) -> Any:
    """The variable with the loss scale of an optimizer; None where it has none."""
    own = instance_dict(optimizer)
    scale = own.get("dynamic_scale", own.get("_loss_scale"))
    return instance_dict(scale).get("_current_loss_scale", scale)


def handle_of(variable: Any) -> Any:
    """The handle behind a variable of TensorFlow or Keras."""
    own = instance_dict(variable)
    inner = own.get("_value")
    if inner is not None:
        own = instance_dict(inner)
    handle = own.get("_handle")
    if handle is None and own.get("_primary") is not None:
        handle = instance_dict(own["_primary"]).get("_handle")
    return handle


def _is_trainable(variable: Any) -> bool:
    own = instance_dict(variable)
    return bool(own.get("_trainable", own.get("trainable", False)))


def _all_variables(thing: Any) -> list[Any]:
    own = instance_dict(thing)
    found: list[Any] = []
    for key in ("_variables", "_weights", "_trainable_variables", "_non_trainable_variables", "_non_trainable_weights"):
        value = own.get(key)
        if isinstance(value, (list, tuple)):
            # Not by "+=": lists that Keras tracks answer it themselves.
            found.extend(value)
    for key in ("_iterations", "_learning_rate", "iterations", "dynamic_scale", "step_counter"):
        if own.get(key) is not None:
            found.append(own[key])
    return found


def called(variables: Iterable[Any], stack: Iterable[FrameType]) -> dict[int, str]:
    """What the running code calls the variables that were given no name, by the id of their handles; `stack` are the
    user's frames."""
    nameless = {id(variable): variable for variable in variables if _is_nameless(str(getattr(variable, "name", "")))}
    found: dict[int, str] = {}
    for frame in stack if nameless else ():
        for name, value in frame_variables.variables(frame):
            for path, variable in _inside(name, value):
                if id(variable) in nameless:
                    found.setdefault(id(handle_of(variable)), path)
    return found


def _is_nameless(name: str) -> bool:
    return name.partition(":")[0].rstrip("0123456789") in ("Variable", "Variable_", "")


def _inside(name: str, value: Any) -> list[tuple[str, Any]]:
    """A value itself, and what a list, a dict or an object of the user's holds directly."""
    found = [(name, value)]
    if type(value) in (list, tuple):
        found += [(f"{name}[{number}]", part) for number, part in enumerate(value[:_LARGEST_ATTRIBUTES])]
    elif type(value) is dict:
        found += [(f"{name}[{key!r}]", part) for key, part in list(islice(value.items(), _LARGEST_ATTRIBUTES))]
    elif not isinstance(value, (type, type(sys))):
        own = instance_dict(value)
        for key, part in list(islice(own.items(), _LARGEST_ATTRIBUTES)):
            if isinstance(key, str) and not key.startswith("_self_"):
                found.append((f"{name}.{key}", part))
                if isinstance(part, (list, tuple)):
                    found += [(f"{name}.{key}[{n}]", item) for n, item in enumerate(part[:_LARGEST_ATTRIBUTES])]
    return found
