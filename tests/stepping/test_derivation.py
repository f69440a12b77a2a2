"""Derivations to step through: what is shown is what the machine does, in every system and for parsers."""

from __future__ import annotations

import json
import re

import pytest

import crossarc as xa
from crossarc.errors import CrossarcError
from crossarc.stepping import SteppedDerivation, derived, lecture_page
from crossarc.transitions import systems

from ..support.service import CROSSING, arc_eager, two_planar

SENTENCE = xa.from_text(CROSSING)[0]
SYSTEMS = sorted(name for name, one in systems.catalogue().items() if one.properties().bounded)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_can_be_stepped_through(name: str) -> None:
    system = systems.get(name)
    shown = SteppedDerivation.from_tree(system, SENTENCE.tree, SENTENCE.forms).to_dict()
    json.dumps(shown, allow_nan=False)
    configuration = system.start(len(SENTENCE))
    built = []
    for before, step in zip(shown["steps"], shown["steps"][1:], strict=False):
        names = list(system.transitions)
        assert step["transition"] == before["next"]
        allowed = [names[place] for place, choice in enumerate(before["choices"]) if choice["allowed"]]
        assert allowed == configuration.legal()
        assert all(choice["why"] for choice in before["choices"])
        configuration.apply(names[step["transition"]], position=step["position"])
        assert (step["buffer"], step["aside"]) == (configuration.buffer, configuration.aside)
        assert step["stacks"][step["active"]] == configuration.stack
        built += step["added"]
    assert [tuple(arc) for arc in built] == [(arc.head, arc.dependent) for arc in configuration.arcs]
    lost = {tuple(arc) for arc in shown["lost"]}
    if not system.is_undirected:
        assert {arc for arc in SENTENCE.tree.arcs if arc[0]} - {tuple(arc) for arc in built} == lost


def test_the_second_stack_is_used_where_arcs_cross() -> None:
    shown = SteppedDerivation.from_tree(systems.get("2-planar"), SENTENCE.tree, SENTENCE.forms).to_dict()
    assert {step["active"] for step in shown["steps"]} == {0, 1}
    assert shown["lost"] == []
    assert SteppedDerivation.from_tree(systems.get("arc-eager"), SENTENCE.tree, SENTENCE.forms).to_dict()["lost"] == [
        [2, 7]
    ]


@pytest.mark.parametrize("parser", [two_planar, arc_eager], ids=["network", "perceptron"])
def test_a_parser_takes_the_best_transition_and_ends_at_its_tree(parser: object) -> None:
    assert callable(parser)
    model = parser()
    for sentence in range(4):
        treebank = xa.sample(4, seed=8)[sentence : sentence + 1]
        shown = SteppedDerivation.from_parser(model, treebank).to_dict()
        arcs = {tuple(arc) for step in shown["steps"] for arc in step.get("added", ())}
        parsed = model.parse(treebank, beam=1)[0]
        built = {arc for arc in parsed.tree.arcs if arc[0]}
        # A root policy may have attached roots that were left over.
        assert {arc for arc in arcs if arc[0]} <= built
        labels = {step["added"][0][1]: step["label"] for step in shown["steps"] if step.get("added")}
        kept = {word for head, word in arcs if int(parsed.heads[word - 1]) == head}
        assert all(parsed.deprels[word - 1] == labels[word] for word in kept)


def test_the_transitions_of_the_oracle_are_scored_by_the_parser() -> None:
    model = two_planar()
    treebank = xa.sample(1, seed=8)
    shown = derived(model, treebank, given=True, threads=1).to_dict()
    assert shown["source"] == "oracle"
    assert shown["scores"] == "logarithms"
    best = derived(model, treebank).to_dict()
    assert best["source"] == "parser"


def test_a_classifier_is_traced_too() -> None:
    parser = xa.TransitionParser("arc-eager", scorer="memory")
    parser.train(xa.sample(30), epochs=1, threads=1)
    treebank = xa.sample(1, seed=8)
    trace = parser.trace(treebank)
    assert trace.scores.shape == (len(trace.transitions), 4)
    assert SteppedDerivation.from_parser(parser, treebank).to_dict()["scores"] == "sums"


def test_what_cannot_be_traced_is_said() -> None:
    easy = xa.TransitionParser("easy-first", scorer="perceptron")
    easy.train(xa.sample(20), epochs=1, threads=1)
    with pytest.raises(xa.ParserError, match="chooses among positions"):
        easy.trace(xa.sample(1))
    with pytest.raises(xa.ParserError, match="not legal"):
        two_planar().trace(xa.sample(1), ["reduce"])
    with pytest.raises(xa.ParserError, match="one sentence"):
        two_planar().trace(xa.sample(2))
    long = xa.Tree([0, *[1] * 199])
    with pytest.raises(CrossarcError, match="at most 6,000 can be stepped through"):
        SteppedDerivation.from_tree(systems.get("covington"), long, ["a"] * 200).to_dict()


def test_a_file_for_lectures_stands_alone() -> None:
    evil = "</script><script>alert(1)</script><!--"
    tree = xa.Tree([0], ["root"], [evil])
    page = lecture_page(evil, [SteppedDerivation.from_tree(systems.get("2-planar"), tree, [evil]).to_dict()])
    assert not re.findall(r"<script(?! type=\"application/json\" id)[^>]+>|https?://(?!www\.w3\.org/2000/svg)", page)
    assert page.count("</script>") == 2
    assert "<!--" not in page
    data = re.search(r'id="derivations">(.*?)</script>', page, re.S)
    assert data is not None
    assert json.loads(data[1])[0]["words"] == [evil]
