"""Trees to draw: invented sentences, random trees, and the simplest way to planes and crossings."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from crossarc.drawing import Picture


def cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (_, first_end), (second_start, second_end) = sorted([(min(one), max(one)), (min(other), max(other))])
    return min(min(one), min(other)) < second_start < first_end < second_end


def planes_and_crossings(heads: Sequence[int]) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Give each arc, in order, the first plane in which it crosses nothing."""
    arcs = [(head, word) for word, head in enumerate(heads, start=1)]
    crossed = {arc: [other for other in arcs if arc[0] > 0 and other[0] > 0 and cross(arc, other)] for arc in arcs}
    plane: dict[tuple[int, int], int] = {}
    for arc in arcs:
        taken = {plane[other] for other in crossed[arc] if other in plane}
        plane[arc] = next(number for number in range(len(arcs)) if number not in taken)
    return tuple(plane[arc] for arc in arcs), tuple(bool(crossed[arc]) for arc in arcs)


def picture(
    heads: Sequence[int],
    forms: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    title: str | None = None,
) -> Picture:
    planes, crossing = planes_and_crossings(heads)
    return Picture(
        tuple(heads),
        None if forms is None else tuple(forms),
        None if labels is None else tuple(labels),
        None if tags is None else tuple(tags),
        planes,
        crossing,
        title,
    )


ENGLISH = picture(
    [2, 0, 4, 2, 2],
    ["Anna", "drew", "seven", "trees", "."],
    ["nsubj", "root", "nummod", "obj", "punct"],
    ["PROPN", "VERB", "NUM", "NOUN", "PUNCT"],
)
# "that Jan saw Marie swim", with the two verbs behind their two subjects: arcs cross.
DUTCH = picture([4, 4, 5, 0, 4], ["dat", "Jan", "Marie", "zag", "zwemmen"], ["mark", "nsubj", "nsubj", "root", "xcomp"])
DUTCH_CLUSTER = picture(
    [0, 4, 5, 1, 4], ["dat", "Jan", "Marie", "zag", "zwemmen"], ["root", "nsubj", "nsubj", "ccomp", "xcomp"]
)
THREE_PLANES = picture(
    [4, 5, 6, 0, 4, 4], ["one", "two", "three", "four", "five", "six"], ["a", "b", "c", "root", "d", "e"]
)
HEBREW = picture([2, 0, 2], ["הילדה", "ציירה", "עץ"], ["nsubj", "root", "obj"])
CHINESE = picture([2, 0, 4, 2], ["她", "画了", "七棵", "树"], ["nsubj", "root", "nummod", "obj"])
ODD = picture([2, 0, 2], ['<b>&"', "]]>\x1b[31m\x00", "a'b"], ["<&>", "ro\x07ot", '"'], title="<title> & more")


@st.composite
def head_lists(draw: st.DrawFn, most: int = 24) -> list[int]:
    """Any tree: words in a random order, each attached to 0 or to one that came before."""
    order = draw(st.permutations(list(range(1, draw(st.integers(0, most)) + 1))))
    heads = [0] * len(order)
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]])) if place else 0
    return heads


_TEXTS = st.text(alphabet=st.sampled_from("aiMW.é漢字👍א😀e\u0301 <&नि"), min_size=0, max_size=12)


@st.composite
def pictures(draw: st.DrawFn, most: int = 24) -> Picture:
    heads = draw(head_lists(most))

    def column() -> Sequence[str] | None:
        return draw(st.none() | st.lists(_TEXTS, min_size=len(heads), max_size=len(heads)))

    return picture(heads, column(), column(), column())
