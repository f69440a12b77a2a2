"""Templates as text: what they mean to the kernel, and where a wrong one is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossarc.features import (
    TemplateError,
    compile_templates,
    default_label_templates,
    default_templates,
    read_templates,
)
from crossarc.features.templates import parse_template, word_attributes
from crossarc.transitions.algebra import systems


def test_addresses_atoms_and_conjunctions_are_shared() -> None:
    features = compile_templates(["s0.form+b1.upos", "b1.upos", "s0.l1.r2.deprel"], ["form", "upos"])
    assert features.addresses == [(0, 0, 0, 0), (2, 1, 0, 0), (0, 0, 2, 5)]
    assert features.atoms == [(0, 0, 0), (1, 0, 1), (2, 1, 0)]
    assert features.templates == [[0, 1], [1], [2]]


def test_relations_name_two_addresses() -> None:
    features = compile_templates(["distance(s0,b0)", "link(t0,b0.h)"], [])
    assert features.addresses == [(0, 0, 0, 0), (2, 0, 0, 0), (1, 0, 0, 0), (2, 0, 1, 0)]
    assert features.atoms == [(0, 6, 1), (2, 7, 3)]


def test_every_feature_is_the_same_one_in_all_atoms() -> None:
    features = compile_templates(["s0.feats:*+b0.feats:*", "s0.upos"], ["upos", "feats:Case", "feats:Gender"])
    named = [[features.atoms[atom] for atom in members] for members in features.templates]
    assert named == [[(0, 8, 1), (1, 8, 1)], [(0, 8, 2), (1, 8, 2)], [(0, 0, 0)]]


def test_a_feature_that_training_data_lack_gets_no_template() -> None:
    assert compile_templates(["s0.feats:Case", "s0.upos"], ["upos"]).templates == [[0]]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "an address such as s0 or a relation"),
        ("x0.form", 0, "an address begins with s, t, b or a"),
        ("s.form", 0, "an address begins with"),
        ("s0", 2, "'.' is missing"),
        ("s0.frm", 3, "no step and no attribute 'frm'"),
        ("s0.form+", 8, "an address such as s0"),
        ("s0.form b0.form", 7, "'+' is missing"),
        ("s0.h.l1.r1.form", 8, "at most two steps"),
        ("s0.feats:", 9, "the name of a morphological feature is missing"),
        ("distance(s0)", 11, "',' is missing"),
        ("distance(s0,b0", 14, "')' is missing"),
        ("s0.prefix9", 3, "no step and no attribute 'prefix9'"),
        ("s100.form", 1, "no more than 100"),
    ],
)
def test_an_error_points_at_the_character(text: str, column: int, message: str) -> None:
    with pytest.raises(TemplateError) as caught:
        parse_template(text)
    first, shown, caret = str(caught.value).splitlines()
    assert message in first
    assert shown == "  " + text
    assert caret.index("^") - 2 == column


@pytest.mark.parametrize("name", systems.catalogue())
def test_default_templates_of_every_system_can_be_read(name: str) -> None:
    system = systems.get(name)
    transitions, labels = default_templates(system), default_label_templates(system)
    assert len(set(transitions)) == len(transitions)
    assert len(set(labels)) == len(labels)
    attributes = word_attributes([*transitions, *labels])
    assert {"form", "lemma", "upos", "xpos", "feats", "feats:*"} <= set(attributes)
    assert any("t0" in template for template in transitions) == (system.stacks > 1)
    assert any("a0" in template for template in transitions) == system.has_lists
    assert any(".ls." in template for template in transitions) == system.is_undirected
    of_heads = [one for one in (*transitions, *labels) if ".h." in one or "s0.deprel" in one]
    assert bool(of_heads) == (not system.is_undirected)


def test_labels_look_at_the_words_that_arcs_join() -> None:
    assert "s1.lemma+s0.lemma" in default_label_templates(systems.get("swap"))
    assert "s0.lemma+b0.lemma" in default_label_templates(systems.get("arc-eager"))


def test_a_file_of_templates(tmp_path: Path) -> None:
    path = tmp_path / "features.txt"
    path.write_text("# mine\n[transitions]\ns0.form\n\n[labels]\nb0.form\n")
    assert read_templates(path) == (["s0.form"], ["b0.form"])
    path.write_text("s0.form\n[labels]\nb0.from\n")
    with pytest.raises(TemplateError, match=r"features.txt:3: no step and no attribute 'from'"):
        read_templates(path)
    path.write_text("s0.form\n")
    with pytest.raises(TemplateError, match=r"no templates under \[labels\]"):
        read_templates(path)
    path.write_text("[label]\n")
    with pytest.raises(TemplateError, match=r"features.txt:1: no section \[label\]"):
        read_templates(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TemplateError, match="not a file of templates"):
        read_templates(path)
