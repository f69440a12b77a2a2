"""Many sentences parsed in lockstep by a scorer that lives in Python: an SVM, a memory-based one, a torch network.

`features()` says what is seen in every unfinished sentence, `legal()` what may be done, `costs()` what is right (the
dynamic oracle of Goldberg & Nivre 2013, as in training of the native models), `gold_labels()` how the arcs of chosen
actions are labelled, and `apply()` does one action in each. All arrays have a row for each unfinished sentence, in the
order of `unfinished()`. Native (kernel/search/lockstep.hpp), with threads, without the global interpreter lock:
O(atoms + transitions) for each sentence and step, costs O(transitions · words).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import Flags, Ids, Offsets, Values
from .._kernel import Refusal
from ..errors import TransitionError
from ..features import Vocabularies, compile_templates
from ..features.templates import parse_template, word_attributes
from ..features.vocabularies import EVERY_FEATURE, ONE_FEATURE
from ..options import checked_threads
from ..structure.arcs import Arcs
from ..transitions import TransitionSystem
from ..transitions.algebra import checked_root, compiled
from ..transitions.oracles import GoldArcs, OracleSupport
from ..transitions.running import NO_LABEL


class Lockstep:
    """A batch of sentences, each in a configuration of one system.

    >>> from crossarc.transitions.algebra import systems
    >>> from crossarc.transitions.oracles import GoldArcs
    >>> system = systems.get("arc-eager")
    >>> batch = Lockstep(system, ["s0.upos+b0.upos", "distance(s0,b0)"], Vocabularies({"upos": ["DET", "NOUN"]}))
    >>> batch.atoms
    ('s0.upos', 'b0.upos', 'distance(s0,b0)')
    >>> batch.start([0, 2], [[3], [4]], gold=GoldArcs.from_tree([2, 0], system, "first"))
    >>> batch.features().tolist()
    [[0, 2, 0]]
    >>> while not batch.finished():
    ...     actions = (batch.costs() == 0).argmax(axis=1)
    ...     batch.apply(actions, batch.gold_labels(actions))
    >>> batch.arcs().heads.tolist(), batch.arcs().dependents.tolist()
    ([2, 0], [1, 2])
    """

    def __init__(
        self,
        system: TransitionSystem,
        templates: Sequence[str],
        columns: Vocabularies,
        *,
        root: str = "first",
        free_planes: bool = False,
        static: bool = False,
        threads: int = 0,
    ) -> None:
        """Take a system and what is to be seen: the atoms of feature templates over columns of words.

        `root` says where the artificial root stands. `free_planes`: on two stacks, whichever plane an arc comes to is
        right. `static`: costs are those of the static oracle, which calls one derivation right; with gold arcs, `apply`
        then takes nothing else. `threads`: how many work, 0 for as many as there are cores. The batch itself is for one
        thread.
        """
        system.require_bounded()
        self.system = system
        self.root = checked_root(root)
        self.columns = columns
        #: What the last axis of `features()` stands for.
        self.atoms = _atoms_of(templates, columns.names)
        threads = checked_threads(threads)
        features = compile_templates(self.atoms, columns.names)
        try:
            oracle = OracleSupport.from_system(system).training_oracle(free_planes=free_planes, static=static)
            self._steps = _kernel.Lockstep(
                compiled(system),
                oracle,
                artificial_root=self.root,
                features=(features.addresses, features.atoms, []),
                threads=threads,
            )
        except ValueError as error:
            raise TransitionError(f"{system.name}: {error}") from error

    def start(
        self,
        word_offsets: ArrayLike,
        values: ArrayLike,
        *,
        gold: GoldArcs | None = None,
        sentences: ArrayLike | None = None,
    ) -> None:
        """Put sentences into their initial configurations.

        `word_offsets` says where the words of each sentence begin and the last ones end, `values` has a row for each
        word, as `Vocabularies.values` gives them. `gold` are the arcs that are right, if `costs` and `gold_labels` are
        to be asked for; those from 0 do not count where there is no artificial root. `sentences`: which ones of all of
        these, in this order; all of them if nothing is said.
        """
        offsets = np.ascontiguousarray(word_offsets, np.int64)
        table = np.ascontiguousarray(values, np.uint32)
        if offsets.ndim != 1 or not len(offsets):
            raise TransitionError("word_offsets is a list of numbers, one more than there are sentences")
        if table.shape != (int(offsets[-1]), len(self.columns.names)):
            wanted = f"{int(offsets[-1])} words and {len(self.columns.names)} columns"
            raise TransitionError(f"values should have {wanted}, not the shape {table.shape}")
        chosen = np.ascontiguousarray(range(len(offsets) - 1) if sentences is None else sentences, np.int32)
        if chosen.ndim != 1 or (len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(offsets) - 1):
            raise TransitionError(f"sentences are numbers from 0 to {len(offsets) - 2}")
        arrays = None
        if gold is not None:
            if not np.array_equal(gold.words, np.diff(offsets)):
                raise TransitionError("the gold arcs are those of sentences of other lengths")
            arrays = (gold.arc_offsets, gold.heads, gold.dependents, gold.labels)
        try:
            self._steps.start(offsets, table, chosen, arrays)
            self._word_offsets: Offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(offsets)[chosen])])
        except ValueError as error:
            raise TransitionError(f"{self.system.name}: {error}") from error

    @property
    def explores(self) -> bool:
        """Whether it is known what is right in any configuration.

        Where it is not, or with the static oracle, costs follow a derivation that was made beforehand: with gold arcs,
        `apply` takes what costs nothing and refuses everything else.
        """
        return self._steps.is_dynamic

    @property
    def moves(self) -> Ids:
        """A row for each action: the number of its transition and its position, 0 where it takes none.

        In easy-first, scores of (rows, positions, transitions) become scores of actions by
        `scores[:, moves[:, 1], moves[:, 0]]`.
        """
        program = compiled(self.system)
        return np.array([program.transition_of(action) for action in range(self._steps.actions)], np.int32)

    def unfinished(self) -> Ids:
        """Return which of the sentences that were started each row is: those in which something is left to do."""
        return self._steps.unfinished()

    def finished(self) -> bool:
        """Whether all sentences are finished."""
        return not len(self._steps.unfinished())

    def features(self) -> Values:
        """Return the values of atoms: rows × atoms; in easy-first rows × positions × atoms.

        0 is no word there. Values of columns are those that `start` got, 2 for the artificial root; of everything else
        they are those of `crossarc.features.look`.
        """
        values = self._steps.features()
        if self.system.chooses_position:
            return values.reshape(-1, self._steps.positions, len(self.atoms))
        return values.reshape(-1, len(self.atoms))

    def legal(self) -> Flags:
        """Return which actions are legal: rows × actions."""
        return self._steps.legal().view(np.bool_).reshape(-1, self._steps.actions)

    def crossing(self) -> Flags:
        """Return which legal actions let arcs cross: rows × actions.

        SWAP, arcs to words below the top of the stack; on several stacks and in lists arcs that cross one that exists.
        """
        return self._steps.crossing().view(np.bool_).reshape(-1, self._steps.actions)

    def costs(self) -> Ids:
        """Return what is right: rows × actions, 0 for right, 1 for wrong, -1 for not legal.

        Right is what `crossarc.parsers.transition.targets.right_transitions` says: what loses the fewest gold arcs
        where that can be counted, else what the oracle of the system does next.
        """
        try:
            return self._steps.costs().reshape(-1, self._steps.actions)
        except ValueError as error:
            raise TransitionError(f"no costs: {error}") from error

    def gold_labels(self, actions: ArrayLike) -> Ids:
        """Return the label of the gold arc that the action of each row adds, NO_LABEL if it adds none."""
        chosen = self._checked_rows(actions, "action")
        try:
            return self._steps.gold_labels(chosen)
        except ValueError as error:
            raise TransitionError(f"no labels: {error}") from error

    def apply(self, actions: ArrayLike, labels: ArrayLike | None = None) -> None:
        """Do one action in each row, with a label for its arc; all of them or, if one is refused, none."""
        chosen = self._checked_rows(actions, "action")
        rows = len(chosen)
        named = np.full(rows, NO_LABEL, np.int32) if labels is None else self._checked_rows(labels, "label")
        if rows and named.min() < NO_LABEL:
            raise TransitionError("a label is a number from 0 on, or NO_LABEL")
        refused = self._steps.apply(chosen, named)
        if refused is not None:
            row, reason = refused
            self._refuse(row, reason, int(chosen[row]), int(named[row]))

    def arcs(self) -> Arcs:
        """Return the arcs built so far in all sentences that were started, each in the order of building."""
        offsets, heads, dependents, labels = self._steps.arcs()
        return Arcs(heads, dependents, labels, offsets, self._word_offsets)

    def _checked_rows(self, given: ArrayLike, what: str) -> Ids:
        chosen = np.ascontiguousarray(given, np.int32)
        rows = len(self._steps.unfinished())
        if chosen.shape != (rows,):
            raise TransitionError(f"there are {rows} unfinished sentences: one {what} for each is needed")
        return chosen

    def _refuse(self, row: int, reason: Refusal, action: int, label: int) -> None:
        shown = self._name_of(action) if 0 <= action < self._steps.actions else f"action {action}"
        where = f"in sentence {int(self._steps.unfinished()[row])}"
        if reason is Refusal.LABEL_NOT_LEGAL:
            raise TransitionError(f"{shown} {where}: its arc is there already with label {label}")
        derived = reason is Refusal.NOT_DERIVED
        options = np.flatnonzero(self.costs()[row] == 0 if derived else self.legal()[row])
        named = ", ".join(self._name_of(int(option)) for option in options)
        if derived:
            raise TransitionError(
                f"{shown} is not right {where}: costs are those of one derivation of {self.system.name}, so that with "
                f"gold arcs only what is right can be done: {named}"
            )
        raise TransitionError(f"{shown} is not legal {where}; {self.system.name} allows {named} there")

    def _name_of(self, action: int) -> str:
        transition, position = compiled(self.system).transition_of(action)
        name = list(self.system.transitions)[transition]
        return f"{name}({position})" if position else name


def _atoms_of(templates: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the atoms of templates as text, each once; single features that are no columns are left out."""
    features = [name for name in columns if name.startswith(ONE_FEATURE)]
    missing = [name for name in word_attributes(templates) if name not in columns and not name.startswith(ONE_FEATURE)]
    if missing:
        raise TransitionError(f"the templates name {missing[0]}, but the columns are {', '.join(columns) or 'none'}")
    found: dict[str, None] = {}
    for template in templates:
        for atom in parse_template(template):
            named = [atom.attribute] if atom.attribute in features else []
            single = features if atom.attribute == EVERY_FEATURE else named
            names = single if atom.attribute.startswith(ONE_FEATURE) else [atom.attribute]
            found |= dict.fromkeys(str(replace(atom, attribute=name)) for name in names)
    return tuple(found)
