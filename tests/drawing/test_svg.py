"""SVG and HTML: well-formed, escaped, accessible, the same every time, and at peace with their neighbours."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from crossarc import CrossarcError
from crossarc.drawing import Picture, html_page, layout, svg
from crossarc.drawing.colours import DARK, LIGHT, Theme, dash

from ..support.pictures import CHINESE, DUTCH_CLUSTER, ENGLISH, HEBREW, ODD, THREE_PLANES, pictures

SVG = "{http://www.w3.org/2000/svg}"


def parsed(drawn: Picture, **options: object) -> ElementTree.Element:
    return ElementTree.fromstring(svg(drawn, **options))  # type: ignore[arg-type]


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@settings(max_examples=100)
@given(pictures(most=12))
def test_well_formed_with_every_word_and_label(drawn: Picture) -> None:
    found = texts(parsed(drawn))
    below = [text for line in drawn.text_lines for text in line if text]
    assert sorted(found) == sorted([*drawn.words, *below, *(arc.label for arc in drawn.arcs if arc.label)])


def test_everything_is_escaped() -> None:
    root = parsed(ODD)
    assert root.findtext(f"{SVG}title") == "<title> & more"
    assert {'<b>&"', "]]>�[31m�", "a'b", "<&>", "ro�ot"} <= set(texts(root))
    assert not list(root.iter(f"{SVG}b"))


def test_accessible() -> None:
    root = parsed(ENGLISH)
    assert root.get("role") == "img"
    assert next(iter(root)).tag == f"{SVG}title"
    assert root.findtext(f"{SVG}title") == "Anna drew seven trees ."
    assert root.findtext(f"{SVG}desc") == "Dependency tree of 5 words: 0 crossing arcs, 1 plane."
    assert [arc.findtext(f"{SVG}title") for arc in root.iter(f"{SVG}g") if arc.get("class") == "arc"].count(
        "drew (2) → nsubj Anna (1)"
    ) == 1


@pytest.mark.parametrize("drawn", [ENGLISH, THREE_PLANES, HEBREW, CHINESE, Picture(()), Picture((0,))])
def test_the_same_input_gives_the_same_bytes(drawn: Picture) -> None:
    assert svg(drawn) == svg(drawn)
    ElementTree.fromstring(svg(drawn))


def test_no_ids_and_styles_of_its_own() -> None:
    one, other = svg(ENGLISH), svg(DUTCH_CLUSTER)
    assert " id=" not in one
    names = [re.search(r'class="(crossarc-\w+)"', text) for text in (one, other)]
    assert names[0] and names[1] and names[0][1] != names[1][1]
    style = re.search("<style>(.*?)</style>", one)
    assert style
    selectors = re.findall(r"([^{}]+)\{", style[1].replace("@media (prefers-color-scheme: dark){", ""))
    assert selectors and all(selector.startswith(f".{names[0][1]} ") for selector in selectors)


def test_dark_as_the_reader_prefers_or_as_told() -> None:
    assert "prefers-color-scheme: dark" in svg(ENGLISH) and LIGHT.paper in svg(ENGLISH)
    assert "prefers-color-scheme" not in svg(ENGLISH, dark=False)
    told = svg(ENGLISH, dark=True)
    assert DARK.paper in told and LIGHT.paper not in told and "prefers-color-scheme" not in told
    with pytest.raises(CrossarcError, match="dark is True, False"):
        svg(ENGLISH, dark="yes")  # type: ignore[arg-type]


def test_width_scales_and_keeps_the_proportions() -> None:
    natural, scaled = parsed(ENGLISH), parsed(ENGLISH, width=1000)
    assert natural.get("viewBox") == scaled.get("viewBox") and scaled.get("width") == "1000"
    ratio = float(natural.get("width", "0")) / float(natural.get("height", "1"))
    assert float(scaled.get("width", "0")) / float(scaled.get("height", "1")) == pytest.approx(ratio, rel=0.01)
    with pytest.raises(CrossarcError, match="positive number of pixels"):
        svg(ENGLISH, width=0)


def test_crossing_arcs_are_stronger_and_the_third_plane_is_dashed() -> None:
    arcs = [group for group in parsed(THREE_PLANES).iter(f"{SVG}g") if "arc" in group.get("class", "").split()]
    crossing = [group for group in arcs if "crossing" in group.get("class", "").split()]
    assert len(crossing) == sum(arc.crossing for arc in THREE_PLANES.arcs) > 0
    strokes = {float(group[1].get("stroke-width", "0")) for group in crossing}
    assert min(strokes) > max(float(group[1].get("stroke-width", "0")) for group in arcs if group not in crossing)
    dashed = [group for group in arcs if group[1].get("stroke-dasharray")]
    assert len(dashed) == sum(arc.plane == 2 for arc in THREE_PLANES.arcs) == 1


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_colour_can_be_read_on_its_paper(theme: Theme) -> None:
    for colour in (theme.ink, theme.faint, *theme.planes):
        low, high = sorted((luminance(colour), luminance(theme.paper)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, colour


def test_planes_beyond_the_first_two_are_all_dashed() -> None:
    assert [bool(dash(plane)) for plane in range(20)] == [False, False] + [True] * 18


def test_right_to_left_words_from_the_right() -> None:
    places = layout(HEBREW)
    shown = [element for element in parsed(HEBREW).iter(f"{SVG}text") if element.text in HEBREW.words]
    assert [float(element.get("x", "0")) for element in shown] == sorted(
        (word.x for word in places.words), reverse=True
    )


def test_drawings_on_a_page_take_its_colours() -> None:
    """A page that is dark, or light in print, has drawings that are so too: they have no colours of their own."""
    page = html_page([ENGLISH, THREE_PLANES], "two")
    drawings = re.findall("<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) == 2
    for drawing in drawings:
        assert not re.search("<style|#[0-9a-f]{6}|prefers-color-scheme", drawing)
        used = set(re.findall(r'class="((?:line|fill)\d|paper|ink|faint)"', drawing))
        assert used and all(f".drawing .{name} {{" in page for name in used)
    print_rules = page[page.index("@media print") :]
    assert f"--paper: {LIGHT.paper};" in print_rules and f"--plane1: {LIGHT.planes[1]};" in print_rules


def test_one_word_per_line() -> None:
    root = parsed(THREE_PLANES, orientation="vertical")
    shown = [element for element in root.iter(f"{SVG}text") if element.text in THREE_PLANES.words]
    assert len({element.get("x") for element in shown}) == 1
    heights = [float(element.get("y", "0")) for element in shown]
    assert heights == sorted(heights) and len(set(heights)) == len(heights)
    assert sorted(texts(root)) == sorted(texts(parsed(THREE_PLANES)))
    right_to_left = parsed(HEBREW, orientation="vertical")
    assert {group.get("direction") for group in right_to_left.iter(f"{SVG}g") if group.get("text-anchor")} == {"rtl"}


def test_a_page_has_long_sentences_vertical() -> None:
    long = Picture((0, *range(1, 40)), ("Donaudampfschiff",) * 40)
    assert 'class="tree"' in html_page([long], "long")
    width = float(re.findall(r'<svg[^>]* width="([\d.]+)"', html_page([long], "long"))[0])
    assert width < 400
    told = html_page([long], "long", "horizontal")
    assert float(re.findall(r'<svg[^>]* width="([\d.]+)"', told)[0]) > 1400


def test_page_holds_all_drawings_and_nothing_from_outside() -> None:
    page = html_page([ENGLISH, ODD, HEBREW], 'A & "B"')
    assert page.startswith("<!DOCTYPE html>") and page.count("<svg ") == 3
    assert "<title>A &amp; &quot;B&quot;</title>" in page and "<b>" not in page
    assert not re.search(r"<script|<link|src=|url\(|@import", page)
    ElementTree.fromstring(
        page.removeprefix("<!DOCTYPE html>\n")
        .replace('<meta charset="utf-8">', "")
        .replace('<meta name="viewport" content="width=device-width, initial-scale=1">', "")
    )
    assert html_page([], "empty").count("<svg") == 0
