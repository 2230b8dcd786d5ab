"""What a notebook shows of a result: sound HTML, the numbers, and names that stay text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import mathhammer
from mathhammer.analysis.result import Result
from mathhammer.analysis.statistics import wilson


class Reader(HTMLParser):
    """Cells by row, all text, and whether every tag is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.text = ""
        self.tags: set[str] = set()
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag != "br":
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._open and self._open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def shown(result: Result) -> Reader:
    return Reader(result._repr_html_())


def test_the_table_has_the_numbers(result: Result) -> None:
    (_, *heads), *rows = shown(result).rows
    assert heads == ["exact"] * bool(result.exact) + ["simulated", "95% interval"] * bool(result.simulated)
    cells = {row[0]: row[1:] for row in rows}
    assert list(cells) == [*result.events, *(f"mean {name}" for name in result.measures)]
    assert all(len(row) == len(heads) for row in cells.values())
    if result.exact:
        assert cells["rout"][0] == f"{result.probability('rout', 'exact'):.4%}"
        assert cells["mean damage"][0] == f"{result.mean('damage', 'exact'):.4f}"
    if result.simulated:
        p = result.probability("rout", "simulated")
        low, high = wilson(p, result.trials)
        assert cells["rout"][-2:] == [f"{p:.4%}", f"{low:.4%} to {high:.4%}"]
        assert cells["mean damage"][-2] == f"{result.mean('damage', 'simulated'):.4f}"
        assert cells["mean damage"][-1].startswith("standard error")


def test_the_heading_the_rules_and_the_assumptions_are_shown(result: Result) -> None:
    text = shown(result).text
    assert result.question.heading() in text
    assert result.question.ruleset.title in text
    assert ("20,000 trials, seed 5" in text) == bool(result.simulated)
    for record in result.assumptions:
        assert f"{record['key']} = {record['value']}" in text
    assert len(result.assumptions) > 0


def test_footnotes_are_shown() -> None:
    answer = mathhammer.exact("kow", "melee", "ogre-warriors-1", "ironclad", edition=3)
    assert answer.notes
    assert all(note in shown(answer).text for note in answer.notes)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "<b>", "A & B", '"quoted"', "</td>"])
def test_a_name_stays_text(name: str) -> None:
    answer = mathhammer.exact(
        "kow", "melee", mathhammer.unit("kow", "orc-ax").model_copy(update={"name": name}), "knights"
    )
    page = shown(answer)
    assert f"{name} regiment charge Knights" in page.text
    assert page.tags <= {"div", "b", "br", "small", "table", "thead", "tbody", "tr", "th", "td"}
    assert "script" not in page.tags
