"""The door: turns nodes into a Suite, and refuses whatever could spoil a run."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import PurePath
from typing import Any

from afere.domain import (
    AnswerKeyError,
    Grader,
    Item,
    Message,
    Reading,
    Sentence,
    Suite,
    SuiteError,
)
from afere.suites.arrangement import RECORD
from afere.suites.expectation import read_expect
from afere.suites.fields import Fields
from afere.suites.messages import Messages
from afere.suites.node import Node, quoted

__all__ = ["Loaded", "Source", "open_suite"]

SUITE_FIELDS = (
    "suite",
    "version",
    "language",
    "reading",
    "prompt",
    "system",
    "params",
    "average",
    "pass_at",
    "public",
    "metadata",
    "items",
)
ITEM_FIELDS = (
    "id",
    "input",
    "expect",
    "category",
    "group",
    "options",
    "labels",
    "date",
    "source",
    "public",
    "metadata",
)
MOST_ITEMS = 1_000_000
LONGEST_ID = 200
MOST_ROUNDS = 1000

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")
_NONE: Mapping[str, Any] = {}  # one for all items: a long suite would hold thousands
_SMALLER = "write a number that JSON can hold"
_OUR_PARAMS = {
    "model": "the model is named by `--model` or models.yaml",
    "messages": "messages are made of `system`, `prompt` and the items",
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A suite, and what is odd in its files without being wrong."""

    suite: Suite
    warnings: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader found: the suite's own fields, its items, and the files of both.

    Items may be an iterator, so that a large file is never held twice.
    """

    head: Node
    head_file: PurePath | str | None
    items: Iterable[Node]
    items_file: PurePath | str | None
    warnings: list[Sentence] = field(default_factory=list)


def open_suite(source: Source, graders: Mapping[str, Grader], messages: Messages) -> Loaded:
    """Check everything and give the suite; raises SuiteError for the first fault in file order."""
    head = Fields.of(source.head, source.head_file)
    head.refuse_unknown(SUITE_FIELDS)
    suite = _head(head)
    door = _Items(source, graders, suite, messages)
    items = tuple(door.read())
    if not items:
        raise SuiteError("no items", mend="list questions under `items:`", file=source.items_file)
    return Loaded(replace(suite, items=items), tuple(source.warnings))


def _head(fields: Fields) -> Suite:
    name = fields.text("suite")
    if name is None:
        raise fields.fault("the field `suite` is missing", "suite", "begin with `suite: NAME`")
    _refuse_control(name, fields, "suite")
    language = fields.text("language") or "en"
    if not _LANGUAGE.fullmatch(language):
        raise fields.fault(
            f"{quoted(language)} is no language tag",
            "language",
            "write `en`, `pt-BR`, `zh-CN`",
            fields.node("language"),
        )
    strict = fields.one_of("reading", ("lenient", "strict")) == "strict"
    return Suite(
        name=name,
        version=_version(fields),
        reading=Reading(language=language, strict=strict),
        prompt=_prompt(fields),
        system=fields.text("system"),
        params=_params(fields),
        average=fields.one_of("average", ("micro", "macro")),
        public=fields.flag("public"),
        metadata=fields.data("metadata"),
        pass_at=_pass_at(fields),
    )


def _pass_at(fields: Fields) -> tuple[int, ...]:
    node = fields.node("pass_at")
    if node is None:
        return ()
    given = node.value if isinstance(node.value, tuple) else (node,)
    tries = {each.value for each in given if _is_count(each.value)}
    if len(tries) != len(given) or not given:
        mend = "write `pass_at: 2`, or a list of different whole numbers from 1"
        raise fields.fault("this is no number of rounds", "pass_at", mend, node)
    return tuple(sorted(each for each in tries if isinstance(each, int)))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_ROUNDS


def _version(fields: Fields) -> int | str:
    node = fields.node("version")
    if node is None:
        return 1
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return fields.as_text(node, "version")


def _prompt(fields: Fields) -> str | None:
    prompt = fields.text("prompt")
    if prompt is not None:
        from afere.suites.template import check_template

        try:
            check_template(prompt)
        except SuiteError as error:
            node = fields.node("prompt")
            raise fields.fault(error.problem, "prompt", error.mend, node) from None
    return prompt


def _params(fields: Fields) -> dict[str, Any]:
    params = fields.data("params")
    node = fields.node("params")
    for name, mend in _OUR_PARAMS.items():
        if name in params:
            raise fields.fault(f"`{name}` is no parameter", f"params.{name}", mend, node)
    for name, value in params.items():
        if isinstance(value, Decimal) and float(value) in (float("inf"), float("-inf")):
            raise fields.fault("too large a number", f"params.{name}", _SMALLER, node)
    return params


class _Items:
    """Reads the items in order, remembering the ids that went before."""

    def __init__(
        self, source: Source, graders: Mapping[str, Grader], suite: Suite, messages: Messages
    ) -> None:
        self._source, self._graders, self._suite = source, graders, suite
        self._messages = messages
        self._lines: dict[str, tuple[str, int | None]] = {}
        self._folded: dict[str, str] = {}

    def read(self) -> Iterator[Item]:
        """Give the items, each checked."""
        for number, node in enumerate(self._source.items, 1):
            if number > MOST_ITEMS:
                mend = "split the suite"
                raise SuiteError(
                    f"more than {MOST_ITEMS} items", mend=mend, file=self._source.items_file
                )
            fields = Fields.of(node, self._source.items_file, f"items.#{number}")
            yield self._item(fields)

    def _item(self, fields: Fields) -> Item:
        item_id = self._id(fields)
        fields = Fields(fields.nodes, fields.file, fields.line, f"items.{item_id}")
        fields.refuse_unknown(ITEM_FIELDS)
        item = Item(
            id=item_id,
            input=self._input(fields),
            expect=read_expect(fields, self._graders),
            category=fields.text("category"),
            group=fields.text("group"),
            options=_options(fields) or _NONE,
            labels=_labels(fields),
            date=fields.date("date"),
            source=fields.text("source"),
            public=fields.flag("public"),
            metadata=_metadata(fields) or _NONE,
        )
        self._check_key(item, fields)
        self._try_prompt(item, fields)
        return item

    def _id(self, fields: Fields) -> str:
        node = fields.node("id")
        if node is None:
            fields.refuse_unknown(ITEM_FIELDS)
            raise fields.fault(
                "the field `id` is missing", "id", "add `id: …`, unique in the suite"
            )
        item_id = fields.as_text(node, "id")
        if not item_id.strip() or item_id != item_id.strip() or len(item_id) > LONGEST_ID:
            raise fields.fault(
                f"{quoted(item_id)} cannot be an id",
                "id",
                f"an id has 1 to {LONGEST_ID} characters and no white space at its ends",
                node,
            )
        _refuse_control(item_id, fields, "id")
        self._refuse_twin(item_id, fields, node)
        return item_id

    def _refuse_twin(self, item_id: str, fields: Fields, node: Node) -> None:
        composed = unicodedata.normalize("NFC", item_id)
        if composed in self._lines:
            twin, line = self._lines[composed]
            same = "the id" if twin == item_id else "an id that looks the same,"
            raise fields.fault(
                f"{same} {quoted(item_id)} stands on line {line} and line {node.line}"
                if line is not None
                else f"{same} {quoted(item_id)} stands twice",
                "id",
                'give each item an id of its own (1 and "1" are one id)',
                node,
            )
        self._lines[composed] = (item_id, node.line)
        folded = composed.casefold()
        if folded in self._folded:
            self._source.warnings.append(
                Sentence(
                    "the ids {first} and {second} differ only by case (lines {line} and {other})",
                    first=quoted(self._folded[folded]),
                    second=quoted(item_id),
                    line=self._lines[unicodedata.normalize("NFC", self._folded[folded])][1],
                    other=node.line,
                )
            )
        else:
            self._folded[folded] = item_id

    def _input(self, fields: Fields) -> str | tuple[Message, ...]:
        node = fields.required("input")
        if isinstance(node.value, tuple):
            return self._messages.read(node, fields, templated=self._suite.prompt is not None)
        text = fields.as_text(node, "input")
        if not _visible(text):
            raise fields.fault("the input is empty", "input", "write the question", node)
        return text

    def _check_key(self, item: Item, fields: Fields) -> None:
        try:
            self._graders[item.expect.kind].check(item, self._suite.reading)
        except AnswerKeyError as error:
            node = fields.node(error.field.split(".")[0]) or fields.node("expect")
            raise fields.fault(error.problem, error.field, error.mend, node) from error
        except Exception as error:  # a plugin's fault must not end in a traceback
            problem = f"the grader `{item.expect.kind}` cannot check this key: {error}"
            mend = "look at how the key is written"
            raise fields.fault(problem[:300], "expect", mend, fields.node("expect")) from error

    def _try_prompt(self, item: Item, fields: Fields) -> None:
        if self._suite.prompt is None or not isinstance(item.input, str):
            return
        from afere.suites.template import fill

        try:
            fill(self._suite.prompt, item)
        except SuiteError as error:
            raise fields.fault(f"the prompt: {error.problem}", "", error.mend) from None


def _options(fields: Fields) -> dict[str, str]:
    node = fields.node("options")
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        mend = "write `options: {A: first text, B: second text}`"
        raise fields.fault("options are a mapping of letter to text", "options", mend, node)
    options = {}
    for letter, each in node.value.items():
        place = f"options.{letter}"
        text = "" if each.value is None else fields.as_text(each, place)
        if not _visible(text):
            raise fields.fault("this option is empty", place, "write its text", each)
        if letter != letter.strip():
            raise fields.fault("white space round the letter", place, "take it out", each)
        options[letter] = text
    if len(options) == 1:
        raise fields.fault("one option is no choice", "options", "write two or more", node)
    return options


def _labels(fields: Fields) -> tuple[str, ...]:
    node = fields.node("labels")
    if node is None:
        return ()
    if not isinstance(node.value, tuple):
        raise fields.fault("labels are a list", "labels", "write `labels: [one, other]`", node)
    labels = []
    for each in node.value:
        label = each.written if each.value is None else fields.as_text(each, "labels")
        if not _visible(label):
            raise fields.fault("a label is empty", "labels", "write it", each)
        if label in labels:
            raise fields.fault(f"{quoted(label)} stands twice", "labels", "keep one", each)
        labels.append(label)
    if len(labels) == 1:
        raise fields.fault("one label is no choice", "labels", "write two or more", node)
    return tuple(labels)


def _metadata(fields: Fields) -> dict[str, Any]:
    metadata = fields.data("metadata")
    if RECORD in metadata:
        raise fields.fault(f"the name `{RECORD}` is taken", f"metadata.{RECORD}", "rename it")
    return metadata


def _visible(text: str) -> bool:
    return any(not each.isspace() and unicodedata.category(each) != "Cf" for each in text)


def _refuse_control(text: str, fields: Fields, field: str) -> None:
    if any(unicodedata.category(each) == "Cc" for each in text):
        node = fields.node(field)
        raise fields.fault("a control character in a name", field, "take it out", node)
