"""The page on coding tasks: its own example is a suite that the program takes."""

import re
from pathlib import Path

from command import Afere

PAGE = Path(__file__).parents[2] / "docs" / "coding.md"


def test_the_tasks_on_the_page_are_a_suite_and_are_executed(afere: Afere) -> None:
    (tasks,) = re.findall(
        r"^```json\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    afere.write("tasks.json", tasks)
    answer = "def slug(title):\\n    return '-'.join(title.lower().split())"
    afere.write("answers.jsonl", f'{{"item": "slug", "content": "{answer}"}}\n')
    ended = afere("grade", "tasks.json", "answers.jsonl", "--json")
    assert ended.code == 0, ended
    assert ended.json["score"] == 1.0
    checked = afere("check", "tasks.json", "--json")
    assert checked.code == 0, checked


def test_the_commands_on_the_page_are_commands_of_the_program(afere: Afere) -> None:
    named = set(re.findall(r"^afere (\w+)", PAGE.read_text("utf-8"), re.MULTILINE))
    assert named == {"run", "grade", "regrade"}
    for name in named:
        assert afere(name, "--help").code == 0
    told = afere("run", "--help").out
    assert "--unsafe-no-sandbox" in told
