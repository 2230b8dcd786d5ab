"""Lines and tables of text: laid out here, coloured by rich on a terminal, plain in a pipe or a file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap

GAP = "  "
LEAST_WIDTH = 20  # columns; narrower than that, the terminal folds


@dataclass(frozen=True)
class Line:
    """A line of text, with the rich style that a terminal shows it in."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Grid:
    """Rows of cells under heads; `left` are columns aligned left; `styles` by column, for terminals."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: frozenset[int] = frozenset()
    styles: dict[int, str] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Columns of the terminal that the whole takes."""
        return sum(self.widths()) + len(GAP) * (len(self.heads) - 1)

    def widths(self) -> list[int]:
        """The width of each column."""
        return [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]


Block = Line | Grid


def folded(line: str, width: int, indent: str = "  ") -> list[str]:
    """A long line in several, the later ones set in; no word is broken, no id at its hyphen.

    A narrower terminal takes less: what it folded once more would be ragged.
    """
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else width
    fit = max(LEAST_WIDTH, min(width, columns))
    return wrap(line, fit, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def write(blocks: Sequence[Block]) -> None:
    """Write blocks to standard output."""
    if sys.stdout.isatty():
        _write_styled(blocks)
    else:
        sys.stdout.write("\n".join(line for block in blocks for line in plain_lines(block)) + "\n")


def plain_lines(block: Block) -> list[str]:
    """A block as lines without styles or trailing blanks."""
    if isinstance(block, Line):
        return [block.text]
    return [GAP.join(cells).rstrip() for cells in _padded(block)]


def _padded(grid: Grid) -> list[list[str]]:
    widths = grid.widths()
    return [
        [
            cell.ljust(w) if i in grid.left else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        for row in ([grid.heads] if any(grid.heads) else []) + list(grid.rows)
    ]


def _write_styled(blocks: Sequence[Block]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for block in blocks:
        if isinstance(block, Line):
            console.print(Text(block.text, style=block.style))
            continue
        for number, cells in enumerate(_padded(block)):
            parts = [Text(cell, style=block.styles.get(i, "")) for i, cell in enumerate(cells)]
            line = Text(GAP).join(parts)
            line.rstrip()
            if number == 0 and any(block.heads):
                line.stylize("dim")
            console.print(line, soft_wrap=True)  # never a cut number, whatever the width
