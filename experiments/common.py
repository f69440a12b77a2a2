"""What the experiments share: treebanks with checksums, results kept by content, tables, the page they are written to.

A result is kept under a key that is made of its settings, of the checksums of its data, and of the versions of the
program and of the libraries that compute with it: an experiment that is broken off goes on where it was, a table is
made again in no time, and no result of another version is taken for one of this. Between versions code may change too:
then remove the folder. Every experiment prints the published figures beside ours and writes the same text, with its
command, the versions and the date, between its markers in docs/reproduction.md; with `--small` it runs on a few
generated sentences.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import crossarc as xa

TOP = Path(__file__).resolve().parent.parent
#: Kept results; git ignores the folder.
CACHE = TOP / "experiments" / "cache"
PAGE = TOP / "docs" / "reproduction.md"
#: The treebanks with training data, Danish first, which is the papers' own.
TREEBANKS = (
    *("da_ddt_conllx", "grc_agdt", "la_circse", "nl_lassysmall", "pl_mpdt", "sa_vedic", "cop_scriptorium"),
    *("pt_bosque", "af_afribooms", "en_ewt"),
)
DANISH = TREEBANKS[0]
_SMALL = {"train": (120, 1), "test": (40, 2)}  # sentences and seed of what is generated


#: The libraries whose version a result may depend on, and the scorers that ask for more than numpy.
LIBRARIES = {"svm": ("numpy", "scikit-learn"), "linear-svm": ("numpy", "scikit-learn")}


class NotKeptError(Exception):
    """A result that would have to be computed, where only kept ones are asked for."""


@dataclass(frozen=True)
class Experiment:
    """What a command line asks for."""

    small: bool
    cache: Path
    page: Path
    scorer: str
    #: Options of the scorer beyond those of the experiment.
    options: Mapping[str, Any]
    treebanks: tuple[str, ...]
    seeds: int
    threads: int
    #: The parts that are asked for; none for all.
    only: tuple[str, ...]
    #: Whether nothing is computed that is not kept already.
    kept_only: bool
    #: The command that gives the same table.
    command: str

    def names(self, usual: Sequence[str]) -> tuple[str, ...]:
        """Return the treebanks that are asked for; of the usual ones two are enough where generated ones stand in."""
        return self.treebanks or tuple(usual[:2] if self.small else usual)

    def data(self, treebank: str) -> Data:
        """Return a treebank, or a generated one of the same name."""
        return generated(treebank) if self.small else read(treebank)

    def kept(self, kind: str, settings: Mapping[str, Any], data: Data, compute: Callable[[], Any]) -> Any:
        """Return the result of a computation, which is done if it is not kept already."""
        made_with = versions(LIBRARIES.get(settings.get("scorer", ""), ("numpy",)))
        identity = {"kind": kind, "settings": dict(settings), "data": dict(data.checksums), "program": made_with}
        text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
        path = self.cache / f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"
        if path.exists():
            return json.loads(path.read_text(encoding="utf-8"))["result"]
        if self.kept_only:
            raise NotKeptError(f"{kind} of {data.name} is not kept: {dict(settings)}")
        began = time.time()
        result = compute()
        entry = {**identity, "result": result, "date": today(), "seconds": round(time.time() - began, 1)}
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(entry, ensure_ascii=False) + "\n", encoding="utf-8")
        unfinished.replace(path)
        return result

    def publish(self, part: str, text: str) -> None:
        """Print the text of a part and write it between its markers on the page."""
        made_with = ", ".join(f"{name} {version}" for name, version in versions(("numpy", "scikit-learn")).items())
        dated = f"{text.strip()}\n\n`{self.command}`, {today()}, {made_with}\n"
        print(dated)
        write_part(self.page, part, dated)


@dataclass(frozen=True, eq=False)
class Data:
    """The parts of a treebank by name, and the checksums of their files."""

    name: str
    parts: Mapping[str, xa.Treebank]
    checksums: Mapping[str, str] = field(repr=False)

    @property
    def train(self) -> xa.Treebank:
        """What is learnt from."""
        return self.parts["train"]

    @property
    def test(self) -> xa.Treebank:
        """What is parsed."""
        return self.parts["test"]

    @property
    def whole(self) -> xa.Treebank:
        """All parts, training data first."""
        order = [self.parts[name] for name in ("train", "dev", "test") if name in self.parts]
        return xa.Treebank.concatenate(order)


def experiment(
    name: str, doc: str | None, arguments: Sequence[str] | None = None, *, scorer: str = "", seeds: int = 1
) -> Experiment:
    """Read the command line of an experiment; `scorer` is what the paper trained with."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a few generated sentences, for tests")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where results are kept")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the tables are written")
    parser.add_argument("--scorer", default=scorer, help=f"the learner; default: {scorer or 'none is needed'}")
    parser.add_argument("--option", action="append", default=[], help="an option of the scorer, NAME=VALUE")
    parser.add_argument("--treebanks", default="", help="names of treebanks, with commas between them")
    parser.add_argument("--seeds", type=int, default=seeds, help=f"how many seeds; default: {seeds or 'by treebank'}")
    parser.add_argument("--only", default="", help="which parts, with commas between them; default: all")
    parser.add_argument("--kept", action="store_true", help="show what is kept, and compute nothing")
    parser.add_argument("--threads", type=int, default=1, help="how many threads; default: 1")
    given = parser.parse_args(arguments)
    told = [f"--{key} {vars(given)[key]}" for key in ("scorer", "treebanks", "only") if vars(given)[key]]
    told += [f"--option {option}" for option in given.option]
    told += [f"--seeds {given.seeds}"] if given.seeds != seeds else []
    told += ["--kept"] if given.kept else []
    return Experiment(
        small=given.small,
        cache=given.cache,
        page=given.page,
        scorer=given.scorer,
        options=dict(map(_option, given.option)),
        treebanks=tuple(filter(None, given.treebanks.split(","))),
        seeds=given.seeds,
        threads=given.threads,
        only=tuple(filter(None, given.only.split(","))),
        kept_only=given.kept,
        command=" ".join([f"python -m experiments.{name}", *(["--small"] if given.small else []), *told]),
    )


