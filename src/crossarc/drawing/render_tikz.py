"""A picture as code for the LaTeX package tikz-dependency, to be pasted into a paper.

The second plane is drawn below the words, further planes alternate, in colours and dashes. Costs O(size of the output).
"""

from __future__ import annotations

from .colours import LIGHT, dash, plane_class
from .picture import Arc, Picture

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",  # would be taken for options at the beginning of a row
    "]": "{]}",
    "\xa0": "~",
}


def tikz(picture: Picture) -> str:
    """Draw a picture as a `dependency` environment of tikz-dependency."""
    packages = [r"\usepackage{tikz-dependency}"]
    if any('"' in text for text in (*picture.words, *(arc.label for arc in picture.arcs))):
        packages.append(r"\usepackage[T1]{fontenc}")
    lines = [f"% Needs in the preamble: {' '.join(packages)}"]
    if not all(word.isascii() for word in picture.words):
        lines.append("% The words are not all ASCII: compile with LuaLaTeX or XeLaTeX and a font that has the letters.")
    numbers = sorted({plane_class(arc.plane) for arc in picture.arcs if arc.plane})
    lines += [rf"\definecolor{{crossarc{number}}}{{HTML}}{{{LIGHT.plane(number)[1:].upper()}}}" for number in numbers]
    lines += [
        r"\begin{dependency}[theme = simple]",
        r"  \begin{deptext}[column sep = 0.6em]",
        _row(picture, picture.words),
    ]
    if picture.tag_line:
        small = tuple(tag and r"\footnotesize " + escaped(tag) for tag in picture.tag_line)
        lines.append(_row(picture, small, escape=False))
    lines.append(r"  \end{deptext}")
    lines += [_edge(picture, arc) for arc in picture.arcs]
    lines.append(r"\end{dependency}")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Make a text safe for LaTeX.

    >>> print(escaped("50%_{a}"))
    50\\%\\_\\{a\\}
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def _row(picture: Picture, texts: tuple[str, ...], *, escape: bool = True) -> str:
    # tikz-dependency separates cells by \&; an ampersand in a word is kept apart from it by braces.
    cells = ["{" + (escaped(text) if escape else text) + "}" for text in texts] or ["{}"]
    return "    " + r" \& ".join(reversed(cells) if picture.is_right_to_left else cells) + r" \\"


def _column(picture: Picture, word: int) -> int:
    return len(picture) + 1 - word if picture.is_right_to_left else word


def _edge(picture: Picture, arc: Arc) -> str:
    dependent, label = _column(picture, arc.dependent), "{" + escaped(arc.label) + "}"
    if arc.is_root:
        return rf"  \deproot{{{dependent}}}{label}"
    look = [f"crossarc{plane_class(arc.plane)}"] if arc.plane else []
    look += ["very thick"] if arc.crossing else []
    look += ["dashed"] if dash(arc.plane) else []
    options = [] if arc.is_above else ["edge below"]
    options += ["edge style = {" + ", ".join(look) + "}"] if look else []
    written = f"[{', '.join(options)}]" if options else ""
    return rf"  \depedge{written}{{{_column(picture, arc.head)}}}{{{dependent}}}{label}"
