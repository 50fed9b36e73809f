"""What the tests of the graders share: cases read from files, made into items and responses."""

import json
import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from afere.domain import Expect, Item, Response

CASES = Path(__file__).parent / "cases" / "grading.jsonl"
ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("AFERE_TEST_DATA", ROOT.parent / "shared" / "data"))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line, parse_float=Decimal)


def make_item(expect: dict[str, Any], **fields: Any) -> Item:
    kind = next(iter(expect))
    options = {name: value for name, value in expect.items() if name != kind}
    labels = tuple(fields.pop("labels", None) or ())
    return Item(
        id=fields.pop("id", "q"),
        input=fields.pop("input", "?"),
        expect=Expect(kind=kind, key=expect[kind], options=options),
        options=fields.pop("options", None) or {},
        labels=labels,
    )


def make_response(reply: dict[str, Any]) -> Response:
    content = reply["content"] or ""
    if reply.get("content_repeat"):
        text, times = reply["content_repeat"]
        content = text * times + content
    return Response(
        content=content,
        finish_reason=reply.get("finish_reason", "stop"),
        reasoning=reply.get("reasoning"),
        refusal=reply.get("refusal"),
    )
