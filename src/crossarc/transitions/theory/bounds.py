"""How long a transition sequence can be, from what each transition uses up.

Propositions 6 to 9 and 11 of Gómez-Rodríguez & Nivre 2013 as one certificate: arcs, words on the stacks, and words in
the buffer are resources of known size; so are the pairs of words that SWAP can put in the wrong order, and the pairs
that SKIP can pass. If there are weights such that every transition uses up at least 1, weighted, then no sequence is
longer than the weighted sum of the resources. O(transitions) for each of a fixed number of weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import product as product_of
from itertools import zip_longest

from ..algebra import guards as g
from ..algebra.transition import Definition, Operation, Step, Transition


class Resource(Enum):
    """What transitions use up."""

    BUFFER = "shortens the buffer"
    ARCS = "adds an arc"
    WORDS = "drops a word"
    SWAPS = "swaps two words"
    SKIPS = "passes a word"


@dataclass(frozen=True)
class Polynomial:
    """A polynomial in n, the coefficients of higher powers last."""

    coefficients: tuple[Fraction, ...]

    def __add__(self, other: Polynomial) -> Polynomial:
        pairs = zip_longest(self.coefficients, other.coefficients, fillvalue=Fraction(0))
        return Polynomial(tuple(one + another for one, another in pairs))

    def __mul__(self, other: Polynomial) -> Polynomial:
        product = [Fraction(0)] * (len(self.coefficients) + len(other.coefficients) - 1)
        for (i, one), (j, another) in product_of(enumerate(self.coefficients), enumerate(other.coefficients)):
            product[i + j] += one * another
        return Polynomial(tuple(product))

    def __call__(self, n: int) -> int:
        """Return its value for n words, at least 0."""
        return max(0, int(sum(value * n**power for power, value in enumerate(self.coefficients))))

    @property
    def degree(self) -> int:
        """The highest power."""
        return max((power for power, value in enumerate(self.coefficients) if value), default=0)

    @property
    def growth(self) -> str:
        """O(n), O(n²), …."""
        return f"O({_power(self.degree) or 1})"

    def __str__(self) -> str:
        scale = max((value.denominator for value in self.coefficients), default=1)
        text = ""
        for power in range(self.degree, -1, -1):
            value = self.coefficients[power] * scale
            if value:
                sign = (" + " if value > 0 else " - ") if text else ("" if value > 0 else "-")
                text += f"{sign}{'' if abs(value) == 1 and power else abs(value)}{_power(power)}"
        return f"({text})/{scale}" if scale > 1 else text or "0"


def _power(power: int) -> str:
    return "" if power == 0 else "n" if power == 1 else f"n{'⁰¹²³⁴⁵⁶⁷⁸⁹'[power]}"


def _polynomial(*coefficients: int | Fraction) -> Polynomial:
    return Polynomial(tuple(map(Fraction, coefficients)))


_N = _polynomial(0, 1)
_PAIRS = _polynomial(0, Fraction(-1, 2), Fraction(1, 2))
#: Stands for n where a transition may lengthen the buffer without a limit: more than any number of steps.
_MUCH = 10**9
_HIGHEST = 8


@dataclass(frozen=True)
class Bound:
    """No transition sequence for n words is longer than `at_most(n)`; the artificial root counts as a word."""

    formula: Polynomial
    arcs: Polynomial
    arc_weight: Polynomial
    used: tuple[Resource, ...]

    def at_most(self, words: int) -> int:
        """Return the most transitions for so many words."""
        if words < 2:  # the formulas for arcs hold from two words on
            return (self.formula + self.arcs * self.arc_weight * _polynomial(-1))(words)
        return self.formula(words)

    @property
    def growth(self) -> str:
        """O(n) or O(n²)."""
        return self.formula.growth

    def __str__(self) -> str:
        return str(self.formula)

    def times(self, factor: int, more: int = 0) -> Bound:
        """Return the bound that is so many times as large, and some more."""
        each = _polynomial(factor)
        return Bound(self.formula * each + _polynomial(more), self.arcs, self.arc_weight * each, self.used)


def most_arcs(system: Definition, *, forest: bool, single_head: bool, planes: int | None) -> Polynomial:
    """Return how many arcs there can be on n > 1 words (2013, Lemma 4, for planar graphs)."""
    if forest:
        return _N + _polynomial(-1)
    if single_head:
        return _N
    labels = len(system.labels) if system.labels else 1
    directions = 1 if system.is_undirected else 2
    if planes is not None:
        return _polynomial(-3, 2) * _polynomial(directions * planes * labels)
    return _PAIRS * _polynomial(directions * labels)


def sequence_bound(system: Definition, arcs: Polynomial) -> Bound | None:
    """Return a bound on the length of transition sequences; None if none can be derived."""
    uses = [_uses(system, transition) for transition in system.transitions.values() if not _only_switches(transition)]
    sizes = {
        Resource.BUFFER: _N,
        Resource.ARCS: arcs,
        Resource.WORDS: _N * _polynomial(system.stacks),
        Resource.SWAPS: _PAIRS,
        Resource.SKIPS: _PAIRS + _N,  # once the buffer is empty, each word may be passed once more
    }
    growth = max([0, *(-use[Resource.BUFFER] for use in uses)])
    best: Bound | None = None
    for weights in product_of((0, 1), *[sorted({0, 1, 1 + growth})] * (len(Resource) - 1)):
        weight = dict(zip(Resource, weights, strict=True))
        if all(sum(weight[resource] * use[resource] for resource in Resource) >= 1 for use in uses):
            formulas = {
                key: _N + _polynomial(1) if value > _MUCH else _polynomial(value) for key, value in weight.items()
            }
            formula = sum((sizes[resource] * formulas[resource] for resource in Resource), _polynomial(0))
            used = tuple(resource for resource in Resource if weight[resource])
            bound = Bound(formula, arcs, formulas[Resource.ARCS], used)
            best = bound if best is None or _order(bound) < _order(best) else best
    if best is None or len(uses) == len(system.transitions):
        return best
    # Between two other transitions, and before and after them all, come at most k - 1 switches (Proposition 11).
    return best.times(system.stacks, system.stacks - 1)


def elementary_bound(system: Definition, bound: Bound | None) -> Bound | None:
    """Return a bound on the length of elementary transition sequences (2013, Proposition 9).

    None if none can be derived, or if a transition is composed of more steps the further on its position is.
    """
    if bound is None or any(step.repeat is not None for step in system.steps):
        return None
    return bound.times(max(len(transition.steps) for transition in system.transitions.values()))


def idle_transitions(system: Definition) -> list[str]:
    """Return the transitions that use up nothing, so that they may come again and again for ever."""
    return [
        name
        for name, transition in system.transitions.items()
        if not _only_switches(transition) and all(use <= 0 for use in _uses(system, transition).values())
    ]


def _order(bound: Bound) -> tuple[tuple[Fraction, ...], int]:
    coefficients = bound.formula.coefficients
    return (*[Fraction(0)] * (_HIGHEST - len(coefficients)), *reversed(coefficients)), len(bound.used)


def _only_switches(transition: Transition) -> bool:
    (step, *others) = transition.steps
    guarded = step.guard is not None and step.guard.implies(~g.switched_round)
    return step.operation is Operation.SWITCH and not others and guarded


def _uses(system: Definition, transition: Transition) -> dict[Resource, int]:
    """How much of each resource a transition uses up at least; the buffer may get longer, which is negative."""
    least = {
        operation: sum(_least(step) for step in transition.steps if step.operation is operation)
        for operation in Operation
    }
    return {
        Resource.BUFFER: _net_shifts(transition),
        Resource.ARCS: transition.arcs,
        Resource.WORDS: least[Operation.REDUCE],
        Resource.SWAPS: least[Operation.SWAP],
        Resource.SKIPS: least[Operation.SKIP] if _passes_each_pair_once(system) else 0,
    }


def _least(step: Step) -> int:
    return 1 if step.repeat is None else 1 + step.repeat.constant


def _net_shifts(transition: Transition) -> int:
    """How many more SHIFT than UNSHIFT there are, at the position p = 1 or whatever has fewest."""
    constant = slope = 0
    for step in transition.steps:
        sign = {Operation.SHIFT: 1, Operation.UNSHIFT: -1}.get(step.operation, 0)
        constant += sign * (1 if step.repeat is None else step.repeat.constant)
        slope += sign * (step.repeat is not None)
    return constant + slope if slope >= 0 else -_MUCH


def _passes_each_pair_once(system: Definition) -> bool:
    """Whether a stack word that was passed comes back only when there is another first word in the buffer."""
    if system.operations & {Operation.UNSHIFT, Operation.SWAP}:
        return False
    counted = (Operation.SHIFT, Operation.SKIP, Operation.JOIN)
    for transition in system.transitions.values():
        steps = [step for step in transition.steps if step.operation in counted]
        # SHIFT ** (P - 1) may be none at all.
        moves = [step.operation for step in steps if step.operation is not Operation.SHIFT or _least(step)]
        for index, operation in enumerate(moves):
            if operation is Operation.JOIN and moves[index + 1 : index + 2] != [Operation.SHIFT]:
                return False
    return True
