"""mathhammer: combat probabilities for tabletop miniature wargames, simulated and exact side by side.

    import mathhammer
    result = mathhammer.simulate("kow", "melee", "ogre-warriors", "foot-guard", facing="flank")
    result.probability("rout"), result.frame(), result.plot()

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mathhammer.core.version import VERSION

if TYPE_CHECKING:
    from mathhammer.analysis.question import Question as Question
    from mathhammer.analysis.result import Result as Result
    from mathhammer.api import army as army
    from mathhammer.api import compare as compare
    from mathhammer.api import dice as dice
    from mathhammer.api import exact as exact
    from mathhammer.api import needs as needs
    from mathhammer.api import question as question
    from mathhammer.api import simulate as simulate
    from mathhammer.api import sweep as sweep
    from mathhammer.api import unit as unit
    from mathhammer.api import worth as worth
    from mathhammer.core.errors import InputError as InputError

__version__ = VERSION
__all__ = [
    "InputError",
    "Question",
    "Result",
    "__version__",
    "army",
    "compare",
    "dice",
    "exact",
    "needs",
    "question",
    "simulate",
    "sweep",
    "unit",
    "worth",
]

_HOMES = {
    "simulate": "mathhammer.api",
    "exact": "mathhammer.api",
    "question": "mathhammer.api",
    "unit": "mathhammer.api",
    "dice": "mathhammer.api",
    "sweep": "mathhammer.api",
    "compare": "mathhammer.api",
    "needs": "mathhammer.api",
    "worth": "mathhammer.api",
    "army": "mathhammer.api",
    "Question": "mathhammer.analysis.question",
    "Result": "mathhammer.analysis.result",
    "InputError": "mathhammer.core.errors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mathhammer' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
