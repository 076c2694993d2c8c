"""What pandas once had. Pure; see `former_entry`."""

from __future__ import annotations

from whydied.source.former.former_entry import Former, arguments, methods, renamed

_TABLES = "pandas.DataFrame pandas.Series"
_APPEND = ("other", "ignore_index", "verify_integrity", "sort")
_ROLLING = ("arg", "window", "min_periods", "freq", "center")
_DT = "pandas.DatetimeProperties"


def _rolling() -> list[Former]:
    return [
        Former(
            f"pandas.rolling_{name}",
            (f"{{arg}}.rolling({{window}}{{min_periods?}}{{center?}}).{name}()",),
            _ROLLING,
            needs=("pandas.Series.rolling",),
        )
        for name in ("mean", "std", "var", "sum", "max", "min", "median", "skew", "kurt", "count")
    ]


def _appends() -> list[Former]:
    """What is joined on decides the form: a frame, rows as dicts, one row as a Series."""
    frame = "pandas.DataFrame.append"
    kept = "{ignore_index?}{verify_integrity?}{sort?}"
    return [
        Former(
            frame, (f"<pandas.concat>([{{base}}, <pandas.DataFrame>([{{other}}])]{kept})",), _APPEND, given=("dict",)
        ),
        Former(frame, (f"<pandas.concat>([{{base}}, {{other}}.to_frame().T]{kept})",), _APPEND, given=("Series",)),
        Former(
            frame,
            (f"<pandas.concat>([{{base}}, *{{other}}]{kept})",),
            _APPEND,
            given=("list of DataFrame", "tuple of DataFrame"),
        ),
        Former(frame, (f"<pandas.concat>([{{base}}, <pandas.DataFrame>({{other}})]{kept})",), _APPEND, given=("list",)),
        Former(frame, (f"<pandas.concat>([{{base}}, {{other}}]{kept})",), _APPEND),
        Former(
            "pandas.Series.append",
            ("<pandas.concat>([{base}, {to_append}]{ignore_index?}{verify_integrity?})",),
            ("to_append", "ignore_index", "verify_integrity"),
        ),
    ]


def _tables() -> list[Former]:
    found: list[Former] = []
    for owner in _TABLES.split():
        found += [
            Former(f"{owner}.ix", ("{base}.loc", "{base}.iloc"), note="`.loc` takes labels, `.iloc` positions"),
            Former(f"{owner}.mad", ("({base} - {base}.mean()).abs().mean()",), ("axis",)),
            Former(f"{owner}.clip_lower", ("{base}.clip(lower={threshold})",), ("threshold",)),
            Former(f"{owner}.clip_upper", ("{base}.clip(upper={threshold})",), ("threshold",)),
            Former(
                f"{owner}.first",
                ("{base}.loc[:{base}.index[0] + <pandas.tseries.frequencies.to_offset>({offset})]",),
                ("offset",),
            ),
            Former(
                f"{owner}.last",
                ("{base}.loc[{base}.index[-1] - <pandas.tseries.frequencies.to_offset>({offset}):]",),
                ("offset",),
            ),
            Former(f"{owner}.fillna", ("{base}.ffill({rest})",), ("value", "method"), "method", "'ffill'"),
            Former(f"{owner}.fillna", ("{base}.ffill({rest})",), ("value", "method"), "method", "'pad'"),
            Former(f"{owner}.fillna", ("{base}.bfill({rest})",), ("value", "method"), "method", "'bfill'"),
            Former(f"{owner}.fillna", ("{base}.bfill({rest})",), ("value", "method"), "method", "'backfill'"),
            Former(f"{owner}.groupby", ("",), argument="axis", value="0"),
            Former(
                f"{owner}.groupby", (), argument="axis", note="group the rows of the transposed table: `.T.groupby(…)`"
            ),
        ]
    return found


