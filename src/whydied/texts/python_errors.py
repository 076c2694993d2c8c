"""What Python itself says of names, attributes, arguments and None. Pure.

The exception's own attributes (`name`, `name_from`, `obj`) are asked first where there are any.
"""

from __future__ import annotations

from whydied.texts.entry import Text

NO_NAME = Text("python", r"name '(\w+)'")
NO_LOCAL = Text("python", r"variable '(\w+)'")
NO_ATTRIBUTE = Text("python", r"has no attribute '(\w+)'")
MODULE_WITHOUT_ATTRIBUTE = Text("python", r"module '([\w.]+)' has no attribute '(\w+)'")
OBJECT_WITHOUT_ATTRIBUTE = Text("python", r"'(\w+)' object has no attribute '(\w+)'")
VALUE_WITHOUT_ATTRIBUTE = Text("python", r"'([\w.]+)' object has no attribute '(\w+)'")
NO_SETTER = Text("python", r"(?:property|can't set attribute) '(?P<name>\w+)'(?: of '\w+' object has no setter)?")
NOT_FOR_JSON = Text("python", r"Object of type (?P<type>\w+) is not JSON serializable")
NO_IMPORT = Text("python", r"cannot import name '(\w+)' from '([\w.]+)'")
NAME_TO_IMPORT = Text("python", r"cannot import name '(\w+)'")
UNEXPECTED_ARGUMENT = Text("python", r"unexpected keyword argument '(\w+)'")
INVALID_ARGUMENT = Text("python", r"'(\w+)' is an invalid keyword argument")
MISSING_ARGUMENT = Text("python", r"missing \d+ required (?:positional|keyword-only) arguments?: '(\w+)'")
MISSING_OR_NONE_TAKEN = Text("python", r"missing \d+ required (?:positional|keyword-only) argument|takes no arguments")
MISSING_ARGUMENTS = Text("python", r"missing \d+ required (?:positional|keyword-only) arguments?: (?P<names>'.+')")
TAKES_OTHER_NUMBER = Text(
    "python", r"takes (?:from \d+ to )?(?P<takes>\d+) positional arguments? but (?P<given>\d+) .*?(?:was|were) given"
)
TAKES_NONE = Text("python", r"takes no arguments")
NOT_BOUND = Text("python", r"missing a required (?:keyword-only )?argument: '(?P<unbound>\w+)'")
SEVERAL_VALUES = Text("python", r"got multiple values for (?:keyword )?argument '(?P<name>\w+)'")
NOT_SUBSCRIPTABLE = Text("python", r"'(?:numpy\.)?(?P<kind>\w+)' object is not subscriptable")
LAZY = Text(
    "python",
    r"(?<!attribute )(?<!argument )(?<!parameter )"
    r"'(?:itertools\.)?(?P<quoted>generator|map|filter|zip|enumerate|reversed"
    r"|dict_keys|dict_values|dict_items|range|set|islice|chain)'(?= object\b|>| has no len| and |$)"
    r"|<(?P<shown>generator|map|filter|zip|enumerate|reversed) object (?:(?P<maker>\S+) )?at 0x"
    r"|(?:[oO]bject type|, not) (?P<held>generator|map|filter|zip|enumerate|reversed|dict_values|dict_keys)\b",
)
TOO_MANY_BOUND = Text("python", r"too many positional arguments")
NOT_CALLABLE = Text("python", r"'([\w.]+)' object is not callable")
UNPACKED_TOO_MANY = Text("python", r"too many values to unpack \(expected (?P<wanted>\d+)(?:, got (?P<got>\d+))?\)")
UNPACKED_TOO_FEW = Text(
    "python", r"not enough values to unpack \(expected (?:at least )?(?P<wanted>\d+), got (?P<got>\d+)\)"
)
NOT_UNPACKED = Text("python", r"cannot unpack non-iterable (?P<kind>[\w.]+) object")
NOT_ASSIGNABLE = Text("python", r"object does not support item assignment")
NOT_PICKLED = Text("python", r"cannot pickle '(?P<type>[\w.]+)' object")
FUNCTION_NOT_PICKLED = Text("python", r"Can't (?:pickle|get) local object|Can't pickle <function")
GENERATOR_RUNS = Text("python", r"generator already executing")
CALLED = Text("python", r"([\w.<>]+)\(\)")
CONSTRUCTOR_MISSES = Text(
    "python", r"\b(\w+)\.__init__\(\) missing \d+ required (?:positional|keyword-only) arguments?: (.+?)(?:$|\n)"
)
CONSTRUCTOR_REFUSES = Text("python", r"\b(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")

FLOAT_FOR_INTEGER = Text("python", r"'(?:numpy\.)?float(?:\d+)?' object cannot be interpreted as an integer")
FLOAT_INDEX = Text("python", r"indices must be integers or slices, not float")
NO_INTEGER = Text("python", r"invalid literal for int\(\) with base \d+: (?:np\.str_\()?('[^']*')")
NO_FLOAT = Text("python", r"could not convert string to float: (?:np\.str_\()?('[^']*')")

# None among numbers.

NONE_OPERAND = Text("python", r"unsupported operand type\(s\) for .*NoneType")
NONE_NEGATED = Text("python", r"bad operand type for .*'NoneType'")
NONE_ATTRIBUTE = Text("python", r"'NoneType' object has no attribute")
NONE_LOOKED_IN = Text("python", r"argument of type 'NoneType'")
NONE_IS_NOT = Text("python", r"'NoneType' object is not")
ABSTRACT = Text("python", r"Can't instantiate abstract class")
