"""Form seen through: markdown, HTML, LaTeX, quotes, fences and odd characters, in this one place.

Form is never content. `plain` is for prose; `verbatim` keeps what may be code as it is written;
`core` takes what stands round one answer off it.
"""

import html
import re
import unicodedata
from functools import lru_cache
from operator import itemgetter

from afere.graders.reading.latex import mark_boxes, plain_math
from afere.graders.reading.signs import BOX_CLOSES, BOX_OPENS, BULLET, HASHES, OURS

__all__ = ["core", "is_blank", "plain", "unwrapped", "verbatim", "without_struck"]

_INVISIBLE = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
)
_SPACES = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u205f\u3000"
)
_LINE_ENDS = "\u0085\u2028\u2029\x0b\x0c"
_CHARACTERS: dict[str, str] = {
    **dict.fromkeys(_INVISIBLE + OURS, ""),
    **dict.fromkeys(_SPACES, " "),
    **dict.fromkeys(_LINE_ENDS, "\n"),
    **{chr(0xFF01 + offset): chr(0x21 + offset) for offset in range(94)},
    **dict.fromkeys("“”„‟«»「」『』〝〞", '"'),
    **dict.fromkeys("‘’‚‛‹›", "'"),
    **dict.fromkeys("﹣‑‐", "-"),
}
_ODD = re.compile("[" + re.escape("".join(_CHARACTERS)) + "]")
_HIDDEN = re.compile("[" + re.escape(_INVISIBLE + OURS) + "]")

_FENCE_LINE = re.compile(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[ \t]*[\w+#.-]{0,30}[ \t]*$\n?")
_INLINE_FENCE = re.compile(r"`{3,}")
_STRUCK = re.compile(r"~~[^~\n]+~~|<(s|del|strike)>[^<\n]*</\1>", re.IGNORECASE)
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9_]{0,11})(?:[ \t][^<>\n]{0,200})?/?>")
_BREAKING_TAGS = frozenset({
    "br", "p", "div", "li", "tr", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "table",
    "tbody", "thead", "pre", "hr", "blockquote",
})  # fmt: skip
_OTHER_TAGS = frozenset({
    "b", "i", "u", "em", "strong", "span", "code", "small", "big", "mark", "font", "a", "td", "th",
    "center", "kbd", "samp", "var", "tt", "label", "section", "article", "header", "footer",
    "main", "body", "html", "head", "q", "cite", "ins", "script", "style", "answer", "result",
    "output", "response", "final", "final_answer", "finalanswer", "solution",
})  # fmt: skip
_RAISED = re.compile(r"<sup>([^<>]{1,20})</sup>", re.IGNORECASE)
_ANSWER_TAG = re.compile(r"<((?:final_?)?answer)>([^<>]{0,2000})</\1>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{1,6}|#x[0-9A-Fa-f]{1,5});")

_FIRST, _SECOND = itemgetter(1), itemgetter(2)  # groups, faster than templates
_POWER_OF_CODE = re.compile(r"(?<=[0-9A-Za-z)])\*\*(?=[0-9A-Za-z(])|(?<=[0-9)] )\*\*(?= [0-9(])")
_BOLD = re.compile(r"(?<![0-9A-Za-z)])(?<![0-9)] )\*\*|\*\*(?![0-9A-Za-z(])(?! [0-9(])")
_ITALIC = re.compile(r"(?<![\w)*])\*(?=[^\s*])([^*\n]{0,300}[^\s*]|[^\s*])\*(?![\w(*])")
_UNDERLINE = re.compile(r"(?<!\w)(__?)(?=[^\s_])([^_\n]{0,300}[^\s_]|[^\s_])\1(?![\w{(])")
_HEADING = re.compile(r"(?m)^[ \t]*(?:#{1,3}|#{5,6})[ \t]+")
_HASHES = re.compile(r"(?m)^[ \t]*#{4}(?!#)[ \t]*")
_QUOTED_LINE = re.compile(r"(?m)^[ \t]{0,3}(?:>[ \t]?)+")
_RULE_LINE = re.compile(r"(?m)^[ \t]*([-*_=])\1\1+[ \t]*$")
_TABLE_RULE = re.compile(r"(?m)^(?=[^\n]*--)[ \t|:+-]+$")
_TABLE_EDGE = re.compile(r"(?m)^[ \t]*\|[ \t]*|\|[ \t]*$")
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*+•‣▪◦●·–][ \t]+|[•‣▪◦●])(?=\S)")

_LONGEST_BLANK = 2000  # characters: a longer reply shows something
_EMPTY_MARKS = re.compile(r"(?:`{2,}|~{3,}|-{3,}|\*{3,}|_{3,})+")

_LAYERS = 12  # marks round one another that are taken off; a bound keeps hostile nesting cheap
_PAIRS = {'"': '"', "'": "'", "(": ")", "[": "]", "{": "}", "<": ">", "【": "】", "〔": "〕",
          "《": "》", "〈": "〉", "`": "`", "$": "$", "*": "*", "_": "_", "~": "~",
          "“": "”", "‘": "’", "«": "»", "「": "」", BOX_OPENS: BOX_CLOSES}  # fmt: skip
