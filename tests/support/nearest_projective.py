"""The projective tree that has most arcs in common with a tree, by Eisner's program, plain and slow.

Arcs of the tree weigh most, then those from grandparents, great-grandparents and their heads. Of equal splits the first
is taken: models depend on which tree comes out.
"""

from __future__ import annotations

from collections.abc import Sequence

RIGHT, LEFT, RIGHT_ARC, LEFT_ARC = range(4)
#: The kind and the ends of a span: the head at the left or right end of a complete span, or of the arc over it.
Item = tuple[int, int, int]


def weights(heads: Sequence[int]) -> dict[tuple[int, int], int]:
    """What an arc (head, dependent) weighs; 0 if it is not here."""
    found = {}
    for word, head in enumerate(heads, 1):
        found[head, word] = 4 * (len(heads) + 1)
        for gain in (3, 2, 1):
            if head == 0:
                break
            head = heads[head - 1]
            found[head, word] = gain
    return found


def nearest_projective(heads: Sequence[int]) -> list[int]:
    weight, last = weights(heads), len(heads)
    score: dict[Item, float] = {(kind, place, place): 0 for kind in (RIGHT, LEFT) for place in range(last + 1)}
    split_of: dict[Item, int] = {}

    def choose(item: Item, splits: dict[int, float], more: float = 0) -> None:
        split_of[item] = max(splits, key=lambda split: splits[split])  # the first of equal ones
        score[item] = splits[split_of[item]] + more

    for length in range(1, last + 1):
        for left in range(last + 1 - length):
            right = left + length
            between = range(left, right)
            inside = {split: score[RIGHT, left, split] + score[LEFT, split + 1, right] for split in between}
            choose((RIGHT_ARC, left, right), inside, weight.get((left, right), 0))
            above_the_root = float("-inf") if left == 0 else 0
            choose((LEFT_ARC, left, right), inside, weight.get((right, left), 0) + above_the_root)
            choose(
                (LEFT, left, right),
                {split: score[LEFT, left, split] + score[LEFT_ARC, split, right] for split in between},
            )
            choose(
                (RIGHT, left, right),
                {split + 1: score[RIGHT_ARC, left, split + 1] + score[RIGHT, split + 1, right] for split in between},
            )
    return _trace(split_of, last)


def _trace(split_of: dict[Item, int], last: int) -> list[int]:
    heads = [0] * last
    waiting = [(RIGHT, 0, last)]
    while waiting:
        item = kind, left, right = waiting.pop()
        if left == right:
            continue
        split = split_of[item]
        if kind == RIGHT:
            waiting += [(RIGHT_ARC, left, split), (RIGHT, split, right)]
        elif kind == LEFT:
            waiting += [(LEFT, left, split), (LEFT_ARC, split, right)]
        else:
            head, dependent = (left, right) if kind == RIGHT_ARC else (right, left)
            heads[dependent - 1] = head
            waiting += [(RIGHT, left, split), (LEFT, split + 1, right)]
    return heads
