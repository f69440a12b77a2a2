"""`crossarc train`, `parse`, `info` and `features`, as people use them."""

from __future__ import annotations

import gzip
import json
import math
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.cli.training import Describer, duration, tell_of_pipeline
from crossarc.models import read_model_file
from crossarc.training.report import Epoch

from ..support.commands import CROSSARC, crossarc
from ..support.warned import bare_words

TRAIN = "train train.conllu.gz --dev dev.conllu --system 2-planar --epochs 2 -o m.crossarc"
TRANSITIONS = "--system arc-eager"
GRAPH = (
    "--parser graph --hidden-size 8 --option arc_hidden_size=8 --option label_hidden_size=8 "
    "--option embedding_sizes=[8,8,8] --option character_size=0 "
    "--option batch_words=100"
)
AUTO = "train train.conllu.gz --epochs 1 -o auto.crossarc"

#: The command, in a process that is killed when it says that the third epoch is done.
KILLED = """
import os, signal, sys
from crossarc.cli.main import main

class Killing:
    def __getattr__(self, name):
        return getattr(sys.__stderr__, name)

    def write(self, text):
        if text.startswith("epoch 3:"):
            os.kill(os.getpid(), signal.SIGKILL)
        return len(text)

sys.stderr = Killing()
main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and a model that was trained on them."""
    path = tmp_path_factory.mktemp("train")
    xa.write(xa.sample(200, seed=1), path / "train.conllu.gz")
    xa.write(xa.sample(60, seed=2), path / "dev.conllu")
    run = crossarc(*TRAIN.split(), cwd=path)
    assert (run.returncode, run.stdout) == (0, "")
    lines = run.stderr.splitlines()
    assert lines[0] == "200 sentences, 1,778 words"
    assert sum(line.startswith("mistakes: wrong choices on the training data") for line in lines) == 1
    assert not any("--dev" in line for line in lines)
    assert re.match(r"m\.crossarc: the model of epoch \d, LAS .*; it took \d+ ", lines[-1])
    assert sum(line.startswith("epoch ") for line in lines) == 2
    return path


def test_parse_reads_and_writes_files_and_streams(folder: Path) -> None:
    run = crossarc("parse", "m.crossarc", "dev.conllu", "-o", "parsed.conllu.gz", cwd=folder)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    parsed = gzip.decompress((folder / "parsed.conllu.gz").read_bytes()).decode()
    assert crossarc("parse", "m.crossarc", stdin=(folder / "dev.conllu").read_text(), cwd=folder).stdout == parsed
    assert xa.load(folder / "m.crossarc").parse(xa.read(folder / "dev.conllu")).to_text() == parsed


def test_parse_with_a_beam_writes_several_trees_and_scores(folder: Path) -> None:
    arguments = "train train.conllu.gz --system arc-eager --epochs 1 --beam 4 --update early -o beam.crossarc"
    assert crossarc(*arguments.split(), "--scorer", "perceptron", cwd=folder).returncode == 0
    assert json.loads(crossarc("info", "--json", "beam.crossarc", cwd=folder).stdout)["beam"] == 4
    dev, parser = xa.read(folder / "dev.conllu"), xa.load(folder / "beam.crossarc")
    run = crossarc("parse", "beam.crossarc", "dev.conllu", "--nbest", "3", "--scores", cwd=folder)
    assert (run.returncode, run.stderr) == (0, "")
    written = xa.from_text(run.stdout)
    found = parser.parse_nbest(dev, 3)
    ranks = [int(sentence.metadata["crossarc_rank"]) for sentence in written]
    assert ranks == [rank for trees in found for rank in range(1, len(trees) + 1)]
    assert [float(sentence.metadata["crossarc_score"]) for sentence in written] == found.totals.tolist()
    assert written.head.tolist() == found.treebank.head.tolist()
    scored = [word.misc.get("Score") for sentence in written for word in sentence]
    assert [score is None for score in scored] == (found.scores != found.scores).tolist()
    greedy = crossarc("parse", "beam.crossarc", "dev.conllu", "--beam", "1", cwd=folder).stdout
    assert greedy == parser.parse(dev, beam=1).to_text()


