"""Model files and checkpoints altered on purpose, with the right checksum: refused with one line, or used safely.

Under `make kernel-check` this runs on the sanitizer build with more files; the counts are printed at the end.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.models.neural.biaffine import OBJECTIVES
from crossarc.parsers import TransitionParser, load
from crossarc.treebank import from_bytes

from ..support.altered import (
    GRAPH,
    KINDS,
    LINEAR,
    PARTS,
    TINY,
    Kind,
    altered_arrays,
    altered_description,
    altered_file,
    numbers_of_part,
    tiny_parser,
)
from ..support.memory import PEAK
from ..support.transformers import on_encoder

pytestmark = pytest.mark.kernel

BUILD = "the sanitizer build" if _kernel.sanitized else "the plain build"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[ModelFile]:
    """A model of each kind, some of them with eight bits."""
    path = tmp_path_factory.mktemp("models") / "m.crossarc"
    found = []
    for number, kind in enumerate(KINDS):
        tiny_parser(kind).save(path, bits=8 if number % 3 == 2 else 16)
        found.append(read_model_file(path))
    for bits, shape in ((16, "our own"), (8, "BERT")):
        parser = tiny_parser(KINDS[11])
        assert isinstance(parser, xa.GraphParser)
        on_encoder(parser, shape).save(path, bits=bits)
        found.append(read_model_file(path))
    return found


def half_trained(kind: Kind, path: Path) -> None:
    """Write a checkpoint after the first of two epochs."""

    def interrupt(epoch: int, done: int, sentences: int) -> None:
        if epoch == 2:
            raise KeyboardInterrupt

    path.unlink(missing_ok=True)
    tiny_parser(kind, epochs=2, checkpoint=path, on_progress=interrupt)


def loaded(path: Path, file: ModelFile) -> xa.TrainableParser:
    write_model_file(path, file)
    return load(path)


def with_field(file: ModelFile, place: str, value: Any) -> ModelFile:
    """Set a field, given as `training.epochs.0.las`."""
    data = json.loads(json.dumps(file.description))
    *way, last = [int(part) if part.isdigit() else part for part in place.split(".")]
    within = data
    for part in way:
        within = within[part]
    within[last] = value
    return ModelFile(data, file.arrays)


@pytest.mark.filterwarnings("ignore::crossarc.errors.CountedWarning")  # sentences longer than an altered window
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_altered_models_are_refused_or_parse(
    part: int, files: list[ModelFile], tmp_path: Path, announce: list[str]
) -> None:
    dev = xa.sample(3, seed=2)
    numbers = numbers_of_part(part, 0.02, 600)
    count = len(numbers)
    path = tmp_path / "m.crossarc"
    refused = 0
    for number in numbers:
        file = altered_file(random.Random(number), files[number % len(files)])
        write_model_file(path, file)
        try:
            parser = xa.load(path)
        except xa.FileError as error:
            refused += 1
            assert str(error).startswith(f"{path}: ")
            assert len(str(error).splitlines()) == 1
            assert len(str(error)) < len(str(path)) + 1000
            str(error).encode()
            continue
        json.dumps(parser.info(), ensure_ascii=False, allow_nan=False).encode()
        parsed = parser.parse(dev)
        assert (parsed.head >= 0).all()
        # The reader takes trees alone.
        assert from_bytes(parsed.to_bytes(), root="any").to_bytes() == parsed.to_bytes()
    assert 0.3 * count < refused < count
    announce.append(f"fuzz: {count:,} altered models on {BUILD}: {refused:,} refused, the others parse")


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Kind, ModelFile]]:
    several = (*KINDS[0][:2], replace(LINEAR, learners=2), 1)
    path = tmp_path_factory.mktemp("checkpoints") / "m.checkpoint"
    written = []
    for kind in (KINDS[0], KINDS[1], KINDS[2], several, KINDS[7], KINDS[9], KINDS[11]):
        half_trained(kind, path)
        written.append((kind, read_model_file(path)))
    return written


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_altered_checkpoints_are_refused_or_trained_on(
    part: int, checkpoints: list[tuple[Kind, ModelFile]], tmp_path: Path, announce: list[str]
) -> None:
    path = tmp_path / "m.checkpoint"
    numbers = numbers_of_part(part, 0.006, 200)
    count = len(numbers)
    refused = 0
    for number in numbers:
        rng = random.Random(number)
        kind, file = checkpoints[number % len(checkpoints)]
        changed = altered_description(rng, {"report": file.description["report"]})
        if rng.random() < 0.3:
            file = ModelFile({**file.description, **changed}, file.arrays)
        else:
            file = ModelFile(file.description, altered_arrays(rng, file.arrays))
        write_model_file(path, file)
        try:
            parser = tiny_parser(kind, checkpoint=path, resume=True, epochs=2)
        except xa.CrossarcError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1
            continue
        for array in parser.model_file().arrays.values():
            assert np.isfinite(array).all()
    assert 0.3 * count < refused < count
    announce.append(f"fuzz: {count:,} altered checkpoints on {BUILD}: {refused:,} refused, the others train")


def test_a_feature_of_no_template_in_a_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.checkpoint"
    half_trained(KINDS[0], path)
    file = read_model_file(path)
    name = "learner_0_transition_features"
    features = file.arrays[name].copy()
    features[0] += 10**6 << 32
    write_model_file(path, ModelFile(file.description, {**file.arrays, name: features}))
    with pytest.raises(xa.FileError, match=r"m\.checkpoint: the checkpoint cannot .*no template.*remove it"):
        tiny_parser(KINDS[0], checkpoint=path, resume=True, epochs=2)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (0, "learner_0_transition_weights", 2**31 - 1),
        (0, "learner_0_transition_weighted", -(2**63)),
        (0, "learner_0_label_updates", -1),
        (0, "learner_0_label_counts", 0),
        (0, "learner_0_label_step", 2**64 - 1),
        (7, "learner_steps", 2**64 - 1),
        (7, "learner_weights.encoder.lstm.0.forward.input", np.nan),
        (7, "learner_first.encoder.lstm.0.forward.input", np.inf),
        (7, "learner_second.encoder.lstm.0.forward.input", -1.0),
        (7, "best_encoder.lstm.0.forward.input", np.nan),
        (11, "learner_weights.encoder.lstm.0.forward.input", np.nan),
        (11, "learner_first.encoder.lstm.0.forward.input", np.inf),
        (11, "learner_second.encoder.lstm.0.forward.input", -1.0),
        (11, "best_encoder.lstm.0.forward.input", np.nan),
    ],
)
def test_numbers_that_no_training_comes_to(kind: int, name: str, value: float, tmp_path: Path) -> None:
    path = tmp_path / "m.checkpoint"
    half_trained(KINDS[kind], path)
    file = read_model_file(path)
    array = file.arrays[name].copy()
    array.reshape(-1)[-1] = value
    write_model_file(path, ModelFile(file.description, {**file.arrays, name: array}))
    with pytest.raises(xa.FileError, match="the checkpoint cannot be restored"):
        tiny_parser(KINDS[kind], checkpoint=path, resume=True, epochs=2)


@pytest.mark.parametrize("place", ["identity", "report", "report.epochs", "report.best", "report.epochs.0.number"])
@pytest.mark.parametrize("value", [None, [], 10**6, "x", {"a": 1}])
@pytest.mark.parametrize("kind", [0, 11])
def test_checkpoints_whose_description_is_not_one(kind: int, place: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.checkpoint"
    half_trained(KINDS[kind], path)
    write_model_file(path, with_field(read_model_file(path), place, value))
    with pytest.raises(xa.CrossarcError) as refusal:
        tiny_parser(KINDS[kind], checkpoint=path, resume=True, epochs=2)
    assert str(refusal.value).startswith(str(path))


FIELDS = [
    (0, "labels.0", "a b", r"labels\[0\] is a label, a text without spaces and line ends, not 'a b'"),
    (0, "labels.0", "", "is a label, .*, not ''"),
    (0, "labels.0", 7, r"labels\[0\] is a label, .*, not 7"),
    (0, "labels", ["root", "root"], "labels has a label twice"),
    (0, "labels", [], "labels is a list of 1 to"),
    (0, "beam", 1_000_000, "beam is a whole number from 1 to 256, not 1000000"),
    (0, "beam", 10_000, "beam is a whole number from 1 to 256, not 10000"),
    (0, "beam", 1.0, "beam is a whole number from 1 to 256, not 1.0"),
    (0, "beam", True, "beam is a whole number from 1 to 256, not True"),
    (0, "encoded_labels", 10**9, "encoded_labels is a whole number from 1 to 32,000"),
    (0, "encoded_root", 10**4, "labels do not fit"),
    (0, "artificial_root", "middle", "is one of none, first, last"),
    (0, "scorer", "magic", "the scorer is one of"),
    (0, "system.stacks", 10**9, "stacks"),
    (0, "system.transitions.0.steps", [{"do": "SHIFT"}] * 65, "1 to 64 steps"),
    (0, "templates", ["s0.form"] * 5000, "templates is a list of 1 to 4,096 texts"),
    (0, "templates.0", "s0.nothing", "no step and no attribute"),
    (0, "templates.0", "s500.form", "no more than 100 words deep"),
    (0, "root_policy.kind", "two", "kind is one of single, any"),
    (0, "root_policy.root_label", -1, "root_label is a whole number"),
    (0, "root_policy.parts_of_speech", {"NOUN": [2.0, 0]}, "is a number from 0 to 1, not 2.0"),
    (0, "training.best", 2, "best is 2, and there are 1 epochs"),
    (0, "training.epochs", [], "epochs is a list of 1 to"),
    (0, "training.epochs.0.las", "high", "las is a number from 0 to 1, not"),
    (0, "training.seed", -1, "seed is a whole number"),
    (0, "training.scorer", {"a": {"b": {}}}, "is a number"),
    (0, "training.fingerprint", "\x1b[31m", "control characters"),
    (2, "system.transitions.1.steps.0.position", 10**9, "at most 1000 may be added to P"),
    (3, "encoding.scheme", "tail", "scheme is one of baseline, .*, not 'tail'"),
    (3, "encoding.labels.0", "other", "other"),
    (4, "encoding.labels", ["root", "b"], "labels do not fit"),
    (5, "encoding.second.labels", ["root", "b"], "not those that the first one writes"),
    (6, "labels.0", "|", "empty"),
    (7, "network.hidden_size", 4096, "weights instead of"),
    (7, "network.layers", 8, "weights instead of"),
    (7, "network.transition_hidden_size", -1, "transition_hidden_size"),
    (7, "network.groups", ["form"], r"groups\[0\] is a list of 1 to 4,096 texts, not"),
    (7, "group_sizes", [-1, 5], r"group_sizes\[0\] is a whole number"),
    (7, "views", ["s0.form"], "no view of a network"),
    (11, "labels.0", "a b", r"labels\[0\] is a label, a text without spaces and line ends, not 'a b'"),
    (11, "scorer", "magic", "scorer is one of biaffine"),
    (11, "trees", "planar", "trees is one of 1-endpoint-crossing, projective, unrestricted"),
    (11, "trees", "auto", "trees is one of 1-endpoint-crossing, projective, unrestricted"),
    (11, "outside", "far", "outside is one of gold, nearest"),
    (11, "minimum_risk", 1, "minimum_risk"),
    (11, "temperature", 0, "is a number from 0.01 to 100, not 0"),
    (11, "root_policy.kind", "two", "kind is one of single, any"),
    (11, "training.epochs.0.las", "high", "las is a number from 0 to 1, not"),
    (11, "network.hidden_size", 4096, "weights instead of"),
    (11, "network.layers", 8, "weights instead of"),
    (11, "network.objective", "luck", "objective is one of heads, likelihood, margin"),
    (11, "network.groups", ["form"], "groups"),
    (11, "group_sizes", [1], "the groups of the network do not fit"),
    (11, "group_sizes", [-1, 5], r"group_sizes\[0\] is a whole number"),
    (11, "characters", 7, "characters"),
]


@pytest.mark.parametrize(
    ("kind", "place", "value", "message"), FIELDS, ids=[f"{one[1]}={str(one[2])[:20]}" for one in FIELDS]
)
def test_each_field_is_checked(
    files: list[ModelFile], kind: int, place: str, value: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(xa.FileError, match=message):
        loaded(tmp_path / "m.crossarc", with_field(files[kind], place, value))


@pytest.mark.parametrize(
    "description", ["null", "7", "[]", '"text"', '{"type"', '{"a": NaN}', '{"a": Infinity}', "[" * 99_999]
)
def test_descriptions_that_are_no_objects(
    description: str, files: list[ModelFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.crossarc"
    dumps = json.dumps

    def written(data: Any, **options: Any) -> str:
        return description if "sort_keys" in options else dumps(data)  # sorted: the description; else what holds it

    with monkeypatch.context() as patch:
        patch.setattr("crossarc.models.model_file.json.dumps", written)
        write_model_file(path, files[0])
    with pytest.raises(xa.FileError, match=r"m\.crossarc: the description of the model is not"):
        xa.load(path)


def test_a_number_that_is_infinite_is_refused(files: list[ModelFile], tmp_path: Path) -> None:
    with pytest.raises(xa.FileError, match=r"not JSON .*Infinity is not a number"):
        loaded(tmp_path / "m.crossarc", with_field(files[0], "training.epochs.0.las", float("inf")))


#: In a process of its own: how much memory is in use at most, in MiB, and the error.
MEMORY = f"""
import sys, crossarc as xa
{PEAK}
xa.Network  # its imports are not counted
before = peak()
try:
    xa.load(sys.argv[1])
