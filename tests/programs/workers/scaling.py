"""Used by executor_function_raises.py."""


def scaled(values):
    low, high = min(values), max(values)
    return [spread(value - low, high - low) for value in values]


def spread(part, whole):
    return part / whole  # <- cause
