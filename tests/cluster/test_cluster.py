"""Corpora on a cluster of Dask: the same trees as without, once each, whatever happens to workers and runs."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import crossarc as xa

from ..support.commands import crossarc

fsspec = pytest.importorskip("fsspec")
distributed = pytest.importorskip("distributed")

from crossarc.cluster import ClusterError, analyze_files, evaluate_files, parse_corpus, plan, worker  # noqa: E402
from crossarc.cluster.running import slurm_options  # noqa: E402
from crossarc.cluster.shards import boundary, opened_shard  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.cluster,
    # Another cluster of the machine may have the port of Dask's own page; it takes another one then.
    pytest.mark.filterwarnings("ignore:Port 8787 is already in use"),
]

SMALL_SHARDS = 12_000


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parser = xa.TransitionParser("arc-eager", encoding="head", scorer="perceptron")
    parser.train(xa.sample(60, seed=1), epochs=1)
    path = tmp_path_factory.mktemp("models") / "sample.crossarc"
    parser.save(path)
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    xa.write(xa.sample(80, seed=2), folder / "large.conllu")
    xa.write(xa.sample(20, seed=3), folder / "packed.conllu.gz")
    xa.write(xa.sample(10, seed=4), folder / "deep" / "small.conllu")
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
    ) as started:
        yield started


def content(folder: Path) -> dict[str, bytes]:
    """All files of an output by name, but for the records, which name places."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.conllu*"))
        if ".crossarc" not in path.parts
    }