def test_n_best_trees_need_a_format_with_comments(folder: Path) -> None:
    line = "1\tJa\tja\tX\tX\t_\t0\tROOT\t_\t_\n\n"
    for option in ("--nbest=2", "--scores"):
        run = crossarc("parse", "m.crossarc", option, "--format", "conllx", stdin=line, cwd=folder)
        assert (run.returncode, run.stdout) == (2, "")
        assert run.stderr.startswith("CoNLL-X has no ")
        assert run.stderr.count("\n") == 1


def test_parsing_in_portions_is_parsing_at_once(folder: Path) -> None:
    """More sentences than one portion of the stream has."""
    large = xa.sample(2300, seed=5)
    run = crossarc("parse", "m.crossarc", stdin=large.to_text(), cwd=folder)
    assert run.stdout == xa.load(folder / "m.crossarc").parse(large).to_text()


def test_an_empty_file_and_bare_words_parse(folder: Path) -> None:
    assert crossarc("parse", "m.crossarc", stdin="", cwd=folder).stdout == ""
    rest = 8 * "\t_"
    bare = f"# a comment\n1-2\tzum{rest}\n1\tzu{rest}\n2\tdem{rest[:-1]}X=1\n\n"
    run = crossarc("parse", "m.crossarc", stdin=bare, cwd=folder)
    assert run.returncode == 0, run.stderr
    assert [line.split("\t")[0] for line in run.stdout.splitlines()] == ["# a comment", "1-2", "1", "2", ""]
    assert xa.from_text(run.stdout).has_heads


def test_info(folder: Path) -> None:
    found = json.loads(crossarc("info", "--json", "m.crossarc", cwd=folder).stdout)
    assert (found["system"], found["encoding"], found["sentences"], found["words"]) == ("2-planar", None, 200, 1778)
    assert found["trained_on"] == ["train.conllu.gz"]
    assert found["bytes"] == (folder / "m.crossarc").stat().st_size
    shown = crossarc("info", "m.crossarc", cwd=folder).stdout
    assert f"dev las               {100 * found['dev_las']:.2f}" in shown
    assert 0 < found["dev_las"] < 1
    assert found["columns"] == ["FORM", "LEMMA", "UPOS", "XPOS", "FEATS"]
    assert found["empty_columns"] == []
    assert found["crossarc"] == xa.__version__
    assert found["command"] == "crossarc train train.conllu.gz --dev dev.conllu --system 2-planar --epochs 2"
    assert "\ncolumns               FORM, LEMMA, UPOS, XPOS, FEATS\n" in shown
    assert found["command"] in shown


def test_a_model_says_nothing_about_folders_and_outputs(folder: Path, tmp_path: Path) -> None:
    """The same data and options give the same file, wherever they are and however it is written."""
    deep = tmp_path / "secret project"
    deep.mkdir()
    dev = xa.read(folder / "dev.conllu")
    xa.write(dev.replace(xpos=["_"] * dev.words, lemma=["_"] * dev.words), deep / "some words.conllu")
    common = ["--system", "arc-eager", "--scorer", "perceptron", "--option", "update=early", "--epochs", "1"]
    for file, further in ((deep / "some words.conllu", ["-o", "a"]), ("some words.conllu", ["-o", "b", "--threads=1"])):
        run = crossarc("train", str(file), *common, *further, cwd=deep)
        assert run.returncode == 0, run.stderr
        assert run.stderr.count("without --dev no score is measured: the model of the last epoch is kept\n") == 1
    assert (deep / "a").read_bytes() == (deep / "b").read_bytes()
    assert b"secret" not in (deep / "a").read_bytes()
    found = json.loads(crossarc("info", "--json", "a", cwd=deep).stdout)
    assert found["trained_on"] == ["some words.conllu"]
    assert found["command"] == f"crossarc train 'some words.conllu' {' '.join(common)}"
    assert (found["columns"], found["empty_columns"]) == (["FORM", "LEMMA", "UPOS", "XPOS", "FEATS"], ["LEMMA", "XPOS"])


