"""What is left of a response to be read, or the outcome that is settled without reading.

Refusal and content filter decide at once. Reasoning is taken off; leaked chat marks end the reply.
"""

import re
from dataclasses import dataclass

from afere.domain import Outcome, Response

__all__ = ["Reply", "Settled", "open_reply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The text of a reply without reasoning and chat marks.

    cut: the token budget ended it, so that what touches its end is not to be trusted.
    """

    text: str
    cut: bool = False
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """An outcome that needs no reading."""

    outcome: Outcome
    flags: tuple[str, ...] = ()


REASONING_ONLY = "reasoning-only"
CHAT_MARKS = "chat-marks"

_LENGTH = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_FILTER = frozenset({"content_filter", "content-filter", "safety", "prohibited_content"})
_REFUSAL = frozenset({"refusal"})

_BLOCKS = "think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|seed:think"
_TAG = re.compile(
    rf"<(?P<ends>/)?(?:{_BLOCKS})>|\[(?P<ends2>/)?THINK\]|◁(?P<ends3>/)?think▷"
    r"|<\|(?:(?P<ends4>end)|begin)_of_thought\|>"
    r"|<\|channel\|>(?:analysis|commentary)(?P<channel>)[^<]{0,40}<\|message\|>",
    re.IGNORECASE,
)
_CHANNEL_END = re.compile(
    r"<\|(?:end|return|call)\|>(?:\s*<\|start\|>\s*assistant)?|<\|start\|>\s*assistant",
)
_FINAL_CHANNEL = re.compile(
    r"\s*(?:<\|start\|>\s*assistant)?\s*<\|channel\|>\s*final\s*<\|message\|>"
)
_ENDINGS = ("ends", "ends2", "ends3", "ends4")
_LEADING_MARKS = re.compile(
    r"\s*(?:(?:(?:<\|im_start\|>|<start_of_turn>|<\|start_header_id\|>|<\|start\|>)\s{0,9}"
    r"(?:assistant|model)\b\s{0,9}(?:<\|end_header_id\|>|<\|message\|>)?"
    r"|<\|begin_of_text\|>|<bos>|<\|assistant\|>|\[/INST\]|<｜Assistant｜>)\s*)+",
)
_MORE_AFTER_END = re.compile(r"</s>\s*[^\s<]")
_END_MARK = re.compile(
    r"<\|(?:im_end|im_start|eot_id|eom_id|endoftext|end_of_text|end|end_of_turn|start_header_id"
    r"|end_header_id|user|assistant|system|return|start|eos|END_OF_TURN_TOKEN"
    r"|START_OF_TURN_TOKEN)\|>"
    r"|</s>|<(?:end|start)_of_turn>|<eos>|<bos>|\[/?INST\]|<</?SYS>>"
    r"|<｜(?:end▁of▁sentence|User|Assistant|begin▁of▁sentence)｜>",
)


def open_reply(response: Response) -> Reply | Settled:
    """Give the text to be read, or the outcome where none is."""
    reason = (response.finish_reason or "").lower()
    if reason in _FILTER:
        return Settled(outcome=Outcome.BLOCKED)
    if response.refusal or reason in _REFUSAL:
        return Settled(outcome=Outcome.REFUSED)
    text, thought, is_open = _without_reasoning(response.content)
    text, is_marked = _until_chat_mark(text)
    out_of_tokens = reason in _LENGTH
    flags: tuple[str, ...] = (CHAT_MARKS,) if is_marked else ()
    if not _has_text(text):
        if is_open or out_of_tokens:
            return Settled(outcome=Outcome.TRUNCATED, flags=flags)
        only_reasoned = thought or bool((response.reasoning or "").strip())
        flags += (REASONING_ONLY,) if only_reasoned else ()
        return Settled(outcome=Outcome.EMPTY, flags=flags)
    cut = is_open or (out_of_tokens and not is_marked)
    return Reply(text=text, cut=cut, flags=flags)


def _without_reasoning(text: str) -> tuple[str, bool, bool]:
    """Give the text without reasoning, whether there was some, and whether a block stays open.

    A lone closing tag ends reasoning that began before the text.
    """
    if "<" not in text and "[" not in text and "◁" not in text:
        return text, False, False
    pieces: list[str] = []
    inside, place, thought = False, 0, False
    for tag in _TAG.finditer(text):
        if tag.start() < place:
            continue
        thought = True
        if not inside:
            pieces.append(text[place : tag.start()])
        place = tag.end()
        if tag["channel"] is not None:
            ending = _CHANNEL_END.search(text, place)
            inside, place = ending is None, ending.end() if ending else place
        elif any(tag[name] for name in _ENDINGS):
            if not inside:
                pieces.clear()
            inside = False
        else:
            inside = True
    if not inside:
        pieces.append(text[place:])
    left = "".join(pieces)
    final = _FINAL_CHANNEL.match(left)
    return left[final.end() :] if final else left, thought, inside


def _until_chat_mark(text: str) -> tuple[str, bool]:
    """End the reply at the first leaked chat mark; marks that open it are taken off."""
    if "<" not in text and "[" not in text:
        return text, False
    struck = text.find("<s>")
    if leading := _LEADING_MARKS.match(text):
        text, struck = text[leading.end() :], -1
    elif struck >= 0 and not text[:struck].strip() and not _MORE_AFTER_END.search(text):
        text, struck = text[struck + len("<s>") :], -1
    for mark in _END_MARK.finditer(text):
        if mark.group() != "</s>" or not 0 <= struck < mark.start():
            return text[: mark.start()], True
    return text, False


def _has_text(text: str) -> bool:
    return bool(text.strip().strip(_BLANKS).strip(_BLANKS + _CONTROLS))


_CONTROLS = "".join(map(chr, (*range(33), 127)))
_BLANKS = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\ufeff\u180e\u2800\u3164"
