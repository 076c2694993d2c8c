"""What an uncaught exception tells about the use of TensorFlow and Keras: names that went away, classes, files and
weights that it speaks of. See `whydied.records`."""

from __future__ import annotations

from whydied.records.errors import ValueSource
from whydied.records.values import Frame, Important, Value


class ApiMissed(Important, frozen=True, kw_only=True):
    """A name or an argument that the installed version of a library does not have and an older one had.

    `link` is the index of the exception in its chain. `kind` is "name", "module", "method", "argument" or "value".
    `old` is the whole old name, `written` what of it the source says at that place, `new` what the installed version
    has instead, best first, each one looked up there. `known_from` says which table knows it; `change` is the statement
    written anew; `user_of` the package whose code has the old name where that is not the program itself. `callee` is
    what an argument was given to. `also` are other old names that the same file has, as it writes them, with what they
    are now. `former` are the keys of the entries of `source.former` that fit, `by_position` the names of the parameters
    that the last positional arguments of a call are for, which are taken by name alone now.
    """

    link: int
    kind: str
    old: str
    library: str
    version: str
    written: str = ""
    new: list[str] = []
    known_from: str = ""
    note: str = ""
    change: str = ""
    callee: str = ""
    user_of: str = ""
    frame: Frame | None = None
    also: dict[str, str] = {}
    former: list[str] = []
    by_position: list[str] = []


class PackageMissing(Important, frozen=True, kw_only=True):
    """A module, or a library of the system, that an import did not find.

    `link` is the index of the exception in its chain. `package` is what pip calls it where that is known, `system` the
    package of Debian and Ubuntu, `note` what to do where installing is not the answer. `wanted_by` is the library whose
    code asked for it, empty for the program itself; `nearby` a file or directory of that name around the program,
    `elsewhere` the packages of another Python that have it. `python` and `version` are the interpreter's; `backend` is
    KERAS_BACKEND where Keras asked."""

    link: int
    module: str
    package: str = ""
    system: str = ""
    note: str = ""
    wanted_by: str = ""
    nearby: str = ""
    elsewhere: str = ""
    python: str = ""
    version: str = ""
    backend: str = ""


class ModuleShadowed(Important, frozen=True, kw_only=True):
    """A `file` of the program that was imported as `module`, in the place of the one that is in `meant`: by a library
    (`asked_by`, its package), or by the line `imported` of the program."""

    link: int
    module: str
    file: str
    meant: str
    asked_by: str = ""
    imported: Frame | None = None


class PackageSeen(Value, frozen=True, kw_only=True):
    """An installed package with what it requires, as its metadata say."""

    name: str
    version: str
    requires: list[str] = []


class PackagesSeen(Important, frozen=True, kw_only=True):
    """The packages on the traceback of an import that failed, and the versions of what they require. `modules` are the
    first names of the modules on it, the innermost last."""

    link: int
    packages: list[PackageSeen]
    installed: dict[str, str] = {}
    modules: list[str] = []
    python: str = ""


class Argument(Value, frozen=True, kw_only=True):
    """What one parameter of a call was given. `text` is as the source writes it, empty where it is not written there;
    `says` is what the installed version's documentation says of the parameter; `value` is that of a plain scalar or a
    short tuple or list of them; `held` are the types of what a list or tuple holds, `default` is the parameter's own;
    `is_class` says that the value is a class, and `type` then names it; `keras` are the packages ("keras", "tf_keras")
    that its class, or those of what it holds, come from.
    `position` is its place among the arguments as they are written, None for a keyword. `sources` begin with the
    nearest; `registries` are the modules of Keras ("keras.losses") that know a text as a name."""

    parameter: str
    text: str = ""
    position: int | None = None
    type: str = ""
    value: str | None = None
    shape: list[int | None] | None = None
    dtype: str | None = None
    length: int | None = None
    held: list[str] = []
    says: str = ""
    default: str | None = None
    is_class: bool = False
    keras: list[str] = []
    sources: list[ValueSource] = []
    registries: list[str] = []


