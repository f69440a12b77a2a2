"""How much memory training will take: found out from the sizes of a network, before any is taken.

There are several numbers for each weight: itself, two running means of its gradients, the forms in which products take
it, a gradient for every part of a batch (embeddings: one for all parts), and, whenever a model is made of what was
learnt so far, the weights of that model. What a batch takes comes on top; for large networks it is much less. O(parts).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from ... import _kernel
from ...errors import ParserError
from .parts import Part

_FLOAT, _GIBIBYTE = 4, 2**30
#: Where Linux says how much a container may take, in its two versions of control groups.
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def check_training_memory(encoder: Part, heads: Iterable[Part], *, parts: int = 0, device: str | None = None) -> None:
    """Refuse a network whose training does not fit into memory; warn of one that takes more than half of it.

    `parts`: of a batch, that have gradients of their own. `device`: where torch learns, if it does.
    """
    weights, needed = training_bytes(encoder, heads, parts=parts, device=device)
    available = available_memory()
    if needed <= available / 2:
        return
    message = (
        f"training a network of {weights:,} weights takes about {needed / _GIBIBYTE:.1f} GiB of memory, "
        f"and this machine has {available / _GIBIBYTE:.1f} GiB"
    )
    if needed > available:
        raise ParserError(f"{message}: take fewer layers or smaller hidden sizes")
    warnings.warn(message, stacklevel=2)


def training_bytes(
    encoder: Part, heads: Iterable[Part], *, parts: int = 0, device: str | None = None
) -> tuple[int, int]:
    """Return how many weights a network has, and about how much memory of the machine its training takes."""
    embeddings, factors, others = _kernel.count_weights(encoder.described, [head.described for head in heads])
    weights = embeddings + factors + others
    made = 3 * weights + factors  # what was learnt, what a file would keep of it, and a network of that
    if device is None:
        learnt = 3 * weights + 2 * factors + embeddings + parts * (factors + others)
    else:
        learnt = 4 * weights if device == "cpu" else 0
    return weights, _FLOAT * (made + learnt)


def available_memory() -> int:
    """Return the memory of the machine in bytes, or what its container leaves of it."""
    available = _kernel.machine_memory()
    for file in _LIMITS:
        try:
            available = min(available, int(file.read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return available
