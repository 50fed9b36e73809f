"""Looks a suite over before money is spent on it."""

import asyncio
import re
from collections.abc import Iterator, Mapping

from afere.domain import (
    AnswerKeyError,
    Grader,
    Item,
    NoSandboxError,
    Outcome,
    Response,
    Sentence,
    Suite,
)
from afere.suites.balance import skewed, small_categories
from afere.suites.key_replies import key_replies
from afere.suites.leaks import leak_in
from afere.suites.likeness import alike, folded, is_named
from afere.suites.problem import Problem
from afere.suites.render import render

__all__ = ["audit"]

_REFERS = re.compile(
    r"\b(?:(?:all|none|both|neither) of (?:the above|these|them)|(?:both )?[a-e] (?:and|or) [a-e]"
    r"|(?:todas|nenhuma|ambas) as (?:anteriores|alternativas|opções)"
    r"|nenhuma das (?:anteriores|alternativas|opções)"
    r"|(?:todas|ninguna de) las (?:anteriores|opciones))\b|以上(?:都|皆|全)",
    re.IGNORECASE,
)
_BEHAVIOURS = {
    "sql": re.compile(r"\bSQL\b", re.IGNORECASE),
    "shell": re.compile(r"\b(?:shell|bash|grep|linha de comando|command line)\b", re.IGNORECASE),
    "regex": re.compile(
        r"\b(?:regex|regexp|regular expression|expressão regular|expresión regular)\b|正则",
        re.IGNORECASE,
    ),
    "python": re.compile(r"\b(?:python|pytest)\b", re.IGNORECASE),
}
_AT_A_TIME = 16  # items: keys of code are executed on every core
_FORMS = frozenset({"text", "contains", "match"})


async def audit(suite: Suite, graders: Mapping[str, Grader]) -> tuple[Problem, ...]:
    """Give what is wrong or odd in a suite, items in their order, the suite as a whole last.

    Codes: `key_rejected`, `grader_failed`, `echo_passes`, `answer_in_prompt`, `equal_options`,
    `options_not_shown`, `labels_not_shown`, `option_refers`, `judges_form`, `secret`,
    `duplicate`, `contradiction`, `near_duplicate`, `skewed_keys`, `small_categories`,
    `not_executed` (keys of code, where there is no sandbox to try them in).
    """
    problems: list[Problem] = []
    untried: NoSandboxError | None = None
    for start in range(0, len(suite.items), _AT_A_TIME):
        some = suite.items[start : start + _AT_A_TIME]
        tried = await asyncio.gather(
            *(_graded(suite, item, graders[item.expect.kind]) for item in some),
            return_exceptions=True,
        )
        for item, found in zip(some, tried, strict=True):
            if isinstance(found, NoSandboxError):
                untried = found
            elif isinstance(found, BaseException):
                raise found
            else:
                problems += found
            problems += _read(suite, item, graders)
    if untried is not None:
        message = Sentence("keys of code were not tried: {why}", why=_cut(str(untried), 200))
        problems.append(
            Problem(severity="warning", item=None, code="not_executed", message=message)
        )
    problems += alike(suite.items)
    problems += skewed(suite.items)
    problems += small_categories(suite.items)
    problems += _suite_leaks(suite)
    return tuple(problems)


async def _graded(suite: Suite, item: Item, grader: Grader) -> list[Problem]:
    """Hand the key to its own grader, and then the question in place of an answer.

    Raises NoSandboxError where the key would have to be executed and cannot be.
    """
    problems = []
    try:
        if (prove := getattr(grader, "prove", None)) is not None:
            await prove(item, suite.reading)
        for spellings in key_replies(item):
            grades = [await grader.grade(item, _reply(text), suite.reading) for text in spellings]
            if not any(grade.outcome == Outcome.RIGHT for grade in grades):
                message = Sentence(
                    "the grader `{kind}` calls the key itself {outcome}: {reply}",
                    kind=item.expect.kind,
                    outcome=grades[0].outcome.value,
                    reply=_cut(spellings[0]),
                )
                problems.append(_error(item, "key_rejected", message))
        asked = _question(item)
        echo = await grader.grade(item, _reply(asked), suite.reading)
        if echo.outcome == Outcome.RIGHT:
            message = Sentence("a reply that only repeats the question is judged right")
            problems.append(_warning(item, "echo_passes", message))
    except NoSandboxError:
        raise
    except AnswerKeyError as error:
        message = Sentence("the key cannot be used: {why}", why=_cut(str(error), 300))
        problems.append(_error(item, "key_rejected", message))
    except Exception as error:  # noqa: BLE001 - a grader's fault is what is looked for
        message = Sentence(
            "the grader `{kind}` failed: {error}",
            kind=item.expect.kind,
            error=_cut(f"{type(error).__name__}: {error}"),
        )
        problems.append(_error(item, "grader_failed", message))
    return problems


