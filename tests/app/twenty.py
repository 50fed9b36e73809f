"""Twenty items and two models whose every answer is known beforehand.

`good` is right on 18 of 20 items in every round; `fair` on 14. Item `i17` and `i18` are those that
`good` misses; `fair` misses `i14` to `i19`.
"""

from collections.abc import Mapping
from typing import Any

ITEMS = 20
MISSED = {"good": {17, 18}, "fair": set(range(14, 20))}
SUITE = "\n".join(
    [
        "suite: twenty",
        "params: {temperature: 0.5, max_tokens: 16}",
        "items:",
        *(
            f"  - {{id: i{n}, category: {'low' if n < 10 else 'high'}, "
            f'input: "Item {n} : what is {n} + {n}?", expect: {{number: {n + n}}}}}'
            for n in range(ITEMS)
        ),
    ],
)


def answers(body: Mapping[str, Any]) -> str:
    asked = body["messages"][-1]["content"].split()[1]
    if not asked.isdigit():  # no item: `afere ping`
        return '{"ok": true}'
    number = int(asked)
    missed = MISSED.get(body["model"], set())
    return str(number + number + 1 if number in missed else number + number)


def models_yaml(base_url: str, *, retries: int = 3) -> str:
    return f"""\
providers:
  here:
    base_url: {base_url}
    retries: {retries}
    backoff: {{first: 0.01, cap: 1}}
models:
  good: {{provider: here}}
  fair: {{provider: here}}
"""
