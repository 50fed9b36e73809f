"""The page's templates: whatever they print is escaped, and cannot steer the text's direction."""

import json
import re
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from afere.report.harmless import harmless
from afere.report.words import Words

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["asset", "fill", "in_script", "page_words"]

_READABLE = "\n\t\u200c\u200d"  # line ends, tabs and joiners are part of a reply's text
# What ends or steers a text: half characters, C1 controls, line separators, direction marks.
_STEERING = re.compile("[\ud800-\udfff\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")


def fill(name: str, words: Words, **values: object) -> str:
    """Fill the template of that name; gives HTML that other templates take as it is."""
    from markupsafe import Markup

    text = _environment().get_template(f"{name}.html").render(words=words, say=words.say, **values)
    return Markup(text)  # noqa: S704 - all that the template printed was escaped


def page_words(words: Words) -> Words:
    """Give the words of a page: its minus is the long one."""
    return replace(words, minus="−")


def asset(name: str) -> str:
    """Give a style sheet or script of ours, as it stands in the page."""
    from markupsafe import Markup

    text = resources.files("afere.report").joinpath("templates", name).read_text("utf-8")
    return Markup(text)  # noqa: S704 - our own file, no foreign text in it


def in_script(data: object) -> str:
    """Write data as JSON that can stand in a script block: nothing in it ends the block."""
    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c")
    text = _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return Markup(text)  # noqa: S704 - no tag can begin in it


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def fit(value: Any) -> Any:  # noqa: ANN401 - whatever a template prints
        is_text = isinstance(value, str) and not isinstance(value, Markup)
        return harmless(value, keep=_READABLE) if is_text else value

    def fragment(value: str) -> str:
        """Write a value of the page's fragment, as `#item=…` names it."""
        return quote(value, safe="", errors="replace")

    environment = Environment(
        loader=PackageLoader("afere.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=fit,
    )
    environment.filters["fragment"] = fragment
    return environment