class ApiCalled(Important, frozen=True, kw_only=True):
    """The call that an uncaught exception came out of, with what it was given and what the callee takes: one into a
    library, or one of a function of the user's whose parameters could not take the arguments.

    `link` is the index of the exception in its chain, `callee` is as the source writes it, `function` its name in the
    library, or its qualified name in the program; `parameters` are all that can be given by position, in their order,
    `required` those that have no default,
    `accepted` all names that can be given, those that a constructor passes on to its parents included, `near` those of
    them that are like the first one given that is not among them; `free` are the parameters that the call leaves out,
    with what is known of them. Of a function of
    the user's `defined` is its `def`, `overridden` the method of the installed library that it stands for, with its
    parameters, and `caller` the library that called it, empty where the program did. `misspelt` is a method of the
    user's class that is nearly called like the constructor, which it has none of. `frame` and `call` are the user's
    line."""

    link: int
    callee: str
    function: str
    arguments: list[Argument] = []
    parameters: list[str] = []
    required: list[str] = []
    frame: Frame | None = None
    call: str = ""
    accepted: list[str] = []
    near: list[str] = []
    free: list[Argument] = []
    defined: Frame | None = None
    overridden: str = ""
    caller: str = ""
    misspelt: str = ""


class Demanded(Value, frozen=True, kw_only=True):
    """What a library wanted of one value before it raised. `kind` is that of `whydied.source.guards.Demand`, "" for a
    value that only the message quotes, "reached" for an argument without which the line is not reached, "item" for a
    tuple of one item that was asked for the item's attribute `wanted`, "receiver" for an object of class `holder` whose
    method `attribute` has the parameters `accepted` and was called as `wanted`. `text` and `wanted` are as the library
    writes them.

    `parameter` and `part` say which argument of the user's call the value is, or is in (`metrics`, `[0]`). Else
    `holder` is the class of the library's object whose `attribute` it is, and `given_as` the parameter of that class'
    constructor, with its `position` and `default`. `accepted` are the values that it could have had, `near` those of
    them that are like it; `offers` are expressions that meet the condition, with `{}` for the refused one; `namesake`
    is a function or class of the program that is called as the text says, and `builtin` the name of the function of
    Python that the value is."""

    kind: str
    text: str
    wanted: str = ""
    type: str = ""
    value: str | None = None
    parameter: str = ""
    part: str = ""
    holder: str = ""
    attribute: str = ""
    given_as: str = ""
    position: int | None = None
    default: str | None = None
    accepted: list[str] = []
    near: list[str] = []
    namesake: Frame | None = None
    builtin: str = ""
    offers: list[str] = []


class CallRefused(Important, frozen=True, kw_only=True):
    """The function of a library that raised below the user's line, and what it had wanted, the nearest condition first.
    `passes` is how many arguments it passed, where what it called could not be called; `frame` is the user's line."""

    link: int
    function: str
    demands: list[Demanded] = []
    passes: int | None = None
    frame: Frame | None = None


class HeldPart(Value, frozen=True, kw_only=True):
    """A public attribute of a value that holds others, or an item of a collection: `name` is the attribute's or
    `['key']`, `keys` are the first of a mapping's; `value` is that of a number or a short text."""

    name: str
    type: str
    length: int | None = None
    keys: list[str] = []
    value: str | None = None


class ResultSeen(Important, frozen=True, kw_only=True):
    """What a call of a library had given that the failing line took for something else. `name` is the variable, `call`
    the call as the source writes it, `made` its line; `function` is its name in the library, `says` what the installed
    version's documentation says of its result; `parts` are attributes of the value that hold something."""

    link: int
    name: str
    type: str
    call: str
    made: Frame
    function: str = ""
    says: str = ""
    parts: list[HeldPart] = []


class TakenForm(Value, frozen=True, kw_only=True):
    """A part of the failing expression in another form: `was` from `start` to `end` of the file (line, column), `now`
    in its place; `gives` is what the expression then gave, by type and size, empty where it was not evaluated and a
    signature alone speaks for it. `cost` says how much it changes. Of a step of Keras that was traced, `part` is "x",
    "y", "data" (input and targets as Keras takes them, one or both) or "loss". The last has no place of its own, nor
    has what a call spreads, `fit(**data)`: `start` and `end` are empty. `frame` is the statement that has the part,
    where it is not the failing one: an earlier one that makes a value of it, or the user's own call of the function."""

    start: list[int]
    end: list[int]
    was: str
    now: str
    gives: str = ""
    cost: float = 1.0
    part: str = ""
    frame: Frame | None = None