ENTRIES: tuple[Former, ...] = (
    *_appends(),
    *_tables(),
    *methods(_TABLES, "iteritems=items as_matrix=to_numpy get_values=to_numpy pad=ffill backfill=bfill tshift=shift"),
    *methods("pandas.DataFrame", "applymap=map iterkv=items swapaxes=transpose ftypes=dtypes"),
    *methods("pandas.Series", "order=sort_values valid=dropna nonzero=to_numpy"),
    *methods("pandas.Index", "get_values=to_numpy is_monotonic=is_monotonic_increasing"),
    *methods("pandas.Series", "is_monotonic=is_monotonic_increasing"),
    Former(
        "pandas.DataFrame.sort",
        ("{base}.sort_values({columns}{rest})",),
        ("columns",),
        needs=("pandas.DataFrame.sort_values",),
    ),
    Former(
        "pandas.Series.sort", ("{base}.sort_values(inplace=True)",), ("axis",), needs=("pandas.Series.sort_values",)
    ),
    Former("pandas.DataFrame.get_value", ("{base}.at[{index}, {col}]",), ("index", "col", "takeable")),
    Former("pandas.Series.get_value", ("{base}.at[{label}]",), ("label", "takeable")),
    Former(
        "pandas.DataFrame.set_value", ("{base}.at[{index}, {col}] = {value}",), ("index", "col", "value", "takeable")
    ),
    Former(
        "pandas.DataFrame.lookup",
        ("{base}.to_numpy()[{base}.index.get_indexer({row_labels}), {base}.columns.get_indexer({col_labels})]",),
        ("row_labels", "col_labels"),
    ),
    Former("pandas.DataFrame.convert_objects", ("{base}.infer_objects()",), ("convert_dates", "convert_numeric")),
    Former("pandas.DataFrame.reindex_axis", ("{base}.reindex({labels}{axis?})",), ("labels", "axis")),
    Former("pandas.DataFrame.from_csv", ("<pandas.read_csv>({path}, index_col=0, parse_dates=True{rest})",), ("path",)),
    Former("pandas.DataFrame.irow", ("{base}.iloc[{i}]",), ("i",)),
    Former("pandas.DataFrame.icol", ("{base}.iloc[:, {i}]",), ("i",)),
    *(
        Former(f"{owner}.{name}", ("{base}.isocalendar().week",))
        for owner in (_DT, "pandas.DatetimeIndex")
        for name in ("week", "weekofyear")
    ),
    *(
        Former(f"{owner}.weekday_name", ("{base}.day_name()",))
        for owner in (_DT, "pandas.DatetimeIndex", "pandas.Timestamp")
    ),
    *_rolling(),
    Former("pandas.ewma", ("{arg}.ewm({com?}{span?}).mean()",), ("arg", "com", "span")),
    Former("pandas.expanding_mean", ("{arg}.expanding({min_periods?}).mean()",), ("arg", "min_periods")),
    Former(
        "pandas.Panel", (), note="pandas has two axes only: an array of three axes, or a DataFrame with a MultiIndex"
    ),
    Former("pandas.datetime", ("<datetime.datetime>",)),
    Former("pandas.np", ("<numpy>",)),
    Former("pandas.value_counts", ("<pandas.Series>({values}).value_counts({rest})",), ("values",)),
    Former("pandas.TimeGrouper", ("<pandas.Grouper>(freq={freq}{rest})",), ("freq",)),
    *renamed("pandas", "scatter_matrix", "pandas.plotting"),
    *renamed(
        "pandas.tools.plotting", "scatter_matrix autocorrelation_plot parallel_coordinates lag_plot", "pandas.plotting"
    ),
    *renamed("pandas", "Int64Index=Index Float64Index=Index UInt64Index=Index"),
    Former("pandas.io.json.json_normalize", ("<pandas.json_normalize>",)),
    Former("pandas.read_csv", ('on_bad_lines="skip"',), argument="error_bad_lines", value="False"),
    Former("pandas.read_csv", ("",), argument="error_bad_lines", value="True"),
    Former(
        "pandas.read_csv",
        ("<pandas.read_csv>({path}{rest}).squeeze(axis=1)",),
        ("path",),
        argument="squeeze",
        value="True",
    ),
    Former("pandas.read_csv", ("",), argument="squeeze", value="False"),
    *arguments(
        "pandas.read_csv",
        "warn_bad_lines= infer_datetime_format= mangle_dupe_cols= prefix= keep_date_col= verbose= "
        "date_parser=date_format delim_whitespace= tupleize_cols=",
    ),
    *arguments("pandas.to_datetime", "infer_datetime_format= box= coerce="),
    *arguments(
        "pandas.read_excel pandas.ExcelFile.parse",
        "sheetname=sheet_name parse_cols=usecols skip_footer=skipfooter squeeze=",
    ),
    *arguments("pandas.to_csv pandas.DataFrame.to_csv", "line_terminator=lineterminator"),
    *arguments("pandas.to_excel pandas.DataFrame.to_excel", "encoding= verbose="),
    *arguments("pandas.DataFrame.sort_values pandas.Series.sort_values", "columns=by"),
    *arguments("pandas.concat", "join_axes="),
    *arguments("pandas.date_range", "closed=inclusive"),
    *arguments("pandas.DataFrame.drop_duplicates pandas.Series.drop_duplicates", "cols=subset take_last="),
    *arguments("pandas.DataFrame.pivot_table pandas.pivot_table", "rows=index cols=columns"),
    *arguments("pandas.DataFrame.set_axis", "inplace="),
    *arguments("pandas.DataFrame.replace pandas.Series.replace", "method= limit="),
    *arguments("pandas.DataFrame.rank pandas.Series.quantile", "interpolation="),
    *arguments("pandas.DataFrame.describe pandas.Series.describe", "datetime_is_numeric="),
    *arguments("pandas.DataFrame.interpolate", "downcast="),
    *arguments("pandas.DataFrame.mean pandas.DataFrame.sum", "level="),
)
