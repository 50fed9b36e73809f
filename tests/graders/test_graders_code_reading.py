"""Code is found in replies of every form that models give it, and by a rule that has a name."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from grading_cases import DATA
from hypothesis import given
from hypothesis import strategies as st

from afere.graders.reading.blocks import code_blocks, tidy
from afere.graders.reading.python_program import Program, read_program
from afere.graders.reading.statement import SHELL, SQL, Language, read_statement

BODY = "def f(x):\n    return x + 1"
START = 'from typing import List\n\n\ndef f(x: List[int]) -> int:\n    """Say it."""\n'

FORMS = {
    "nothing but code": (BODY, "whole"),
    "a fence among prose": (f"Sure!\n\n```python\n{BODY}\n```\nDone.", "fence"),
    "a tag in other letters": (f"```Python3\n{BODY}\n```", "fence"),
    "a tag with attributes": (f"```{{.python .numberLines}}\n{BODY}\n```", "fence"),
    "a tag with a title": (f'```python title="a.py"\n{BODY}\n```', "fence"),
    "no tag": (f"```\n{BODY}\n```", "fence"),
    "tildes": (f"~~~py\n{BODY}\n~~~", "fence"),
    "windows line ends": (f"```python\n{BODY}\n```".replace("\n", "\r\n"), "fence"),
    "a fence never closed": (f"Here:\n```python\n{BODY}\n", "fence"),
    "a fence closed on the last line of code": (f"```python\n{BODY}```", "fence"),
    "a fence that opens behind prose": (f"Here it is: ```python\n{BODY}\n```", "fence"),
    "a fence on one line": ("```python def f(x): return x + 1```", "fence"),
    "a fence in a fence": (f"````markdown\n```python\n{BODY}\n```\n````", "fence"),
    "a fence in one as long": (f"```markdown\n```python\n{BODY}\n```\n```", "fence"),
    "a fence in a docstring": (
        '```python\ndef f(x):\n    """\n```\nf(1)\n```\n    """\n    return x + 1\n```\nok',
        "fence",
    ),
    "a fence in a list": (
        "1. This:\n   ```python\n   def f(x):\n       return x\n   ```\n",
        "fence",
    ),
    "a fence in a quote": ("> ```python\n> def f(x):\n>     return x\n> ```", "fence"),
    "a pre block": ("<pre><code>def f(x):\n    return x &lt; 1</code></pre>", "fence"),
    "square brackets": (f"[PYTHON]\n{BODY}\n[/PYTHON]", "fence"),
    "tabs": ("```python\ndef f(x):\n\treturn x\n```", "fence"),
    "a whole file": (
        f"```python\n{BODY}\n\nif __name__ == '__main__':\n    print(f(int(input())))\n```",
        "fence",
    ),
    "another language first": (f"```bash\npip install x\n```\n```python\n{BODY}\n```", "fence"),
    "a stub after it": (f"```python\n{BODY}\n```\nBegin:\n```python\ndef f(x): ...\n```", "fence"),
    "prose before and after": (f"Here:\n\n{BODY}\n\nIt adds one.\nExample usage.", "lines"),
    "an indented block": ("Answer:\n\n    def f(x):\n        return x + 1\n\nbye", "indented"),
    "a span": ("Use `f = lambda x: x + 1` here.", "span"),
    "a session": (">>> def f(x):\n...     return x + 1\n...\n>>> f(1)\n2", "session"),
    "a session in a fence": ("```\n>>> def f(x):\n...     return x + 1\n```", "session"),
    "numbered inputs": ("In [1]: def f(x):\n   ...:     return x + 1\n", "session"),
    "tests in a block of their own": (
        f"```python\n{BODY}\n```\n```python\nfrom solution import f\n\nassert f(1) == 2\n```",
        "fence",
    ),
    "use from a file of that name": (
        f"```python\n{BODY}\n```\n```python\nfrom f import f\nprint(f(1))\n```",
        "fence",
    ),
    "use that takes its name": (f"```python\n{BODY}\n```\n```python\nf = f(1)\n```", "fence"),
    "a function wrapped after it": (f"```python\n{BODY}\n\nf = staticmethod(f)\n```", "fence"),
    "a function that calls itself": ("```python\nf = lambda x: x and f(x - 1)\n```", "fence"),
    "one of Python's own": ("```python\nfrom math import floor as f\n```", "fence"),
    "a fence on one line without a tag": ("Use ```def f(x): return x + 1```", "fence"),
    "prose in a fence never closed": (f"```python\n{BODY}\n\nThis adds one to it.", "lines"),
    "a field of JSON": (json.dumps({"why": "so", "code": BODY}), "json"),
    "a field of JSON in a fence": (f"```json\n{json.dumps({'code': BODY})}\n```", "json"),
    "a notebook": (
        json.dumps({"cells": [{"source": BODY.splitlines(keepends=True)}], "nbformat": 4}),
        "json",
    ),
    "a diff": (
        "```diff\n--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n def f(x):\n-    x\n+    return x + 1\n```",
        "fence",
    ),
    "odd spaces": (BODY.replace("    ", "\u00a0\u00a0\u00a0\u00a0"), "indented"),
}


def read(text: str, start: str = "") -> Program:
    found = read_program(text, ("f",), start)
    assert found is not None
    return found


@pytest.mark.parametrize(("text", "rule"), FORMS.values(), ids=FORMS)
def test_a_program_is_found_in_every_form(text: str, rule: str) -> None:
    found = read(text)
    assert (found.defines, found.rule) == (True, rule)
    names: dict[str, Any] = {"__name__": "answer"}
    exec(found.source, names)  # noqa: S102 - the lines above
    assert names["f"](1) in {1, 2, False}


def test_the_last_block_that_defines_the_entry_counts() -> None:
    worse, better = "def f(x):\n    return x", BODY
    assert read(f"```python\n{worse}\n```\nBetter:\n```python\n{better}\n```").source == better


def test_blocks_that_build_on_each_other_are_joined_and_examples_are_not() -> None:
    text = (
        "```python\nimport math\n```\nA helper:\n```python\ndef g(x):\n    return math.floor(x)\n"
        "```\n```python\ndef f(x):\n    return g(x)\n```\nUsage:\n```python\nprint(f(input()))\n```"
    )
    found = read(text)
    assert found.rule == "fences-joined"
    assert "import math" in found.source
    assert "def g" in found.source
    assert "input" not in found.source


def test_a_definition_cut_over_two_blocks_is_put_together() -> None:
    text = "```python\ndef f(x):\n```\nand\n```python\n    return x\n```"
    found = read(text)
    assert (found.rule, found.defines) == ("fences-joined", True)


@pytest.mark.parametrize(
    "text",
    [
        "    y = 1\n    return y\n",
        "y = 1\n    return y",
        "for a in x:\n        if a:\n            return a\n    return 2",
        "```python\n    return 1\n```",
        "```python\ny = 1\nreturn y\n```",
        "    return 1\n\n\ndef check():\n    assert f(",
        "    return 1\n\nThis gives one.",
    ],
)
def test_a_body_is_joined_to_the_source_that_it_continues(text: str) -> None:
    found = read(text, START)
    assert (found.rule, found.defines) == ("continuation", True)
    assert found.source.startswith(START)


def test_without_a_start_a_body_continues_nothing() -> None:
    found = read_program("    return 1", ("f",))
    assert found is None or not found.defines


@pytest.mark.parametrize(
    "text", ["I do not know.", "42", "Sorry.", "```python\n```", "```python\n", "f", "", "# f"]
)
def test_text_without_code_gives_nothing(text: str) -> None:
    assert read_program(text, ("f",)) is None
    assert read_program(text, ("f",), START) is None


@pytest.mark.parametrize(
    "text",
    [
        "```python\ndef h(x):\n    return x\n```",
        "```python\ndef f(x:\n    return x\n```",
        "def f(x:\n    return x",
        "import os\nos.remove('x')",
    ],
)
def test_other_or_broken_code_is_an_answer_without_the_entry(text: str) -> None:
    assert not read(text).defines


def test_an_unclosed_block_reaches_to_the_end_and_a_closed_one_does_not() -> None:
    assert read(f"```python\n{BODY}").at_end
    assert read(BODY).at_end
    assert not read(f"```python\n{BODY}\n```\nAnd more pro").at_end
    assert not read(f"{BODY}\n\nIt adds one to").at_end


COMMANDS = [
    ("ls -S *.csv | head -5", "ls -S *.csv | head -5", "whole"),
    ("```bash\nls -S | head\n```\nOn macOS:\n```bash\nother\n```", "ls -S | head", "fence"),
    ("```\n$ ls -S\na.csv\n$ pwd\n/x\n```", "ls -S\npwd", "fence"),
    ("You can use `ls -lS *.csv` for it.", "ls -lS *.csv", "span"),
    ("Answer: `grep -cw a b.txt`", "grep -cw a b.txt", "marker"),
    ("The command is:\ngrep -c a b.txt\n\nIt counts.", "grep -c a b.txt", "lines"),
    ("**ls -S *.csv**", "ls -S *.csv", "whole"),
    ("Comando: ls -S *.csv", "ls -S *.csv", "whole"),
    ("for f in *; do\n  echo $f\ndone", "for f in *; do\n  echo $f\ndone", "whole"),
    ("Use ```grep -c a b.txt```.", "grep -c a b.txt", "fence"),
    ("```bash grep -c a b.txt```", "grep -c a b.txt", "fence"),
    ("[ -f a ] && grep -c a b.txt", "[ -f a ] && grep -c a b.txt", "whole"),
    ("```sh\nfind . \\\n  | sort\n```", "find . \\\n  | sort", "fence"),
]
QUERIES = [
    ("SELECT 1;", "SELECT 1;", "whole"),
    ("SELECT 1;;", "SELECT 1;", "whole"),
    ("Here:\n\nSELECT a\nFROM b;\n\nIt selects.", "SELECT a\nFROM b;", "lines"),
    ("```sql\nSELECT 1\n```\nFor SQL Server:\n```sql\nSELECT TOP 1\n```", "SELECT 1", "fence"),
    ("```sql\nSELECT 1\n```\nFinal answer:\n```sql\nSELECT 2\n```", "SELECT 2", "marker"),
    ("With this query: `SELECT a FROM b`", "SELECT a FROM b", "span"),
    ("```SELECT a FROM b```", "SELECT a FROM b", "fence"),
    ("sqlite> SELECT 1;", "SELECT 1;", "whole"),
    ("WITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x", "whole"),
    ("```\na | b\n1 | 2\n```\n`SELECT 1 x` it is", "SELECT 1 x", "span"),
]


@pytest.mark.parametrize(
    ("language", "text", "source", "rule"),
    [(SHELL, *each) for each in COMMANDS] + [(SQL, *each) for each in QUERIES],
    ids=[each[0][:30] for each in COMMANDS + QUERIES],
)
def test_commands_and_queries_are_found(
    language: Language, text: str, source: str, rule: str
) -> None:
    found = read_statement(text, language)
    assert found is not None
    assert (found.source, found.rule) == (source, rule)


@pytest.mark.parametrize("text", ["I do not know.", "Não sei.", "Find the files.", "Use find."])
def test_prose_is_no_command(text: str) -> None:
    assert read_statement(text, SHELL) is None


@pytest.mark.parametrize("text", ["Select the rows that are due.", "With this, update it.", "No"])
def test_prose_is_no_query(text: str) -> None:
    assert read_statement(text, SQL) is None


PIECES = st.lists(
    st.sampled_from(
        [
            "```",
            "````python\n",
            "~~~",
            "\n",
            "    ",
            "\t",
            "> ",
            ">>> ",
            "def f(x):",
            "return x",
            '"""',
            "`",
            "<pre>",
            "[PYTHON]",
            "SELECT ",
            "ls | ",
            "Answer: ",
            "\x00",
            "\ud800",
            "\r",
            "(",
            "é",
        ]
    )
    | st.text(max_size=8),
    max_size=40,
).map("".join)