class FormsTried(Important, frozen=True, kw_only=True):
    """The failing expression, evaluated again in a copy of the process with `tried` other forms of its parts; `taken`
    are those with which it gave a value, the least change first, `refused` the texts of those with which it raised.
    `frame` is its statement."""

    link: int
    frame: Frame
    expression: str
    tried: int
    taken: list[TakenForm] = []
    refused: list[str] = []


class OutputsTraced(Important, frozen=True, kw_only=True):
    """A model whose outputs come from inputs that it was not given: `roots` are those, by the names of the tensors,
    `names` what the program calls all that the outputs come from, `given` the inputs as the source writes them. `call`
    and `frame` are the user's line."""

    link: int
    roots: list[str] = []
    names: list[str] = []
    given: str = ""
    call: str = ""
    frame: Frame | None = None


class OptimizerSeen(Important, frozen=True, kw_only=True):
    """An optimizer that refused what it was given. `made` is the line that made it, `variables` the first that it was
    built with."""

    link: int
    made: Frame | None = None
    variables: list[str] = []


class NamesakeFound(Important, frozen=True, kw_only=True):
    """A variable that a checkpoint does not have, in a graph that has another of the same name without its number.
    `frames` and `first` are the user's lines that made it and that other, innermost last."""

    link: int
    name: str
    namesake: str
    frames: list[Frame] = []
    first: list[Frame] = []


class ClassSeen(Important, frozen=True, kw_only=True):
    """A class or a function of the program's that an exception speaks of. `methods` are the lines of those that it
    defines itself; `parameters` those of its constructor; `calls_parent` whether that constructor calls another, and
    `parent_takes_any` whether that one takes any keywords;
    `stored` the attributes that its methods assign, with the names of those methods."""

    name: str
    kind: str
    file: str
    line: int
    methods: dict[str, int] = {}
    parameters: list[str] = []
    takes_any: bool = False
    calls_parent: bool = True
    parent_takes_any: bool = True
    stored: dict[str, list[str]] = {}


class FileLooked(Important, frozen=True, kw_only=True):
    """A file or directory that a model was to be loaded from. `content` is what its first bytes or entries are:
    "zip", "hdf5", "saved_model", "checkpoint", "directory", "empty", "other" or "" where there is none."""

    path: str
    content: str = ""
    size_bytes: int | None = None
    near: list[str] = []


class PartRefused(Important, frozen=True, kw_only=True):
    """The part of what was to go to another process that could not be pickled. `path` leads to it from there; `owner`
    is the class of the innermost object on the way and `attribute` the one that holds it; `function`, `file` and `line`
    are those of a function that has no name of its own in its module."""

    link: int
    type: str
    path: str
    owner: str = ""
    attribute: str = ""
    function: str = ""
    file: str = ""
    line: int = 0


class BadFile(Value, frozen=True, kw_only=True):
    """A file that is no whole picture. `reason` is "empty", "cut" (a picture of `kind` without its end) or "other" (no
    picture that TensorFlow knows), `begins` its first bytes as Python writes them."""

    path: str
    reason: str
    kind: str = ""
    begins: str = ""
    size_bytes: int = 0


class PicturesNamed(Important, frozen=True, kw_only=True):
    """Files below a directory that a data set or the failing line names, because an op could not decode one of them.
    They are examined after the program's end, for these reasons (see `BadFile`). Many files take several records."""

    directory: str
    names: list[str]
    reasons: list[str]


class PicturesLooked(Important, frozen=True, kw_only=True):
    """Files that a data set or the failing line names, looked at because an op could not decode one. `looked` were
    looked at, `bad` of them are no whole pictures, `files` are the first of those. Found in `Aftermath`."""

    looked: int
    bad: int
    files: list[BadFile] = []


class SavedWeight(Value, frozen=True, kw_only=True):
    """A layer's weights, as they are on one side; `line` is where the program made the layer."""

    layer: str
    shapes: list[list[int]]
    frame: Frame | None = None


class WeightsCompared(Important, frozen=True, kw_only=True):
    """The weights of a model beside those that did not fit into it. `layer` and `weight` are the first that differ."""

    link: int
    layer: str = ""
    weight: str = ""
    type: str = ""
    expected: list[int] | None = None
    received: list[int] | None = None
    frame: Frame | None = None
    path: str = ""
    model: str = ""
    layers: list[SavedWeight] = []
    saved: list[SavedWeight] = []
