"""Drawings as files, and LaTeX code."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from crossarc import CrossarcError
from crossarc.drawing import SUFFIXES, Picture, pdf, png, render, save, save_all, svg, terminal, tikz

from ..support.pictures import CHINESE, ENGLISH, HEBREW, ODD, THREE_PLANES, picture, pictures

SPECIAL = picture([2, 0, 2], ["a&b%#_^~\\{}$", "[x]", '|[red]| "q" <-->'], ["n_s", "ro&ot", "x%"])


def is_balanced(code: str) -> bool:
    depth = 0
    for brace in re.findall(r"[{}]", re.sub(r"\\[{}\\]", "", code)):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


@settings(max_examples=60)
@given(pictures(most=10))
def test_tikz_is_balanced_and_complete(drawn: Picture) -> None:
    code = tikz(drawn)
    assert is_balanced(code)
    assert code.count(r"\depedge") + code.count(r"\deproot") == len(drawn.arcs)
    assert code.count(r" \&[") == max(0, len(drawn) - 1) * (1 + len(drawn.text_lines))


def test_tikz_says_what_it_needs_and_draws_the_second_plane_below() -> None:
    code = tikz(THREE_PLANES)
    assert code.startswith(r"% Needs in the preamble: \usepackage{tikz-dependency}")
    below = [line for line in code.splitlines() if "edge below" in line]
    assert len(below) == sum(arc.plane == 1 for arc in THREE_PLANES.arcs)
    assert code.count("dashed") == sum(arc.plane == 2 for arc in THREE_PLANES.arcs)


def test_tikz_escapes_what_latex_would_take_for_commands() -> None:
    code = tikz(SPECIAL)
    assert r"a\symbol{38}b\%\#\_\textasciicircum{}\textasciitilde{}\textbackslash{}\{\}\$" in code
    assert r"\textbar{}{[}red{]}\textbar{}" in code and "{-}{-}" in code


def test_tikz_from_right_to_left() -> None:
    code = tikz(HEBREW)
    words = next(line for line in code.splitlines() if "עץ" in line)
    assert words.index("עץ") < words.index("הילדה")
    assert re.search(r"\\depedge\[[^]]*\]\{2\}\{3\}\{nsubj\}", code)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("kpsewhich") is None, reason="LaTeX is not installed")
def test_tikz_compiles(tmp_path: Path) -> None:
    if subprocess.run(["kpsewhich", "tikz-dependency.sty", "environ.sty"], capture_output=True).returncode:
        pytest.skip("tikz-dependency is not installed")
    long = picture([0] + [1] * 59, ["word"] * 60, ["label"] * 60)
    body = "\n\n".join(map(tikz, (ENGLISH, THREE_PLANES, SPECIAL, long, Picture(()), Picture((0,), ("one",)))))
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{tikz-dependency}\begin{document}"
    (tmp_path / "drawing.tex").write_text(preamble + body + r"\end{document}", encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "drawing.tex"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert result.returncode == 0, result.stdout[-2000:]


def test_the_suffix_says_what_is_drawn(tmp_path: Path) -> None:
    for suffix in (".svg", ".html", ".tex", ".txt", ".SVG"):
        save(ENGLISH, tmp_path / f"tree{suffix}")
    assert (tmp_path / "tree.svg").read_text("utf-8") == svg(ENGLISH) == (tmp_path / "tree.SVG").read_text("utf-8")
    assert (tmp_path / "tree.tex").read_text("utf-8") == tikz(ENGLISH)
    assert (tmp_path / "tree.txt").read_text("utf-8") == terminal(ENGLISH, 120)
    assert "<svg" in (tmp_path / "tree.html").read_text("utf-8")
    assert render(ENGLISH, "svg") == render(ENGLISH, ".svg") == (tmp_path / "tree.svg").read_bytes()
    with pytest.raises(CrossarcError, match=r"unknown kind of drawing 'gif': known are \.svg"):
        render(ENGLISH, "gif")


@pytest.mark.parametrize("name", ["tree.jpeg", "tree"])
def test_an_unknown_suffix_lists_the_known_ones(name: str, tmp_path: Path) -> None:
    with pytest.raises(CrossarcError, match=r"known are \.svg, \.html, \.tex, \.txt, \.png, \.pdf"):
        save(ENGLISH, tmp_path / name)
    assert SUFFIXES == (".svg", ".html", ".tex", ".txt", ".png", ".pdf")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(CrossarcError, match="cannot be written"):
        save(ENGLISH, tmp_path / "nowhere" / "tree.svg")


def test_png_and_pdf(tmp_path: Path) -> None:
    try:
        importlib.import_module("cairosvg")
    except (ImportError, OSError) as error:  # OSError: the package is there, the system's cairo library is not
        pytest.skip(f"CairoSVG does not work here: {error}")
    png(CHINESE, tmp_path / "tree.png")
    pdf(ODD, tmp_path / "tree.pdf")
    save(Picture(()), tmp_path / "empty.png")
    image = (tmp_path / "tree.png").read_bytes()
    assert image.startswith(b"\x89PNG") and (tmp_path / "tree.pdf").read_bytes().startswith(b"%PDF")
    width = float(ElementTree.fromstring(svg(CHINESE)).get("width", "0"))
    assert int.from_bytes(image[16:20], "big") == pytest.approx(2 * width, abs=2)


def test_the_layout_is_a_choice_for_every_kind(tmp_path: Path) -> None:
    upright = render(ENGLISH, "svg", "vertical")
    assert upright != render(ENGLISH, "svg") == render(ENGLISH, "svg", "horizontal")
    save(ENGLISH, tmp_path / "tree.svg", "vertical")
    assert (tmp_path / "tree.svg").read_bytes() == upright
    assert render(ENGLISH, "txt", "vertical").decode() == terminal(ENGLISH, 120, orientation="vertical")
    assert render(ENGLISH, "html", "vertical") != render(ENGLISH, "html")
    with pytest.raises(CrossarcError, match="LaTeX drawings are horizontal"):
        render(ENGLISH, "tex", "vertical")
    with pytest.raises(CrossarcError, match="unknown orientation 'up'"):
        render(ENGLISH, "png", "up")  # type: ignore[arg-type]


def test_several_in_a_pdf_have_a_page_each(tmp_path: Path) -> None:
    pytest.importorskip("cairosvg")
    save_all([ENGLISH, THREE_PLANES, ENGLISH], tmp_path / "three.pdf")
    content = (tmp_path / "three.pdf").read_bytes()
    assert re.findall(rb"/Count (\d+)", content) == [b"3"]
    assert len(set(re.findall(rb"/MediaBox \[ ([^]]*) \]", content))) == 2  # as large as their drawings
    with pytest.raises(CrossarcError, match="no sentence to draw"):
        save_all([], tmp_path / "none.pdf")


def test_a_png_that_would_be_too_large_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("cairosvg")
    long = Picture((0, *range(1, 3000)), ("word",) * 3000)
    with pytest.raises(CrossarcError, match=r"the drawing of 3,000 words, .* is too large for PNG: draw into \.svg"):
        png(long, tmp_path / "tree.png")
    assert not list(tmp_path.iterdir())


def test_png_without_cairosvg_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(CrossarcError, match=r"pip install 'crossarc\[drawing\]'"):
        png(ENGLISH, tmp_path / "tree.png")
    assert not list(tmp_path.iterdir())


def test_png_of_a_script_that_needs_shaping_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CrossarcError, match=r"draw into \.svg or \.html"):
        png(HEBREW, tmp_path / "tree.png")
