"""How long grading takes: CPU of a short reply, of 100 kB, and whether time grows linearly.

Run: python bench/grading.py [KIND ...]
"""

import sys
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from afere.domain import Expect, Item, Reading, Response
from afere.graders import grade_offline

KILOBYTES = 100
SHORT_LIMIT, LONG_LIMIT = 0.1, 20.0  # milliseconds that issue 3 allows

OPTIONS = {"A": "São Paulo", "B": "Salvador", "C": "Brasília", "D": "Recife", "E": "Manaus"}
SHORT: dict[str, tuple[dict[str, Any], list[str]]] = {
    "number": ({"number": 1733}, ["1733", "Resposta: 1.733", "O resultado é **1733**."]),
    "text": ({"text": ["Recife"]}, ["Recife", "Resposta: **Recife**", "A capital é Recife."]),
    "contains": ({"contains": {"all": ["cp"], "none": ["mv"]}}, ["cp a b", "use `cp`, não tcp"]),
    "list": ({"list": [8, 19, 31, 52]}, ["8, 19, 31, 52", "- 8\n- 19\n- 31\n- 52"]),
    "set": ({"set": ["azul", "verde"]}, ["verde, azul", "Resposta: azul e verde"]),
    "match": ({"match": "[A-Z]{3}-[0-9]{4}"}, ["KTX-4821", "Aqui está:\nKTX-4821"]),
    "regex": ({"regex": {"matches": ["12"], "rejects": ["1", "a"]}}, [r"^\d{2}$", r"`^\d\d$`"]),
    "choice": ({"choice": "C"}, ["C", "Resposta: **C**", "A alternativa correta é C."]),
    "label": ({"label": "não"}, ["não", "Resposta: não", "Não, porque o chão está seco."]),
    "json": ({"json": {"equals": {"a": 1}}}, ['{"a": 1}', '```json\n{"a": 1}\n```']),
}


def filled(piece: str, ending: str = "") -> Callable[[int], str]:
    """Make a text of about so many characters out of a piece and an ending."""
    return lambda size: piece * (size // len(piece)) + ending


LONG: dict[str, Callable[[int], str]] = {
    "prose, marker last": filled("pensando mais um pouco nisso ", "\nResposta: C"),
    "prose alone": filled("O resultado é 1730. "),
    "lines": filled("Passo a passo, 24 × 15 = 360.\n"),
    "markers": filled("Resposta: 41\n"),
    "marker words": filled("resposta answer "),
    "bold marks": filled("**"),
    "stars": filled("* *"),
    "underscores": filled("_a_ "),
    "back-ticks": filled("`a` "),
    "open brackets": filled("("),
    "nested boxes": filled("\\boxed{"),
    "dollars": filled("$a "),
    "backslashes": filled("\\"),
    "tags": filled("<b"),
    "lone tags": filled("<think>"),
    "chat marks": filled("<s>a</s> "),
    "digits": filled("7"),
    "separated digits": filled("1.2,3 "),
    "minus signs": filled("- 4 -"),
    "equals": filled("1 = "),
    "pipes and spaces": lambda size: "|" + " " * size + "|x",
    "spaces": lambda size: " " * size + "x",
    "dashes": lambda size: "-" * size + "x",
    "line ends": lambda size: "\n" * size + "x",
    "letters A to E": filled("A, B ou C "),
    "options": filled("São Paulo, Salvador e Recife. "),
    "questions": filled("Pergunta: e agora?\n"),
    "commas": filled("a,"),
    "quotes": filled('"'),
    "braces": filled("{"),
    "brackets": filled("["),
    "objects": filled('{"a": '),
    "fences": filled("```\n"),
    "Chinese": filled("我们来逐项分析，答案是"),
    "combining marks": filled("a\u0301"),
    "not, not": filled("não é "),
    "accents": filled("ção é "),
}


def main() -> None:
    """Print a table of milliseconds; mark what is over the limit or grows faster than linearly."""
    kinds = sys.argv[1:] or list(SHORT)
    reading = Reading(language="pt-BR")
    print("short replies, milliseconds of CPU each")
    for kind in kinds:
        expect, replies = SHORT[kind]
        item = item_of(kind, expect)
        for reply in replies:
            spent = milliseconds(item, reply, reading, times=300)
            print(f"  {kind:9} {spent:7.3f} {mark(spent, SHORT_LIMIT)} {reply!r}")
    print(f"{KILOBYTES} kB, milliseconds of CPU, and the growth from half of it (2 is linear)")
    for kind in kinds:
        item = item_of(kind, SHORT[kind][0])
        for name, make in LONG.items():
            half = milliseconds(item, make(KILOBYTES * 500), reading, times=3)
            whole = milliseconds(item, make(KILOBYTES * 1000), reading, times=3)
            growth = whole / half if half > 1 else 0
            if whole > LONG_LIMIT / 4 or growth > 3:
                print(f"  {kind:9} {whole:8.1f} {growth:5.1f} {mark(whole, LONG_LIMIT)} {name}")


def item_of(kind: str, expect: dict[str, Any]) -> Item:
    """Make the item of a kind."""
    key = expect[kind]
    key = Decimal(key) if isinstance(key, float) else key
    return Item(
        id=kind,
        input="Qual é a resposta?",
        expect=Expect(kind=kind, key=key),
        options=OPTIONS,
        labels=("sim", "não"),
    )


def milliseconds(item: Item, reply: str, reading: Reading, *, times: int) -> float:
    """Measure the least CPU of a few groups of gradings, after one to warm up."""
    response = Response(content=reply, finish_reason="stop")
    grade_offline(item, response, reading)
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for _ in range(times):
            grade_offline(item, response, reading)
        best = min(best, time.process_time() - start)
    return best / times * 1000


def mark(spent: float, limit: float) -> str:
    """Mark what is over the limit."""
    return "OVER" if spent > limit else "    "


if __name__ == "__main__":
    main()
