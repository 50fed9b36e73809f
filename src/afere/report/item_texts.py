"""The texts of an item on a page: question, right answer, parts of messages, of bounded length."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from afere.domain import EXECUTED_KINDS, Expect, Item, Message, encode
from afere.report.executed import key_text

__all__ = ["question_text", "right_answer", "short_parts", "shortened"]

_KEY, _PART = 1_000, 1_000


def question_text(item: Item | None) -> str:
    """Give the question with its options; messages one after the other, images as `[…]`."""
    if item is None:
        return ""
    if isinstance(item.input, str):
        text = item.input
    else:
        text = "\n\n".join(_message(message) for message in item.input)
    options = "\n".join(f"{letter}) {option}" for letter, option in item.options.items())
    return f"{text}\n\n{options}" if options else text


def _message(message: Message) -> str:
    content = message.content
    if not isinstance(content, str):
        texts = (part.get("text") for part in content)
        content = "\n".join(text if isinstance(text, str) else "[…]" for text in texts)
    return f"{message.role}: {content}"


def right_answer(item: Item | None) -> str:
    """Give the right answer; of a choice its letter and text."""
    if item is None or not item.expect.kind:  # an item of a result file has no key to show
        return ""
    text = _plain(item.expect)
    option = item.options.get(text) if item.expect.kind == "choice" else None
    return shortened(f"{text}) {option}" if option else text, _KEY)


def _plain(expect: Expect) -> str:
    key = expect.key
    if expect.kind in EXECUTED_KINDS:
        return key_text(key)
    if isinstance(key, Mapping) and len(key) == 1:
        ((name, value),) = key.items()
        return f"{name}: {_value(value)}"
    return _value(key)


def _value(value: object) -> str:
    if isinstance(value, str | int | Decimal):
        return str(value)
    if isinstance(value, list | tuple) and all(
        isinstance(each, str | int | Decimal) for each in value
    ):
        return ", ".join(str(each) for each in value)
    return encode(value)


def short_parts(value: Any) -> Any:  # noqa: ANN401 - plain data of any shape
    """Give parts of a message without the bulk of an image."""
    if isinstance(value, str):
        return shortened(value, _PART)
    if isinstance(value, Mapping):
        return {name: short_parts(each) for name, each in value.items()}
    if isinstance(value, Iterable):
        return [short_parts(each) for each in value]
    return value


def shortened(text: str, limit: int, length: int | None = None) -> str:
    """Shorten a text by its middle: a reply's answer often stands at its end.

    length: that of the whole text, where this one was shortened before, to a greater limit.
    """
    if len(text) <= limit:
        return text
    tail = limit // 3
    gap = f"… (+{(length or len(text)) - limit:,}) …"
    return f"{text[: limit - tail]}{gap}{text[len(text) - tail :]}"
