"""The colours of the planes, for light and dark paper: told apart by people with any kind of colour vision.

After the palette of Okabe and Ito, darkened or lightened until every colour has a contrast of at least 4.5 to its
paper, since labels are written in them. From the third plane on, dashes tell planes apart without colour.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """One set of colours."""

    paper: str
    ink: str
    faint: str
    planes: tuple[str, ...]

    def plane(self, plane: int) -> str:
        """The colour of a plane; they come round again."""
        return self.planes[plane % len(self.planes)]


LIGHT = Theme("#ffffff", "#111827", "#5b6472", ("#3f4a5a", "#0068a8", "#b34700", "#00704f", "#9c3f78", "#6b5d00"))
DARK = Theme("#14181f", "#eef1f5", "#9aa4b2", ("#c3cad4", "#56b4e9", "#f0a03c", "#2fcf9f", "#ea9bc8", "#f0e442"))

#: SVG dash patterns; the first two planes are told apart by their side and are drawn without.
DASHES = ("", "", "7 3", "2 3", "9 3 2 3", "5 2")

#: The colours of the planes in a terminal, as SGR codes.
TERMINAL = ("37", "36", "33", "32", "35", "93")


def dash(plane: int) -> str:
    """The dash pattern of a plane; dashes come round again without the solid ones."""
    return DASHES[plane] if plane < len(DASHES) else DASHES[2 + (plane - 2) % (len(DASHES) - 2)]


def plane_class(plane: int) -> int:
    """The number of a plane's colour."""
    return plane % len(LIGHT.planes)
