"""Oracles: the transitions that build a gold graph, for every system.

By rule where a paper gives one (Gómez-Rodríguez & Nivre 2010, Sections 4.3 and 5; Nivre 2008, 2009; Nivre, Kuhlmann &
Hall 2009), else by a search over the system's own transitions that adds only gold arcs and never lets a word go while
arcs of it are pending. What a system cannot derive is built as far as can be found, and the arcs that are lost are
named: for projective systems the projective tree with the most gold arcs (exactly), for planar ones the most arcs that
do not cross (exactly), for k-planar ones few arcs whose loss leaves k planes enough, for others a beam search. Native
over whole treebanks, with threads; O(transitions) where the graph is in the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ..._kernel import Reach, Rule
from ...errors import TransitionError
from ...options import checked_threads
from ..algebra.serialisation import compiled
from ..algebra.system import checked_root
from .derivation import Derivation, Derivations
from .gold import GoldArcs
from .support import OracleSupport

if TYPE_CHECKING:
    from ...treebank import Treebank
    from ..algebra.system import TransitionSystem
    from ..running.configuration import Configuration
    from .gold import GoldTree

METHODS = ("auto", "rule", "search")
ORDERS = {"eager": Rule.SWAP_EAGER, "lazy": Rule.SWAP_LAZY}

_WIDTH = 16
_BUDGET = 20_000


class Oracle:
    """What to do in order to build one gold graph.

    >>> from crossarc.transitions import systems
    >>> oracle = Oracle(systems.get("arc-standard"), [2, 0])
    >>> str(oracle.derivation), oracle.derivation.lost
    ('SHIFT LEFT-ARC SHIFT', [])
    """

    def __init__(
        self,
        system: TransitionSystem,
        gold: GoldTree,
        *,
        root: str = "none",
        method: str = "auto",
        order: str | None = None,
        planes: Sequence[int] | None = None,
    ) -> None:
        """Take a sentence, a tree, a graph or a list of heads as gold.

        `root` is where the artificial root stands: "none", "first" or "last". `method` is the "rule" of the papers, the
        "search" that every system has, or "auto", the rule if there is one.
        `order` is when a system with SWAP swaps, "eager" or "lazy"; by default eager, for swap-lazy lazy.
        `planes` gives the plane of each arc, from 0, for a system with several stacks; else planes are chosen so that
        SWITCH is needed as rarely as can be.
        """
        self.system = system
        self.root = checked_root(root)
        self._gold = GoldArcs.from_tree(gold, system, self.root)
        self._derivations = _derive(system, self._gold, self.root, method, order, planes, 1)

    @property
    def derivation(self) -> Derivation:
        """The transitions, and the arcs that are lost."""
        return self._derivations[0]

    def costs(self, configuration: Configuration) -> dict[str, int]:
        """Return, for every legal transition, how many gold arcs it puts out of reach.

        Exact for arc-eager, arc-hybrid, planar and Covington, the last two also without direction, for gold trees of
        their class (the dynamic oracles of Goldberg & Nivre 2013 and Gómez-Rodríguez & Fernández-González 2015); for
        other systems by a search with a beam, relative to the best transition. A transition with a position is named
        with it, as in attach_left(2).
        """
        if configuration.system != self.system or configuration.root != self.root:
            raise TransitionError(
                f"the oracle is for {self.system.name} with artificial root {self.root!r}, the configuration of "
                f"{configuration.system.name} with {configuration.root!r}"
            )
        if configuration.words != int(self._gold.words[0]):
            raise TransitionError(
                f"the gold tree has {int(self._gold.words[0])} words, the configuration {configuration.words}"
            )
        support = OracleSupport.from_system(self.system)
        oracle = support.training_oracle(reach=support.reach)
        costs = configuration.machine.count_costs(self._gold.heads, self._gold.dependents, oracle, _WIDTH)
        names = (configuration.machine.name_of(action) for action in range(len(costs)))
        shown = (f"{name}({position})" if position else name for name, position in names)
        return {name: int(cost) for name, cost in zip(shown, costs, strict=True) if cost >= 0}

    @property
    def exact_costs(self) -> bool:
        """Whether `costs` is exact for gold trees of the system's class."""
        return OracleSupport.from_system(self.system).reach is not Reach.UNKNOWN


def derive(
    system: TransitionSystem,
    treebank: Treebank,
    *,
    root: str = "none",
    method: str = "auto",
    order: str | None = None,
    threads: int = 0,
) -> Derivations:
    """Return the transition sequences of all sentences of a treebank; the options are those of `Oracle`."""
    where = checked_root(root)
    return _derive(system, GoldArcs.from_treebank(treebank, system, where), where, method, order, None, threads)


def derive_arcs(system: TransitionSystem, gold: GoldArcs, *, root: str = "none", threads: int = 0) -> Derivations:
    """Return the transition sequences of sentences whose arcs are given, as `GoldArcs.from_treebank` gives them."""
    return _derive(system, gold, checked_root(root), "auto", None, None, threads)


def _derive(
    system: TransitionSystem,
    gold: GoldArcs,
    root: str,
    method: str,
    order: str | None,
    planes: Sequence[int] | None,
    threads: int,
) -> Derivations:
    if method not in METHODS:
        raise TransitionError(f"the method of an oracle is one of {', '.join(METHODS)}, not {method!r}")
    if order is not None and order not in ORDERS:
        raise TransitionError(f"the order of an oracle is one of {', '.join(ORDERS)}, not {order!r}")
    system.require_bounded()
    support = OracleSupport.from_system(system)
    rule = support.rule
    if method == "rule" and rule is Rule.NONE:
        raise TransitionError(f"no paper gives a rule for {system.name}: use the search")
    if method == "search":
        rule = Rule.NONE
    if order is not None and rule in ORDERS.values():
        rule = ORDERS[order]
    threads = checked_threads(threads)
    try:
        arrays = _kernel.derive(
            compiled(system),
            root,
            gold.words,
            gold.arc_offsets,
            gold.heads,
            gold.dependents,
            gold.labels,
            _plane_array(planes, system, len(gold.heads)),
            support.training_oracle(rule=rule),
            _WIDTH,
            _BUDGET,
            threads,
        )
    except ValueError as error:  # among others, sequences that are too long to be kept
        raise TransitionError(f"{system.name}: {error}") from error
    return Derivations(system, root, gold, arrays)


def _plane_array(planes: Sequence[int] | None, system: TransitionSystem, arcs: int) -> NDArray[np.int32]:
    if planes is None:
        return np.zeros(0, np.int32)
    given = np.asarray(planes, np.int32)
    if given.shape != (arcs,):
        raise TransitionError(f"{arcs} arcs need as many planes, not {given.size}")
    if given.size and not 0 <= given.min() <= given.max() < system.stacks:
        raise TransitionError(f"{system.name} has planes 0 to {system.stacks - 1}")
    return np.ascontiguousarray(given)
