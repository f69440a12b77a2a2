"""Memory-based classification written plainly: every training example is compared with every question.

Distances are added up in the order that the index has, so that they are the same numbers.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

SAME = 1e-12
EPSILON = 2.0**-52


class Settings(NamedTuple):
    nearest: int
    threshold: int
    overlap: bool
    inverse_distance: bool
    weights: list[float]
    order: list[int]


class PlainMemory:
    def __init__(self, rows: list[list[int]], classes: list[int], settings: Settings) -> None:
        self.rows, self.classes, self.settings = rows, classes, settings
        self.seen: list[dict[int, Counter[int]]] = []
        for feature in range(len(rows[0])):
            own: dict[int, Counter[int]] = {}
            for row, one in zip(rows, classes, strict=True):
                own.setdefault(row[feature], Counter())[one] += 1
            self.seen.append(own)

    def value_distance(self, feature: int, one: int, other: int) -> float:
        if one == other and one in self.seen[feature]:
            return 0.0
        left, right = (self.seen[feature].get(value, Counter()) for value in (one, other))
        least = self.settings.threshold
        if self.settings.overlap or left.total() < least or right.total() < least:
            return 1.0
        return sum(abs(left[c] / left.total() - right[c] / right.total()) for c in left | right) / 2

    def neighbours(self, question: list[int], count: int) -> list[tuple[float, list[int]]]:
        """The examples at the `count` smallest different distances."""
        distances = []
        for number, row in enumerate(self.rows):
            total = 0.0
            for feature in self.settings.order:
                weight = self.settings.weights[feature]
                total += weight * self.value_distance(feature, question[feature], row[feature])
            distances.append((total, number))
        groups: list[tuple[float, list[int]]] = []
        for distance, number in sorted(distances):
            if not groups or distance > groups[-1][0] + SAME:
                groups.append((distance, []))
            groups[-1][1].append(number)
        return [(distance, sorted(members)) for distance, members in groups[:count]]

    def accepts(self, question: list[int], ranking: list[int]) -> bool:
        """Whether classes are ranked by votes, then by those of one distance more, then by number.

        Votes by inverse distance are sums of fractions, which differ in the last digits with their order: classes whose
        votes do not differ by more may come in any order, but those without votes.
        """
        votes = self.votes(question, len(ranking))

        def in_order(first: int, second: int) -> bool:
            for own in votes:
                if abs(own[first] - own[second]) > 1e-9 * max(1.0, own[first]):
                    return own[first] > own[second]
                if self.settings.inverse_distance and own[first] > 0:
                    return True
            return first < second or votes[1][first] > 0

        return all(in_order(*pair) for pair in pairwise(ranking))

    def votes(self, question: list[int], classes: int) -> list[list[float]]:
        """The votes of the nearest for each class, and those of one distance more."""
        votes: list[list[float]] = []
        for count in (self.settings.nearest, self.settings.nearest + 1):
            own = [0.0] * classes
            for distance, members in self.neighbours(question, count):
                each = 1 / (distance + EPSILON) if self.settings.inverse_distance else 1.0
                for one, number in Counter(self.classes[member] for member in members).items():
                    own[one] += number * each
            votes.append(own)
        return votes
