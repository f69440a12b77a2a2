"""Derivations to step through, as plain data, and as HTML files for lectures that need no server."""

from .derivation import SteppedDerivation, derived
from .lecture import MOST_SENTENCES, lecture_page

__all__ = ["MOST_SENTENCES", "SteppedDerivation", "derived", "lecture_page"]