def test_scores_are_shares_in_python_and_json_and_percent_for_people(folder: Path) -> None:
    arguments = "train train.conllu.gz --dev dev.conllu --system swap --scorer perceptron --epochs 2 -o unit --json"
    run = crossarc(*arguments.split(), cwd=folder)
    report = json.loads(run.stdout)
    parser = xa.load(folder / "unit")
    dev = xa.read(folder / "dev.conllu")
    found = xa.evaluate(dev, parser.parse(dev))
    assert (report["las"], report["uas"]) == pytest.approx((found.las, found.uas))
    assert (parser.info()["dev_las"], parser.info()["dev_uas"]) == pytest.approx((found.las, found.uas), abs=1e-6)
    best = report["epochs"][report["best"] - 1]
    strict = found.scores.strict.unlabelled.f1
    assert report["strict_f"] == best["strict_f"] == pytest.approx(strict)
    assert parser.info()["dev_strict_f"] == pytest.approx(strict, abs=1e-6)
    said = f", LAS {100 * best['las']:.2f}, UAS {100 * best['uas']:.2f}, strict F of non-projective arcs "
    assert f"{said}{100 * strict:.2f}, " in run.stderr
    stored = read_model_file(folder / "unit").description["training"]
    assert stored["las"] == report["las"]


def test_graphs_are_learnt_and_parsed(folder: Path) -> None:
    trees = xa.read(folder / "dev.conllu")
    deps = [f"{max(head, 0)}:{label}" for head, label in zip(trees.head.tolist(), trees.texts("deprel"), strict=True)]
    deps[1] += "|1.1:dep"
    xa.write(trees.replace(deps=deps), folder / "graphs.conllu")
    given = "train graphs.conllu --dev graphs.conllu --system 2-planar-graph --epochs 2 -o graph.crossarc"
    lines = crossarc(*given.split(), cwd=folder).stderr.splitlines()
    assert "1 relations to empty nodes or from a word to itself are left out" in lines
    assert re.search(r", F1 [\d.]+, unlabelled F1 [\d.]+, ", lines[-2])
    found = json.loads(crossarc("info", "--json", "graph.crossarc", cwd=folder).stdout)
    assert f", F1 {100 * found['dev_f1']:.2f} on graphs.conllu, with the LEMMA, UPOS" in lines[-1]
    assert found["looks_at"] > 5
    parsed = crossarc("parse", "graph.crossarc", "dev.conllu", cwd=folder)
    assert xa.from_text(parsed.stdout).replace(deps=["_"] * trees.words).to_bytes() == trees.to_bytes()
    refused = crossarc(*given.replace("graphs.conllu", "dev.conllu").split(), cwd=folder)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "has no arcs in DEPS: 2-planar-graph builds graphs" in refused.stderr
    several = crossarc("parse", "graph.crossarc", "dev.conllu", "--nbest", "2", cwd=folder)
    assert several.returncode == 2
    assert "only of trees" in several.stderr


def test_features_can_be_printed_changed_and_used(folder: Path) -> None:
    run = crossarc("features", "arc-eager", cwd=folder)
    assert run.returncode == 0
    (folder / "features.txt").write_text(run.stdout)
    arguments = (
        "train train.conllu.gz --system arc-eager --scorer perceptron --features features.txt --epochs 1 -o {} --json"
    )
    assert crossarc(*arguments.format("same.crossarc").split(), cwd=folder).returncode == 0
    default = arguments.replace(" --features features.txt", "").format("default.crossarc")
    assert crossarc(*default.split(), cwd=folder).returncode == 0
    one, other = (read_model_file(folder / f"{name}.crossarc") for name in ("same", "default"))
    commands = [file.description["training"].pop("command") for file in (one, other)]
    assert commands[0].replace(" --features features.txt", "") == commands[1]
    assert one.description == other.description
    assert all((one.arrays[name] == array).all() for name, array in other.arrays.items())
    (folder / "features.txt").write_text("s0.upos+b0.upos\n[labels]\ns0.frm\n")
    wrong = crossarc(*arguments.format("x.crossarc").split(), cwd=folder)
    assert wrong.returncode == 2
    assert wrong.stderr.splitlines()[-2:] == ["  s0.frm", "     ^"]
    assert "features.txt:3: no step and no attribute 'frm'" in wrong.stderr


