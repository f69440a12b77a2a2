"""Tree -> what is built -> tree: pseudo-projective and undirected encodings, which wrap any parser."""

from .base import DecodeReport, Encoding, EncodingError
from .branching import minimum_branching, reconstruction_arcs
from .composition import Composition, from_dict
from .pseudo_projective import COVERED_ROOTS, LIFT_ORDERS, SCHEMES, SEARCHES, PseudoProjective
from .recovery import Recovery, recovery
from .undirected import RECONSTRUCTIONS, Undirected
from .undirected_links import Links

__all__ = [
    "COVERED_ROOTS",
    "LIFT_ORDERS",
    "RECONSTRUCTIONS",
    "SCHEMES",
    "SEARCHES",
    "Composition",
    "DecodeReport",
    "Encoding",
    "EncodingError",
    "Links",
    "PseudoProjective",
    "Recovery",
    "Undirected",
    "from_dict",
    "minimum_branching",
    "reconstruction_arcs",
    "recovery",
]
