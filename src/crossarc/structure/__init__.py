"""What kind of tree is it: crossings, planes, gaps, nesting, 1-Endpoint-Crossing; for a tree, a treebank or a graph."""

from .batch import Classification, classify
from .coverage import RARE_CLASSES, Coverage, coverage, percent, rare_sentences
from .crossings import Arc, crossings, crossings_graph, is_one_endpoint_crossing, pencil, pencil_points
from .graph import Graph, GraphError
from .planes import (
    PlanarityBounds,
    PlanarityError,
    PlanarityWarning,
    is_planar,
    planarity,
    planarity_bounds,
    plane_numbers,
    planes,
)
from .projections import (
    block_degree,
    blocks,
    covered_roots,
    edge_degree,
    gap_degree,
    gap_inheritance_degree,
    is_gap_minding,
    is_projective,
    is_well_nested,
    lifts_histogram,
    lifts_needed,
    nonprojective_arcs,
)

__all__ = [
    "RARE_CLASSES",
    "Arc",
    "Classification",
    "Coverage",
    "Graph",
    "GraphError",
    "PlanarityBounds",
    "PlanarityError",
    "PlanarityWarning",
    "block_degree",
    "blocks",
    "classify",
    "coverage",
    "covered_roots",
    "crossings",
    "crossings_graph",
    "edge_degree",
    "gap_degree",
    "gap_inheritance_degree",
    "is_gap_minding",
    "is_one_endpoint_crossing",
    "is_planar",
    "is_projective",
    "is_well_nested",
    "lifts_histogram",
    "lifts_needed",
    "nonprojective_arcs",
    "pencil",
    "pencil_points",
    "percent",
    "planarity",
    "planarity_bounds",
    "plane_numbers",
    "planes",
    "rare_sentences",
]