def test_easy_first_with_its_printed_features_gives_one_tree(folder: Path) -> None:
    (folder / "easy.txt").write_text(crossarc("features", "easy-first", cwd=folder).stdout)
    arguments = "train train.conllu.gz --system easy-first --scorer perceptron --epochs 1 -o"
    for model, further in (("easy.crossarc", []), ("same.crossarc", ["--features", "easy.txt"])):
        assert crossarc(*arguments.split(), model, *further, cwd=folder).returncode == 0
    parsed = [crossarc("parse", f"{name}.crossarc", "dev.conllu", cwd=folder).stdout for name in ("easy", "same")]
    assert parsed[0] == parsed[1]
    assert xa.from_text(parsed[0]).has_heads
    run = crossarc("parse", "easy.crossarc", "dev.conllu", "--nbest", "2", cwd=folder)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "easy-first is greedy and keeps no scores: it gives one tree, by parse\n"


def test_what_a_network_looks_at_can_be_printed(folder: Path) -> None:
    shown = crossarc("features", "2-planar", "--scorer", "network", cwd=folder).stdout.splitlines()
    assert {"s0", "t0", "b0", "distance(s0,b0)", "lemma", "feats:*"} <= set(shown)


def test_options_of_another_scorer_are_refused(folder: Path) -> None:
    for options, message in (
        ("--learners 2", "no option 'learners' of the scorer network"),
        ("--features f.txt", "no option 'templates_file' of the scorer network"),
        ("--scorer perceptron --hidden-size 8", "no option 'hidden_size' of the scorer perceptron"),
        ("--scorer perceptron --network deep", "--network deep is for the scorer network, not perceptron"),
        ("--network wide", "--network is plain or deep, not wide"),
        ("--parser graph --network deep", "--network is for transition parsers, and graph parsers have none"),
        ("--scorer oracle", "the scorer is one of network, perceptron"),
        ("--option cell=8", "no option 'cell' of the scorer network: its options are groups, embedding_sizes,"),
        ("--option hidden_size=many", "hidden_size is a whole number from 1 to 4,096, not 'many'"),
        ("--option hidden_size=0", "hidden_size is a whole number from 1 to 4,096, not 0"),
        ("--option views=form", "views is a list of 1 to 4,096 texts, not 'form'"),
        ("--option layers", "--option layers: give NAME=VALUE"),
    ):
        run = crossarc(*f"train train.conllu.gz -o x.crossarc {options}".split(), cwd=folder)
        assert run.returncode == 2
        assert message in run.stderr
    assert not (folder / "x.crossarc").exists()


def test_tags_and_lemmas_are_predicted_together_with_trees(folder: Path) -> None:
    words = '--option groups=[["lower"],["suffix2","suffix3"]] --option embedding_sizes=[8,8]'
    sizes = "--option arc_hidden_size=8 --option label_hidden_size=8 --option character_size=0 --option batch_words=100"
    small = f"--parser graph --hidden-size 8 {sizes}"
    command = f"train train.conllu.gz --dev dev.conllu {small} {words} --epochs 2 -o joint.crossarc"
    run = crossarc(*command.split(), "--predict", "upos,xpos,feats,lemma", cwd=folder)
    assert run.returncode == 0
    assert re.search(r"^epoch 2: .* UAS .*, UPOS [\d.]+, XPOS [\d.]+, FEATS [\d.]+, LEMMA [\d.]+, ", run.stderr, re.M)
    info = json.loads(crossarc("info", "joint.crossarc", "--json", cwd=folder).stdout)
    assert info["predicts"] == ["UPOS", "XPOS", "FEATS", "LEMMA"] and 0 < info["dev_lemma"] < 1
    bare = xa.Treebank.from_words([["vokli", "tubrinia", "."]])
    xa.write(bare, folder / "words.conllu")
    parsed = crossarc("parse", "joint.crossarc", "words.conllu", cwd=folder)
    assert parsed.returncode == 0 and parsed.stderr == ""
    columns = [line.split("\t") for line in parsed.stdout.splitlines() if line]
    assert all("_" not in (one[2], one[3], one[4], one[6]) for one in columns)


