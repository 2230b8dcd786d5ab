"""`sweep`, `compare`, `needs` and `army`: what each asks, runs and shows."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, get_args

from mathhammer.analysis.army import plan_army
from mathhammer.analysis.campaign import MOST_BUDGET, MOST_TEAM, Goal
from mathhammer.analysis.compare import Comparison, comparison_sweep
from mathhammer.analysis.execute import Interrupted
from mathhammer.analysis.fields import Target, find_target
from mathhammer.analysis.grid import Grid
from mathhammer.analysis.needs import needs as find_needs
from mathhammer.analysis.over import Over
from mathhammer.analysis.sweep import Sweep, Table
from mathhammer.analysis.wanted import everything, main_event, means, one_chance
from mathhammer.analysis.worth import worth as find_worth
from mathhammer.cli.answer import draw
from mathhammer.cli.given import Given, plot_given, read, refuse_output
from mathhammer.cli.given_many import (
    campaign_given,
    chance_given,
    costs_given,
    grid_given,
    out_given,
    over_given,
    sweep_numbers_given,
    wanted_given,
    whole_given,
    word_given,
    workers_given,
)
from mathhammer.cli.needed import needs_blocks, worth_blocks
from mathhammer.cli.running import failure, run_table, show, tell_failures
from mathhammer.core.errors import InputError
from mathhammer.core.game import Game, Mode

MOST_LOOKED_AT = 100  # matchups, for one that can be asked


def sweep(game: Game, mode: Mode, given: Given) -> None:
    """`mathhammer sweep`; what is finished is shown also when it is interrupted."""
    settings = (sweep_numbers_given, plot_given, workers_given, out_given)
    asked = (partial(wanted_given, mode), over_given, refuse_output)
    numbers, picture, workers, out, wanted, over, _ = read(given, *settings, *asked)
    grid = grid_given(game, mode, given, over)
    if picture:
        from mathhammer.analysis.maps import plan

        plan(grid, max(1, len(wanted)))
    made = Sweep(grid, wanted or tuple(everything(mode, _first_situation(grid))), **numbers)
    try:
        table = run_table(made, given, workers, out)
    except Interrupted as stopped:
        if stopped.table.done:
            _show_sweep(stopped.table, given)
            sys.stdout.flush()
        raise
    draw(partial(table.plot, *(each.name for each in wanted), ordered=given["sort"]), picture)
    _show_sweep(table, given)
    tell_failures(table)


def _show_sweep(table: Table, given: Given) -> None:
    from mathhammer.cli.tables import sweep_blocks

    show(given, table.records, partial(sweep_blocks, table, ordered=given["sort"]))


def _first_situation(grid: Grid) -> Any:
    """The options of the first matchup that can be asked."""
    for index in range(min(len(grid), MOST_LOOKED_AT)):
        try:
            return grid.question(index).situation
        except InputError:
            pass
    return grid.question(0).situation


def compare(game: Game, mode: Mode, given: Given) -> None:
    """`mathhammer compare`."""
    settings = (sweep_numbers_given, plot_given, workers_given)
    asked = (partial(wanted_given, mode), over_given, refuse_output)
    numbers, picture, workers, wanted, over, _ = read(given, *settings, *asked)
    grid = grid_given(game, mode, given, over)
    wanted = wanted or (main_event(mode), *means(mode, [measure.name for measure in mode.measures[:1]]))
    made, losses = comparison_sweep(Sweep(grid, wanted, **numbers))
    if len(Comparison(Table(made), wanted, losses).candidates) < 2:
        raise InputError(
            "there is one candidate only; give several units (knights,ogre-warriors,at=24), "
            "or --over FIELD=VALUES"
        )
    comparison = Comparison(run_table(made, given, workers), wanted, losses)
    if not comparison.lines:
        raise failure(comparison.table)
    draw(comparison.plot, picture)
    from mathhammer.cli.compared import comparison_blocks

    show(given, comparison.records, partial(comparison_blocks, comparison))
    tell_failures(comparison.table)


def needs(game: Game, mode: Mode, given: Given) -> None:
    """`mathhammer needs`: what a field must be, or without `--over` the worth of a step of each."""
    settings = (sweep_numbers_given, plot_given, chance_given, costs_given)
    asked = (partial(wanted_given, mode), partial(over_given, bare=True), refuse_output)
    numbers, picture, chance, costs, wanted, over, _ = read(given, *settings, *asked)
    one = one_chance("needs", mode, wanted)
    if chance is None and over:
        raise InputError("--chance is missing: the chance that is needed, such as --chance 0.8")
    made = Sweep(grid_given(game, mode, given, over), one, **numbers)
    if chance is None:
        worth = find_worth(made, costs)
        draw(worth.plot, picture)
        show(given, worth.records, partial(worth_blocks, worth))
        return
    if costs:
        raise InputError("--cost goes with the worth of a point, which is told without --over and --chance")
    unknown = _unknown(game, mode, made.grid, over)
    if picture:
        from mathhammer.analysis.decided import check_needs

        check_needs(made.grid, [axis.target for axis in made.grid.axes].index(unknown))
    found = find_needs(made, unknown, chance)
    draw(found.plot, picture)
    show(given, found.records, partial(needs_blocks, found))


def _unknown(game: Game, mode: Mode, grid: Grid, over: Over) -> Target:
    """What is looked for: the first of `--over`, else the only list of units."""
    if over:
        return find_target(game, mode, next(iter(over)))
    if len(grid.axes) != 1:
        raise InputError("--over FIELD is missing: what is looked for, such as --over at or --over at=6..30")
    return grid.axes[0].target


def army(game: Game, mode: Mode, given: Given) -> None:
    """`mathhammer army`."""
    limits = (
        partial(whole_given, "budget", 1, MOST_BUDGET),
        partial(word_given, "goal", get_args(Goal)),
        partial(whole_given, "team", 1, MOST_TEAM),
    )
    settings = (sweep_numbers_given, plot_given, workers_given, partial(wanted_given, mode))
    numbers, picture, workers, wanted, budget, goal, team, _ = read(given, *settings, *limits, refuse_output)
    one = one_chance("army", mode, wanted)
    campaign = campaign_given(game, mode, given, budget=budget, goal=goal, team=team)
    table = run_table(Sweep(campaign.fights(), one, **numbers), given, workers)
    planned = plan_army(campaign, table)
    draw(planned.plot, picture)
    from mathhammer.cli.armies import army_blocks

    show(given, planned.records, partial(army_blocks, planned))
    tell_failures(table)
