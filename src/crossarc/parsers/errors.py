"""What goes wrong with parsers."""

from __future__ import annotations

from ..errors import CrossarcError


class ParserError(CrossarcError):
    """Options that do not go together, training data that teach nothing, or a parser that was not trained."""
