"""Functions of NumPy that TensorFlow has, with the same first arguments and the same `axis`. Pure."""

from __future__ import annotations

_SAME = (
    *("exp", "sqrt", "square", "abs", "sin", "cos", "tan", "tanh", "sinh", "cosh", "where", "maximum", "minimum"),
    *("stack", "squeeze", "expand_dims", "reshape", "transpose", "zeros_like", "ones_like", "add", "subtract"),
    *("multiply", "divide", "matmul", "cumsum", "einsum", "tile", "repeat", "roll", "linalg.det", "linalg.inv"),
    *("linalg.solve", "broadcast_to", "negative", "argmax", "argmin", "round", "floor", "sign", "equal", "greater"),
    *("less", "logical_and", "logical_or", "logical_not"),
)
_OTHERS = (
    *(("mean", "reduce_mean"), ("sum", "reduce_sum"), ("prod", "reduce_prod"), ("max", "reduce_max")),
    *(("amax", "reduce_max"), ("min", "reduce_min"), ("amin", "reduce_min"), ("std", "math.reduce_std")),
    *(("var", "math.reduce_variance"), ("absolute", "abs"), ("fabs", "abs"), ("log", "math.log")),
    *(("log1p", "math.log1p"), ("expm1", "math.expm1"), ("power", "pow"), ("arctan", "atan"), ("arctan2", "atan2")),
    *(("linalg.norm", "norm"), ("concatenate", "concat"), ("reciprocal", "math.reciprocal")),
    *(("any", "reduce_any"), ("all", "reduce_all"), ("ceil", "math.ceil"), ("clip", "clip_by_value")),
    *(("isnan", "math.is_nan"), ("isfinite", "math.is_finite"), ("mod", "math.floormod")),
)
IN_TENSORFLOW = dict([*((name, name) for name in _SAME), *_OTHERS])
