"""Drawing dependency trees whose arcs may cross: SVG, HTML, TikZ, PNG, PDF and the terminal.

Everything starts from a `Picture`, which says what to draw; `save` chooses the kind of drawing by the name of the file.
"""

from .layout import ArcPlace, Box, Layout, Orientation, WordPlace, layout
from .page import html_page
from .picture import Arc, Picture
from .render_svg import svg, svg_column
from .render_terminal import terminal
from .render_tikz import tikz
from .saving import SUFFIXES, pdf, png, render, save, save_all

__all__ = [
    "SUFFIXES",
    "Arc",
    "ArcPlace",
    "Box",
    "Layout",
    "Orientation",
    "Picture",
    "WordPlace",
    "html_page",
    "layout",
    "pdf",
    "png",
    "render",
    "save",
    "save_all",
    "svg",
    "svg_column",
    "terminal",
    "tikz",
]
