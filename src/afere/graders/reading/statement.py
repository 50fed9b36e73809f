"""The shell command or SQL query of a reply: a block, the whole reply, a span, or its lines.

| rule | what is taken |
|---|---|
| `marker` | the first block, span or line of code after the last answer marker |
| `fence` | the first code block of the language, other tags aside |
| `whole` | the reply is nothing but code |
| `span` | the first code between back-ticks that is more than a word |
| `lines` | the first passage of lines that begins as code does |

The first, and not the last as for Python: what follows is for other systems ("on macOS", "for SQL
Server") far more often than a correction, and a correction says "final answer".
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from afere.graders.reading.blocks import Block, code_blocks, code_spans, outside, tidy
from afere.graders.reading.markers import last_marker

__all__ = ["SHELL", "SQL", "Language", "Statement", "read_statement"]

MARKER, FENCE, WHOLE, SPAN, LINES = "marker", "fence", "whole", "span", "lines"

_LONGEST = 200_000  # characters: a longer text is no command that anybody runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A command or query as it was read.

    at_end: whether it reaches to the end of the reply, where a cut would touch it.
    """

    source: str
    rule: str
    at_end: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How code of a language is told from prose.

    tags: of its blocks; blocks of other languages, and of what was printed, are passed over.
    begins: whether a line begins code.
    passage: gives of the lines from there on those that belong to it.
    bare: takes prompts and remarks off.
    """

    tags: frozenset[str]
    begins: Callable[[str], bool]
    passage: Callable[[Sequence[str]], list[str]]
    bare: Callable[[str], str]


def read_statement(text: str, language: Language) -> Statement | None:
    """Find the command or query in a reply's text, None where there is none."""
    text = tidy(text[:_LONGEST])
    marked = last_marker(text, lambda line: language.begins(line.strip("` ")))
    if marked is not None and (found := _anywhere(marked.rest, language)):
        return Statement(source=found.source, rule=MARKER, at_end=found.at_end)
    return _anywhere(text, language)


def _anywhere(text: str, language: Language) -> Statement | None:
    blocks = [block for block in code_blocks(text) if block.text.strip()]
    for block in _of_language(blocks, language):
        if source := language.bare(block.text):
            return Statement(source=source, rule=FENCE, at_end=not block.closed)
    if found := _in_prose(outside(text, blocks) if blocks else text, language):
        return found
    for block in blocks:
        if not block.tag and (source := language.bare(block.text)):
            return Statement(source=source, rule=FENCE, at_end=not block.closed)
    return None


def _of_language(blocks: Sequence[Block], language: Language) -> list[Block]:
    """Give the blocks of a language; those without a tag where they begin as its code does."""
    tagged = [block for block in blocks if block.tag in language.tags]
    plain = [block for block in blocks if not block.tag and _begins(block.text, language)]
    usable = sorted([*tagged, *plain], key=lambda block: block.lines)
    return usable or [block for block in blocks if _begins(block.text, language)]


def _in_prose(text: str, language: Language) -> Statement | None:
    lines = text.strip().split("\n")
    spans = code_spans(text)
    if len(lines) == 1 and len(spans) == 1 and lines[0].strip(" `*_.") == spans[0]:
        return Statement(source=language.bare(spans[0]), rule=WHOLE, at_end=True)
    if language.begins(lines[0]) and len(language.passage(lines)) == len(lines):
        return Statement(source=language.bare("\n".join(lines)), rule=WHOLE, at_end=True)
    for span in spans:
        if " " in span and language.begins(span):
            return Statement(source=language.bare(span), rule=SPAN, at_end=False)
    for place, line in enumerate(lines):
        if language.begins(line):
            passage = language.passage(lines[place:])
            at_end = place + len(passage) == len(lines)
            source = language.bare("\n".join(passage))
            return Statement(source=source, rule=LINES, at_end=at_end)
    return None


def _begins(text: str, language: Language) -> bool:
    first = next((line for line in text.split("\n") if _is_more_than_remark(line)), "")
    return language.begins(first)


def _is_more_than_remark(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "--", "/*"))


_SQL_BEGINS = re.compile(
    r"\s*(?:sqlite>\s*)?\(?\s*(?:select\b|with\s+(?:recursive\s+)?[\w\"]+\s*(?:\([^)]*\)\s*)?as\b"
    r"|values\s*\(|insert\s+(?:or\s+\w+\s+)?into\b|replace\s+into\b|update\s+\S+\s+set\b"
    r"|delete\s+from\b|(?:create|drop|alter)\s+(?:temp\w*\s+)?(?:table|view|index|trigger)\b"
    r"|explain\s|pragma\s+\w|attach\s+|from\s+\w+\s+select\b)(?=.*[\w*)\]\"'`])",
    re.IGNORECASE,
)
_SQL_ALONE = re.compile(
    r"\s*\(?\s*(?:select(?:\s+distinct)?|with(?:\s+recursive)?)\s*", re.IGNORECASE
)
_SQL_PROMPT = re.compile(r"^\s*(?:sqlite>|mysql>|\.{3}>|[\w-]+[=-][#>])\s?", re.MULTILINE)
_PROSE_ENDS = re.compile(r"(?:^|\s)\w+\s+\w+\s+\w+[^;]*[.:：。]\s*$")


