"""Networks: an encoder that reads the words of a sentence, and heads that score what a parser chooses from.

Encoders and heads are data for the kernel (`encoders`, `heads`), and so is a network (`network`). Two kinds of parsers
have one: those that choose transitions (`transitions`) and those that score arcs (`biaffine`). `torch` trains the same
networks on a GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import _on_demand

if TYPE_CHECKING:
    from .biaffine import Biaffine as Biaffine
    from .transitions import Network as Network

__all__, __getattr__, __dir__ = _on_demand(__name__, {"biaffine": "Biaffine", "transitions": "Network"})