@pytest.mark.parametrize("size", [1, 50, 333, 5_000, 10**9])
def test_every_sentence_is_in_one_shard(corpus: Path, size: int) -> None:
    whole = (corpus / "large.conllu").read_bytes()
    shards = plan(corpus / "large.conllu", max(size, len(whole) // 700))
    parts = []
    for shard in shards:
        with opened_shard(shard) as file:
            parts.append(file.read())
    assert b"".join(parts) == whole
    assert all(part.endswith(b"\n\n") for part in parts if part)
    assert (len(shards) == 1) == (size == 10**9)


def test_boundaries_are_behind_empty_lines(tmp_path: Path) -> None:
    text = b"ab\n\ncd\r\n\r\ne" + b"f" * 100_000 + b"\n\n\ng"
    (tmp_path / "text").write_bytes(text)
    with (tmp_path / "text").open("rb") as file:
        found = [boundary(file, place, len(text)) for place in (0, 1, 2, 3, 5, 10, 11)]
        assert found == [0, 4, 4, 10, 10, 100_013, 100_013]
        assert boundary(file, len(text) - 1, len(text)) == len(text) == boundary(file, len(text) + 5, len(text))


def test_files_are_cut_without_being_read(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fsspec.implementations.memory import MemoryFile

    text = (corpus / "large.conllu").read_bytes() * 200
    fsspec.filesystem("memory").pipe_file("/cut/large.conllu", text)
    amounts: list[int] = []

    read = MemoryFile.read

    def counted(file: Any, size: int = -1) -> bytes:
        block: bytes = read(file, size)
        amounts.append(len(block))
        return block

    monkeypatch.setattr(MemoryFile, "read", counted)
    assert len(plan("memory://cut/large.conllu", 50_000)) == round(len(text) / 50_000) > 50
    assert 0 < sum(amounts) < 200_000 < len(text)


def test_inputs_are_files_directories_and_patterns(corpus: Path) -> None:
    names = ["deep/small", "large", "packed"]
    assert sorted(shard.name for shard in plan(corpus, 10**9)) == names
    assert sorted(shard.name for shard in plan(str(corpus / "**" / "*.conllu"), 10**9)) == names[:2]
    assert [shard.output_name for shard in plan(str(corpus / "p*"), 10**9)] == ["packed.conllu.gz"]
    assert [shard.count for shard in plan([corpus / "packed.conllu.gz"], 10)] == [1]  # compressed: not cut
    xa.write(xa.sample(2), corpus / "large.conll")
    assert len({shard.output_name for shard in plan(corpus, 10**9)}) == 4
    with pytest.raises(FileNotFoundError, match="no such file, and no files of this pattern"):
        plan(corpus / "missing*", 10**9)


def test_a_corpus_gets_the_trees_that_the_parser_gives(corpus: Path, model: Path, tmp_path: Path, cluster: Any) -> None:
    address = cluster.scheduler_address
    found = parse_corpus(model, corpus, tmp_path / "parsed", cluster=address, shard_bytes=SMALL_SHARDS)
    parser = xa.load(model)
    outputs = content(tmp_path / "parsed")
    parts = [text for name, text in outputs.items() if name.startswith("large.part-")]
    assert len(parts) > 2
    assert b"".join(parts) == parser.parse(corpus / "large.conllu").to_bytes()
    packed = xa.read(tmp_path / "parsed" / "packed.conllu.gz")
    assert packed.to_bytes() == parser.parse(corpus / "packed.conllu.gz").to_bytes()
    manifest = json.loads((tmp_path / "parsed" / "manifest.json").read_text())
    assert (manifest["sentences"], manifest["words"]) == (found.sentences, found.words) == (110, found.words)
    assert {one["output"] for one in manifest["shards"]} == set(outputs)
    assert manifest["failed"] == []
    for one in manifest["shards"]:
        assert hashlib.sha256(outputs[one["output"]]).hexdigest() == one["sha256"]
    plain = parse_corpus(model, corpus / "large.conllu", tmp_path / "whole", cluster=address)
    assert len(plain.records) == 1


def test_a_second_run_does_what_is_missing(corpus: Path, model: Path, tmp_path: Path, cluster: Any) -> None:
    done: list[str] = []

    def run() -> list[str]:
        done.clear()
        parse_corpus(
            model,
            corpus,
            tmp_path / "parsed",
            cluster=cluster.scheduler_address,
            shard_bytes=SMALL_SHARDS,
            on_done=lambda record: done.append(record["output"]),
        )
        return sorted(done)

    everything = run()
    first = content(tmp_path / "parsed")
    assert set(everything) == set(first) and run() == []
    (tmp_path / "parsed" / everything[-1]).unlink()
    assert run() == everything[-1:]
    (tmp_path / "parsed" / everything[0]).write_bytes(b"cut short")
    assert run() == everything[:1]
    assert content(tmp_path / "parsed") == first
    xa.write(xa.sample(11, seed=9), corpus / "deep" / "small.conllu")
    assert run() == ["deep/small.conllu"]


def test_a_worker_that_dies_loses_nothing(corpus: Path, model: Path, tmp_path: Path, monkeypatch: Any) -> None:
    started: list[Any] = []
    make = distributed.LocalCluster

    def start(**options: Any) -> Any:
        started.append(make(**options))
        return started[-1]

    monkeypatch.setattr(distributed, "LocalCluster", start)
    parse_corpus(model, corpus, tmp_path / "calm", workers=1, shard_bytes=SMALL_SHARDS)
    killed: list[int] = []

    def kill(record: dict[str, Any]) -> None:
        """Kill a worker, whatever it does, after the first shard that finds one alive."""
        processes = [nanny.pid for nanny in started[-1].workers.values() if nanny.pid is not None]
        for process in processes if not killed else ():
            with suppress(ProcessLookupError):  # it may have ended by itself since
                os.kill(process, signal.SIGKILL)
                killed.append(process)
                return

    parse_corpus(model, corpus, tmp_path / "killed", workers=2, shard_bytes=SMALL_SHARDS, on_done=kill)
    assert len(killed) == 1
    assert content(tmp_path / "killed") == content(tmp_path / "calm")
    assert not list((tmp_path / "killed").rglob("*.part"))


def test_a_shard_that_cannot_be_parsed_does_not_stop_the_others(
    corpus: Path, model: Path, tmp_path: Path, cluster: Any
) -> None:
    (corpus / "broken.conllu").write_text("1\tno\tcolumns\n\n")
    with pytest.raises(ClusterError, match=r"1 of 4 shards failed: broken.conllu: .*:1: expected 10 columns"):
        parse_corpus(model, corpus, tmp_path / "parsed", cluster=cluster.scheduler_address)
    manifest = json.loads((tmp_path / "parsed" / "manifest.json").read_text())
    assert len(manifest["shards"]) == 3 and len(manifest["failed"]) == 1


def test_reports_on_many_files_are_of_all_together(corpus: Path, model: Path, tmp_path: Path, cluster: Any) -> None:
    address = cluster.scheduler_address
    found = analyze_files(corpus, cluster=address)
    together = xa.read([corpus / "deep" / "small.conllu", corpus / "large.conllu", corpus / "packed.conllu.gz"])
    assert found.total.to_dict() == xa.analyze(together).total.to_dict()
    parse_corpus(model, corpus, tmp_path / "parsed", cluster=address, shard_bytes=SMALL_SHARDS)
    scores = evaluate_files(corpus, tmp_path / "parsed", cluster=address)
    expected = xa.evaluate(together, xa.load(model).parse(together))
    assert (scores.las, scores.uas) == (expected.las, expected.uas)
    assert len(scores.files) == 3 and f"{100 * scores.las:.2f}" in str(scores)
    assert scores.to_dict()["total"]["LAS"]["f1"] == expected.las
    assert scores.to_csv().splitlines()[-1].startswith("total,")
    with pytest.raises(xa.CrossarcError, match="one side has no file of this name"):
        evaluate_files(corpus, tmp_path / "parsed" / "deep", cluster=address)


def test_commands_take_many_files(corpus: Path, model: Path, tmp_path: Path, cluster: Any) -> None:
    parsed, address = tmp_path / "parsed", ("--cluster", cluster.scheduler_address)
    for before in ("", ", 3 of them done before"):
        run = crossarc("parse", str(model), str(corpus), "-o", str(parsed), *address)
        assert run.returncode == 0, run.stderr
        assert run.stderr.startswith(f"3 shards{before}: 110 sentences, ")
    together = xa.read([corpus / "deep" / "small.conllu", corpus / "large.conllu", corpus / "packed.conllu.gz"])
    found = xa.load(model).parse(together)
    assert (parsed / "deep" / "small.conllu").read_bytes() == found[:10].to_bytes()
    analysis = crossarc("analyze", "--json", f"{corpus}/**/*.conllu*", *address)
    assert json.loads(analysis.stdout)["total"]["sentences"] == 110
    scores = crossarc("evaluate", "--json", str(corpus), str(parsed), *address)
    assert json.loads(scores.stdout)["total"]["LAS"]["f1"] == xa.evaluate(together, found).las


def test_commands_say_what_goes_with_no_cluster(model: Path) -> None:
    text = crossarc("parse", "en", "--text", "No.", "--cluster", "local")
    assert text.returncode == 2 and "--text goes without --cluster" in text.stderr
    tables = crossarc("parse", "en", "corpus/", "-o", "parsed/", "--to", "csv", "--cluster", "local")
    assert tables.returncode == 2 and "--to goes without --cluster" in tables.stderr
    nowhere = crossarc("parse", str(model), "corpus/", "--cluster", "local")
    assert nowhere.returncode == 2 and "give both, -o FOLDER" in nowhere.stderr


def test_raw_texts_become_trees(tmp_path: Path, cluster: Any) -> None:
    (tmp_path / "texts").mkdir()
    texts = {"a": "She met a man yesterday who knew her.", "b": "Nobody did.\n\nThat was odd, I think."}
    for name, text in texts.items():
        (tmp_path / "texts" / f"{name}.txt.gz").write_bytes(gzip.compress(text.encode()))
    parse_corpus("en", f"{tmp_path}/texts/*.txt.gz", tmp_path / "parsed", cluster=cluster.scheduler_address)
    nlp = xa.load("en")
    assert isinstance(nlp, xa.Pipeline)
    for name, text in texts.items():
        assert xa.read(tmp_path / "parsed" / f"{name}.conllu.gz").head.tolist() == nlp(text).head.tolist()


def test_a_worker_loads_a_model_once(
    corpus: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded: list[Path] = []

    def load(path: Path) -> Any:
        loaded.append(path)
        return xa.load(path)

    monkeypatch.setattr(worker, "load", load)
    copied = tmp_path / "own.crossarc"
    copied.write_bytes(model.read_bytes())
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as near:
        place = {"cluster": near.scheduler_address, "shard_bytes": SMALL_SHARDS}
        found = parse_corpus(copied, corpus, tmp_path / "parsed", progress=True, **place)
    assert len(found.records) > 4 and loaded == [copied]
    assert "shards" in capsys.readouterr().err  # the bar


def test_object_stores_are_read_and_written(corpus: Path, model: Path) -> None:
    """The memory of this process stands for an object store: the workers are threads of it."""
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/store/in/large.conllu", (corpus / "large.conllu").read_bytes())
    memory.pipe_file("/store/sample.crossarc", model.read_bytes())
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as near:
        for skipped in (0, 1):
            places = ("memory://store/sample.crossarc", "memory://store/in", "memory://store/in/out")
            found = parse_corpus(*places, cluster=near.scheduler_address)
            assert found.skipped == skipped
    parsed = xa.load(model).parse(corpus / "large.conllu").to_bytes()
    assert memory.cat_file("/store/in/out/large.conllu") == parsed
    assert json.loads(memory.cat_file("/store/in/out/manifest.json"))["sentences"] == 80


def test_clusters_that_are_none(corpus: Path, model: Path, tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="the cluster is local, slurm, an address"):
        parse_corpus(model, corpus, tmp_path / "parsed", cluster="lokal")
    (tmp_path / "file").touch()
    with pytest.raises(xa.CrossarcError, match="is a file: give a folder"):
        parse_corpus(model, corpus, tmp_path / "file")
    with pytest.raises(FileNotFoundError):
        parse_corpus(tmp_path / "missing.crossarc", corpus, tmp_path / "parsed")


def test_jobs_of_slurm_are_asked_for_as_configured() -> None:
    jobqueue = pytest.importorskip("dask_jobqueue")
    with jobqueue.SLURMCluster(**slurm_options(), queue="parsers", n_workers=0) as slurm:
        script = slurm.job_script()
    assert "#SBATCH -p parsers" in script and "#SBATCH --cpus-per-task=1" in script and "dask" in script


# What is there is not lost, and names are only names


def test_no_input_is_written_over(corpus: Path, model: Path) -> None:
    before = content(corpus)
    run = crossarc("parse", str(model), str(corpus), "-o", str(corpus), "--cluster", "local")
    assert run.returncode == 2 and "is the input" in run.stderr and "--force" in run.stderr
    assert content(corpus) == before and not (corpus / "manifest.json").exists()
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/same/in/small.conllu", before["deep/small.conllu"])
    with pytest.raises(xa.CrossarcError, match=r"/same/in/small.conllu: is an input, which would be lost"):
        parse_corpus(model, "memory://same/in", "memory://same/in")


def test_an_input_is_replaced_by_force(corpus: Path, model: Path, cluster: Any) -> None:
    gold = xa.read(corpus / "deep" / "small.conllu")
    (corpus / "deep" / "small.conllu").chmod(0o444)
    where = {"cluster": cluster.scheduler_address}
    parse_corpus(model, corpus / "deep", corpus / "deep", force=True, **where)
    assert xa.read(corpus / "deep" / "small.conllu").head.tolist() == xa.load(model).parse(gold).head.tolist()
    with pytest.raises(FileNotFoundError, match="but what was parsed before"):
        parse_corpus(model, corpus / "deep", corpus / "deep", force=True, **where)


@pytest.mark.parametrize("output", ["parsed", "."])
def test_what_was_written_is_no_input_of_the_next_run(model: Path, tmp_path: Path, cluster: Any, output: str) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_bytes(xa.sample(3).to_bytes())
    for skipped in (0, 1, 1):
        found = parse_corpus(model, corpus, corpus / output, cluster=cluster.scheduler_address)
        assert (len(found.records), found.skipped) == (1, skipped)
    assert {path.name for path in (corpus / output).glob("*.*")} >= {"a.conllu", "manifest.json"}


@pytest.mark.parametrize("name", ["manifest.json", "small.conllu"])
def test_files_of_others_are_not_written_over(corpus: Path, model: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "parsed").mkdir()
    (tmp_path / "parsed" / name).write_text('{"mine": 1}\n')
    with pytest.raises(xa.CrossarcError, match=rf"{name}: holds text, which a \w+ would replace: .*--force"):
        parse_corpus(model, corpus / "deep", tmp_path / "parsed")
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/others/in/small.conllu", (corpus / "deep" / "small.conllu").read_bytes())
    memory.pipe_file(f"/others/{name}-of/{name}", b'{"mine": 1}')
    with pytest.raises(xa.CrossarcError, match=rf"{name}: holds text, which a \w+ would replace"):
        parse_corpus(model, "memory://others/in", f"memory://others/{name}-of")
    assert (tmp_path / "parsed" / name).read_text() == '{"mine": 1}\n'


@pytest.mark.parametrize("name", [b"b[1]", b"c::d", b"x\xff", b"\xc3\xa9*", b"s p\na?c\x1be"])
def test_a_name_is_only_a_name(corpus: Path, model: Path, tmp_path: Path, cluster: Any, name: bytes) -> None:
    strange = os.fsdecode(name)
    try:
        (corpus / "deep" / "small.conllu").rename(corpus / "deep" / f"{strange}.conllu")
    except OSError:
        pytest.skip("no name on this file system")
    for given in (corpus / "deep", corpus / "deep" / f"{strange}.conllu"):
        parse_corpus(model, given, tmp_path / "parsed", cluster=cluster.scheduler_address)
        manifest = json.loads((tmp_path / "parsed" / "manifest.json").read_text())
        assert [record["output"] for record in manifest["shards"]] == [f"{strange}.conllu"]
        assert len(xa.read(tmp_path / "parsed" / f"{strange}.conllu")) == 10


def test_keys_of_an_object_store_lead_nowhere_else(corpus: Path, tmp_path: Path, monkeypatch: Any) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/keys/in/a.conllu", (corpus / "deep" / "small.conllu").read_bytes())
    keys = ["/keys/in/../../../evil.conllu", "/keys/in/./b.conllu", "/keys/in//c.conllu"]
    monkeypatch.setattr(type(memory), "find", lambda *place, **options: keys)
    info = memory.info
    files = {key: {"type": "file", "size": 10} for key in keys}
    monkeypatch.setattr(type(memory), "info", lambda self, path, **options: files.get(path) or info(path))
    names = [shard.output_name for shard in plan("memory://keys/in", 10**9)]
    for name in names:
        written = os.path.normpath(tmp_path / "parsed" / name)
        assert Path(written).is_relative_to(tmp_path / "parsed") and ".." not in Path(name).parts
    assert len(set(names)) == 3


@pytest.mark.parametrize("record", [b"[]", b"7", b"[" * 100_000, b"\xff", b'{"key": 1}'])
def test_a_record_that_is_none_is_written_again(
    corpus: Path, model: Path, tmp_path: Path, cluster: Any, record: bytes
) -> None:
    parse_corpus(model, corpus / "deep", tmp_path / "parsed", cluster=cluster.scheduler_address)
    (tmp_path / "parsed" / ".crossarc" / "small.conllu.json").write_bytes(record)
    found = parse_corpus(model, corpus / "deep", tmp_path / "parsed", cluster=cluster.scheduler_address)
    assert (found.skipped, found.sentences) == (0, 10)


def test_the_terminal_has_notes_alone(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    for name in "ab":
        (tmp_path / "texts" / f"{name}.txt").write_text("Привет, как дела сегодня у тебя и у меня? " * 20)
    (tmp_path / "texts" / "c.txt.gz").write_bytes(gzip.compress(b"No.")[:12])
    command = ("parse", "en", str(tmp_path / "texts"), "-o", str(tmp_path / "parsed"))
    run = crossarc(*command, "--cluster", "local", "--workers", "1")
    lines = run.stderr.splitlines()
    assert len(lines) == 2, run.stderr
    assert lines[0].startswith("note: 100 % of the letters are none that the model knows")
    assert lines[1].startswith("1 of 3 shards failed: c.conllu.gz: ")


def test_a_bar_after_resuming_is_of_what_is_left(
    corpus: Path, model: Path, tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[float] = []

    @contextmanager
    def bar(description: str, total: float, shown: bool) -> Iterator[Any]:
        steps.append(total)
        yield lambda done, text: steps.append(done)

    monkeypatch.setattr("crossarc.cluster.corpus.progress_bar", bar)
    parse_corpus(model, corpus, tmp_path / "parsed", cluster=cluster.scheduler_address)
    (tmp_path / "parsed" / "large.conllu").unlink()
    parse_corpus(model, corpus, tmp_path / "parsed", cluster=cluster.scheduler_address)
    assert steps == [3, 1, 2, 3, 1, 1]
