"""The probability that a model gave to the label it chose, read from a stored reply.

A reply's body holds the log-probabilities of its tokens and of the likeliest others at each place.
Reasoning may come first; a label may be written in several ways (`A`, ` A`, `a`), which are summed;
one that is not listed has at most the probability of the least that is.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite
from typing import Any

__all__ = ["LabelConfidence", "label_confidence"]

_FIRST_RULES = frozenset({"whole", "first-line"})
_AROUND = " \t\r\n\"'`*_([{<«“‘"
_END_OF_REASONING = "</think>"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelConfidence:
    """What the reply's place of decision says.

    confidence: the chosen label's share among the labels, those not listed taken at their bound.
    mass: what all listed labels hold together, before they are made to sum to 1.
    unlisted: labels that are not listed; bound: the most that each of them has.
    likeliest: the label of the largest probability.
    """

    confidence: float
    mass: float
    unlisted: tuple[str, ...]
    bound: float
    likeliest: str


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    listed: Mapping[str, float]


def label_confidence(
    body: str,
    labels: Sequence[str],
    chosen: str,
    rule: str | None = None,
) -> LabelConfidence | None:
    """Give the confidence of the chosen label; None where the reply does not tell.

    It does not where it has no log-probabilities, where the label is not found among its tokens,
    and where a token begins several labels. rule: how the answer was read, which tells whether
    the first or the last mention decided.
    """
    tokens = _tokens(body)
    place = _place(tokens, chosen, first=rule in _FIRST_RULES)
    if place is None:
        return None
    listed = tokens[place].listed
    shares = dict.fromkeys(labels, 0.0)
    for text, share in listed.items():
        begun = _begun(text, labels)
        if len(begun) > 1:
            return None
        if begun:
            shares[begun[0]] += share
    if chosen not in shares or not shares[chosen]:
        return None
    return _told(shares, listed, chosen)


def _told(
    shares: Mapping[str, float],
    listed: Mapping[str, float],
    chosen: str,
) -> LabelConfidence:
    mass, rest = sum(shares.values()), max(0.0, 1 - sum(listed.values()))
    unlisted = tuple(label for label, share in shares.items() if not share)
    bound = min(*listed.values(), rest)
    others = min(len(unlisted) * bound, rest)
    return LabelConfidence(
        confidence=min(1.0, shares[chosen] / (mass + others)),
        mass=min(1.0, mass),
        unlisted=unlisted,
        bound=bound,
        likeliest=max(shares, key=lambda label: shares[label]),
    )


def _begun(text: str, labels: Sequence[str]) -> list[str]:
    """Give the labels that a token is, or is the beginning of."""
    written = _plain(text)
    if not written:
        return []
    same = [label for label in labels if _plain(label) == written]
    return same or [label for label in labels if _plain(label).startswith(written)]


def _plain(text: str) -> str:
    return text.strip(_AROUND).strip().casefold()


def _place(tokens: Sequence[_Token], chosen: str, *, first: bool) -> int | None:
    """Find the token that begins the answer, after any reasoning."""
    whole = "".join(token.text for token in tokens)
    folded, wanted = whole.casefold(), _plain(chosen)
    if not wanted or len(folded) != len(whole):
        return None
    begin = folded.rfind(_END_OF_REASONING)
    begin = 0 if begin < 0 else begin + len(_END_OF_REASONING)
    found = list(_mentions(folded, wanted, begin))
    if not found:
        return None
    at = found[0] if first else found[-1]
    return next(
        (
            number
            for number, token in enumerate(tokens)
            if token.start <= at < token.start + len(token.text)
            and at == token.start + len(token.text) - len(token.text.lstrip(_AROUND))
        ),
        None,
    )


def _mentions(text: str, word: str, begin: int) -> Iterator[int]:
    """Give where a word stands by itself."""
    at = text.find(word, begin)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not (before.isalnum() and at > begin) and not after.isalnum():
            yield at
        at = text.find(word, at + 1)


def _tokens(body: str) -> list[_Token]:
    tokens: list[_Token] = []
    start = 0
    for entry in _entries(body):
        text, own = entry.get("token"), entry.get("logprob")
        if not isinstance(text, str) or not _is_log(own):
            return []
        listed: dict[str, float] = {}
        for other in (entry, *_others(entry)):
            name, value = other.get("token"), other.get("logprob")
            if isinstance(name, str) and _is_log(value) and name not in listed:
                listed[name] = exp(min(0.0, float(value)))  # type: ignore[arg-type] # a number
        tokens.append(_Token(text, start, listed))
        start += len(text)
    return tokens


def _others(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = entry.get("top_logprobs")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _is_log(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _entries(body: str) -> list[Mapping[str, Any]]:
    """Give the tokens of a reply, whole or in server-sent events."""
    try:
        parts = [json.loads(body)]
    except (ValueError, RecursionError):
        parts = list(_events(body))
    found: list[Mapping[str, Any]] = []
    for part in parts:
        choices = part.get("choices") if isinstance(part, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        logs = choice.get("logprobs") if isinstance(choice, dict) else None
        content = logs.get("content") if isinstance(logs, dict) else None
        if isinstance(content, list):
            found += [entry for entry in content if isinstance(entry, dict)]
    return found


def _events(body: str) -> Iterator[object]:
    for line in body.splitlines():
        if line.startswith("data:") and "{" in line:
            try:
                yield json.loads(line.removeprefix("data:"))
            except (ValueError, RecursionError):
                continue