except xa.FileError as error:
    print((peak() - before) // 1024, error)
"""


@pytest.mark.skipif(_kernel.sanitized, reason="sanitizers take memory of their own")
@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (7, {"hidden_size": 4096, "layers": 8}),
        (7, {"transition_hidden_size": 4096}),
        (7, {"embedding_sizes": [4096, 4096]}),
        (11, {"hidden_size": 4096, "layers": 8}),
        (11, {"arc_hidden_size": 4096}),
        (11, {"embedding_sizes": [4096, 4096]}),
    ],
)
def test_a_small_file_never_asks_for_much_memory(
    files: list[ModelFile], kind: int, change: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "m.crossarc"
    data = json.loads(json.dumps(files[kind].description))
    data["network"] |= change
    write_model_file(path, ModelFile(data, files[kind].arrays))
    done = subprocess.run([sys.executable, "-c", MEMORY, str(path)], stdout=subprocess.PIPE, text=True, check=True)
    taken, message = done.stdout.split(" ", 1)
    assert int(taken) < 100
    assert "weights instead of" in message


@pytest.mark.parametrize("kind", [8, 11])
def test_scales_of_eight_bits_do_not_multiply_the_weights(files: list[ModelFile], kind: int, tmp_path: Path) -> None:
    arrays = dict(files[kind].arrays)
    arrays["encoder.embeddings.0.int8"] = arrays["encoder.embeddings.0.int8"].reshape(1, -1)
    with pytest.raises(xa.FileError, match=r"encoder.embeddings.0 has no scale for each row"):
        loaded(tmp_path / "m.crossarc", ModelFile(files[kind].description, arrays))


def test_a_vocabulary_of_what_no_treebank_holds_is_refused(files: list[ModelFile], tmp_path: Path) -> None:
    known = json.loads(files[0].arrays["vocabularies"].tobytes())
    known["form"][0] = "\ud800"
    arrays = {**files[0].arrays, "vocabularies": np.frombuffer(json.dumps(known).encode(), np.uint8)}
    with pytest.raises(xa.FileError, match="a value of form is half a surrogate pair"):
        loaded(tmp_path / "m.crossarc", ModelFile(files[0].description, arrays))


def test_names_of_files_may_hold_anything(files: list[ModelFile], tmp_path: Path) -> None:
    odd = ["a\nb.conllu", "\x1b[31m", "\udcff"]
    parser = loaded(tmp_path / "m.crossarc", with_field(files[0], "training.sources", odd))
    assert parser.info()["trained_on"] == ["a\ufffdb.conllu", "\ufffd[31m", "\ufffd"]


@pytest.mark.parametrize("kind", ["transition", *OBJECTIVES])
def test_a_network_that_diverges_is_refused_and_no_model_is_kept(kind: str, tmp_path: Path) -> None:
    too_fast = replace(TINY) if kind == "transition" else replace(GRAPH, objective=kind, crossed_hidden_size=8)
    object.__setattr__(too_fast, "learning_rate", 1e30)  # beyond what options may be, so that it diverges at once
    parser: xa.TrainableParser
    if isinstance(too_fast, xa.Biaffine):
        parser = xa.GraphParser(network=too_fast)
    else:
        parser = TransitionParser("arc-eager", scorer=too_fast)
    with pytest.raises(xa.ParserError, match=r"training diverged.*take a learning rate below"):
        parser.train(xa.sample(20, seed=1), epochs=3, checkpoint=tmp_path / "m.checkpoint")
    assert parser.trained is None
