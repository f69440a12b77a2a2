"""Transition sequences: of one sentence to look at, and of a treebank to count.

A `Derivation` prints as a trace in the manner of Figure 3 of Gómez-Rodríguez & Nivre 2013, and Figure 6 for more than
one stack: the transition, and the configuration that it leads to. O(n) for each step shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ..._arrays import offsets_of
from ...errors import TransitionError
from ..running.configuration import Configuration
from ..running.machine import structures
from .gold import GoldArcs

if TYPE_CHECKING:
    from ..algebra.system import TransitionSystem


#: Transitions that are counted at once: numpy copies them to numbers of eight bytes.
_COUNTED = 1 << 20


class Step(NamedTuple):
    """A transition with its label and its position, where it takes them."""

    transition: str
    label: str | None = None
    position: int = 0

    def __str__(self) -> str:
        arguments = [str(self.position)] if self.position else []
        arguments += [self.label] if self.label is not None else []
        name = self.transition.upper().replace("_", "-")
        return f"{name}({', '.join(arguments)})" if arguments else name


@dataclass(frozen=True)
class Derivation:
    """The transitions that build a gold graph, or what can be built of it."""

    system: TransitionSystem
    root: str
    words: int
    steps: list[Step]
    #: Gold arcs that are not built.
    lost: list[tuple[int, int]]
    #: How many arcs are built that are not gold.
    added: int
    #: How it was found: by rule, search or beam.
    method: str
    forms: list[str] | None = None

    @property
    def complete(self) -> bool:
        """Whether the gold graph is built: every arc of it, and no other."""
        return not self.lost and not self.added

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def configurations(self) -> Iterator[Configuration]:
        """Return the configurations on the way, from the initial to the last."""
        configuration = Configuration(self.system, self.words, self.root)
        yield configuration.copy()
        for step in self.steps:
            yield configuration.apply(*step).copy()

    def final(self) -> Configuration:
        """Return the last configuration."""
        configuration = Configuration(self.system, self.words, self.root)
        for step in self.steps:
            configuration.apply(*step)
        return configuration

    def trace(self) -> str:
        """Return the steps and the configurations they lead to, one line each."""
        names = ["", *(f"{step} ⇒" for step in self.steps)]
        rows: list[list[str]] = []
        arcs_before = 0
        added = 0
        for configuration in self.configurations():
            arcs = configuration.arcs
            shown = f"A{added}" if added else "∅"
            if len(arcs) > arcs_before:
                union = f"A{added} ∪ " if added else ""
                added += 1
                shown = f"A{added} = {union}{{{', '.join(str(arc) for arc in arcs[arcs_before:])}}}"
                arcs_before = len(arcs)
            rows.append([*structures(self.system, configuration.describe()), shown])
        widths = [max(len(row[column]) + 1 for row in rows) for column in range(len(rows[0]) - 1)]
        first = max(len(name) for name in names)
        lines = [
            f"{name:>{first}} ("
            + " ".join(f"{part + ',':<{width}}" for part, width in zip(row, widths, strict=False))
            + f" {row[-1]})"
            for name, row in zip(names, rows, strict=True)
        ]
        return "\n".join(lines) + "\n"

    def __str__(self) -> str:
        return " ".join(str(step) for step in self.steps)


class Derivations:
    """The transition sequences of all sentences of a treebank, as arrays."""

    def __init__(self, system: TransitionSystem, root: str, gold: GoldArcs, arrays: dict[str, Any]) -> None:
        """Take the arrays of the kernel."""
        self.system = system
        self.root = root
        self._gold = gold
        #: The number of each transition in the order of definition, all sentences one after the other.
        self.transitions: NDArray[np.uint16] = arrays["transitions"]
        #: The position of each transition that takes one, else 0.
        self.positions: NDArray[np.int32] = self._numbers(arrays["positions"], 0)
        #: The label of each transition that takes one, else -1.
        self.labels: NDArray[np.int32] = self._numbers(arrays["labels"], -1)
        #: Where the transitions of each sentence begin.
        self.offsets: NDArray[np.int64] = arrays["offsets"]
        #: For each gold arc whether it is not built.
        self.lost: NDArray[np.bool_] = arrays["lost"].view(np.bool_)
        #: How many arcs that are not gold each sentence gets: some systems cannot leave a word without a head.
        self.added: NDArray[np.int32] = arrays["added"]
        #: How each sentence was derived: by rule, search or beam, as the numbers of the kernel's Method.
        self.methods: NDArray[np.uint8] = arrays["methods"]

    def _numbers(self, given: NDArray[np.int32], usual: int) -> NDArray[np.int32]:
        """Return one number for each transition, where the kernel gives none the usual one, in no memory."""
        return given if len(given) else np.broadcast_to(np.int32(usual), self.transitions.shape)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, sentence: int) -> Derivation:
        if not -len(self) <= sentence < len(self):
            raise IndexError(f"no sentence {sentence}: there are {len(self)}")
        sentence %= len(self)
        names = list(self.system.transitions)
        labels = self.system.labels or ()
        span = slice(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))
        steps = [
            Step(names[transition], labels[label] if label >= 0 and labels else None, position)
            for transition, label, position in zip(
                self.transitions[span].tolist(), self.labels[span].tolist(), self.positions[span].tolist(), strict=True
            )
        ]
        arcs = range(int(self._gold.arc_offsets[sentence]), int(self._gold.arc_offsets[sentence + 1]))
        lost = [self._gold.arc(arc) for arc in arcs if self.lost[arc]]
        forms = None if self._gold.forms is None else list(self._gold.forms)
        added = int(self.added[sentence])
        method = _kernel.Method(int(self.methods[sentence])).name
        return Derivation(self.system, self.root, int(self._gold.words[sentence]), steps, lost, added, method, forms)

    def __iter__(self) -> Iterator[Derivation]:
        return (self[sentence] for sentence in range(len(self)))

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which sentences are derived: every gold arc, and no other."""
        lost = np.diff(offsets_of(self.lost)[self._gold.arc_offsets])
        whole: NDArray[np.bool_] = (lost == 0) & (self.added == 0)
        return whole

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many transitions each sentence takes."""
        return np.diff(self.offsets)

    def counts(self) -> dict[str, int]:
        """Return how often each transition is done."""
        counted = np.zeros(len(self.system.transitions), np.int64)
        for start in range(0, len(self.transitions), _COUNTED):
            counted += np.bincount(self.transitions[start : start + _COUNTED], minlength=len(counted))
        return dict(zip(self.system.transitions, counted.tolist(), strict=True))

    def counts_by_sentence(self, transition: str) -> NDArray[np.int64]:
        """Return how often each sentence does a transition."""
        if transition not in self.system.transitions:
            known = ", ".join(self.system.transitions)
            raise TransitionError(f"{self.system.name} has no transition {transition!r}; it has {known}")
        number = list(self.system.transitions).index(transition)
        return np.diff(offsets_of(self.transitions == number)[self.offsets])

    def to_dict(self) -> dict[str, Any]:
        """Return the coverage and the counts."""
        words = int(self._gold.words.sum())
        transitions = len(self.transitions)
        complete = int(self.complete.sum())
        arcs = len(self.lost)
        built = arcs - int(self.lost.sum())
        methods = {method.name: int((self.methods == method).sum()) for method in _kernel.Method}
        return {
            "system": self.system.name,
            "root": self.root,
            "sentences": len(self),
            "words": words,
            "derivable_sentences": complete,
            "derivable_sentences_share": complete / len(self) if len(self) else 1.0,
            "arcs": arcs,
            "built_arcs": built,
            "built_arcs_share": built / arcs if arcs else 1.0,
            "transitions": transitions,
            "transitions_per_word": transitions / words if words else 0.0,
            "counts": self.counts(),
            "methods": methods,
        }

    def __repr__(self) -> str:
        return f"<{self.system.name}: transition sequences of {len(self):,} sentences>"
