"""The Python interface: questions by name, or with unit objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mathhammer import plain
from mathhammer.analysis.question import Question, UnitSpec, ask, find_unit
from mathhammer.analysis.result import Result
from mathhammer.analysis.run import DEFAULT_SEED, DEFAULT_TRIALS, EngineName, run
from mathhammer.core.errors import InputError
from mathhammer.core.game import Mode, Placed
from mathhammer.core.profiles import Profile
from mathhammer.games import load


def question(
    game: str,
    mode: str,
    *units: UnitSpec,
    rules: Mapping[str, Any] | None = None,
    rules_file: str | None = None,
    **situation: Any,
) -> Question:
    """A checked question.

    units: the mode's units in order; ids, `file.toml#id`, with changes after commas, or unit objects.
    rules: ruleset fields to set. situation: the mode's options; the option that picks a ruleset
    (`edition=3`); and lists of units for roles that take many (`with_=["knights@flank"]`).
    Raises `InputError` with a line for each wrong thing.
    """
    if rules is not None and not isinstance(rules, Mapping):
        raise InputError(f"rules are fields with their values, such as {{'name': 1}}, not {rules!r}")
    record = plain.load() if game == plain.ID else load(game)
    role_units, options = _sorted_out(record.mode(mode), units, situation)
    ruleset = options.pop(record.ruleset_option, None)
    name = None if ruleset is None else str(ruleset)
    return ask(record, mode, role_units, options, ruleset=name, rules_file=rules_file, rules=rules)


def _sorted_out(
    mode: Mode, units: Sequence[UnitSpec], situation: Mapping[str, Any]
) -> tuple[dict[str, Sequence[UnitSpec]], dict[str, Any]]:
    single = [role.name for role in mode.roles if not role.many]
    if len(units) != len(single):
        raise InputError(f"{mode.name} takes {len(single)} units ({', '.join(single)}), not {len(units)}")
    by_role: dict[str, Sequence[UnitSpec]] = {name: [unit] for name, unit in zip(single, units, strict=True)}
    options = {name.removesuffix("_"): value for name, value in situation.items()}
    for role in mode.roles:
        if role.many and role.name in options:
            given = options.pop(role.name)
            single_one = isinstance(given, str | Profile | Placed) or not isinstance(given, Iterable)
            by_role[role.name] = [given] if single_one else list(given)
    return by_role, options


def dice(expression: str, **options: Any) -> Result:
    """Any dice: `dice("3d6kl2")`, `dice("2d6 >= 9").probability("holds")`; options as for `simulate`."""
    return simulate(plain.ID, "dice", expression=expression, **options)


def simulate(
    game: str,
    mode: str,
    *units: UnitSpec,
    trials: int = DEFAULT_TRIALS,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "both",
    explain: bool = False,
    **options: Any,
) -> Result:
    """The answer, simulated and (unless engine="simulate") exact beside it.

    simulate("kow", "melee", "ogre-warriors", "foot-guard", facing="flank", trials=10**9)
    """
    asked = question(game, mode, *units, **options)
    return run(asked, trials=trials, seed=seed, engine=engine, explain=explain)


def exact(game: str, mode: str, *units: UnitSpec, explain: bool = False, **options: Any) -> Result:
    """The exact answer alone. Raises `ExactLimitError` where it passes the limit."""
    return run(question(game, mode, *units, **options), engine="exact", explain=explain)


def unit(game: str, spec: str) -> Profile:
    """A unit object from an id, `file.toml` or `file.toml#id`, with changes after commas."""
    if not isinstance(spec, str):
        raise InputError(f"a unit is written as an id or a file with changes after commas, not {spec!r}")
    return find_unit(load(game), spec)
