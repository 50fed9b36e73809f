"""Reads a page of the documentation: the files that it shows and the commands that it types.

A block whose fence names a file (```` ```yaml models.yaml ````) is that file; `sh` blocks are typed
one after the other in the same folder. Hosts and local models become a server on loopback that
knows the answers.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import afere
from afere.domain import Item
from afere.suites.key_replies import key_replies

BUILTIN = ("first-steps", "swap-20", "swap-20-en", "swap-20-zh")
WEAKER = ("small", "tomorrow", "amanha", "8-levels")
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    language: str
    file: str | None
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page.read_text("utf-8"))]


def on_loopback(text: str, base_url: str) -> str:
    """Put the server in place of every host and local model, and lift the tight limits."""
    text = text.replace("https://HOST/v1", base_url)
    text = text.replace("engine: llama, gguf: smollm2-135m", f'base_url: "{base_url}"')
    text = text.replace("-m llama:smollm2-135m", f"-m smollm2-135m --base-url {base_url}")
    text = re.sub(r"\brpm: \d+", "rpm: 100000", text)
    asked = f"first-steps -m smollm2-135m -m smollm2-135m-8-levels --base-url {base_url}"
    return re.sub(r"^afere demo", f"afere run {asked}", text, flags=re.MULTILINE)


class Knowing:
    """Answers every question of the suites by its key; the weaker models miss a third of them."""

    def __init__(self) -> None:
        self.replies: dict[str, str] = {}
        for name in BUILTIN:
            self.learn(afere.load_suite(name).items)

    def learn(self, items: "tuple[Item, ...]") -> None:
        for item in items:
            written = key_replies(item)
            self.replies[_told(item)] = written[0][0] if written else "42"

    def __call__(self, body: Mapping[str, Any]) -> str:
        question = str(body["messages"][-1]["content"])
        known = [reply for told, reply in self.replies.items() if question.startswith(told)]
        if any(name in body["model"] for name in WEAKER) and _one_in_three(question):
            return "No idea."
        return known[0] if known else "42"


def _told(item: Item) -> str:
    return item.input if isinstance(item.input, str) else str(item.input[-1].content)


def _one_in_three(question: str) -> bool:
    return hashlib.sha256(question.encode()).digest()[0] % 3 == 0
