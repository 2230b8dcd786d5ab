"""Sums of kept dice by cells of thresholds: inside face by face, above by Fourier transform."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mathhammer.core.order import lowered, number_above, share, showing
from mathhammer.core.pmf import Floats
from mathhammer.core.sums import Complex, Steps, power, spectra, turns
from mathhammer.core.thresholds import Cells, Thresholds

TOGETHER = 2**17  # frequencies of rows that are transformed together


def by_faces(kept: Thresholds) -> Floats:
    """All faces are one cell (where any threshold will do): the chances of all sums."""
    inside = _inside(kept, np.arange(len(kept.die.probs)), 1, kept.keep)
    return inside[0, kept.keep, kept.added * (len(kept.die.probs) - 1) :: -1]


def by_cells(kept: Thresholds, number: int, count: int, period: int) -> Complex:
    """The thresholds in so many cells: the dice above a cell beside those inside it."""
    cells = kept.cells(number)
    wanted, heard = cells.wanted, kept.heard(cells, count, period)
    above = _beyond(kept, cells, int(heard.max()), period)
    spectrum = np.zeros(count, dtype=np.complex128)
    for run in _runs(wanted):
        some = heard[run, : -int(wanted[run].max()) - 1 : -1].max(axis=0)
        at = slice(0, int(some[-1]))
        spectrum[at] += _sums(kept, cells.part(run), some, above[run, at], period)
    return spectrum.conj()


def _sums(kept: Thresholds, cells: Cells, heard: Steps, above: Complex, period: int) -> Complex:
    """The inverse transform of the sums of cells; heard: how many frequencies matter, by dice inside."""
    wanted, tops = len(heard), cells.tops
    faces = (tops[:, None] + np.arange(1 - cells.width, 1)).ravel()
    inside = _inside(kept, faces, len(tops), wanted)[:, 1:]
    outside = number_above(kept.dice, kept.keep, kept.above[tops], kept.up_to[tops])
    inside *= outside[:, kept.keep - np.arange(1, wanted + 1), None]
    total, before = np.zeros_like(above), 0
    for row, number in zip(_transformed(inside, heard, period), heard.tolist(), strict=True):
        total[:, :before] *= above[:, :before]
        total[:, :number] += row  # seen from above: inside a cell sums go down
        before = number
    total *= power(above, kept.keep - wanted)
    lowest, next_cell = turns(-kept.added * np.array([tops[0], cells.width]), np.arange(before), period)
    found: Complex = total[-1].copy()
    for row in total[-2::-1]:
        found *= next_cell
        found += row
    found *= lowest
    return found


def _beyond(kept: Thresholds, cells: Cells, number: int, period: int) -> Complex:
    """Inverse transforms of by how much a die is above a cell, given that it is: a row for each cell.

    Each is added up from the next: what is in the next cell, and what is above that.
    """
    places = cells.tops[:, None] + np.arange(1, cells.width + 1)
    found = spectra(np.append(kept.die.probs, np.zeros(cells.width))[places], number, period)
    found[-1:] = spectra(kept.die.probs[None, cells.tops[-1] + 1 :], number, period)
    first, next_cell = turns(np.array([1, cells.width]), np.arange(number), period)
    for row, after in zip(found[-2::-1], found[:0:-1], strict=True):
        row += next_cell * after
    found *= first
    found /= np.where(kept.above[cells.tops] > 0, kept.above[cells.tops], 1.0)[:, None]
    return np.conj(found, out=found)


def _inside(kept: Thresholds, faces: Steps, cells: int, wanted: int) -> Floats:
    """What the last dice kept add up to if the threshold is in a cell, shape (cells, wanted + 1, sums).

    faces: all faces of the cells, as many for each; there may be some below the least. Row r: r more dice
    are to be kept, all others are above the cell. Sums: by how much the r dice are below its last face.
    """
    at = np.maximum(faces, 0)
    shown = np.where(faces < 0, 0.0, kept.die.probs[at])
    steps = showing(share(shown, kept.up_to[at] - shown), kept.dice - kept.keep, wanted)
    steps = steps.reshape(cells, -1, wanted + 1, wanted + 1)
    sums = np.zeros((cells, wanted + 1, 1))
    sums[:, 0] = 1.0  # below the cell there is no threshold, unless none is wanted
    for face in range(steps.shape[1]):
        sums = steps[:, face] @ lowered(sums, kept.without)
    return sums


def _transformed(inside: Floats, heard: Steps, period: int) -> Iterator[Complex]:
    """The transforms of all cells, row by row. heard: ascends; short rows that hear as much go together."""
    cells, first = len(inside), 0
    while first < len(heard):
        number = int(heard[first])
        alike = int(np.searchsorted(heard, number, side="right"))
        last = min(alike, first + max(1, TOGETHER // (cells * number)))
        rows = inside[:, first:last]
        found = spectra(rows.reshape(-1, rows.shape[2]), number, period).reshape(cells, last - first, -1)
        yield from found.transpose(1, 0, 2)
        first = last


def _runs(wanted: Steps) -> list[slice]:
    """Cells one after the other whose numbers of dice inside have the same power of 2 above them."""
    sizes = np.ceil(np.log2(wanted))
    ends = [*(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(sizes)]
    return [slice(first, end) for first, end in zip([0, *ends], ends, strict=False)]