def _reply(text: str) -> Response:
    return Response(content=text, finish_reason="stop")


def _read(suite: Suite, item: Item, graders: Mapping[str, Grader]) -> Iterator[Problem]:
    """Look at what an item says."""
    asked = _question(item)
    if _gives_itself_away(item, asked):
        message = Sentence("the right answer stands in the question")
        yield _warning(item, "answer_in_prompt", message)
    yield from _option_problems(item)
    yield from _shown_problems(suite, item)
    kind = next(
        (
            kind
            for kind, asks_for in _BEHAVIOURS.items()
            if kind in graders and item.expect.kind in _FORMS and asks_for.search(asked)
        ),
        None,
    )
    if kind is not None:
        message = Sentence(
            "`{form}` judges how the answer is written; `{kind}` would judge what it does",
            form=item.expect.kind,
            kind=kind,
        )
        yield _warning(item, "judges_form", message)
    leak = leak_in(item)
    if leak is not None:
        yield _warning(item, "secret", Sentence("this item seems to hold {what}", what=leak))


def _gives_itself_away(item: Item, asked: str) -> bool:
    match item.expect.kind:
        case "number":
            return any(is_named(text, asked) for reply in key_replies(item) for text in reply)
        case "text":
            return any(is_named(text, asked) for reply in key_replies(item) for text in reply[:1])
        case "choice":
            named = {letter for letter, text in item.options.items() if is_named(text, asked)}
            return [item.expect.key] == list(named)
        case _:
            return False


def _option_problems(item: Item) -> Iterator[Problem]:
    letters: dict[str, str] = {}
    for letter, text in item.options.items():
        first = letters.setdefault(folded(text), letter)
        if first != letter:
            message = Sentence("options {one} and {other} are equal", one=first, other=letter)
            yield _error(item, "equal_options", message)
        if _REFERS.search(text):
            message = Sentence(
                "option {letter} speaks of other options: do not rotate or shuffle it",
                letter=letter,
            )
            yield _warning(item, "option_refers", message)


def _shown_problems(suite: Suite, item: Item) -> Iterator[Problem]:
    """Find options and labels that the model is never shown."""
    if not item.options and not item.labels:
        return
    request = render(suite, item, endpoint="", model="", params={}, round=1)
    shown = folded(" ".join(_texts(message["content"]) for message in request.body["messages"]))
    hidden = [letter for letter, text in item.options.items() if folded(text) not in shown]
    if hidden:
        message = Sentence("the model never sees option {letters}", letters=", ".join(hidden))
        yield _error(item, "options_not_shown", message)
    unnamed = [label for label in item.labels if folded(label) not in shown]
    if unnamed:
        message = Sentence("the model is never told the label {label}", label=_cut(unnamed[0]))
        yield _warning(item, "labels_not_shown", message)


def _suite_leaks(suite: Suite) -> Iterator[Problem]:
    leak = leak_in((suite.prompt, suite.system, suite.params, suite.metadata))
    if leak is not None:
        message = Sentence("the suite seems to hold {what}", what=leak)
        yield Problem(severity="warning", item=None, code="secret", message=message)


def _question(item: Item) -> str:
    """Give the item's own words: options are no part of them."""
    if isinstance(item.input, str):
        return item.input
    return "\n".join(_texts(message.content) for message in item.input)


def _texts(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))


def _cut(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"


def _error(item: Item, code: str, message: Sentence) -> Problem:
    return Problem(severity="error", item=item.id, code=code, message=message)


def _warning(item: Item, code: str, message: Sentence) -> Problem:
    return Problem(severity="warning", item=item.id, code=code, message=message)
