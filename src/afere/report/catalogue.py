"""Reads a message catalogue: a gettext `.po` file, from English templates to another language's."""

import json
from collections.abc import Iterator, Mapping

__all__ = ["in_context", "read_catalogue"]

_CONTEXT_END = "\4"  # as in gettext's own compiled catalogues
Entry = dict[str, str]


def in_context(context: str, text: str) -> str:
    """Give the name under which a text of a context stands in a catalogue."""
    return f"{context}{_CONTEXT_END}{text}"


def read_catalogue(text: str) -> Mapping[str, str]:
    """Read the whole text of a `.po` file; what is fuzzy or not translated is left out.

    The singular and the plural of an entry each become a template of their own; a language with
    one form has it for both. Raises ValueError, with the line, for what is no catalogue.
    """
    found: dict[str, str] = {}
    for entry in _entries(text):
        one, more = entry.get("msgid", ""), entry.get("msgid_plural")
        if not one:
            continue
        context = entry.get("msgctxt")
        name = in_context(context, one) if context is not None else one
        first = entry.get("msgstr") or entry.get("msgstr[0]")
        if first:
            found[name] = first
        last = entry.get("msgstr[1]") or first
        if more is not None and last:
            found[more] = last
    return found


def _entries(text: str) -> Iterator[Entry]:
    """Give the entries, each the texts under its keywords; a blank line ends one."""
    entry: Entry = {}
    keyword, fuzzy = "", False
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        said = line.strip()
        if not said:
            if entry and not fuzzy:
                yield entry
            entry, keyword, fuzzy = {}, "", False
        elif said.startswith("#"):
            fuzzy = fuzzy or (said.startswith("#,") and "fuzzy" in said)
        elif said.startswith('"') and keyword:
            entry[keyword] += _quoted(said, number)
        else:
            keyword, _, quoted = said.partition(" ")
            if not keyword.startswith("msg"):
                raise ValueError(f"line {number} is no line of a catalogue: {said}")
            entry[keyword] = _quoted(quoted.strip(), number)


def _quoted(text: str, line: int) -> str:
    try:
        if text.startswith('"'):
            return str(json.loads(text))  # the escapes of a catalogue are those of JSON
    except ValueError:
        pass
    raise ValueError(f"line {line} holds no text in quotes: {text}")