def test_auto_says_why(folder: Path) -> None:
    run = crossarc(*AUTO.split(), cwd=folder)
    assert run.returncode == 0
    assert re.match(r"covington: [\d.]+ % of the arcs are non-projective; it can build every one of them", run.stderr)
    assert "\nA graph parser (--parser graph --trees 1-endpoint-crossing) was more accurate" in run.stderr
    trials = crossarc(*AUTO.split(), "--trials", "1", "--dev", "dev.conllu", cwd=folder)
    trial = r"^trial of (.*): LAS ([\d.]+), strict F of non-projective arcs ([\d.]+)$"
    scores = re.findall(trial, trials.stderr, re.M)
    best, crossing = (max(scores, key=lambda found: float(found[place])) for place in (1, 2))
    assert [name.split()[0] for name, *_ in scores] == ["covington", "2-planar", "arc-eager", "swap"]
    also = f", also by strict F of non-projective arcs, {best[2]}"
    other = f"; by strict F of non-projective arcs {crossing[0]} was, {crossing[2]} to {best[2]}"
    said = also if crossing[2] == best[2] else other
    assert f"{best[0]}: LAS {best[1]} after 1 epochs, the best of 4{said}\n" in trials.stderr


def test_auto_may_choose_a_graph_parser_and_its_probabilities_are_evaluated(folder: Path) -> None:
    small = GRAPH.replace("graph", "auto").split()
    arguments = ["train", "train.conllu.gz", "--epochs", "1", "-o", "g.crossarc"]
    run = crossarc(*arguments, *small, cwd=folder)
    assert run.returncode == 0, run.stderr
    found = json.loads(crossarc("info", "--json", "g.crossarc", cwd=folder).stdout)
    assert run.stderr.startswith(f"graph parser of {found['trees']} trees: ")
    assert found["trees"] == "1-endpoint-crossing" and "graph parsers were more accurate" in run.stderr
    parsed = crossarc("parse", "g.crossarc", "dev.conllu", "--scores", "-o", "probable.conllu", cwd=folder)
    assert parsed.returncode == 0, parsed.stderr
    misc = [word.misc for sentence in xa.read(folder / "probable.conllu") for word in sentence]
    scored = [one for one in misc if "Score" in one]  # punctuation that was attached anew has none
    assert len(scored) > 0.9 * len(misc)
    assert all(abs(math.exp(float(one["Score"])) - float(one["Probability"])) < 1e-4 for one in scored)
    partial = "1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n2\ton\t_\t_\t_\t_\t1\tmine\t_\t_\n3\tnow\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    kept = crossarc("parse", "g.crossarc", "--keep-heads", cwd=folder, stdin=partial)
    assert kept.returncode == 0, kept.stderr
    assert xa.from_text(kept.stdout)[0][1].deprel == "mine" and xa.from_text(kept.stdout)[0].heads[1] == 1
    refused = crossarc("parse", "g.crossarc", cwd=folder, stdin=partial)
    assert refused.returncode == 2 and "<stdin>:1: word 1 has no head" in refused.stderr
    report = crossarc("evaluate", "dev.conllu", "probable.conllu", "--full", cwd=folder)
    assert "\nCalibration" in report.stdout
    trees = crossarc(*arguments, *GRAPH.split(), "--trees", "auto", "--force", cwd=folder)
    assert trees.stderr.startswith("--trees 1-endpoint-crossing: the class that fits the training data\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("train none.conllu -o x", "none.conllu: cannot be read: No such file"),
        ("train empty.conllu -o x --system planar", "the training data have no sentences"),
        ("train bare.conllu -o x --system planar", "has no heads: training data need them"),
        ("train dev.conllu -o x --system plnar", "did you mean planar"),
        ("train dev.conllu -o x --system planar-graph", "has no arcs in DEPS: planar-graph builds graphs"),
        ("train dev.conllu -o x --system easy-first --beam 4", "easy-first is greedy, it takes the surest arc first"),
        ("train dev.conllu -o x --encoding head", "--system auto chooses the encoding too"),
        ("train dev.conllu -o x --system planar --encoding heads", "heads"),
        ("train dev.conllu -o x --parser graph --scorer network", "--scorer is for transition parsers, and graph"),
        ("train dev.conllu -o x --parser graph --artificial-root last", "--artificial-root is for transition parsers"),
        ("train dev.conllu -o x --parser graph --reconstruction naive", "--reconstruction is for transition parsers"),
        ("train dev.conllu -o x --trials 2", "--trials compares systems on development data: add --dev FILE"),
        ("train bare.conllu -o x --parser graph", "has no heads: training data need them"),
        ("train dev.conllu -o x --parser graphs", "--parser is transition, graph or auto, not graphs"),
        ("train dev.conllu -o x --trees projective", "--trees is for graph parsers: add --parser graph"),
        ("train dev.conllu -o x --predict upos", "--predict is for graph parsers: add --parser graph"),
        ("train dev.conllu -o x --parser graph --predict upos,head", "predict names columns among upos, xpos, feats"),
        ("train dev.conllu -o x --parser graph --trees planar", "trees are one of 1-endpoint-crossing, projective"),
        ("train dev.conllu -o x --parser graph --beam 4", "--beam is for transition parsers, and graph parsers have"),
        ("train dev.conllu -o x --parser auto --trees projective", "--parser auto chooses the parser: leave it out"),
        ("train dev.conllu -o x.gz --system planar", "x.gz: a model is mapped into memory"),
        ("train dev.conllu -o no/x --system planar --epochs 1", "no/x: cannot be written: there is no folder no"),
        ("parse dev.conllu dev.conllu", "dev.conllu: this is a treebank, not a model: are the two swapped?"),
        ("parse none.crossarc dev.conllu", "none.crossarc: cannot be read: No such file"),
        ("parse cut.crossarc dev.conllu", "cut.crossarc: not a crossarc model, or damaged"),
        ("parse m.crossarc dev.conllu -o no/x", "no/x: cannot be written: there is no folder no"),
        ("info altered.crossarc", "altered.crossarc: the model is damaged: its checksum is wrong"),
    ],
)
def test_bad_input_is_one_clear_line(folder: Path, arguments: str, message: str) -> None:
    (folder / "empty.conllu").write_text("")
    (folder / "bare.conllu").write_text("1\tJa\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    model = (folder / "m.crossarc").read_bytes()
    (folder / "cut.crossarc").write_bytes(model[:-100])
    (folder / "altered.crossarc").write_bytes(model[:-100] + bytes(100))
    run = crossarc(*arguments.split(), cwd=folder)
    assert run.returncode == 2
    assert message in run.stderr.splitlines()[-1]
    assert "Traceback" not in run.stderr
    assert not (folder / "x").exists()


@pytest.mark.parametrize("kind", [TRANSITIONS, GRAPH])
@bare_words
def test_an_interruption_saves_the_best_so_far(kind: str, tmp_path: Path) -> None:
    xa.write(xa.sample(500, seed=1), tmp_path / "train.conllu")
    command = [*CROSSARC, "train", "train.conllu", *kind.split(), "--epochs", "500", "-o", "m.crossarc"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("epoch 2:"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    errors = process.communicate()[1]
    assert process.returncode == 130
    assert "m.crossarc: the model of epoch " in errors
    assert "Traceback" not in errors
    assert xa.load(tmp_path / "m.crossarc").parse(["ja"]).has_heads


@pytest.mark.parametrize("kind", [TRANSITIONS, GRAPH])
def test_killed_and_resumed_comes_to_the_same_model(kind: str, tmp_path: Path) -> None:
    xa.write(xa.sample(200, seed=1), tmp_path / "train.conllu")
    arguments = ["train", "train.conllu", *kind.split(), "--epochs", "5", "-o"]
    assert crossarc(*arguments, "whole.crossarc", cwd=tmp_path).returncode == 0
    command = [sys.executable, "-c", KILLED, *arguments, "m.crossarc", "--checkpoint"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / "m.crossarc").exists()
    run = crossarc(*arguments, "m.crossarc", "--resume", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stderr.startswith("going on from m.crossarc.checkpoint\n")
    assert "epoch 1:" not in run.stderr
    assert (tmp_path / "m.crossarc").read_bytes() == (tmp_path / "whole.crossarc").read_bytes()
    assert not (tmp_path / "m.crossarc.checkpoint").exists()


@pytest.mark.parametrize(
    ("options", "encoding"),
    [
        (
            "--system arc-eager --encoding head+path --search first --covered-roots left --lift-order deepest",
            {"scheme": "head+path", "search": "first", "covered_roots": "left", "lift_order": "deepest"},
        ),
        ("--system undirected-planar --reconstruction naive", {"type": "undirected", "reconstruction": "naive"}),
    ],
)
def test_options_of_encodings_reach_the_model(folder: Path, options: str, encoding: dict[str, str]) -> None:
    arguments = f"train train.conllu.gz {options} --scorer perceptron --epochs 1 -o encoded.crossarc"
    assert crossarc(*arguments.split(), cwd=folder).returncode == 0
    stored = read_model_file(folder / "encoded.crossarc").description["encoding"]
    assert {name: stored[name] for name in encoding} == encoding


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--system arc-eager --search first", "--search is for --encoding head, path or head+path: add that"),
        ("--lift-order deepest", "--lift-order is for --encoding head"),
        ("--system undirected-planar --encoding undirected --search first", "--search is for --encoding head"),
        ("--system arc-eager --covered-roots left", "--covered-roots is for --encoding head"),
        ("--system arc-eager --encoding head --reconstruction naive", "--reconstruction is for --encoding undirected"),
        ("--system arc-eager --reconstruction naive", "arc-eager builds arcs with a direction"),
        (
            "--system undirected-planar --reconstruction naive --artificial-root none",
            "naive reconstruction directs all links away from the artificial root",
        ),
    ],
)
def test_options_of_encodings_that_would_change_nothing_are_refused(folder: Path, options: str, message: str) -> None:
    run = crossarc("train", "train.conllu.gz", "-o", "n.crossarc", *options.split(), cwd=folder)
    assert run.returncode == 2
    assert message in run.stderr


def test_feature_models_of_the_papers_are_listed_printed_and_taken_by_name(folder: Path) -> None:
    listed = crossarc("features", cwd=folder).stdout.splitlines()
    names = [line.split()[0] for line in listed]
    assert {"nivre-nilsson-2005", "malt-2-planar", "conllx-undirected-covington"} <= set(names)
    printed = crossarc("features", "malt-planar-linear", cwd=folder).stdout
    assert printed.startswith("# MaltParser's model for planar parsing with LIBLINEAR")
    arguments = "train train.conllu.gz --system planar --scorer perceptron --epochs 1 --features malt-planar-linear"
    assert crossarc(*arguments.split(), "-o", "malt.crossarc", cwd=folder).returncode == 0
    stored = read_model_file(folder / "malt.crossarc").description["templates"]
    assert stored == printed.split("[transitions]\n")[1].split("\n\n")[0].splitlines()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full device is needed")
def test_a_full_disk_at_the_end_loses_no_training(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "full-1.crossarc").write_text("of somebody else")
    train = "train train.conllu.gz --dev dev.conllu --system 2-planar --epochs 2".replace(
        "train.c", f"{folder}/train.c"
    )
    run = crossarc(*train.replace("dev.", f"{folder}/dev.").split(), "-o", "/dev/full", cwd=tmp_path)
    rescued = tmp_path / "full-2.crossarc"
    told = (
        f"/dev/full: cannot be written: No space left on device; the model is in {rescued} instead: move it from there"
    )
    assert (run.returncode, run.stderr.splitlines()[-1]) == (2, told)
    assert read_model_file(rescued).arrays.keys() == read_model_file(folder / "m.crossarc").arrays.keys()
    assert (tmp_path / "full-1.crossarc").read_text() == "of somebody else"


def test_a_long_training_says_how_long_it_may_take(capsys: pytest.CaptureFixture[str]) -> None:
    short, long = Describer(3), Describer(80)
    for describe, seconds in ((short, 2.0), (long, 13.0)):
        for number in (1, 2):
            describe.epoch(Epoch(number, 10, seconds))
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if not line.startswith("epoch ")] == ["at most 79 more epochs: 18 min at this pace"]
    assert [duration(seconds) for seconds in (0.2, 59, 61, 3601)] == ["1 s", "59 s", "2 min", "1 h 1 min"]


def test_texts_that_do_not_say_where_sentences_end(capsys: pytest.CaptureFixture[str]) -> None:
    for found in (0.05, 0.9):
        scores = {"raw text": {"Words": 1.0, "Sentences": found, "LAS": 0.4}, "gold words": {"LAS": 0.5}}
        tell_of_pipeline(scores, "dev.conllu")
    told = capsys.readouterr().err.splitlines()
    assert [("--input lines" in line) for line in told] == [False, True, False, False, False]
