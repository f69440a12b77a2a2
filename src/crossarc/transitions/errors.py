"""What goes wrong with transition systems."""

from __future__ import annotations

from ..errors import CrossarcError


class TransitionError(CrossarcError):
    """A composition that makes no sense, an unknown system, or a transition that cannot be done."""
