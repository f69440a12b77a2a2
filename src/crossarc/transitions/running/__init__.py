"""Running systems: machines for many sentences, configurations to step by hand, chains. Built on the algebra alone."""

from .chains import Decrease, ElementaryChain, Premises, TransitionChain
from .configuration import Configuration
from .machine import NO_ACTION, NO_LABEL, LabelledArc, Machine

__all__ = [
    "NO_ACTION",
    "NO_LABEL",
    "Configuration",
    "Decrease",
    "ElementaryChain",
    "LabelledArc",
    "Machine",
    "Premises",
    "TransitionChain",
]
