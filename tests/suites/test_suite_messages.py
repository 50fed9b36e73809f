"""Chat messages and images as an item's input; a suite never chooses a path outside its folder."""

import base64
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from afere.domain import Grader, Message, SuiteError
from afere.suites import load, render

Write = Callable[[str, str | bytes], Path]
Refusal = Callable[..., SuiteError]

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20


def chat(messages: str, head: str = "") -> str:
    return f"suite: s\n{head}items:\n  - {{id: a, expect: {{number: 1}}, input: {messages}}}\n"


def test_chat_messages_are_read(written: Write, graders: Mapping[str, Grader]) -> None:
    text = chat("[{role: system, content: S}, {role: user, content: 1.50}]")
    assert load(written("suite.yaml", text), graders).items[0].input == (
        Message(role="system", content="S"),
        Message(role="user", content="1.50"),
    )


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ("[]", "must end with one to answer"),
        ("[{role: assistant, content: x}]", "must end with one to answer"),
        ("[{role: usr, content: x}]", "`usr` is none of"),
        ("[{content: x}]", "`role` is missing"),
        ("[{role: user}]", "`content` is missing"),
        ("[{role: user, content: ' '}]", "content is empty"),
        ("[{role: user, content: []}]", "content is empty"),
        ("[{role: user, text: x}]", "unknown field `text`"),
        ("[hello]", "a mapping of fields is due"),
        ("{role: user}", "a text is due here, not a mapping"),
        ("[{role: user, content: [{text: x}]}]", "`type` is missing"),
        ("[{role: user, content: [{image: none.png}]}]", "no image `none.png` beside"),
        ("[{role: user, content: [{image: ../secret.png}]}]", "no image `../secret.png` beside"),
        ("[{role: user, content: [{image: /etc/passwd}]}]", "no image `/etc/passwd` beside"),
        ("[{role: user, content: [{image: link.png}]}]", "no image `link.png` beside"),
        ("[{role: user, content: [{image: suite.yaml}]}]", "cannot be sent as an image"),
    ],
)
def test_messages_that_cannot_be_sent_are_refused(
    refusal: Refusal, written: Write, messages: str, words: str
) -> None:
    secret = written("secret.png", PNG)
    written("mine/other.txt", "x")
    (secret.parent / "mine" / "link.png").symlink_to(secret)
    error = refusal(chat(messages), "mine/suite.yaml")
    assert words in error.problem
    assert error.line == 3
    assert error.mend
    assert str(error.field).startswith("items.a.input")


def test_a_prompt_cannot_be_filled_with_messages(refusal: Refusal) -> None:
    error = refusal(chat("[{role: user, content: x}]", "prompt: 'Q: {{ input }}'\n"))
    assert "cannot be filled with chat messages" in error.problem


def test_an_image_is_sent_inside_its_message(written: Write, graders: Mapping[str, Grader]) -> None:
    written("mine/figures/one.png", PNG)
    parts = "[{type: text, text: What?}, {type: image, image: figures/one.png}]"
    messages = f"[{{role: user, content: {parts}}}]"
    suite = load(written("mine/suite.yaml", chat(messages)), graders)
    request = render(suite, suite.items[0], endpoint="", model="m", params={}, round=1)
    url = "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert request.body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What?"},
                {"type": "image_url", "image_url": {"url": url}},
            ],
        }
    ]
    assert len(request.key) == 64


def test_files_are_read_as_utf_8_whatever_the_locale(written: Write) -> None:
    path = written(
        "suite.yaml", "suite: s\nitems:\n  - {id: a, input: maçã ✓ 世, expect: {text: ç}}\n"
    )
    program = (
        "import sys; from afere.suites import load\n"
        "class Any:\n    def check(self, item, reading): pass\n"
        "suite = load(sys.argv[1], {'text': Any()})\n"
        "sys.stdout.buffer.write(suite.items[0].input.encode())\n"
        "load('swap-20-zh', dict.fromkeys(\n"
        "    ('number', 'list', 'label', 'regex', 'shell', 'sql'), Any()))\n"
    )
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", program, str(path)],
        env={**os.environ, "PYTHONPATH": source, "PYTHONUTF8": "0", "LC_ALL": "C"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == "maçã ✓ 世"
