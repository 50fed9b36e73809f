"""A comparison as Markdown, fit for a comment on a pull request.

Names, ids and replies are foreign text: nothing in them can format, link, mention or embed.
"""

import re
from collections.abc import Iterable, Sequence

from afere.domain import Behind, Comparison, RunStatus, VerdictKind
from afere.report.causes import (
    CATEGORY_ALIGN,
    category_head,
    category_rows,
    cause_sentences,
    exposure_sentences,
    price_row,
)
from afere.report.harmless import harmless
from afere.report.letters import LETTER_ALIGN, letter_head, letter_rows, letter_sentences
from afere.report.limits import unproven
from afere.report.provenance import command_again
from afere.report.sides import (
    both,
    cost_rows,
    differing_rows,
    left_out,
    lost_either_way,
    most_rounds,
    noise_sentence,
    only_sentences,
    paired_sentence,
    score_rows,
    warning_texts,
)
from afere.report.trouble import missing
from afere.report.verdicts import (
    gate_line,
    interval_of_difference,
    margin_sentence,
    needed_sentences,
    verdict_sentence,
)
from afere.report.words import ENGLISH, Words

__all__ = ["comparison_markdown", "escaped"]

_ACTIVE = re.compile(r"[\\`*_\[\]|~#]")
_LIST_MARK = re.compile(r"^(\s*)(?:([-+])|(\d+)([.)]))(?=\s)")
_CATEGORIES = 40  # a comment holds 65,536 characters
_APART = "&#8203;"  # a space of no width: a mention, a reference or an address is none any more


def comparison_markdown(
    comparison: Comparison,
    behind: Behind | None = None,
    *,
    gate: str | None = None,
    exit_code: int = 0,
    words: Words = ENGLISH,
) -> str:
    """Give a comment: verdict, table, what drives it, and what it does not prove.

    gate: as in `--gate`, with the exit code that it came to; without one the verdict heads alone.
    """
    parts = [
        _head(comparison, gate, exit_code, words),
        *_paragraphs(_grounds(comparison, words)),
        *_differing(comparison, words),
        _table(("", *words.each("baseline", "candidate")), _rows(comparison, behind, words), "lrr"),
        *_paragraphs(_pairs(comparison, words)),
        *_bullets(words.say("Warning: {text}", text=text) for text in _warned(comparison, words)),
        *_causes(comparison, behind, words),
        f"**{escaped(words.say('What this does not prove'))}**",
        *_bullets(unproven(comparison, behind, words=words)),
        _again(comparison, words),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    """Give a text on one line in which nothing acts as Markdown, HTML, a mention or a link."""
    safe = harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _ACTIVE.sub(lambda found: f"\\{found[0]}", safe)
    safe = _LIST_MARK.sub(_unlisted, safe)
    safe = safe.replace("@", f"@{_APART}").replace("\\#", f"\\#{_APART}")
    safe = safe.replace("://", f":{_APART}//").replace("www.", f"www{_APART}.")
    return safe.replace("$", "<span>$</span>")


def _unlisted(found: re.Match[str]) -> str:
    space, sign, number, end = found.groups()
    return f"{space}\\{sign}" if sign else f"{space}{number}\\{end}"


def _code(text: str) -> str:
    return harmless(text).replace("`", "'")


def _head(comparison: Comparison, gate: str | None, exit_code: int, words: Words) -> str:
    sentence = verdict_sentence(comparison, words=words)
    verdict, colon, rest = sentence.partition(words.colon)
    head = f"### {_SIGNS[comparison.verdict]} {escaped(verdict)}{colon}{escaped(rest)}"
    if gate is None:
        return head
    line = gate_line(comparison, gate, exit_code, words=words)
    said = line.removesuffix(sentence).removesuffix(words.colon)
    return f"{head}\n\n**{escaped(said)}**"


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [escaped(text) for text in texts]


def _bullets(texts: Iterable[str]) -> list[str]:
    lines = [f"- {escaped(text)}" for text in texts]
    return ["\n".join(lines)] if lines else []


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> str:
    marks = {"l": ":--", "r": "--:"}
    lines = [
        [escaped(cell) for cell in head],
        [marks[each] for each in align],
        *([escaped(cell) for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _grounds(comparison: Comparison, words: Words) -> list[str]:
    texts = list(needed_sentences(comparison, words=words))
    if comparison.verdict is VerdictKind.INVALID:
        texts += lost_either_way(comparison, words)
    elif comparison.difference is not None:
        texts.append(margin_sentence(comparison, words=words))
    for role, side in zip(words.each("baseline", "candidate"), both(comparison), strict=True):
        if side.status is not RunStatus.COMPLETE:
            status, lost = words.status(side.status.value), missing(side, words)
            texts.append(
                words.say(
                    "The {role}'s run is {status}: {lost}.", role=role, status=status, lost=lost
                )
            )
    return texts


def _rows(
    comparison: Comparison,
    behind: Behind | None,
    words: Words,
) -> list[tuple[str, str, str]]:
    prices = price_row(behind, words) if behind is not None else []
    return score_rows(comparison, words) + cost_rows(comparison, words) + prices


def _again(comparison: Comparison, words: Words) -> str:
    command = command_again(comparison)
    if not command:
        return ""
    return f"<sub>{escaped(words.say('again'))}{words.colon}`{_code(command)}`</sub>"


def _differing(comparison: Comparison, words: Words) -> list[str]:
    rows = differing_rows(comparison)
    return [_table(words.each("differs", "baseline", "candidate"), rows, "lll")] if rows else []


def _pairs(comparison: Comparison, words: Words) -> list[str]:
    texts = []
    if comparison.difference is not None:
        texts.append(
            words.say(
                "Difference, candidate minus baseline: {difference}.",
                difference=interval_of_difference(comparison, words=words),
            )
        )
    texts.append(paired_sentence(comparison.paired, rounds=most_rounds(comparison), words=words))
    texts += only_sentences(comparison, words)
    texts.append(noise_sentence(comparison, words))
    return texts


def _warned(comparison: Comparison, words: Words) -> list[str]:
    return left_out(comparison, words) + warning_texts(comparison, words)


def _causes(comparison: Comparison, behind: Behind | None, words: Words) -> list[str]:
    """Fold away what drives the difference, so that a comment stays short."""
    if behind is None:
        return []
    inside = _bullets(cause_sentences(comparison, behind, words))
    categories = category_rows(comparison, behind, words)
    if categories:
        shown = categories[:_CATEGORIES]
        inside.append(_table(category_head(comparison, words), shown, CATEGORY_ALIGN))
    if len(categories) > _CATEGORIES:
        left = words.count(len(categories) - _CATEGORIES)
        inside.append(escaped(words.say("… and {n} more", n=left)))
    letters = letter_rows(comparison, words)
    if letters:
        inside.append(_table(letter_head(words), letters, LETTER_ALIGN))
        inside += _bullets(letter_sentences(comparison, behind, words))
    inside += _bullets(exposure_sentences(comparison, behind, words))
    if not inside:
        return []
    summary = escaped(words.say("What drives the difference"))
    return [f"<details><summary>{summary}</summary>", *inside, "</details>"]


_SIGNS = {
    VerdictKind.BETTER: "🟢",
    VerdictKind.WORSE: "🔴",
    VerdictKind.EQUIVALENT: "🟢",
    VerdictKind.UNDECIDED: "🟡",
    VerdictKind.INVALID: "⚪",
}
