"""How marks are written into labels (2005, Table 1): `d↑h`, `p↓`, `d↑h↓`, and a sign for covered roots.

A label of the treebank that contains a sign is escaped with a backslash, so that reading is the inverse of writing for
any labels. Any text can be read; the text behind a misplaced sign is ignored. O(length).
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import _kernel

LIFTED, ON_PATH, COVERED_ROOT = (int(mark) for mark in _kernel.Mark)

_ESCAPE = "\\"


@dataclass(frozen=True)
class MarkedLabel:
    """A label and what its marks say; `head_label` is the label of the syntactic head, "" if it is not known."""

    label: str
    head_label: str = ""
    marks: int = 0


@dataclass(frozen=True)
class Signs:
    """The signs for lifted arcs, arcs on a lifting path, and covered roots; one character each."""

    lifted: str
    on_path: str
    covered_root: str

    def write(self, marked: MarkedLabel) -> str:
        """Return the label with its marks.

        >>> SIGNS["arrows"].write(MarkedLabel("AuxP", "Sb", LIFTED))
        'AuxP↑Sb'
        """
        text = self._escaped(marked.label)
        if marked.marks & LIFTED:
            text += self.lifted + self._escaped(marked.head_label)
        if marked.marks & ON_PATH:
            text += self.on_path
        if marked.marks & COVERED_ROOT:
            text += self.covered_root
        return text

    def read(self, text: str) -> MarkedLabel:
        """Return what a label says. Text after a sign is the label of the head after `lifted`, else it is ignored.

        >>> SIGNS["arrows"].read("vobj↑nobj↓")
        MarkedLabel(label='vobj', head_label='nobj', marks=3)
        """
        bits = {self.lifted: LIFTED, self.on_path: ON_PATH, self.covered_root: COVERED_ROOT}
        parts = {0: "", LIFTED: ""}
        part, marks = 0, 0
        characters = iter(text)
        for character in characters:
            if character in bits:
                part = bits[character]
                marks |= part
            elif part in parts:
                parts[part] += next(characters, _ESCAPE) if character == _ESCAPE else character
        return MarkedLabel(parts[0], parts[LIFTED], marks)

    def _escaped(self, label: str) -> str:
        special = (self.lifted, self.on_path, self.covered_root, _ESCAPE)
        return "".join(_ESCAPE + character if character in special else character for character in label)


#: The arrows of the paper, or signs of ASCII for parsers that want those.
SIGNS = {"arrows": Signs("↑", "↓", "↥"), "ascii": Signs("^", "!", "@")}
