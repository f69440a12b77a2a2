"""The values of feature templates as numbers, one column for each template: what classifiers read of a configuration.

The value of a template is the combination of the values of its atoms, which the lockstep gives. Different values in
training are numbered from 1 on; 0 is a value that training did not have, or had too rarely. A template of several atoms
is told apart by a hash of 64 bits. O(rows · atoms + rows · log values).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..._arrays import AnyArray, Values
from ..._kernel import FeatureAttribute
from ...features import FeatureSet, compile_templates
from ..model_file import Arrays, array_of

Keys = NDArray[np.uint64]

_RELATIONS = (FeatureAttribute.distance, FeatureAttribute.linked)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True)
class TemplateAtoms:
    """Which columns of atoms each template combines, and which of these say nothing where they are 0."""

    members: tuple[tuple[int, ...], ...]
    optional: tuple[tuple[int, ...], ...]

    @classmethod
    def from_templates(cls, templates: Sequence[str], atoms: Sequence[str], attributes: Sequence[str]) -> TemplateAtoms:
        """Return those of templates over the atoms of a lockstep; `feats:*` is extended to every feature."""
        places = {atom: place for place, atom in enumerate(_resolved(compile_templates(atoms, attributes)))}
        features = compile_templates(templates, attributes)
        resolved = _resolved(features)
        members, optional = [], []
        for one in features.templates:
            members.append(tuple(places[resolved[atom]] for atom in one))
            kinds = (features.atoms[atom][1] == FeatureAttribute.optional_column for atom in one)
            optional.append(tuple(place for place, kind in zip(members[-1], kinds, strict=True) if kind))
        return cls(tuple(members), tuple(optional))

    def keys(self, template: int, atoms: Values) -> Keys:
        """Return a number for the value of a template in each row that tells different values apart."""
        first, *others = self.members[template]
        keys = atoms[:, first].astype(np.uint64)
        for place in others:
            keys = (keys ^ (keys >> _SHIFT)) * _FACTOR + atoms[:, place]
        return keys

    def silent(self, template: int, atoms: Values) -> NDArray[np.bool_] | None:
        """Return in which rows a template has no value, since no word has its morphological feature; None for never."""
        optional = self.optional[template]
        return (atoms[:, list(optional)] == 0).all(axis=1) if optional else None


def _resolved(features: FeatureSet) -> list[tuple[object, ...]]:
    """Return the atoms of a set with their addresses, whatever numbers these have in the set."""
    return [
        (features.addresses[address], attribute, features.addresses[argument] if attribute in _RELATIONS else argument)
        for address, attribute, argument in features.atoms
    ]


@dataclass(frozen=True, eq=False)
class TemplateValues:
    """The numbers of the values of templates."""

    atoms: TemplateAtoms
    #: The keys of the values of each template, ascending.
    keys: tuple[Keys, ...]
    #: Whether to have no feature is a value like others.
    with_nothing: bool

    @classmethod
    def fit(cls, atoms: TemplateAtoms, table: Values, *, least: int = 1, with_nothing: bool = False) -> TemplateValues:
        """Number the values that occur at least so often in rows of atoms."""
        found = []
        for template in range(len(atoms.members)):
            keys = atoms.keys(template, table)
            silent = None if with_nothing else atoms.silent(template, table)
            different, counts = np.unique(keys if silent is None else keys[~silent], return_counts=True)
            found.append(different[counts >= least])
        return cls(atoms, tuple(found), with_nothing)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many numbers each template has, with 0."""
        return np.array([len(keys) + 1 for keys in self.keys], np.int64)

    def numbers(self, table: Values) -> Values:
        """Return a row of numbers for each row of atoms."""
        numbers = np.zeros((len(table), len(self.keys)), np.uint32)
        for template, known in enumerate(self.keys):
            if not len(known):
                continue
            keys = self.atoms.keys(template, table)
            places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            seen = known[places] == keys
            silent = None if self.with_nothing else self.atoms.silent(template, table)
            if silent is not None:
                seen &= ~silent
            numbers[:, template] = np.where(seen, places + 1, 0)
        return numbers

    def arrays(self, name: str) -> Arrays:
        """Return the arrays of a file, whose names begin with this one."""
        return {f"{name}_keys": np.concatenate(self.keys), f"{name}_values": (self.sizes - 1).astype(np.int32)}

    @classmethod
    def from_arrays(
        cls, atoms: TemplateAtoms, name: str, arrays: Mapping[str, AnyArray], with_nothing: bool
    ) -> TemplateValues:
        """Make it again from its arrays; a ValueError if they cannot be those."""
        keys = array_of(arrays, f"{name}_keys", np.uint64)
        counts = array_of(arrays, f"{name}_values", np.int32)
        if counts.shape != (len(atoms.members),) or keys.ndim != 1 or counts.min(initial=0) < 0:
            raise ValueError(f"{name}: the values are not those of {len(atoms.members)} templates")
        ends = np.cumsum(counts)
        if ends[-1] != len(keys):
            raise ValueError(f"{name}: {len(keys)} values where there should be {ends[-1]}")
        parts = tuple(np.split(keys, ends[:-1]))
        if any((one[1:] <= one[:-1]).any() for one in parts):
            raise ValueError(f"{name}: the values of a template are not in order")
        return cls(atoms, parts, with_nothing)
