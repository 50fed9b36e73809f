"""A report for the terminal: lines and tables, drawn by rich where one looks, plain where piped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from io import StringIO
from typing import TYPE_CHECKING

from afere.report.harmless import harmless

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

__all__ = ["Line", "Report", "Style", "Table"]

_UNWRAPPED = 20_000  # columns: wider than any line that a report makes


class Style(StrEnum):
    """How a line stands out; the word says everything, the colour only repeats it."""

    PLAIN = ""
    STRONG = "bold"
    GOOD = "bold green"
    BAD = "bold red"
    CAREFUL = "yellow"
    FAINT = "dim"


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph."""

    text: str
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of texts; `align` has a letter a column, `l` or `r`."""

    head: tuple[str, ...] = ()
    rows: Sequence[tuple[str, ...]]
    align: str


Block = Line | Table


@dataclass(frozen=True, slots=True)
class Report:
    """Sections of lines and tables, an empty line between two sections.

    Print it with a `rich.console.Console` to a terminal; `str()` gives the text for a pipe or a
    file, in which no line is wrapped. Whatever its texts hold, it is shown as harmless text.
    """

    sections: tuple[tuple[Block, ...], ...]

    def __str__(self) -> str:
        from rich.console import Console

        out = StringIO()
        console = Console(
            file=out,
            width=_UNWRAPPED,
            color_system=None,
            force_terminal=False,
            force_jupyter=False,
            legacy_windows=False,
            _environ={},
        )
        console.print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines())

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> "Iterator[RenderableType]":
        """Draw the report within the width of the console."""
        filled = [section for section in self.sections if section]
        for number, section in enumerate(filled):
            if number:
                yield ""
            for block in section:
                yield _drawn(block)


def _drawn(block: Block) -> "RenderableType":
    from rich.text import Text

    if isinstance(block, Line):
        return Text(harmless(block.text), style=block.style, overflow="fold")
    return _drawn_table(block)


def _drawn_table(block: Table) -> "RenderableType":
    from rich import table
    from rich.text import Text

    drawn = table.Table(
        box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=bool(block.head)
    )
    for column, align in enumerate(block.align):
        head = block.head[column] if block.head else ""
        drawn.add_column(
            Text(harmless(head)), justify="right" if align == "r" else "left", overflow="fold"
        )
    for row in block.rows:
        drawn.add_row(*(Text(harmless(cell)) for cell in row))
    return drawn
