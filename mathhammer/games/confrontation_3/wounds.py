"""Wounds: the table, the damage roll, the states of a fighter and their penalties.

A fighter's state is one number: his wound (0 unhurt to 3 critical) times the levels of stun, plus his stun;
the last one is killed. Source: C3-3.16 to C3-3.18.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias, get_args

import numpy as np

from mathhammer.core.errors import InputError, unknown
from mathhammer.core.files import read_text, shown_path
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Ints, Pmf
from mathhammer.games.confrontation_3.ruleset import Rules, Wound

RESULTS: tuple[str, ...] = get_args(Wound)  # none, stunned, light, serious, critical, killed
NONE, STUNNED, LIGHT, SERIOUS, CRITICAL, KILLED = range(6)
LEVELS = ("unhurt", "light", "serious", "critical", "killed")  # what a fighter's wound is, 0 to 4
DEAD = 4
HEADS = ("location", "from", "to", "wound")
PLACEHOLDER = "placeholder"
MOST_SEVERITY = 99

# (lowest severity, result) of each location 1 to 6, ascending; the first is open below.
WoundTable: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]


# -- reading the table -----------------------------------------------------------------------------
@dataclass(frozen=True)
class _Band:
    """A line of the file: severities `low` to `high` on a location."""

    line: int
    low: int
    high: int
    result: int


def wound_table(name: str) -> WoundTable:
    """The shipped placeholder, or a user's CSV file. Raises `InputError`, a line for each wrong thing.

    Columns location, from, to, wound: each severity of each location in one line, blank ends open.
    Source: C3-3.18.
    """
    if name == PLACEHOLDER:
        return _read(Path(__file__).parent / "rulesets" / f"{PLACEHOLDER}.csv")
    if not name.lower().endswith(".csv"):
        raise InputError(f"wound_table is {PLACEHOLDER} or a file.csv, not {name!r}")
    return _read(Path(name))


def _read(path: Path) -> WoundTable:
    where = shown_path(path)
    rows = list(_lines(path))
    if not rows or tuple(cell.lower() for cell in rows[0][1]) != HEADS:
        line = f" line {rows[0][0]}" if rows else ""
        raise InputError(f"{where}{line}: the first line is {','.join(HEADS)}")
    errors: list[str] = []
    bands: dict[int, list[_Band]] = {location: [] for location in range(1, 7)}
    for number, cells in rows[1:]:
        _add(bands, cells, number, f"{where} line {number}", errors)
    if not errors:
        for location, found in bands.items():
            errors += _gaps(location, sorted(found, key=lambda band: band.low), where)
    if errors:
        raise InputError(*errors)
    return tuple(
        tuple((band.low, band.result) for band in sorted(found, key=lambda band: band.low))
        for found in bands.values()
    )


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Numbered lines as cells, blank ones and comments left out."""
    try:
        for number, row in enumerate(csv.reader(read_text(path, "CSV").splitlines()), start=1):
            if row and "".join(row).strip() and not row[0].lstrip().startswith("#"):
                yield number, [cell.strip() for cell in row]
    except csv.Error as error:
        raise InputError(f"{shown_path(path)}: is not CSV: {error}") from None


def _add(bands: dict[int, list[_Band]], cells: list[str], number: int, where: str, errors: list[str]) -> None:
    """Read one line into its location, or say what is wrong with it."""
    if len(cells) != len(HEADS):
        errors.append(f"{where}: has {len(cells)} columns, not {len(HEADS)} ({','.join(HEADS)})")
        return
    location, low, high, word = cells
    wrong = []
    if location not in ("1", "2", "3", "4", "5", "6"):
        wrong.append(f"{where}, column location: is a number from 1 to 6, not {location!r}")
    for head, cell in (("from", low), ("to", high)):
        if cell and _whole(cell) is None:
            wrong.append(f"{where}, column {head}: is a whole number or blank (open), not {cell!r}")
    if word.lower() not in RESULTS:
        wrong.append(str(unknown(f"{where}, column wound:", word, RESULTS)))
    errors += wrong
    if not wrong:
        least, most = _whole(low), _whole(high)
        band = _Band(
            number,
            -MOST_SEVERITY if least is None else least,
            MOST_SEVERITY if most is None else most,
            RESULTS.index(word.lower()),
        )
        if band.high < band.low:
            errors.append(f"{where}, column to: is at least {low}, not {high}")
        bands[int(location)].append(band)


def _whole(cell: str) -> int | None:
    digits = cell.removeprefix("-")
    return int(cell) if digits.isascii() and digits.isdecimal() and len(digits) <= 2 else None


def _gaps(location: int, bands: list[_Band], where: str) -> Iterator[str]:
    """Severities of a location that no line, or more than one, has."""
    next_, before = -MOST_SEVERITY, 0
    for band in bands:
        if band.low > next_:
            told = _span(next_, band.low - 1)
            yield f"{where} line {band.line}, column from: location {location} has no line for {told}"
        elif band.low < next_:
            told = _span(band.low, min(next_ - 1, band.high))
            place = f"{where} line {band.line}, column from"
            verb = "is" if told.startswith("severity") else "are"
            yield f"{place}: location {location}, {told} {verb} in line {before} too"
        if band.high >= next_:
            next_, before = band.high + 1, band.line
    if next_ <= MOST_SEVERITY:
        place = f" line {before}, column to" if before else ""
        yield f"{where}{place}: location {location} has no line for {_span(next_, MOST_SEVERITY)}"


