"""What Python itself says of names, attributes, arguments and None. Pure.

The exception's own attributes (`name`, `name_from`, `obj`) are asked first where there are any.
"""

from __future__ import annotations

from whydied.texts.entry import Text

NO_NAME = Text("python", r"name '(\w+)'", "name 'lable' is not defined", seen=("python 3.11",), provoked_by="lable")
NO_LOCAL = Text(
    "python",
    r"variable '(\w+)'",
    "cannot access local variable 'rate' where it is not associated with a value",
    seen=("python 3.11",),
    provoked_by="""\
def late():
    rate
    rate = 1
late()""",
)
NO_ATTRIBUTE = Text(
    "python",
    r"has no attribute '(\w+)'",
    "module 'numpy' has no attribute 'flaot'",
    seen=("python 3.11",),
    provoked_by="import numpy\nnumpy.flaot",
)
MODULE_WITHOUT_ATTRIBUTE = Text(
    "python",
    r"module '([\w.]+)' has no attribute '(\w+)'",
    "module 'math' has no attribute 'sine'",
    seen=("python 3.11",),
    provoked_by="import math\nmath.sine",
)
OBJECT_WITHOUT_ATTRIBUTE = Text(
    "python",
    r"'(\w+)' object has no attribute '(\w+)'",
    "'Scale' object has no attribute 'weight'",
    seen=("python 3.11",),
    provoked_by="class Scale: pass\nScale().weight",
)
NO_IMPORT = Text(
    "python",
    r"cannot import name '(\w+)' from '([\w.]+)'",
    "cannot import name 'sine' from 'math' (unknown location)",
    seen=("python 3.11",),
    provoked_by="from math import sine",
)
NAME_TO_IMPORT = Text(
    "python",
    r"cannot import name '(\w+)'",
    NO_IMPORT.example,
    seen=("python 3.11",),
    provoked_by="from math import sine",
)
UNEXPECTED_ARGUMENT = Text(
    "python",
    r"unexpected keyword argument '(\w+)'",
    "fit() got an unexpected keyword argument 'epoch'",
    seen=("python 3.11",),
    provoked_by="def fit(epochs): pass\nfit(epoch=1)",
)
INVALID_ARGUMENT = Text(
    "python",
    r"'(\w+)' is an invalid keyword argument",
    "'base_' is an invalid keyword argument for int()",
    seen=("python 3.11",),
    provoked_by="__import__('time').strftime; sorted([], revers=True)",
)
MISSING_ARGUMENT = Text(
    "python",
    r"missing \d+ required (?:positional|keyword-only) arguments?: '(\w+)'",
    "fit() missing 1 required positional argument: 'epochs'",
    seen=("python 3.11",),
    provoked_by="def fit(epochs): pass\nfit()",
)
MISSING_OR_NONE_TAKEN = Text(
    "python",
    r"missing \d+ required (?:positional|keyword-only) argument|takes no arguments",
    "Scale() takes no arguments",
    seen=("python 3.11",),
    provoked_by="class Scale: pass\nScale(units=1)",
)
TOO_MANY_ARGUMENTS = Text(
    "python",
    r"positional argument",
    "fit() takes 1 positional argument but 2 were given",
    seen=("python 3.11",),
    provoked_by="def fit(epochs): pass\nfit(1, 2)",
)
CALLED = Text(
    "python",
    r"([\w.<>]+)\(\)",
    "fit() takes no arguments",
    seen=("python 3.11",),
    provoked_by=TOO_MANY_ARGUMENTS.provoked_by,
)
CONSTRUCTOR_MISSES = Text(
    "python",
    r"\b(\w+)\.__init__\(\) missing \d+ required (?:positional|keyword-only) arguments?: (.+?)(?:$|\n)",
    "Scale.__init__() missing 1 required positional argument: 'units'",
    seen=("python 3.11",),
    provoked_by="""\
class Scale:
    def __init__(self, units): pass
Scale()""",
)
CONSTRUCTOR_REFUSES = Text(
    "python",
    r"\b(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'",
    "Scale.__init__() got an unexpected keyword argument 'dtype'",
    seen=("python 3.11",),
    provoked_by="""\
class Scale:
    def __init__(self): pass
Scale(dtype=1)""",
)

# None among numbers.

NONE_OPERAND = Text(
    "python",
    r"unsupported operand type\(s\) for .*NoneType",
    "unsupported operand type(s) for +: 'NoneType' and 'int'",
    seen=("python 3.11",),
    provoked_by="None + 1",
)
NONE_NEGATED = Text(
    "python",
    r"bad operand type for .*'NoneType'",
    "bad operand type for unary -: 'NoneType'",
    seen=("python 3.11",),
    provoked_by="-None",
)
NONE_ATTRIBUTE = Text(
    "python",
    r"'NoneType' object has no attribute",
    "'NoneType' object has no attribute 'shape'",
    seen=("python 3.11",),
    provoked_by="None.shape",
)
NONE_LOOKED_IN = Text(
    "python",
    r"argument of type 'NoneType'",
    "argument of type 'NoneType' is not iterable",
    seen=("python 3.11",),
    provoked_by="1 in None",
)
NONE_IS_NOT = Text(
    "python",
    r"'NoneType' object is not",
    "'NoneType' object is not iterable",
    seen=("python 3.11",),
    provoked_by="list(None)",
)
