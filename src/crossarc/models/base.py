"""What can score the transitions and labels of a parser: linear models or a network, chosen by options of either."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from .. import _kernel
from ..errors import ParserError
from ..features import Columns
from ..transitions import TransitionSystem
from .network.learner import Network, NetworkDefinition
from .perceptron.learner import LinearDefinition, Perceptron

Scorer: TypeAlias = Network | Perceptron
Definition: TypeAlias = NetworkDefinition | LinearDefinition
Model: TypeAlias = _kernel.NetworkModel | _kernel.PerceptronModel

SCORERS: dict[str, type[Network] | type[Perceptron]] = {one.name: one for one in (Network, Perceptron)}


def make_scorer(scorer: str | Scorer) -> Scorer:
    """Return options of a scorer, for a name the default ones."""
    if isinstance(scorer, (Network, Perceptron)):
        return scorer
    if scorer not in SCORERS:
        raise ParserError(f"the scorer is one of {', '.join(SCORERS)}, not {scorer!r}")
    return SCORERS[scorer]()


def definition_of(
    data: Mapping[str, Any], system: TransitionSystem, artificial_root: str, columns: Columns, labels: int
) -> Definition:
    """Return the definition that a model file describes."""
    if data["scorer"] == Network.name:
        network = Network.from_dict(data["network"])
        lexical = int(data["lexical_columns"])
        if not 0 < lexical < len(columns.names):
            raise ValueError("its network reads other columns")
        views = tuple(map(str, data["views"]))
        return NetworkDefinition(system, artificial_root, columns, views, labels, network, lexical)
    if data["scorer"] != Perceptron.name:
        raise ValueError(f"no scorer {data['scorer']!r}")
    templates, label_templates = (tuple(map(str, data[name])) for name in ("templates", "label_templates"))
    return LinearDefinition(system, artificial_root, columns, templates, label_templates, labels)


def scorer_of(definition: Definition) -> Scorer:
    """Return options that make another parser like this one."""
    if isinstance(definition, NetworkDefinition):
        return definition.network
    return Perceptron(definition.templates, definition.label_templates)
