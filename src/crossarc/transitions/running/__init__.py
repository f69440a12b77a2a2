"""Running systems: machines for many sentences, configurations to step by hand. Built on the algebra alone."""

from .configuration import Configuration
from .machine import NO_ACTION, NO_LABEL, LabelledArc, Machine

__all__ = ["NO_ACTION", "NO_LABEL", "Configuration", "LabelledArc", "Machine"]
