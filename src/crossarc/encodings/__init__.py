"""Tree -> what is built -> tree: pseudo-projective and undirected encodings, which wrap any parser."""

from .base import Composition, Encoding, EncodingError, Restored, RestoreReport
from .pseudo_projective import COVERED_ROOTS, LIFT_ORDERS, SCHEMES, SEARCHES, PseudoProjective
from .recovery import Recovery, recovery
from .storage import from_dict, named_encoding
from .undirected import RECONSTRUCTIONS, Links, Undirected, needs_links_to_the_root

__all__ = [
    "COVERED_ROOTS",
    "LIFT_ORDERS",
    "RECONSTRUCTIONS",
    "SCHEMES",
    "SEARCHES",
    "Composition",
    "Encoding",
    "EncodingError",
    "Links",
    "PseudoProjective",
    "Recovery",
    "RestoreReport",
    "Restored",
    "Undirected",
    "from_dict",
    "named_encoding",
    "needs_links_to_the_root",
    "recovery",
]
