"""Finds every message in the source, as a translator needs it.

`python tests/report/report_messages.py LANGUAGE` prints what its catalogue lacks, ready to be
filled in and put at the catalogue's end.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[2] / "src" / "afere"
TEMPLATES = SOURCE / "report" / "templates"
CATALOGUES = SOURCE / "report" / "locale"
ROOMS = ("report", "analysis", "app", "exams")
CONTEXT_END = "\4"
SINGLE, PLURAL, ALL = ("say", "message", "Sentence"), ("many",), ("each",)


class Message(NamedTuple):
    """A template, with the one for more than one where it has two; where it stands."""

    one: str
    more: str
    place: str


def messages() -> dict[str, Message]:
    """Give every message by its singular, after its context where it has one."""
    found: dict[str, Message] = {}
    for message in (*_of_python(), *_of_templates(), *_of_verdicts()):
        found.setdefault(message.one, message)
    for context, name in _in_contexts():
        found[f"{context}{CONTEXT_END}{name}"] = Message(name, "", "report/words.py")
    return found


def _of_python() -> Iterator[Message]:
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.py")):
            place = path.relative_to(SOURCE).as_posix()
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    yield from _of_call(node, place)


def _of_call(node: ast.Call, place: str) -> Iterator[Message]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    name = node.func.id if isinstance(node.func, ast.Name) else name
    if name in SINGLE and node.args:
        yield from (Message(text, "", place) for text in _texts(node.args[0]))
    elif name in PLURAL and len(node.args) > 1:
        pairs = zip(_texts(node.args[0]), _texts(node.args[1]), strict=True)
        yield from (Message(one, more, place) for one, more in pairs)
    elif name in ALL:
        yield from (Message(text, "", place) for each in node.args for text in _texts(each))


def _texts(node: ast.expr) -> list[str]:
    """Give the texts that an argument may be: itself, or those of a choice."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _texts(node.body) + _texts(node.orelse)
    return []


def _of_templates() -> Iterator[Message]:
    from jinja2 import Environment, nodes

    for path in sorted(TEMPLATES.glob("*.html")):
        tree = Environment(autoescape=True).parse(path.read_text("utf-8"))
        for call in tree.find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "say":
                texts = [call.args[0], *call.args[0].find_all(nodes.Const)]
                for text in texts:
                    if isinstance(text, nodes.Const) and isinstance(text.value, str):
                        yield Message(text.value, "", f"report/templates/{path.name}")


def _of_verdicts() -> Iterator[Message]:
    """Give the reasons whose templates the analysis puts together."""
    for more in ("more", "fewer"):
        for end in ("", ", but by less than the margin of {margin} points"):
            yield Message(
                f"{{candidate}} answers {{points}} points {more} of these items than {{baseline}} "
                f"({{level}} % interval {{low}} to {{high}}){end}",
                "",
                "analysis/verdict.py",
            )


def _in_contexts() -> Iterator[tuple[str, str]]:
    """Give the names that a language may say otherwise: of one answer, of a run."""
    from afere.domain import Outcome, RunStatus
    from afere.report import ENGLISH

    yield from (("one answer", ENGLISH.outcome(outcome)) for outcome in Outcome)
    yield from (("run", status.value) for status in RunStatus)


def stub(name: str, message: Message) -> str:
    """Write a message as an entry of a catalogue, not yet translated."""
    lines = [f"#: {message.place}"]
    context, end, _ = name.partition(CONTEXT_END)
    if end:
        lines.append(f"msgctxt {_quoted(context)}")
    lines.append(f"msgid {_quoted(message.one)}")
    if message.more:
        lines += [f"msgid_plural {_quoted(message.more)}", 'msgstr[0] ""', 'msgstr[1] ""']
    else:
        lines.append('msgstr ""')
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def missing(language: str) -> list[str]:
    """Give the entries that a language's catalogue lacks."""
    from afere.report.languages import words_for

    known = words_for(language).catalogue
    return [
        stub(name, message)
        for name, message in messages().items()
        if name not in known or (message.more and message.more not in known)
    ]


if __name__ == "__main__":
    print("\n\n".join(missing(sys.argv[1])))
