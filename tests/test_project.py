"""Facts about the project itself: what the README says works, data flows one way, stubs are those of the extension."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import crossarc
from crossarc import _kernel

from .support.outputs import with_mistakes

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCE = REPOSITORY / "src" / "crossarc"

# The order of the folders in the design: each may import from those before it.
FOLDERS = [
    *("treebank", "structure", "decoders", "transitions", "encodings", "features", "models", "training", "parsers"),
    *("evaluation", "drawing", "reports", "samples", "cli"),
]


PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def code_blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.S)


@pytest.fixture
def sample_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the documentation speaks of."""
    crossarc.write(crossarc.sample(200, seed=1), tmp_path / "train.conllu.gz")
    crossarc.write(crossarc.sample(50, seed=2), tmp_path / "dev.conllu")
    test = crossarc.sample(300, seed=5)
    crossarc.write(test, tmp_path / "test.conllu")
    crossarc.write(with_mistakes(test, 0.12, seed=1), tmp_path / "old.conllu")
    crossarc.write(with_mistakes(test, 0.09, seed=2), tmp_path / "new.conllu")
    (tmp_path / "treebanks").mkdir()
    crossarc.write(crossarc.sample(20, seed=3), tmp_path / "treebanks" / "test.conllu")
    broken = crossarc.sample(5, seed=4).to_text().replace("\t0\troot", "\t99\troot", 1)
    (tmp_path / "broken.conllu").write_text(broken)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_of_the_documentation_run(page: Path, sample_folder: Path) -> None:
    """They run, one after the other, and what they say they print (`# …` after a `print`) they print."""
    names: dict[str, object] = {}
    for block in code_blocks(page, "python"):
        if block.startswith(">>> "):
            example = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
            names.update(example.globs)
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block, page.name, "exec"), names)
        promised = re.findall(r"^ *print\(.*\)  # (.*)$", block, re.M)
        if promised:
            assert output.getvalue().splitlines() == promised


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks_of_the_documentation_run(page: Path, sample_folder: Path) -> None:
    """Each `$ command` runs; the lines under it, if any, are its output. Python under `# mine.py` is in that file."""
    for block in code_blocks(page, "python"):
        if named := re.match(r"# (\w+\.py)\n", block):
            (sample_folder / named[1]).write_text(block)
    binary = shutil.which("crossarc", path=str(Path(sys.executable).parent))
    assert binary
    for block in code_blocks(page, "console"):
        for command, promised in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            run = subprocess.run(
                re.sub(r"(?<![.\w])crossarc ", f"{binary} ", command),
                shell=True,
                capture_output=True,
                text=True,
                env={"COLUMNS": "80", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            )
            assert run.returncode in (0, 1), run.stderr
            if promised:
                assert [line.rstrip() for line in (run.stdout + run.stderr).splitlines()] == promised.splitlines()


def imports(path: Path) -> list[str]:
    """The crossarc folders that a module imports from, at any depth."""
    package = ["crossarc", *path.relative_to(SOURCE).parts[:-1]]
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            found.append(".".join([*base, node.module or ""]))
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name.split(".")[1] for name in found if name.startswith("crossarc.") and name.split(".")[1] in FOLDERS]


def test_data_flows_one_way() -> None:
    for path in SOURCE.rglob("*.py"):
        folder = path.relative_to(SOURCE).parts[0]
        if folder in FOLDERS:
            for imported in imports(path):
                assert FOLDERS.index(imported) <= FOLDERS.index(folder), f"{path} imports from {imported}"


def test_files_hold_one_idea() -> None:
    for path in [*SOURCE.rglob("*.py"), *(REPOSITORY / "kernel").rglob("*.?pp")]:
        assert len(path.read_text().splitlines()) <= 500, path


def test_names_of_the_kernel_are_told_apart() -> None:
    """Two types of one name in different files would be taken for one by the linker, without a word."""
    homes: dict[str, Path] = {}
    for path in sorted((REPOSITORY / "kernel").rglob("*.?pp")):
        for name in re.findall(r"^(?:struct|class|enum class) (\w+)\b[^;]*\{", path.read_text(), re.M):
            assert homes.setdefault(name, path) == path, f"{name} in {homes[name]} and in {path}"


def test_stubs_are_those_of_the_extension(tmp_path: Path) -> None:
    if _kernel.sanitized:
        pytest.skip("the sanitizer build has another value of `sanitized`")
    stubs = tmp_path / "_kernel.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "crossarc._kernel", "-o", str(stubs)]
    subprocess.run(command, check=True)
    assert stubs.read_text() == (SOURCE / "_kernel.pyi").read_text(), "run `make stubs`"


def test_the_package_under_test_is_the_installed_one() -> None:
    assert not Path(crossarc.__file__).is_relative_to(SOURCE)


def test_the_public_face_is_complete() -> None:
    for name in crossarc.__all__:
        assert getattr(crossarc, name) is not None
    assert "read" in dir(crossarc)
    with pytest.raises(AttributeError, match="no attribute 'raed'"):
        _ = crossarc.raed


def test_the_version_is_one() -> None:
    assert f'version = "{crossarc.__version__}"' in (REPOSITORY / "pyproject.toml").read_text()
