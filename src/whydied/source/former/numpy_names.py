"""What NumPy once had. Pure; see `former_entry`. Names for which NumPy has a sentence of its own are told by that."""

from __future__ import annotations

from whydied.source.former.former_entry import Former, arguments, methods, renamed

ENTRIES: tuple[Former, ...] = (
    *renamed(
        "numpy",
        "product=prod cumproduct=cumprod sometrue=any alltrue=all in1d=isin trapz=trapezoid row_stack=vstack rank=ndim "
        "float_=float64 complex_=complex128 unicode_=str_ string_=bytes_ NaN=nan NAN=nan Inf=inf Infinity=inf "
        "infty=inf PINF=inf round_=round mat=asmatrix bool8=bool_ int0=intp uint0=uintp object0=object_ str0=str_ "
        "cfloat=complex128 singlecomplex=complex64 longfloat=longdouble find_common_type=result_type",
    ),
    Former("numpy.NINF", ("-<numpy.inf>",)),
    Former("numpy.PZERO", ("0.0",)),
    Former("numpy.NZERO", ("-0.0",)),
    Former("numpy.math", ("<math>",)),
    Former("numpy.asscalar", ("{a}.item()",), ("a",)),
    Former("numpy.asfarray", ("<numpy.asarray>({a}, dtype=float)",), ("a", "dtype")),
    Former("numpy.msort", ("<numpy.sort>({a}, axis=0)",), ("a",)),
    Former("numpy.alen", ("len({a})",), ("a",)),
    Former("numpy.cast", (), note="write `np.asarray(x, dtype=…)`"),
    Former("numpy.loads", ("<pickle.loads>",)),
    *methods("numpy.ndarray", "tostring=tobytes"),
    Former("numpy.ndarray.ptp", ("<numpy.ptp>({base}{rest})",)),
    Former("numpy.ndarray.newbyteorder", ("{base}.view({base}.dtype.newbyteorder({new_order}))",), ("new_order",)),
    Former("numpy.ndarray.itemset", ("{base}.flat[{index}] = {value}",), ("index", "value")),
    Former("numpy.histogram", ("density={value}",), argument="normed"),
    Former("numpy.array", ("<numpy.asarray>({object}{rest})",), ("object",), argument="copy", value="False"),
    *arguments("numpy.sum numpy.mean", "keep_dims=keepdims"),
)
