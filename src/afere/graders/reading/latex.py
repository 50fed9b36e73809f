"""LaTeX seen through: what a formula says, in plain characters."""

import re
from operator import itemgetter

from afere.graders.reading.signs import BOX_CLOSES, BOX_OPENS

__all__ = ["mark_boxes", "plain_math"]

_NESTING = 8  # wrappers inside one another that are unwrapped; deeper ones stay as written

_BOX_PARTS = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{|\\.|[{}]", re.DOTALL)
_WRAPPERS = re.compile(
    r"\\(?:text|textbf|textit|textrm|texttt|textsf|mathrm|mathbf|mathit|mathsf|mathtt|emph|mbox"
    r"|operatorname|bm|boldsymbol|underline|hbox|ensuremath|mathbb|mathcal|displaystyle|bold)"
    r"\s*\{([^{}\\]*)\}",
)
_STRUCK = re.compile(r"\\(?:cancel|bcancel|xcancel|sout)\s*\{[^{}]*\}")
_FRACTION = re.compile(r"\\[dtc]?frac\s*(?:\{([^{}\\]*)\}\s*\{([^{}\\]*)\}|(\d)\s*(\d))")
_ROOT = re.compile(r"\\sqrt\s{0,9}(?:\[[^\[\]{}]{0,9}\])?\s{0,9}(?:\{([^{}\\]*)\}|([0-9A-Za-z]))")
_POWER = re.compile(r"\^\s*\{\s*([^{}\\]*?)\s*\}")
_INDEX = re.compile(r"_\s*\{\s*([^{}\\]*?)\s*\}")
_DEGREE = re.compile(r"\^\s*\{?\s*\\circ\s*\}?")
_BRACED_SEPARATOR = re.compile(r"\{\s*([.,])\s*\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)\s?")
_SIGN = re.compile(r"\\([^A-Za-z\s])")
_MATH = re.compile(r"(?<![\w$\\])\$(?=[^\s$])([^$\n]{0,300}?[^\s$])\$(?![\w$])")

_NAMES = {
    "times": " × ", "cdot": " × ", "ast": " * ", "div": " ÷ ", "pm": " ± ", "mp": " ∓ ",
    "approx": " ≈ ", "simeq": " ≈ ", "sim": " ~ ", "equiv": " ≡ ", "neq": " ≠ ", "ne": " ≠ ",
    "le": " ≤ ", "leq": " ≤ ", "ge": " ≥ ", "geq": " ≥ ", "lt": " < ", "gt": " > ",
    "to": " → ", "rightarrow": " → ", "Rightarrow": " → ", "implies": " → ", "therefore": " ",
    "infty": "∞", "circ": "°", "degree": "°", "pi": "π", "mu": "µ", "Omega": "Ω",
    "ldots": "…", "dots": "…", "cdots": "…", "quad": " ", "qquad": " ", "left": "", "right": "",
    "big": "", "Big": "", "bigl": "", "bigr": "", "displaystyle": "", "textstyle": "", "bf": "",
    "rm": "", "it": "", "newline": "\n", "par": "\n", "euro": "€", "pounds": "£", "yen": "¥",
    **{name: f"{name} " for name in (
        "log", "ln", "lg", "exp", "sin", "cos", "tan", "max", "min", "lim", "gcd", "lcm", "mod",
    )},
    "percent": "%", "textdollar": "$", "lbrace": "{", "rbrace": "}", "mathrm": "", "text": "",
}  # fmt: skip
_SIGNS = {
    ",": " ", ";": " ", ":": " ", "!": "", "\\": "\n", "(": " ", ")": " ", "[": " ", "]": " ",
    "%": "%", "$": "$", "#": "#", "&": "&", "_": "_", "{": "{", "}": "}", "*": "*", "`": "`",
    ".": ".", "-": "-", "+": "+", ">": ">", "<": "<", "~": "~", "|": "|", "'": "'", '"': '"',
}  # fmt: skip


def mark_boxes(text: str) -> str:
    r"""Put signs of our own in place of `\boxed{` and its closing brace, nested braces seen.

    A box that never closes stays as written. One pass, so linear in the text.
    """
    open_braces: list[int | None] = []  # the place of a box's opening, None for a plain brace
    boxes: list[tuple[int, int, int]] = []
    for part in _BOX_PARTS.finditer(text):
        found = part.group()
        if found == "{":
            open_braces.append(None)
        elif found == "}":
            start = open_braces.pop() if open_braces else None
            if start is not None:
                opening = _BOX_PARTS.match(text, start)
                boxes.append((start, opening.end() if opening else start, part.start()))
        elif found.endswith("{") and len(found) > len(r"\{"):
            open_braces.append(part.start())
    return _replace_boxes(text, boxes)


def _replace_boxes(text: str, boxes: list[tuple[int, int, int]]) -> str:
    edits = [(start, inside, BOX_OPENS) for start, inside, _ in boxes]
    edits += [(end, end + 1, BOX_CLOSES) for _, _, end in boxes]
    pieces, done = [], 0
    for start, end, sign in sorted(edits):
        pieces += [text[done:start], sign]
        done = end
    return "".join([*pieces, text[done:]])


def plain_math(text: str) -> str:
    """Write formulas out in plain characters: commands named, braces and dollars gone."""
    if "\\" in text:
        text = _BRACED_SEPARATOR.sub(itemgetter(1), _DEGREE.sub("°", text))
        text = _STRUCK.sub(" ", text)
        for _ in range(_NESTING):
            simpler = _FRACTION.sub(_fraction, _WRAPPERS.sub(itemgetter(1), text))
            simpler = _POWER.sub(_power, _ROOT.sub(_root, simpler))
            if simpler == text:
                break
            text = simpler
    if "$" in text:
        text = _MATH.sub(_inline, text.replace("$$", " "))
    if "\\" in text:
        text = _COMMAND.sub(lambda found: _NAMES.get(found[1], found[0]), text)
        text = _SIGN.sub(lambda found: _SIGNS.get(found[1], found[0]), text)
    if "{" in text:
        text = _INDEX.sub(r"_\1", _POWER.sub(_power, _BRACED_SEPARATOR.sub(r"\1", text)))
    return text


def _fraction(found: re.Match[str]) -> str:
    top, bottom = (found[1], found[2]) if found[3] is None else (found[3], found[4])
    after_digit = found.start() and found.string[found.start() - 1].isdigit()
    return f"{' ' if after_digit else ''}{_operand(top)}/{_operand(bottom)}"


def _root(found: re.Match[str]) -> str:
    return f"√{_operand(found[1] or found[2] or '')}"


def _operand(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"[\w.,]*", text) else f"({text})"


def _power(found: re.Match[str]) -> str:
    inside = found[1]
    return f"^{inside}" if re.fullmatch(r"[-+−]?\w+", inside) else f"^({inside})"


def _inline(found: re.Match[str]) -> str:
    """Take the dollars off a formula; between two prices they are currency and stay."""
    inside = found[1]
    is_formula = " " not in inside.strip() or re.search(r"[\\^=×÷≈{}]|[-+*/] ", inside)
    return inside if is_formula else found[0]
