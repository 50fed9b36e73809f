"""`contains`: words and phrases that must or must not stand in the reply, whole."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from afere.domain import AnswerKeyError, Item, Outcome, Reading
from afere.graders.keys import accents_count, texts
from afere.graders.kind import Judgement, Kind, check_names, question_of
from afere.graders.reading.folding import fold, fold_strictly
from afere.graders.reading.form import is_blank, plain, verbatim, without_struck
from afere.graders.reading.markers import last_marker
from afere.graders.reading.phrases import phrase_pattern
from afere.graders.reading.reply import Reply
from afere.graders.reading.run_on import before_next_question

__all__ = ["ContainsKind"]

_PARTS = ("all", "any", "none")
WHOLE_REPLY = "reply"
_MARKUP = re.compile("[*_`<&\\\\$|#>\u00ad\u200b-\u200f\u2060\u3000\ufeff\uff00-\uffef]")
_MARKS_IN_WORD = re.compile(r"[*]{1,3}([^\W\d]+)[*]{1,3}|</?[A-Za-z]{1,8}>")


@dataclass(frozen=True, slots=True)
class _Key:
    every: tuple[re.Pattern[str], ...]
    some: tuple[re.Pattern[str], ...]
    none: tuple[re.Pattern[str], ...]
    strict: bool

    def fold(self, text: str) -> str:
        return fold_strictly(text) if self.strict else fold(text)


class ContainsKind(Kind[_Key]):
    """Looks at the whole reply without reasoning; words count whole, signs literally."""

    name = "contains"
    version = "2"
    settings: ClassVar[Mapping[str, str]] = {"accents": "`strict` where accents count"}

    def prepare(self, item: Item, reading: Reading) -> _Key:  # noqa: ARG002 - the same in all
        """Read key and options; raises AnswerKeyError."""
        key, strict = item.expect.key, accents_count(item.expect.options)
        if not isinstance(key, Mapping) or not key:
            mend = "Write `contains: {all: [..], any: [..], none: [..]}`."
            raise AnswerKeyError(f"{key!r} names no words", mend=mend)
        check_names(key, _PARTS, "expect.contains", "contains")
        folding = fold_strictly if strict else fold
        every, some, none = (
            tuple(phrase_pattern(folding(each)) for each in texts(key[name], name))
            if name in key
            else ()
            for name in _PARTS
        )
        return _Key(every, some, none, strict)

    def judge(self, item: Item, reply: Reply, reading: Reading, key: _Key) -> Judgement:  # noqa: ARG002
        """Look for the words; a cut reply can pass a positive check only."""
        text = verbatim(reply.text)
        kept = before_next_question(text, question_of(item), _is_answered)
        cut = reply.cut and kept is None
        flags = () if kept is None else ("run-on",)
        text = without_struck(text if kept is None else kept)
        views = [key.fold(text)]
        if _MARKUP.search(text):
            views.append(key.fold(plain(text)))
        if cut:
            views = [view[: -len(view.split(" ")[-1])] if view else view for view in views]
        if key.none and is_blank(text):
            return Judgement(outcome=Outcome.EMPTY, flags=flags)
        joined = key.fold(_MARKS_IN_WORD.sub(r"\1", text))
        forbidden = any(pattern.search(view) for pattern in key.none for view in (*views, joined))
        missing = not all(_stands(pattern, views) for pattern in key.every)
        absent = bool(key.some) and not any(_stands(pattern, views) for pattern in key.some)
        if cut and not forbidden and (missing or absent or key.none):
            return Judgement(outcome=Outcome.TRUNCATED, flags=flags)
        passed = not (forbidden or missing or absent)
        return Judgement.of(float(passed), read=None, rule=WHOLE_REPLY, flags=flags)


def _stands(pattern: re.Pattern[str], views: list[str]) -> bool:
    return any(pattern.search(view) for view in views)


def _is_answered(before: str, plainly: bool) -> bool:  # noqa: FBT001 - the port of the reader
    return not plainly or last_marker(before, lambda _: False) is not None
