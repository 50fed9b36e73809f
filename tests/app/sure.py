"""A server that gives log-probabilities and states its confidence, and a suite to ask it."""

from collections.abc import Mapping
from math import log
from typing import Any

from servers.replies import Reply

ITEMS = 160


def sure(body: Mapping[str, Any]) -> Reply:
    """Answer every tenth item wrongly and torn, the others rightly and sure."""
    number = int(str(body["messages"][-1]["content"]).split()[1])
    letter, share = ("B", 0.6) if number % 10 == 0 else ("A", 0.97)
    content = f"{letter}\nConfidence: {70 if letter == 'B' else 95}%"
    shares = {letter: share, f" {letter}": 0.01, "C": 0.99 - share - 0.005, "Th": 0.005}
    tokens = [
        {
            "token": letter,
            "logprob": log(share),
            "top_logprobs": [
                {"token": name, "logprob": log(each)} for name, each in shares.items()
            ],
        },
        {"token": "\nConfidence: 90%", "logprob": 0.0, "top_logprobs": []},
    ]
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    if body.get("logprobs"):
        choice["logprobs"] = {"content": tokens}
    return Reply(extra={"choices": [choice]})


CHOICES = {
    "suite": "choices",
    "params": {"logprobs": True},
    "items": [
        {
            "id": f"i{number}",
            "input": f"Question {number}",
            "options": {"A": "yes", "B": "no", "C": "maybe"},
            "expect": {"choice": "A"},
            "category": "odd" if number % 2 else "even",
        }
        for number in range(ITEMS)
    ],
}
