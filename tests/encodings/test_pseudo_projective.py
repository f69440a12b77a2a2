"""Pseudo-projective encoding: what the labels say, what comes back, and that nothing ever fails or leaks."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc import _kernel
from crossarc.encodings import (
    COVERED_ROOTS,
    LIFT_ORDERS,
    SCHEMES,
    SEARCHES,
    EncodingError,
    PseudoProjective,
    recovery,
)

from ..support import naive_encodings as naive
from ..support import naive_structure as structure
from ..support.trees import trees

# Figure 1 of the 2005 paper: Z nich je jen jedna na kvalitu . (the final stop depends on the verb).
CZECH = (["Z", "nich", "je", "jen", "jedna", "na", "kvalitu", "."], [5, 1, 0, 5, 3, 3, 6, 3])
CZECH_LABELS = ["AuxP", "Atr", "Pred", "AuxZ", "Sb", "AuxP", "Adv", "AuxK"]


def treebank(*sentences: tuple[list[str], list[int], list[str]], format: str = "conllx") -> xa.Treebank:
    return xa.Treebank.from_dicts(
        [
            [
                {"form": form, "head": head, "deprel": label}
                for form, head, label in zip(forms, heads, labels, strict=True)
            ]
            for forms, heads, labels in sentences
        ],
        format=format,  # type: ignore[arg-type]
    )


def of_heads(heads: list[int], labels: list[str]) -> xa.Treebank:
    return treebank((["w"] * len(heads), heads, labels))


@pytest.mark.parametrize(
    ("scheme", "lifted", "path"),
    [("baseline", "AuxP", "Sb"), ("head", "AuxP↑Sb", "Sb"), ("head+path", "AuxP↑Sb", "Sb↓"), ("path", "AuxP↑", "Sb↓")],
)
def test_figures_1_and_2_of_the_2005_paper(scheme: str, lifted: str, path: str) -> None:
    gold = treebank((*CZECH, CZECH_LABELS))
    encoded = PseudoProjective(scheme).encode(gold)
    assert encoded.head.tolist() == [3, *CZECH[1][1:]]
    assert encoded.texts("deprel") == [lifted, "Atr", "Pred", "AuxZ", path, "AuxP", "Adv", "AuxK"]
    decoded = PseudoProjective(scheme).restore(encoded)
    assert decoded.head[0] == (3 if scheme == "baseline" else 5)
    assert decoded.texts("deprel") == CZECH_LABELS


@pytest.mark.kernel
@settings(max_examples=200)
@given(
    trees(max_words=10),
    st.data(),
    st.sampled_from(["head", "path", "head+path"]),
    st.sampled_from(SEARCHES),
)
def test_lowering_is_the_search_of_the_paper(heads: list[int], data: st.DataObject, scheme: str, search: str) -> None:
    """On any trees with any marks, as a parser may build them."""
    size = len(heads)
    labels = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    head_labels = data.draw(st.lists(st.integers(-1, 2), min_size=size, max_size=size))
    marks = data.draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 2, 3, 4]), min_size=size, max_size=size))
    lowered, missed, fault = _kernel.lower(
        np.array(heads, np.int32),
        np.array(labels, np.int32),
        np.array(head_labels, np.int32),
        np.array(marks, np.uint8),
        np.array([0, size]),
        _kernel.Scheme[scheme.replace("+", "_")],
        _kernel.Search[search],
        1,
    )
    named = [None if label < 0 else str(label) for label in head_labels]
    expected = naive.lower(heads, [str(label) for label in labels], named, marks, scheme, search == "careful")
    assert fault is None
    assert (lowered.tolist(), [bool(flag) for flag in missed]) == expected
    assert _kernel.find_tree_fault(lowered, np.array([0, size])) is None


@settings(max_examples=60)
@given(
    trees(),
    st.data(),
    st.sampled_from(SCHEMES),
    st.sampled_from(LIFT_ORDERS),
    st.sampled_from(COVERED_ROOTS),
    st.sampled_from(["arrows", "ascii"]),
)
def test_labels_with_marks_of_their_own_come_back(
    heads: list[int], data: st.DataObject, scheme: str, order: str, covered_roots: str, signs: str
) -> None:
    label = st.text(st.sampled_from("ab↑↓↥^!@\\"), min_size=1, max_size=3)
    labels = data.draw(st.lists(label, min_size=len(heads), max_size=len(heads)))
    gold = of_heads(heads, labels)
    encoding = PseudoProjective(scheme, order, "none" if scheme == "baseline" else covered_roots, signs=signs)
    encoded = encoding.encode(gold)
    assert structure.is_projective(encoded.head.tolist())
    decoded = encoding.restore(encoded)
    assert decoded.texts("deprel") == labels
    lifted = encoded.head != gold.head
    assert np.array_equal(decoded.head[~lifted], gold.head[~lifted])


@settings(max_examples=100)
@given(trees(), st.data(), st.sampled_from(SCHEMES[1:]))
def test_whatever_a_parser_builds_is_decoded_to_a_tree_without_marks(
    heads: list[int], data: st.DataObject, scheme: str
) -> None:
    texts = st.sampled_from(["a", "b", "a↑b", "b↑c", "b↑", "a↓", "a↑a↓", "↑", "↓", "↑b", "c↥", "a↓b", "a↑b↑c", "\\"])
    labels = data.draw(st.lists(texts, min_size=len(heads), max_size=len(heads)))
    parsed = of_heads(heads, labels)
    decoded, report = PseudoProjective(scheme).restore_with_report(parsed)
    assert all(re.fullmatch(r"[abc_\\]", label) for label in decoded.texts("deprel"))
    assert 0 <= report.unresolved <= report.marked <= len(heads)


def test_marks_that_lead_nowhere_leave_the_linear_head() -> None:
    parsed = of_heads([2, 0, 2], ["a↑nowhere", "root", "b↑c↓"])
    decoded, report = PseudoProjective("head").restore_with_report(parsed)
    assert decoded.head.tolist() == [2, 0, 2]
    assert decoded.texts("deprel") == ["a", "root", "b"]
    assert (report.marked, report.unresolved) == (2, 2)


def test_a_fitted_encoding_knows_its_labels() -> None:
    gold = treebank((*CZECH, CZECH_LABELS))
    encoding = PseudoProjective("head+path").fit(gold)
    assert encoding.labels == ("AuxP", "Adv", "Atr", "AuxK", "AuxZ", "Pred", "Sb")
    assert {*encoding.encoded_labels} == {*CZECH_LABELS, "AuxP↑Sb", "Sb↓"}
    _, report = encoding.restore_with_report(of_heads([0, 1, 1], ["Pred", "Obj", "↑Sb"]))
    assert report.unknown == {"Obj": 1, "↑Sb": 1}
    assert encoding.restore(of_heads([0, 1], ["Pred", "↑Sb"])).texts("deprel") == ["Pred", "AuxP"]
    with pytest.raises(EncodingError, match="fit it to training data first"):
        PseudoProjective("head").restore_arrays([0], [0], [0, 1])


def test_numbers_say_what_texts_say() -> None:
    gold = xa.sample(300, seed=5)
    for scheme in SCHEMES:
        encoding = PseudoProjective(scheme).fit(gold)
        number = {label: place for place, label in enumerate(encoding.labels)}
        labels = np.array([number[label] for label in gold.texts("deprel")], np.int32)
        encoded = encoding.encode(gold)
        heads, numbers = encoding.encode_arrays(gold.head, labels, gold.word_offsets)
        assert np.array_equal(heads, encoded.head)
        assert [encoding.encoded_labels[place] for place in numbers] == encoded.texts("deprel")
        lowered, plain = encoding.restore_arrays(heads, numbers, gold.word_offsets)
        assert np.array_equal(lowered, encoding.restore(encoded).head)
        assert np.array_equal(plain, labels)


def test_a_marked_label_that_training_did_not_have_becomes_the_plain_one() -> None:
    train, other = of_heads([0, 1, 2], ["root", "a", "b"]), CZECH[1]
    encoding = PseudoProjective("head").fit(train)
    heads, numbers = encoding.encode_arrays(other, [1] * len(other), [0, len(other)])
    assert heads[0] == 3
    assert {encoding.encoded_labels[place] for place in numbers} == {encoding.labels[1]}


def test_projective_trees_and_everything_else_in_the_file_stay_byte_for_byte() -> None:
    gold = xa.sample(300, seed=9)
    classes = xa.classify(gold)
    for scheme in SCHEMES:
        encoding = PseudoProjective(scheme)
        projective = gold[~classes.nonprojective]
        assert encoding.encode(projective).to_bytes() == projective.to_bytes()
        encoded = encoding.encode(gold)
        for name in ("form", "lemma", "upos", "xpos", "feats", "deps", "misc"):
            assert np.array_equal(encoded.column(name), gold.column(name))
        decoded = encoding.restore(encoded)
        whole = [index for index in range(len(gold)) if np.array_equal(decoded[index].heads, gold[index].heads)]
        assert decoded[whole].to_bytes() == gold[whole].to_bytes()
        assert len(gold) - len(whole) == recovery(encoding, gold).changed_sentences


def test_the_enhanced_graph_of_a_parser_that_copies_arcs_follows() -> None:
    line = "{}\tw\t_\t_\t_\t_\t{}\t{}\t{}:{}\t_\n"
    rows = [(1, 3, "a↑b"), (2, 4, "c"), (3, 0, "root"), (4, 3, "b")]
    parsed = xa.from_text("".join(line.format(word, head, label, head, label) for word, head, label in rows) + "\n")
    decoded = PseudoProjective("head").restore(parsed)
    assert decoded.texts("deps") == ["4:a", "4:c", "0:root", "3:b"]


def test_covered_roots_are_attached_and_come_back() -> None:
    """The arc 3 → 1 covers the root 2; attached to any end of it, there is nothing to lift."""
    gold = of_heads([3, 0, 0, 3], ["a", "p", "root", "b"])
    for covered_roots, head in [("left", 1), ("right", 3), ("head", 3)]:
        encoding = PseudoProjective("head", covered_roots=covered_roots)
        encoded = encoding.encode(gold)
        assert encoded.head.tolist() == [3, head, 0, 3]
        assert encoded.texts("deprel") == ["a", "p↥", "root", "b"]
        assert encoding.restore(encoded).to_bytes() == gold.to_bytes()
    assert PseudoProjective("head").encode(gold).texts("deprel") == ["a↑root", "p", "root", "b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": "tail"}, "scheme is one of baseline, head, path, head\\+path, not 'tail'"),
        ({"lift_order": "longest"}, "lift_order is one of"),
        ({"covered_roots": "up"}, "covered_roots is one of"),
        ({"search": "best"}, "search is one of"),
        ({"signs": "emoji"}, "signs is one of"),
        ({"scheme": "baseline", "covered_roots": "left"}, "the baseline does not"),
    ],
)
def test_options_that_do_not_exist(options: dict[str, str], message: str) -> None:
    with pytest.raises(EncodingError, match=message):
        PseudoProjective(**options)  # type: ignore[arg-type]


def test_sentences_without_heads_are_named() -> None:
    text = "# sent_id = x\n1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    for encoding in (PseudoProjective("head"), xa.Undirected("label")):
        for method in (encoding.encode, encoding.restore):
            with pytest.raises(xa.MissingHeadsError, match="sentence x has no heads"):
                method(xa.from_text(text))


def test_empty_treebanks() -> None:
    empty = xa.sample(3, seed=1)[:0]
    for encoding in (PseudoProjective("head+path"), xa.Undirected("label")):
        assert len(encoding.restore(encoding.encode(empty))) == 0
