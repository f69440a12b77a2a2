"""Plans of trainings: what goes together, what is refused, and the parsers that they make."""

from __future__ import annotations

from typing import Any

import pytest

import crossarc as xa
from crossarc.parsers import TrainingPlan
from crossarc.parsers.plan import PlanError

TREES = xa.sample(40, seed=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parser": "graphs"}, "parser is transition, graph or auto, not graphs"),
        ({"trees": "projective"}, "trees is for graph parsers: add parser graph"),
        ({"predict": ("upos",)}, "predict is for graph parsers: add parser graph"),
        ({"parser": "graph", "beam": 4}, "beam is for transition parsers, and graph parsers have none: leave it out"),
        ({"parser": "graph", "scorer": "network"}, "scorer is for transition parsers, and graph parsers have none"),
        ({"parser": "graph", "covered_roots": "left"}, "covered_roots is for transition parsers"),
        (
            {"parser": "auto", "system": "planar"},
            "system is for transition parsers, and parser auto chooses",
        ),
        ({"parser": "auto", "trees": "projective"}, "trees is for graph parsers, and parser auto chooses the parser"),
        ({"segmenter_epochs": 3}, "segmenter_epochs is for pipelines: add pipeline"),
        ({"about": {"name": "mine"}}, "about is for pipelines: add pipeline"),
        ({"pipeline": True, "about": {"size": "1"}}, "about size=1: give NAME=VALUE with one of name, language"),
        ({"system": "arc-eager", "search": "first"}, "search is for encoding head, path or head+path: add that"),
        (
            {"system": "arc-eager", "encoding": "head", "reconstruction": "naive"},
            "reconstruction is for encoding undirected: add that",
        ),
        ({"encoding": "head"}, "system auto chooses the encoding too: leave out encoding"),
        ({"network": "wide"}, "network is plain or deep, not wide"),
        ({"scorer": "perceptron", "network": "deep"}, "network deep is for the scorer network, not perceptron"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as refused:
        TrainingPlan(**options)
    assert message in str(refused.value)
    assert refused.value.flags.replace("--", "").replace("-", "_") == str(refused.value).replace("-", "_")


def test_options_of_models_are_checked_at_once() -> None:
    with pytest.raises(xa.ParserError, match="no option 'learners' of the scorer network"):
        TrainingPlan(options={"learners": 2})
    with pytest.raises(xa.ParserError, match="no option 'learners' of the scorer biaffine"):
        TrainingPlan(parser="graph", options={"learners": 2})
    with pytest.raises(xa.ParserError, match="the scorer is one of network, perceptron"):
        TrainingPlan(scorer="oracle")
    assert TrainingPlan(scorer="perceptron", options={"learners": 2}).make_scorer() == xa.Perceptron(learners=2)


def test_a_plan_makes_the_parser_that_it_describes() -> None:
    plan = TrainingPlan(system="arc-eager", encoding="head+path", search="first", scorer="perceptron", beam=4, cutoff=3)
    parser = plan.make_parser(TREES)
    assert isinstance(parser, xa.TransitionParser)
    assert parser.encoding == xa.PseudoProjective("head+path", search="first")
    assert (parser.name, parser.scorer, parser.beam, parser.cutoff) == ("arc-eager", xa.Perceptron(), 4, 3)
    implied = TrainingPlan(system="undirected-planar", reconstruction="naive").make_parser(TREES)
    assert isinstance(implied, xa.TransitionParser) and implied.encoding == xa.Undirected("naive")
    assert TrainingPlan(system="planar", network="deep").make_parser(TREES).cutoff == 2
    graph = TrainingPlan(parser="graph", root="any", trees="projective", predict=("lemma", "upos")).make_parser(TREES)
    assert isinstance(graph, xa.GraphParser)
    assert (graph.trees, graph.predict, graph.root, graph.cutoff) == ("projective", ("upos", "lemma"), "any", 2)


def test_data_choose_and_the_reason_is_told() -> None:
    told: list[str] = []
    chosen = TrainingPlan().make_parser(TREES, tell=told.append)
    assert told[0].startswith(f"{chosen.name} with the encoding head: ") and told[1].startswith("A graph parser")
    told.clear()
    graph = TrainingPlan(parser="auto").make_parser(TREES, tell=told.append)
    assert isinstance(graph, xa.GraphParser) and told[0].startswith("graph parser of ")
    told.clear()
    pipeline = TrainingPlan(pipeline=True).make_parser(TREES, tell=told.append)
    assert isinstance(pipeline, xa.GraphParser) and pipeline.predict == ("upos", "xpos", "feats", "lemma")
    few, trees = told
    assert few.startswith(f"{TREES.words:,} words are little for a graph parser")
    assert trees == f"--trees {pipeline.trees}: the class that fits the training data"
    with pytest.raises(PlanError, match="trials compares systems on development data: add dev FILE"):
        TrainingPlan(trials=1).make_parser(TREES)


def test_abilities_say_what_parsers_can_do() -> None:
    graph = xa.GraphParser(predict=("upos",)).abilities
    assert (graph.predicts, graph.several_trees, graph.keeps_heads, graph.steps) == (("upos",), True, True, None)
    planar = xa.TransitionParser("2-planar")
    assert planar.abilities.steps is planar and planar.abilities.several_trees and not planar.abilities.keeps_heads
    easy = xa.TransitionParser("easy-first").abilities
    assert (easy.several_trees, easy.steps) == (False, None)
    assert xa.TransitionParser("2-planar-graph").abilities.enhanced_graphs
    with pytest.raises(xa.ParserError, match="takes words and no raw text"):
        planar.segmented(["a text"])
    with pytest.raises(xa.ParserError, match="heads that are given can be kept by graph parsers alone"):
        planar.parse(["a"], keep_heads=True)
