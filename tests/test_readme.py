"""What the README shows is true: its commands run, its Python runs, its numbers are the program's."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

import mathhammer
from mathhammer.cli import main
from mathhammer.games.kings_of_war.profile import Unit

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    mathhammer (.*)$", TEXT, flags=re.MULTILINE)
SET_UP = re.findall(r"^    (python3 .*)$", TEXT, flags=re.MULTILINE)


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)
    assert found
    return found[1]


def test_there_are_exactly_two_set_up_commands_and_ci_runs_both() -> None:
    assert len(SET_UP) == 2
    assert all(line.startswith("python3 -m venv") for line in SET_UP)
    ci = (ROOT / ".ci" / "run").read_text()
    for pattern in re.findall(r"grep -m1 '([^']*)'", ci):
        assert len([line for line in SET_UP if re.search(pattern, "    " + line)]) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_gives_an_answer(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)) == 0
    assert len(capsys.readouterr().out) > 100


def test_the_shown_answer_is_the_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """The exact column to the letter; simulated numbers may differ from one numpy version to the next."""
    assert main(["kow", "melee", "ogre-warriors", "foot-guard", "--facing", "flank"]) == 0
    printed = capsys.readouterr().out.splitlines()
    for line in block("text").splitlines():
        if line and line != "...":
            words = line.split()[:2] if "%" in line or "mean" in line else line.split()
            assert any(shown.split()[: len(words)] == words for shown in printed), line


def test_the_python_runs_and_its_numbers_are_right() -> None:
    import matplotlib

    matplotlib.use("Agg")
    scope: dict[str, mathhammer.Result] = {}
    exec(block("python"), scope)
    comments = re.findall(r"result\.(\w+\(.*?\)) +# (0\.\d+)\.\.\.", TEXT)
    assert len(comments) == 2
    for call, number in comments:
        assert f"{eval('result.' + call, dict(scope)):.12f}".startswith(number)


def test_the_unit_file_is_a_unit() -> None:
    unit = Unit.model_validate(tomllib.loads(block("toml")))
    assert (unit.me, unit.rules.brutal) == (4, 1)
