"""The elementary transitions, from which all others are composed.

The five of Section 3 of Gómez-Rodríguez & Nivre 2013, and what the systems beyond them need. A configuration has k
stacks (one of them active), a buffer and arcs; for Covington's algorithm (Nivre 2008) the stack is the list λ1, and a
second list λ2 lies beside it. i is the top of the active stack, j the first word of the buffer.
"""

from __future__ import annotations

from .transition import Operation, Position, Step, Transition


def _elementary(operation: Operation) -> Transition:
    return Transition((Step(operation),))


#: j goes on all stacks.
SHIFT = _elementary(Operation.SHIFT)
#: The top word, if it is that of all stacks, goes back to the front of the buffer.
UNSHIFT = _elementary(Operation.UNSHIFT)
#: i leaves the active stack; `REDUCE.at(d)`: the word at depth d does.
REDUCE = _elementary(Operation.REDUCE)
#: j → i, unless that arc is there or i is the artificial root; `.at(d)`: to the word at depth d.
LEFT_ARC = _elementary(Operation.LEFT_ARC)
#: i → j, unless that arc is there or j is the artificial root; `.at(d)`: from the word at depth d.
RIGHT_ARC = _elementary(Operation.RIGHT_ARC)
#: A link between i and j without direction (Gómez-Rodríguez & Fernández-González 2012), unless it is there.
ARC = _elementary(Operation.ARC)
#: The next stack becomes the active one.
SWITCH = _elementary(Operation.SWITCH)
#: i and j change places, if i comes before j in the sentence and neither is the artificial root (Nivre 2009).
SWAP = _elementary(Operation.SWAP)
#: i goes from the end of λ1 to the front of λ2.
SKIP = _elementary(Operation.SKIP)
#: λ1 becomes λ1·λ2, and λ2 empty.
JOIN = _elementary(Operation.JOIN)
#: λ2 becomes empty; its words are dropped.
CLEAR = _elementary(Operation.CLEAR)
#: The position of a transition that comes in one form for each position 1, 2, … of the sentence.
P = Position()