_END_MARKS = ".,;:!?…。，；：！？、 \t\n"
_START_MARKS = "¿¡:：=≈~→,; \t\n" + BULLET + HASHES


def plain(text: str) -> str:
    """See prose through: what is left has no markup, and our signs for boxes, hashes, bullets."""
    if text.isalnum() and text.isascii():
        return text
    return _seen_through(text) if len(text) <= _LONGEST_KEPT else _see_through(text)


def verbatim(text: str) -> str:
    """Keep a text as written, but for line ends, hidden characters at its ends, and boxes."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = _HIDDEN.sub("", text)
    return _marked_boxes(text)


def without_struck(text: str) -> str:
    """Take struck-out text off."""
    return _STRUCK.sub(" ", text) if "~~" in text or "</" in text else text


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing: white space, tags, and marks round nothing at all."""
    if len(text) > _LONGEST_BLANK:
        return False
    seen = _without_tags(_FENCE_LINE.sub("", _plain_characters(text)))
    seen = "".join(char for char in seen if unicodedata.category(char)[0] not in "CZ")
    return not seen or _EMPTY_MARKS.fullmatch(seen) is not None


def core(text: str) -> str:
    """Take off what stands round one answer: spaces, end marks, quotes, brackets, our signs."""
    for _ in range(_LAYERS):
        shorter = unwrapped(text.lstrip(_START_MARKS).rstrip(_END_MARKS))
        if shorter == text or not shorter:
            break
        text = shorter
    return text.strip()


def unwrapped(text: str) -> str:
    """Take off white space and one pair of marks that encloses the whole text, again and again."""
    text = text.strip()
    for _ in range(_LAYERS):
        if len(text) < len("()") or _PAIRS.get(text[0]) != text[-1]:
            break
        if not _is_pair(text[1:-1].strip(), text[0]):
            break
        text = text[1:-1].strip()
    return text


def _see_through(text: str) -> str:
    text = _plain_characters(text)
    text = _marked_boxes(without_struck(text))
    if "```" in text or "~~~" in text:
        text = _INLINE_FENCE.sub("", _FENCE_LINE.sub("", text))
    if "<" in text or "&" in text:
        text = _without_tags(text)
    if "\\" in text or "$" in text or "{" in text:
        text = plain_math(text)
    return _without_markdown(text).strip(" \t\n")


# The rules look at the same few pieces of a reply again and again.
_LONGEST_KEPT = 8000  # characters
_seen_through = lru_cache(maxsize=128)(_see_through)


def _is_pair(inside: str, opening: str) -> bool:
    """Tell whether the marks round a text belong together, and not to two parts of it."""
    closing = _PAIRS[opening]
    if opening != closing:
        return closing not in inside or _balanced(inside, opening)
    if opening not in inside:
        return True
    inside = inside.rstrip(_END_MARKS)
    if len(inside) < len("()") or _PAIRS.get(inside[0]) != inside[-1]:
        return False
    return inside[0] == opening or _balanced(inside[1:-1], inside[0])


def _balanced(inside: str, opening: str) -> bool:
    """Tell whether brackets inside close after they open, so that the outer pair is a pair."""
    depth, closing = 0, _PAIRS[opening]
    for char in inside:
        if char == opening:
            depth += 1
        elif char == closing:
            depth -= 1
            if depth < 0:
                return False
    return True


def _marked_boxes(text: str) -> str:
    if "box" in text:
        text = mark_boxes(text)
    if "</" in text:
        text = _ANSWER_TAG.sub(rf"{BOX_OPENS}\2{BOX_CLOSES}", text)
    return text


def _plain_characters(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text
    return _plain_signs(unicodedata.normalize("NFC", text))


def _plain_signs(text: str) -> str:
    return _ODD.sub(lambda found: _CHARACTERS[found[0]], text)


def _without_tags(text: str) -> str:
    if "<" in text:
        text = _RAISED.sub(r"^\1", text)
        text = _TAG.sub(_without_tag, text)
    if "&" in text:
        text = _ENTITY.sub(lambda found: _plain_signs(html.unescape(found[0])), text)
    return text


def _without_tag(tag: re.Match[str]) -> str:
    name = tag[1].lower()
    if name in _BREAKING_TAGS:
        return "\n"
    return "" if name in _OTHER_TAGS else tag[0]


def _without_markdown(text: str) -> str:
    if "#" in text:
        text = _HEADING.sub("", _HASHES.sub(HASHES, text))
    if "---" in text or "***" in text or "___" in text or "===" in text:
        text = _RULE_LINE.sub("", text)
    if "|" in text:
        text = _TABLE_EDGE.sub("", _TABLE_RULE.sub("", text))
    if ">" in text:
        text = _QUOTED_LINE.sub("", text)
    text = _BULLET.sub(BULLET, text)
    if "`" in text:
        text = text.replace("`", "")
    if "**" in text:
        text = _BOLD.sub("", text) if _POWER_OF_CODE.search(text) else text.replace("**", "")
    if "*" in text:
        text = _ITALIC.sub(_FIRST, text)
    if "_" in text:
        text = _UNDERLINE.sub(_SECOND, text)
    return text