@given(PIECES)
def test_no_reply_crashes_the_reading_of_code(text: str) -> None:
    read_program(text, ("f",), START)
    read_statement(text, SHELL)
    read_statement(text, SQL)


@given(PIECES)
def test_blocks_never_overlap_and_stay_inside_the_reply(text: str) -> None:
    tidied = tidy(text)
    places = [block.lines for block in code_blocks(tidied)]
    assert all(0 <= start < end <= tidied.count("\n") + 1 for start, end in places)


@pytest.mark.parametrize(
    "piece",
    [
        "```\n",
        "(",
        "def f(",
        "    x\n",
        "`a`",
        ">>> x\n",
        "'''",
        "if x:\n",
        "~~~~\n",
        "<pre>",
        "[CODE]\n",
        "$ ",
    ],
)
def test_a_long_hostile_reply_ends(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    read_program(text, ("f",), START)
    read_statement(text, SHELL)
    read_statement(text, SQL)


def humaneval(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        pytest.skip(f"no HumanEval file at {path}: set AFERE_TEST_DATA")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_every_reference_solution_is_found_in_every_form() -> None:
    for row in humaneval(DATA / "code" / "HumanEval.jsonl.gz"):
        prompt, body, entry = row["prompt"], row["canonical_solution"], row["entry_point"]
        whole = prompt + body
        session = "\n".join(
            ("... " if k else ">>> ") + line for k, line in enumerate(whole.split("\n"))
        )
        forms = {
            "continuation": body,
            "fence": f"Here it is.\n\n~~~python\n{whole}~~~\nDone.",
            "lines": f"Here it is:\n\n{whole}\n\nThat is all of it.",
            "whole": whole,
            "session": f"So:\n{session}\n",
        }
        for rule, text in forms.items():
            found = read_program(text, (entry,), prompt)
            assert found is not None, (row["task_id"], rule)
            assert found.defines, (row["task_id"], rule)
            assert found.rule == rule, row["task_id"]
            assert body.strip().split("\n")[-1].strip() in found.source


def test_real_answers_to_coding_tasks_are_read_rightly() -> None:
    """Every one of these replies is a fence; a repeated dictionary was cut inside it."""
    files = sorted((DATA / "answers").glob("coding_*.jsonl"))
    if not files:
        pytest.skip("no real answers: set AFERE_TEST_DATA")
    entries = {"dedupe_keep_order": "dedupe", "fizzbuzz": "fizzbuzz", "parse_keyvals": "parse"}
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            found = read_program(row["content"], (entries[row["task"]],))
            assert found is not None
            assert found.rule == "fence"
            assert found.defines == (row["finish_reason"] == "stop")
            assert found.at_end == (row["finish_reason"] == "length")