def _span(low: int, high: int) -> str:
    if low == -MOST_SEVERITY:
        return "any severity" if high == MOST_SEVERITY else f"severities up to {high}"
    if high == MOST_SEVERITY:
        return f"severities from {low}"
    return f"severity {low}" if low == high else f"severities {low} to {high}"


# -- the damage roll -------------------------------------------------------------------------------
@dataclass(frozen=True)
class Damage:
    """What turns two dice into a wound."""

    table: WoundTable
    double_six: str

    def result(self, first: int, second: int, margin: int) -> int:
        """The result of two dice and STR + modifiers - RES. Source: C3-3.17, C3-3.18."""
        if first == second == 6 and self.double_six != "table":
            return RESULTS.index(self.double_six)
        severity, location = max(first, second) + margin, min(first, second)
        return max(pair for pair in self.table[location - 1] if pair[0] <= severity)[1]


def damage_of(rules: Rules) -> Damage:
    """The wound table and the double 6 of the rules. Raises `InputError`. Source: C3-3.17, C3-3.18."""
    return Damage(wound_table(rules.wound_table), rules.double_six)


@lru_cache(maxsize=16)
def damage_law(damage: Damage) -> Law:
    """The result of a damage roll (0 none to 5 killed), keyed by STR + modifiers - RES. Source: C3-3.17."""

    def make(margin: int) -> Pmf:
        probs = np.zeros(len(RESULTS))
        for first, second in np.ndindex(6, 6):
            probs[damage.result(first + 1, second + 1, margin)] += 1 / 36
        return Pmf(0, probs)

    return Law(("c3 damage", damage), make)


# -- states ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class States:
    """The states of a fighter: four wounds that he lives with, each with the levels of stun, and killed.

    most_stun: how often a stun adds up (1 where it does not stack). penalties: of one stun, and by wound.
    raises: whether an equal or lighter wound raises the present one.
    """

    most_stun: int
    stun_penalty: int
    penalties: tuple[int, int, int]
    raises: bool = True

    @property
    def count(self) -> int:
        """How many states there are."""
        return DEAD * self.stuns + 1

    @property
    def stuns(self) -> int:
        """Levels of stun, none among them."""
        return self.most_stun + 1

    @property
    def killed(self) -> int:
        """The state of a killed fighter."""
        return self.count - 1

    def state(self, wound: int, stun: int = 0) -> int:
        """The number of a state."""
        return min(wound * self.stuns + stun, self.killed)

    def wound(self, state: Ints) -> Ints:
        """Wounds 0 (unhurt) to 4 (killed)."""
        return state // np.int32(self.stuns)

    def stun(self, state: Ints) -> Ints:
        """Levels of stun; none of the killed."""
        return state % np.int32(self.stuns)

    def penalty(self) -> Ints:
        """What a fighter in each state has taken off his rolls, shape (count,). Source: C3-3.18."""
        state = np.arange(self.count, dtype=np.int32)
        wounds = np.array([0, *self.penalties, 0], dtype=np.int32)
        return (wounds[self.wound(state)] + self.stun_penalty * self.stun(state)).astype(np.int32)

    def after(self) -> Ints:
        """The state after each result of a damage roll, shape (count, 6). Source: C3-3.18.

        A heavier wound replaces; an equal or lighter one raises the present one by a level, or is nothing.
        """
        table = np.full((self.count, len(RESULTS)), self.killed, dtype=np.int32)
        for state in range(self.killed):
            wound, stun = divmod(state, self.stuns)
            table[state, NONE] = state
            table[state, STUNNED] = self.state(wound, min(stun + 1, self.most_stun))
            for result in (LIGHT, SERIOUS, CRITICAL):
                level = result - LIGHT + 1
                table[state, result] = self.state(max(level, wound + self.raises), stun)
        return table

    def rested(self) -> Ints:
        """Each state without its stun: the end of a round. Source: C3-3.18."""
        state = np.arange(self.count, dtype=np.int32)
        rested: Ints = state - self.stun(state)
        return rested


def states_of(rules: Rules, most_stun: int) -> States:
    """The states under the rules, where a fighter is attacked `most_stun` times a round at most."""
    most = max(1, most_stun) if rules.stun_stacks else 1
    penalties = rules.light_penalty, rules.serious_penalty, rules.critical_penalty
    return States(most, rules.stun_penalty, penalties, rules.lighter_wound == "raises")


def transitions(states: States, damage: Damage, margins: Ints) -> Floats:
    """P(next state) of a fighter who is hit, shape (len(margins), count, count), by margin and state."""
    law, after = damage_law(damage), states.after()
    table = np.zeros((len(margins), states.count, states.count))
    for i, margin in enumerate(margins.tolist()):
        for result, chance in law.row(margin):
            np.add.at(table[i], (np.arange(states.count), after[:, result]), chance)
    return table
