"""Networks that read the whole sentence: options, learner, weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import _on_demand

if TYPE_CHECKING:
    from .options import Network as Network

_HOMES = {
    "Network": "options",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = _on_demand(__name__, _HOMES)