def _begins_sql(line: str) -> bool:
    line = _unnamed(line)
    if _SQL_ALONE.fullmatch(line):
        return True
    return _SQL_BEGINS.match(line) is not None and not _PROSE_ENDS.search(line)


def _sql_passage(lines: Sequence[str]) -> list[str]:
    """Give the lines up to a semicolon that ends one, or to an empty line."""
    passage: list[str] = []
    for line in lines:
        if passage and not line.strip():
            break
        passage.append(line)
        if line.rstrip().endswith(";"):
            break
    return passage


def _bare_sql(text: str) -> str:
    bare = _unnamed(_SQL_PROMPT.sub("", text)).strip().strip("`").strip()
    return re.sub(r";[\s;]+$", ";", bare)


SQL = Language(
    tags=frozenset({"sql", "sqlite", "sqlite3", "duckdb", "postgresql", "postgres", "mysql"}),
    begins=_begins_sql,
    passage=_sql_passage,
    bare=_bare_sql,
)

_NAMED = re.compile(
    r"[*_# \t]*(?:sql|query|consulta|comando|command|commande|shell|bash|命令|查询)"
    r"[*_ \t]*[:：][*_ \t]*",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\s*(\*\*|__)(?P<inside>(?:(?!\1).)+)\1\s*", re.DOTALL)


def _unnamed(text: str) -> str:
    """Take off a name of the language before a colon, and a bold mark round all of it."""
    text = _NAMED.sub("", text, count=1) if _NAMED.match(text) else text
    bold = _BOLD.fullmatch(text)
    return bold["inside"] if bold else text


_COMMAND_NAMES = (
    "ls find grep egrep fgrep rg awk gawk sed cat head tail wc sort uniq cut tr xargs echo printf "
    "du df stat tar zip unzip gzip gunzip cp mv rm mkdir rmdir touch ln chmod for while if until "
    "case cd pwd export set read test expr bc dd diff cmp comm join paste tee rev tac nl seq split "
    "column basename dirname realpath readlink file date env python python3 perl jq bash sh exec "
    "shuf md5sum sha256sum od xxd hexdump mapfile declare local let eval true false time "
    "iconv strings fold fmt csplit base64 mktemp timeout sleep trap shopt unset numfmt ps id"
)
_COMMANDS = frozenset(_COMMAND_NAMES.split())
_SHELL_PROMPT = re.compile(r"^[ \t]*(?:[\w.@~:/-]*[$%❯]|#(?=\s*(?:ls|find|grep|sudo)\b))[ \t]+")
_CONTINUES = re.compile(r"^[ \t]*>[ \t]")
_ASSIGNS = re.compile(r"[A-Za-z_]\w*=\S*(?:\s|$)")
_RUNS = re.compile(r"[|<>&;$*]|\s-{1,2}\w")
_SENTENCE = re.compile(r"[.:：。!?]\s*$")


def _begins_shell(line: str) -> bool:
    bare = _SHELL_PROMPT.sub("", _unnamed(line)).strip()
    if not bare:
        return False
    if _ASSIGNS.match(bare) or bare.startswith(("#!", "./", "((", "[[", "[ ", "$(", "(")):
        return not _SENTENCE.search(bare) or bool(_RUNS.search(bare))
    first = bare.split(None, 1)[0]
    if first not in _COMMANDS:
        return False
    return not _SENTENCE.search(bare) or bool(_RUNS.search(bare)) or bare.endswith(("..", " ."))


def _shell_passage(lines: Sequence[str]) -> list[str]:
    """Give the lines up to an empty one outside of a block of the shell's own."""
    passage: list[str] = []
    for line in lines:
        if passage and not line.strip():
            break
        passage.append(line)
    while len(passage) > 1 and _PROSE_ENDS.search(passage[-1]) and not _RUNS.search(passage[-1]):
        passage.pop()
    return passage


def _bare_shell(text: str) -> str:
    """Take prompts off; of a session only the lines behind prompts are commands."""
    lines = text.strip("\n").split("\n")
    if not any(_is_prompted(line) for line in lines[:1]):
        return _unnamed(text).strip().strip("`").strip()
    kept = [
        _CONTINUES.sub("", _SHELL_PROMPT.sub("", line))
        for place, line in enumerate(lines)
        if _is_prompted(line) or _CONTINUES.match(line) or _follows_backslash(lines, place)
    ]
    return "\n".join(kept).strip()


def _is_prompted(line: str) -> bool:
    return _SHELL_PROMPT.match(line) is not None


def _follows_backslash(lines: Sequence[str], place: int) -> bool:
    return place > 0 and lines[place - 1].endswith("\\")


SHELL = Language(
    tags=frozenset({"bash", "sh", "shell", "zsh", "console", "terminal", "shellscript", "ksh"}),
    begins=_begins_shell,
    passage=_shell_passage,
    bare=_bare_shell,
)
