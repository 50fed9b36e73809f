"""The letters chosen beside those of the key, and whether the place of the right option matters."""

from collections.abc import Mapping, Sequence

from afere.domain import Behind, Comparison, LetterGap, PositionTest, RunSummary
from afere.report.harmless import one_line
from afere.report.sides import both
from afere.report.verdicts import names
from afere.report.words import Words, message

__all__ = [
    "LETTER_ALIGN",
    "letter_head",
    "letter_rows",
    "letter_sentences",
    "run_letter_head",
    "run_letter_rows",
    "run_letter_sentences",
]

_NAME = 60
_RARE = 0.05
LETTER_ALIGN = "lrrr"


def letter_head(words: Words) -> tuple[str, ...]:
    """Head the rows of the letters."""
    return words.each("letter", "in the key", "baseline chose", "candidate chose")


def letter_rows(comparison: Comparison, words: Words) -> list[tuple[str, ...]]:
    """Give how often each letter is the key and how often each side chose it; none of no choice."""
    return _rows(both(comparison), words)


def letter_sentences(comparison: Comparison, behind: Behind, words: Words) -> list[str]:
    """Say which letter each side favours most, and whether positions were tested."""
    called = names(comparison)
    return [
        text
        for name, side, gap in zip(
            (called.baseline, called.candidate),
            both(comparison),
            behind.drivers.letters,
            strict=True,
        )
        for text in run_letter_sentences(name, side, gap, words)
    ]


def run_letter_head(words: Words) -> tuple[str, ...]:
    """Head the rows of one run's letters."""
    return words.each("letter", "in the key", "chosen")


def run_letter_rows(summary: RunSummary, words: Words) -> list[tuple[str, ...]]:
    """Give how often each letter is the key and how often one run chose it."""
    return _rows((summary,), words)


def run_letter_sentences(
    name: str,
    summary: RunSummary,
    gap: LetterGap | None,
    words: Words,
) -> list[str]:
    """Say which letter a run favours most, and whether the place of the right option matters."""
    texts = []
    if gap is not None and summary.letters:
        texts.append(
            words.say(
                "{model}: the largest gap is at {letter}, chosen {chosen} where the key has {key}.",
                model=name,
                letter=one_line(gap.letter, _NAME),
                chosen=words.percent(gap.chosen),
                key=words.percent(gap.key),
            )
        )
    if summary.positions is not None:
        texts.append(_positions(name, summary.positions, words))
    return texts


def _rows(sides: Sequence[RunSummary], words: Words) -> list[tuple[str, ...]]:
    known = [side.letters for side in sides]
    letters = sorted({letter for side in known for letter in side})
    keys = next((side for side in known if side), {})
    return [
        (
            one_line(letter, _NAME),
            _share(keys, letter, "key", words),
            *(_share(side, letter, "chosen", words) for side in known),
        )
        for letter in letters
    ]


def _share(
    letters: Mapping[str, Mapping[str, int]],
    letter: str,
    what: str,
    words: Words,
) -> str:
    total = sum(counts[what] for counts in letters.values())
    return words.percent(letters[letter][what] / total) if total and letter in letters else "–"


def _positions(name: str, test: PositionTest, words: Words) -> str:
    by_letter = words.listing(
        words.say("{letter} {share}", letter=one_line(letter, _NAME), share=words.percent(share))
        for letter, share in test.accuracy.items()
    )
    if test.p is None:
        template = message(
            "{model} by the place of the right option ({n} items): {shares}; no item depends on it."
        )
    elif test.p < _RARE:
        template = message(
            "{model} by the place of the right option ({n} items): {shares}; that is more than "
            "chance (Cochran's Q, p {p})."
        )
    else:
        template = message(
            "{model} by the place of the right option ({n} items): {shares}; that may be chance "
            "(Cochran's Q, p {p})."
        )
    return words.say(
        template,
        model=name,
        n=words.count(test.items),
        shares=by_letter,
        p=words.probability(test.p),
    )
