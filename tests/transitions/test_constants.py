"""What Python and the kernel both know has one definition: codes, limits, and what a system may ask for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from crossarc import _kernel
from crossarc.transitions import (
    LEFT_ARC,
    REDUCE,
    SHIFT,
    UNSHIFT,
    Operation,
    P,
    Transition,
    TransitionError,
    TransitionSystem,
    systems,
)
from crossarc.transitions.algebra import compiled
from crossarc.transitions.algebra.guards import Fact


def test_operations_and_facts_are_those_of_the_kernel() -> None:
    assert {one.name: one.value for one in Operation} == {one.name: one.value for one in _kernel.Operation}
    assert {one.name: one.value for one in Fact} == {one.name: one.value for one in _kernel.Fact}


def test_the_kernel_knows_no_other() -> None:
    """One past the last operation and the last fact are refused."""
    with pytest.raises(ValueError, match="unknown elementary transition"):
        _kernel.make_program(1, [[(len(Operation), 0, 1, 0, [])]], 0)
    with pytest.raises(ValueError, match="unknown fact"):
        _kernel.make_program(1, [[(Operation.SHIFT, 0, 1, 0, [(1 << len(Fact), 0)])]], 0)
    everything = sum(1 << fact for fact in Fact)
    _kernel.make_program(1, [[(max(Operation), 0, 1, 0, [(everything, 0)])]], 0)


@pytest.mark.parametrize(
    ("widest", "wider", "message"),
    [
        (lambda: LEFT_ARC.at(_kernel.MOST_DEPTH), lambda: LEFT_ARC.at(_kernel.MOST_DEPTH + 1), "from 0 to 7, not 8"),
        (lambda: SHIFT**_kernel.MOST_STEPS, lambda: SHIFT ** (_kernel.MOST_STEPS + 1), "from 1 to 64, not 65"),
        (
            lambda: SHIFT ** (P + _kernel.MOST_REPEATS) >> UNSHIFT ** (P + (_kernel.MOST_REPEATS - 1)),
            lambda: SHIFT ** (P + (_kernel.MOST_REPEATS + 1)),
            "at most 1000 may be added to P",
        ),
    ],
)
def test_limits_of_transitions_are_the_same_on_both_sides(
    widest: Callable[[], Transition], wider: Callable[[], Transition], message: str
) -> None:
    """What the algebra takes, the kernel runs; one more, and the algebra says so."""
    assert compiled(TransitionSystem("widest", shift=SHIFT, reduce=REDUCE, one=widest()))
    with pytest.raises(TransitionError, match=message):
        wider()


def test_the_kernel_has_the_limits_itself() -> None:
    shift: tuple[int, int, int, int, list[tuple[int, int]]] = (Operation.SHIFT, 0, 1, 0, [])
    with pytest.raises(ValueError, match="depth is out of range"):
        _kernel.make_program(1, [[(Operation.REDUCE, _kernel.MOST_DEPTH + 1, 1, 0, [])]], 0)
    with pytest.raises(ValueError, match="number of steps"):
        _kernel.make_program(1, [[shift] * (_kernel.MOST_STEPS + 1)], 0)
    with pytest.raises(ValueError, match="a step is repeated"):
        _kernel.make_program(1, [[(Operation.SHIFT, 0, _kernel.MOST_REPEATS + 1, 1, [])]], 0)
    with pytest.raises(ValueError, match="number of stacks"):
        _kernel.make_program(_kernel.MOST_STACKS + 1, [[shift]], 0)


def test_the_limit_of_stacks() -> None:
    assert compiled(systems.planar.with_stacks(_kernel.MOST_STACKS))
    with pytest.raises(TransitionError, match="from 1 to 255, not 256"):
        systems.planar.with_stacks(_kernel.MOST_STACKS + 1)


def test_defining_a_system_stays_cheap() -> None:
    """Neither numpy nor what runs systems is imported for it."""
    code = (
        "import sys\n"
        "from crossarc.transitions import SHIFT, TransitionSystem, systems\n"
        "assert TransitionSystem('mine', shift=SHIFT).properties().robust\n"
        "assert systems.get('2-planar').notation()\n"
        "late = ('numpy', 'crossarc.transitions.running', 'crossarc.transitions.oracles')\n"
        "print([name for name in late if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
