"""The Python interface: questions by name, or with unit objects; and decisions over many of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mathhammer import plain
from mathhammer.analysis.question import Question, UnitSpec, ask, find_unit
from mathhammer.analysis.result import Result
from mathhammer.analysis.run import DEFAULT_SEED, DEFAULT_TRIALS, EngineName, check_options, run
from mathhammer.core.errors import InputError
from mathhammer.core.game import Game, Mode, Placed, is_positional
from mathhammer.core.profiles import Profile
from mathhammer.games import load

if TYPE_CHECKING:
    from mathhammer.analysis.army import Army
    from mathhammer.analysis.campaign import Goal
    from mathhammer.analysis.compare import Comparison
    from mathhammer.analysis.execute import Told
    from mathhammer.analysis.grid import Grid
    from mathhammer.analysis.needs import Needs
    from mathhammer.analysis.over import Over, Written
    from mathhammer.analysis.sweep import Sweep, SweepEngine, Table
    from mathhammer.analysis.wanted import Wanted
    from mathhammer.analysis.worth import Worth

Units = UnitSpec | Sequence[UnitSpec]  # several are a list, or a text such as "knights,zombie-2" or "*"
Names = str | Sequence[str]


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
    record = _record(game)
    role_units, options = _sorted_out(record.mode(mode), units, situation)
    ruleset = options.pop(record.ruleset_option, None)
    name = None if ruleset is None else str(ruleset)
    return ask(record, mode, role_units, options, ruleset=name, rules_file=rules_file, rules=rules)


def _record(game: str) -> Game:
    return plain.load() if game == plain.ID else load(game)


def _given_by_name(mode: Mode, value: object) -> str:
    """What a value that stands for no unit may be meant for: what a command line takes by its place."""
    options = mode.situation.model_fields.items()
    name = next((name for name, info in options if is_positional(info)), None)
    return f": give {name}={value!r}" if name else ""


def _sorted_out(
    mode: Mode, units: Sequence[UnitSpec], situation: Mapping[str, Any]
) -> tuple[dict[str, Sequence[UnitSpec]], dict[str, Any]]:
    single = [role.name for role in mode.roles if not role.many]
    if units and not single:
        raise InputError(f"{mode.name} takes no units{_given_by_name(mode, units[0])}")
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


# -- decisions -------------------------------------------------------------------------------------
def sweep(
    game: str,
    mode: str,
    *units: Units,
    over: Written | None = None,
    event: Names = (),
    at_least: Mapping[str, int] | None = None,
    mean: Names = (),
    workers: int | None = None,
    cluster: str | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    progress: Told | None = None,
    **options: Any,
) -> Table:
    """Many matchups at once, as a `Table`.

    units: by role; a list or "*" varies it. over: what else varies, by name: `{"at": range(6, 31),
    "defender.de": [3, 4], "facing": "front,flank"}`, or a text such as "at=6..30". event, at_least, mean:
    numbers wanted (default all). workers, cluster, out, resume: as on the command line; out is a .csv or
    .jsonl file. options: engine, trials, seed, rules, rules_file, the ruleset, and the mode's own. Raises
    `InputError`; a matchup that fails by itself is in `Table.failed`.
    """
    from mathhammer.analysis.execute import execute
    from mathhammer.analysis.files import kept
    from mathhammer.analysis.wanted import everything

    made = _sweep(game, mode, units, over, options, _wanted(game, mode, event, at_least, mean))
    if not made.wanted:
        made = replace(made, wanted=tuple(everything(made.grid.mode, made.grid.question(0).situation)))
    if out is None:
        return execute(made, workers=workers, cluster=cluster, progress=progress)
    return kept(made, Path(out), workers=workers, cluster=cluster, resume=resume, progress=progress)


def compare(
    game: str,
    mode: str,
    *units: Units,
    over: Written | None = None,
    event: Names = (),
    at_least: Mapping[str, int] | None = None,
    mean: Names = (),
    workers: int | None = None,
    cluster: str | None = None,
    **options: Any,
) -> Comparison:
    """Candidates (the first role's units, situations) against targets (`"zombie-2:3"` weighs 3)."""
    from mathhammer.analysis.compare import Comparison, comparison_sweep
    from mathhammer.analysis.execute import execute

    asked = _wanted(game, mode, event, at_least, mean)
    made, losses = comparison_sweep(_sweep(game, mode, units, over, options, asked or _main(game, mode)))
    return Comparison(execute(made, workers=workers, cluster=cluster), asked or _main(game, mode), losses)


def needs(
    game: str,
    mode: str,
    *units: Units,
    over: Written,
    chance: float,
    event: str | None = None,
    at_least: Mapping[str, int] | None = None,
    **options: Any,
) -> Needs:
    """The least value of the first entry of `over` (all values: "at" or None) with P(event) >= chance."""
    from mathhammer.analysis.fields import find_target
    from mathhammer.analysis.needs import needs as find
    from mathhammer.analysis.over import over_of

    named = over_of(over, bare=True)
    if not named:
        raise InputError("needs: over names what is looked for, such as 'at', 'at=6..30' or {'at': [6, 7]}")
    asked = _one("needs", game, mode, event, at_least)
    made = _sweep(game, mode, units, named, options, asked)
    return find(made, find_target(made.grid.game, made.grid.mode, str(next(iter(named)))), chance)


def worth(
    game: str,
    mode: str,
    *units: Units,
    event: str | None = None,
    at_least: Mapping[str, int] | None = None,
    costs: Mapping[str, float] | None = None,
    **options: Any,
) -> Worth:
    """What one step of each field adds to P(event), the most first. costs: points of a step, by field."""
    from mathhammer.analysis.worth import worth as find

    asked = _one("worth", game, mode, event, at_least)
    return find(_sweep(game, mode, units, None, options, asked), costs)


def army(
    game: str,
    mode: str,
    listed: Units,
    enemies: Units,
    *,
    budget: int,
    goal: Goal = "weight",
    team: int = 3,
    event: str | None = None,
    at_least: Mapping[str, int] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    **options: Any,
) -> Army:
    """Which list under a budget, and who takes on whom.

    listed, enemies: texts such as "knights:2,orc-ax" (up to two, or two enemies; "trolls:w2" counts twice),
    lists, or files. goal: "weight", "number" or "worst".
    """
    from mathhammer.analysis.army import plan_army
    from mathhammer.analysis.campaign import make_campaign
    from mathhammer.analysis.execute import execute
    from mathhammer.analysis.sweep import Sweep

    record = _record(game)
    numbers, rest = _numbers(options)
    rules = _rules(record, rest)
    limits: dict[str, Any] = {"budget": budget, "goal": goal, "team": team}
    campaign = make_campaign(record, mode, _several(listed), _several(enemies), rest, **limits, **rules)
    asked = _one("army", game, mode, event, at_least)
    made = Sweep(campaign.fights(), asked, **numbers)
    return plan_army(campaign, execute(made, workers=workers, cluster=cluster))


def _sweep(
    game: str, mode: str, units: Sequence[Units], over: Written | None, options: Mapping[str, Any], asked: Any
) -> Sweep:
    from mathhammer.analysis.over import over_of
    from mathhammer.analysis.sweep import Sweep

    numbers, rest = _numbers(options)
    return Sweep(_grid(_record(game), mode, units, over_of(over), rest), asked, **numbers)


def _numbers(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Engine, trials and seed, checked; and the other options."""
    numbers = {name: options[name] for name in ("engine", "trials", "seed") if name in options}
    engine: SweepEngine = numbers.get("engine", "auto")
    if engine not in ("auto", "exact", "simulate"):
        raise InputError(f"engine is one of auto, exact, simulate, not {engine!r}")
    check_options(numbers.get("trials", DEFAULT_TRIALS), numbers.get("seed", DEFAULT_SEED), "simulate")
    numbers |= {name: int(numbers[name]) for name in ("trials", "seed") if name in numbers}
    return numbers, {name: value for name, value in options.items() if name not in numbers}


def _rules(record: Game, options: dict[str, Any]) -> dict[str, Any]:
    """The ruleset and its changes, taken out of the options."""
    rules: dict[str, Any] = {name: options.pop(name) for name in ("rules", "rules_file") if name in options}
    ruleset = options.pop(record.ruleset_option, None)
    return rules | {"ruleset": None if ruleset is None else str(ruleset)}


def _grid(record: Game, mode: str, units: Sequence[Units], over: Over, options: dict[str, Any]) -> Grid:
    from mathhammer.analysis.over import make_grid

    rules = _rules(record, options)
    roles = record.mode(mode).roles
    single = [role.name for role in roles if not role.many]
    varied = {str(name).replace("-", "_") for name in over}
    if len(units) != len(single) and not set(single[len(units) :]) <= varied:
        raise InputError(f"{mode} takes {len(single)} units ({', '.join(single)}), not {len(units)}")
    by_role: dict[str, Any] = {name: _several(unit) for name, unit in zip(single, units, strict=False)}
    given = {name.removesuffix("_"): value for name, value in options.items()}
    by_role |= {
        role.name: _several(given.pop(role.name)) for role in roles if role.many and role.name in given
    }
    return make_grid(record, mode, by_role, given, over, **rules)


def _several(units: Units) -> str | Sequence[UnitSpec]:
    if isinstance(units, str):
        return units
    if isinstance(units, Profile | Placed):
        return [units]
    if not isinstance(units, Iterable):
        raise InputError(f"units are a text, such as 'knights,zombie-2', or a list, not {units!r}")
    return list(units)


def _one(
    verb: str, game: str, mode: str, event: str | None, at_least: Mapping[str, int] | None
) -> tuple[Wanted, ...]:
    """The one chance that a question takes."""
    from mathhammer.analysis.wanted import one_chance

    return one_chance(verb, _record(game).mode(mode), _wanted(game, mode, event or (), at_least))


def _wanted(
    game: str, mode: str, event: Names, at_least: Mapping[str, int] | None, mean: Names = ()
) -> tuple[Wanted, ...]:
    from mathhammer.analysis.wanted import chances, means

    record = _record(game).mode(mode)
    if at_least is not None and not isinstance(at_least, Mapping):
        raise InputError(f"at_least is numbers by measure, such as {{'damage': 4}}, not {at_least!r}")
    limits = [f"{measure}={least}" for measure, least in (at_least or {}).items()]
    return (*chances(record, _names("event", event), limits), *means(record, _names("mean", mean)))


def _names(what: str, given: Names) -> Sequence[str]:
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError(f"{what} is a name or a list of names, not {given!r}")
    return list(given)


def _main(game: str, mode: str) -> tuple[Wanted, ...]:
    from mathhammer.analysis.wanted import main_event

    return (main_event(_record(game).mode(mode)),)
