"""What a parser in training is told: which transitions are right, wherever it has got to.

Those that lose the fewest gold arcs (Goldberg & Nivre 2013), where it is known how to count them, else the one that the
rule of the system's oracle asks for. O(transitions · words).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import ParserError
from ...transitions import Configuration
from ...transitions.oracles import Rule, knowledge_of, roles_of


def right_transitions(configuration: Configuration, heads: Sequence[int], *, free_planes: bool = False) -> list[str]:
    """Return the transitions that are right in a configuration for a gold tree, of which 0 is the root.

    `free_planes`: on two stacks, whichever plane an arc comes to is right, as for networks and treebanks in which arcs
    often cross.

    >>> from crossarc.transitions.algebra import systems
    >>> configuration = systems.get("2-planar").start(4).apply("shift").apply("shift")
    >>> right_transitions(configuration, [3, 4, 0, 3])
    ['reduce']
    >>> right_transitions(configuration, [3, 4, 0, 3], free_planes=True)
    ['reduce', 'switch']
    """
    system = configuration.system
    known = knowledge_of(system)
    if known.rule is Rule.NONE:
        raise ParserError(
            f"{system.name}: no rule says what is right in any configuration; training follows derivations"
        )
    gold = np.asarray(heads, np.int32)
    if gold.shape != (configuration.words,):
        raise ParserError(f"the configuration has {configuration.words} words: give as many heads")
    dependents = np.arange(1, len(gold) + 1, dtype=np.int32)
    kept = gold >= (1 if configuration.root == "none" else 0)
    try:
        right = configuration.machine.right_transitions(
            gold[kept],
            dependents[kept],
            int(known.rule),
            roles_of(system),
            int(known.teaching_reach),
            known.guarantees,
            free_planes,
        )
    except ValueError as error:
        raise ParserError(f"{heads}: {error}") from error
    return [name for name, is_right in zip(system.transitions, right, strict=False) if is_right]
