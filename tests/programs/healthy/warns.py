"""Warns, and is otherwise well."""

import warnings


def old():
    warnings.warn("use new() instead", DeprecationWarning, stacklevel=2)
    warnings.warn("this will be slow", RuntimeWarning, stacklevel=2)
    return 1


print(old())
