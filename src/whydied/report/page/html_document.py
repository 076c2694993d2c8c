"""A page as one file: a template, what it shows, the scripts and the style. Runs in the parent, after death.

Invariant: everything recorded passes through Jinja's escaping or, for the charts, through JSON in which no tag can
end; the page's own policy forbids every script and style but the ones that stand in it, known by their sums, and every
connection. So a program's names and texts cannot run anything in the browser of whoever reads about it.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import re
from importlib import resources
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from whydied import words
from whydied.report import plain
from whydied.report.summary import finite

_CODE = re.compile(r"`([^`]+)`")
_ENDING = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""What could end the element that holds the data, or a line of a script in it."""
_SCRIPTS = ("charts.js", "page.js")
_STYLE = "page.css"


def document(template: str, shown: dict[str, Any], drawn: object) -> str:
    """The text of a page: `shown` is what the template speaks of, `drawn` what its charts are made from."""
    scripts = [asset(name) for name in _SCRIPTS] if drawn is not None else []
    style = asset(_STYLE)
    found: str = (
        _environment()
        .get_template(template)
        .render(
            **shown,
            policy=_policy(scripts, style),
            scripts=[Markup(script) for script in scripts],
            style=Markup(style),
            data=Markup(_embedded(drawn)) if drawn is not None else "",
        )
    )
    return found


def spoken(text: str) -> Markup:
    """Escaped text, with what stands between backticks set as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", html.escape(plain.line(text))))


@functools.cache
def asset(name: str) -> str:
    """The text of a file that is shipped with this package."""
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "spoken": spoken,
        "line": plain.line,
        "block": plain.block,
        "size": words.size,
        "duration": words.duration,
    }
    return environment


def _template(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _embedded(drawn: object) -> str:
    return msgspec.json.encode(finite(msgspec.to_builtins(drawn))).decode("utf-8").translate(_ENDING)


def _policy(scripts: list[str], style: str) -> str:
    allowed = " ".join(map(_sum, scripts)) or "'none'"
    return f"default-src 'none'; script-src {allowed}; style-src {_sum(style)}; base-uri 'none'; form-action 'none'"


def _sum(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
