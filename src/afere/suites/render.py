"""Makes the request of one item in one round: the whole body that is sent."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from afere.domain import Item, Message, Request, Suite, SuiteError

__all__ = ["render", "sent_params"]

_ONLY = {"stream": False, "n": 1}  # the one value that each of these may have

_OURS = ("model", "messages")


def render(  # noqa: PLR0913 - a request is made of these; all but two by keyword
    suite: Suite,
    item: Item,
    *,
    endpoint: str,
    model: str,
    params: Mapping[str, Any],
    round: int,  # noqa: A002 - rounds are called so everywhere
    variant: int = 0,
    series: str = "",
) -> Request:
    """Give the request for an item of a suite in a round (counted from 1).

    params: every field of the body but `model` and `messages`, defaults included; a decimal is
    sent as a JSON number, a whole `seed` as seed + round - 1, so that rounds differ and repeat.
    Raises SuiteError for a template field that is not filled, and for params that cannot be sent.
    """
    for name in _OURS:
        if name in params:
            mend = "it is set from the model and the suite's own fields"
            raise SuiteError(f"`{name}` is no parameter", mend=mend, field=f"params.{name}")
    body = {"model": model, "messages": _messages(suite, item), **sent_params(params)}
    seed = body.get("seed")
    if isinstance(seed, int) and not isinstance(seed, bool):
        body["seed"] = seed + round - 1
    return Request(
        item=item.id,
        round=round,
        endpoint=endpoint,
        model=model,
        body=body,
        variant=variant,
        series=series,
    )


def _messages(suite: Suite, item: Item) -> list[dict[str, Any]]:
    if isinstance(item.input, str):
        messages = [{"role": "user", "content": _shown(suite, item, item.input)}]
    else:
        messages = [{"role": each.role, "content": _content(each)} for each in item.input]
        if item.options:
            messages[-1]["content"] = _with_options(messages[-1]["content"], item)
    if suite.system is not None and messages[0]["role"] not in {"system", "developer"}:
        messages.insert(0, {"role": "system", "content": suite.system})
    return messages


def _shown(suite: Suite, item: Item, text: str) -> str:
    if suite.prompt is None:
        return f"{text}\n\n{_option_lines(item)}" if item.options else text
    from afere.suites.template import fill

    return fill(suite.prompt, item)


def _option_lines(item: Item) -> str:
    return "\n".join(f"{letter}) {text}" for letter, text in item.options.items())


def _content(message: Message) -> Any:  # noqa: ANN401 - text, or parts for the wire
    if isinstance(message.content, str):
        return message.content
    return [_number(part) for part in message.content]


def _with_options(content: Any, item: Item) -> Any:  # noqa: ANN401 - text, or parts for the wire
    lines = _option_lines(item)
    if isinstance(content, str):
        return f"{content}\n\n{lines}"
    return [*content, {"type": "text", "text": lines}]


def sent_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Give parameters as they go over the wire: 0.6 is one value wherever it was written.

    Raises SuiteError for a number that JSON cannot hold, and for what would make a reply that
    nobody reads whole: a stream, or several choices.
    """
    for name, only in _ONLY.items():
        if name in params and params[name] != only:
            raise SuiteError(
                f"`{name}` is not taken: one whole reply is read of each call",
                mend="take it out; for several answers an item: --rounds N",
                field=f"params.{name}",
            )
    return {name: _number(value) for name, value in params.items()}


def _number(value: Any) -> Any:  # noqa: ANN401 - plain data of any shape
    """Turn decimals inside plain data into the floats that JSON writes."""
    if isinstance(value, Decimal | float):
        number = float(value)
        if number - number != 0:
            mend = "write a number that JSON can hold"
            raise SuiteError(f"{value} is too large to be sent", mend=mend, field="params")
        return number
    if isinstance(value, Mapping):
        return {name: _number(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_number(each) for each in value]
    return value