def _option(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


@lru_cache(maxsize=2)
def read(treebank: str) -> Data:
    """Read the parts of a treebank; where there is no folder of treebanks, say so and end."""
    folder = os.environ.get("CROSSARC_TREEBANKS")
    if folder is None or not (Path(folder) / treebank).is_dir():
        sys.exit(f"CROSSARC_TREEBANKS should name the folder of treebanks; there is no {treebank} in {folder}")
    paths = {path.name.split(".")[0]: path for path in sorted((Path(folder) / treebank).glob("*.gz"))}
    parts = {name: xa.read(path, root="any") for name, path in paths.items()}
    sums = {name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for name, path in paths.items()}
    return Data(treebank, parts, sums)


@lru_cache(maxsize=32)
def generated(treebank: str) -> Data:
    """Return generated sentences in place of a treebank."""
    parts = {name: xa.sample(sentences, seed=seed) for name, (sentences, seed) in _SMALL.items()}
    sums = {name: hashlib.sha256(part.to_bytes()).hexdigest()[:16] for name, part in parts.items()}
    return Data(treebank, parts, sums)


def versions(libraries: Sequence[str]) -> dict[str, str]:
    """Return the versions of the program and of those libraries that are installed."""
    installed = {"crossarc": xa.__version__}
    for name in libraries:
        with contextlib.suppress(metadata.PackageNotFoundError):
            installed[name] = metadata.version(name)
    return installed


def today() -> str:
    """Return the date."""
    return datetime.now(timezone.utc).date().isoformat()


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table in Markdown, names on the left and figures on the right."""
    head = f"| {' | '.join(columns)} |"
    line = f"|{'|'.join(['---', *('---:' for _ in columns[1:])])}|"
    return "\n".join([head, line, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def percent(part: float, whole: float, digits: int = 2) -> str:
    """Return a share as per cent."""
    return f"{100 * part / whole:.{digits}f}" if whole else "–"


def chance(probability: float, digits: int = 3) -> str:
    """Return a probability as text; what would be rounded to 0 is said to be smaller than the last digit shows."""
    least = 10.0**-digits
    return f"< {least:.{digits}f}" if probability < least / 2 else f"{probability:.{digits}f}"


def write_part(page: Path, part: str, text: str) -> None:
    """Put a text between the markers of a part; without markers, at the end of the page."""
    begin, end = f"<!-- begin {part} -->", f"<!-- end {part} -->"
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    if begin not in old:
        old = f"{old.rstrip()}\n\n{begin}\n{end}\n".lstrip()
    before, rest = old.split(begin, 1)
    after = rest.split(end, 1)[1]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}", encoding="utf-8")
