"""Treebank files made up by hypothesis: everything the formats allow, valid by construction."""

from __future__ import annotations

from hypothesis import strategies as st

# Anything but tabs, line ends, NUL and surrogates; spaces only inside.
_LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0 ")
# Most values are chosen from these, which is quicker than making them up: lengths around 8, 16 and 64 bytes, several
# scripts, what looks like other columns or like the marks of the format.
_KNOWN = st.sampled_from(
    [*("_", "a", "NOUN", "A=1|B=2", "2:nsubj", "1-2", "1.1", "#", "0", "__", "|", "\u00a0", "é", "\U0001f600")]
    + ["x" * length for length in (7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200)]
    + ["ж" * 8, "ж" * 9, "日本語のテキスト", "ἐν ἀρχῇ".replace(" ", "\u2009"), "e\u0301" * 6, "\x1b[0m", "\u2028"]
)
VALUES = st.one_of(_KNOWN, _KNOWN, _KNOWN, st.text(_LETTERS, min_size=1, max_size=20))
SPACED = st.one_of(VALUES, st.builds("{} {}".format, VALUES, VALUES))


@st.composite
def heads(draw: st.DrawFn, words: int, single_root: bool) -> list[int]:
    """A random tree: words are attached in a random order, each to one that is in the tree already."""
    order = draw(st.permutations(range(1, words + 1)))
    result = [0] * words
    for place, word in enumerate(order):
        if place:
            candidates = list(order[:place]) if single_root else [0, *order[:place]]
            result[word - 1] = draw(st.sampled_from(candidates))
    return result


@st.composite
def enhanced(draw: st.DrawFn, words: int) -> str:
    if draw(st.booleans()):
        return "_"
    relation = st.text(st.characters(categories=("Ll", "Lu")), min_size=1, max_size=6)
    head = st.integers(0, words).map(str) | st.integers(0, words).map("{}.1".format)
    items = draw(st.lists(st.builds("{}:{}".format, head, relation), min_size=1, max_size=3))
    return "|".join(items)


@st.composite
def sentence(draw: st.DrawFn, format: str) -> list[str]:
    """The lines of a sentence."""
    words = draw(st.integers(1, 8))
    tree = draw(heads(words, format == "conllu")) if draw(st.booleans()) else None
    lines = draw(st.lists(st.text(_LETTERS | st.sampled_from(" \t"), max_size=30).map("#{}".format), max_size=3))
    inside = 0
    for word in range(1, words + 1):
        if format == "conllu" and word > inside and draw(st.integers(0, 5)) == 0:
            inside = draw(st.integers(word, words))
            lines.append("\t".join([f"{word}-{inside}", draw(SPACED), "_", "_", "_", "_", "_", "_", "_", draw(SPACED)]))
        tags = [draw(VALUES) for _ in range(3)]
        head = "_" if tree is None else str(tree[word - 1])
        if format == "conllu":
            last = [draw(enhanced(words)), draw(SPACED)]
        else:
            last = [draw(st.just("_") | st.integers(0, words).map(str)), draw(VALUES)]
        lines.append("\t".join([str(word), draw(SPACED), draw(SPACED), *tags, head, draw(VALUES), *last]))
        if format == "conllu" and draw(st.integers(0, 7)) == 0:
            lines.append("\t".join([f"{word}.1", draw(SPACED), "_", "_", "_", "_", "_", "_", "0:root", "_"]))
    return lines


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A format and a file in it."""
    format = draw(st.sampled_from(["conllu", "conllx"]))
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    sentences = draw(st.lists(sentence(format), max_size=4))
    text = "\ufeff" if draw(st.integers(0, 4)) == 0 else ""
    text += line_end * draw(st.sampled_from([0, 0, 0, 1, 2]))
    for place, lines in enumerate(sentences):
        text += line_end.join(lines)
        last = place + 1 == len(sentences)
        text += line_end * draw(st.sampled_from([0, 1, 2, 3] if last else [2, 2, 2, 3]))
    return format, text.encode("utf-8")
