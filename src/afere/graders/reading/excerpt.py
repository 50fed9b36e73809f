"""What is looked at of a very long reply: its beginning, its end, and the places of its markers."""

from afere.graders.reading.markers import last_marker

__all__ = ["excerpt"]

_HEAD = 1200
_TAIL = 3000
_AROUND = 1200  # characters from a marker on
_BEFORE = 80  # characters before it, so that its line is known


def excerpt(text: str, longest: int) -> str:
    """Give a text of up to `longest` characters as it is, of a longer one what can hold an answer.

    Pieces are cut at white space, so that no part of a value is taken for one.
    """
    if len(text) <= longest:
        return text
    marked = last_marker(text, lambda _: True)
    places = [marked.start if marked else -1, text.rfind("\n####"), text.rfind("boxed{")]
    spans = [(0, _HEAD), (len(text) - _TAIL, len(text))]
    spans += [(max(at - _BEFORE, 0), at + _AROUND) for at in places if at >= 0]
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        begin, opened = _boundary(text, start, -1)
        stop, closed = _boundary(text, end, 1)
        if stop <= done:
            continue
        if begin <= done and pieces:
            begin, opened = done, True
            pieces.pop()
        pieces += ["" if opened else _WORD, text[begin:stop], "" if closed else _WORD, "\n"]
        done = stop
    return "".join(pieces[:-1])


def _boundary(text: str, place: int, step: int) -> tuple[int, bool]:
    """Move a place to the next white space or Chinese character; tell whether one was near."""
    for at in range(place, place + step * _REACH, step):
        if at <= 0 or at >= len(text):
            return min(max(at, 0), len(text)), True
        if any(each.isspace() or each >= "\u2e80" for each in text[at - 1 : at + 1]):
            return at, True
    return place, False


_REACH = 300  # characters in which a boundary is looked for
_WORD = "ǀ"  # a letter that makes a cut value part of a word
