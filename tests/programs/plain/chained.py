"""Hides a conversion error behind an error of its own with `raise … from`."""


class ConfigError(Exception):
    pass


def number(text):
    return float(text)  # <- cause


def read_rate(settings):
    try:
        return number(settings["rate"])
    except ValueError as error:
        raise ConfigError("the settings hold no usable rate") from error  # <- cause


print(read_rate({"rate": "0,001"}))
