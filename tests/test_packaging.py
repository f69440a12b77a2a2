"""Facts that several files of the project state: versions, addresses, dependencies, pins, Pythons. They must agree."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

import crossarc

REPOSITORY = Path(__file__).resolve().parent.parent


def text_of(name: str) -> str:
    return (REPOSITORY / name).read_text()


def strings_of(key: str) -> list[str]:
    """The strings of a list in pyproject.toml, each of which stands in quotes."""
    found = re.search(rf"^{re.escape(key)} = \[(.*?)\]$", text_of("pyproject.toml"), re.M | re.S)
    assert found, key
    return re.findall(r'"([^"]+)"', found[1])


def test_the_version_is_one() -> None:
    assert f'version = "{crossarc.__version__}"' in text_of("pyproject.toml")
    assert f"\nversion: {crossarc.__version__}\n" in text_of("CITATION.cff")
    assert f'\n  version: "{crossarc.__version__}"\n' in text_of("conda/recipe.yaml")
    assert crossarc.__version__ == importlib.metadata.version("crossarc")


def test_the_release_workflow_finds_what_it_asks_for() -> None:
    """Its lines with grep, for the tag of this version, and the notes that it takes from the changelog."""
    asked = re.findall(r'grep -(qx?) "(.+)" (\S+)$', text_of(".github/workflows/release.yml"), re.M)
    assert len(asked) == 5
    for options, pattern, name in asked:
        wanted = pattern.replace('\\"', '"').replace("$version", re.escape(crossarc.__version__))
        assert re.search(wanted + ("$" if "x" in options else ""), text_of(name), re.M), f"{wanted} is not in {name}"
    sections = re.split(r"^## ", text_of("CHANGELOG.md"), flags=re.M)[1:]
    assert [title.split()[0] for title in sections][:2] == ["Unreleased", crossarc.__version__]
    assert len(sections[1].splitlines()) > 10


def test_licences_are_those_of_the_package_and_of_its_models() -> None:
    found = re.search(r'^license = "(.+)"$', text_of("pyproject.toml"), re.M)
    assert found
    assert f"\n  license: {found[1]}\n" in text_of("conda/recipe.yaml")
    cited = re.search(r"^license:\n((?:  - .+\n)+)", text_of("CITATION.cff"), re.M)
    assert cited and re.findall(r"- (.+)", cited[1]) == found[1].split(" AND ")
    named = set()
    for path in sorted((REPOSITORY / "src" / "crossarc" / "pretrained").glob("*.LICENSE")):
        assert f"\n    - {path.relative_to(REPOSITORY).as_posix()}\n" in text_of("conda/recipe.yaml")
        licence = re.search(r"^Licence: CC BY-SA (\d\.\d)", path.read_text(), re.M)
        assert licence and path.with_suffix(".crossarc").is_file()
        named.add(f"CC-BY-SA-{licence[1]}")
    assert {"MIT", *named} == set(found[1].split(" AND "))


@pytest.mark.parametrize("key", ["Homepage", "Documentation"])
def test_addresses_are_those_of_the_package(key: str) -> None:
    found = re.search(rf'^{key} = "(.+)"$', text_of("pyproject.toml"), re.M)
    assert found
    for name in ("CITATION.cff", "conda/recipe.yaml", "mkdocs.yml"):
        assert re.search(rf"^ *[\w-]+: {re.escape(found[1])}$", text_of(name), re.M), f"{found[1]} is not in {name}"


def test_the_recipe_asks_for_what_the_package_needs() -> None:
    run = re.search(r"^  run:\n((?:    - .+\n)+)", text_of("conda/recipe.yaml"), re.M)
    assert run
    wanted = [re.sub(r"(?=>=)", " ", needed) for needed in strings_of("dependencies")]
    assert re.findall(r"- (.+)", run[1]) == ["python", *wanted]


def test_pins_of_the_formatters_are_one() -> None:
    pinned = set(strings_of("lint"))
    used = set(re.findall(r"additional_dependencies: \[(.+)\]", text_of(".pre-commit-config.yaml")))
    assert {"ruff", "clang-format"} == {pin.partition("==")[0] for pin in used}
    assert used <= pinned


def test_every_python_is_built_and_tried() -> None:
    stated = re.findall(r"Python :: (3\.\d+)\"", text_of("pyproject.toml"))
    assert stated == ["3.10", "3.11", "3.12", "3.13", "3.14"]
    assert strings_of("build") == [f"cp{version.replace('.', '')}-*" for version in stated]
    tried = set(re.findall(r'"(3\.\d+)"', text_of(".github/workflows/test.yml")))
    assert tried == set(stated)


def test_wheels_for_linux_are_for_every_linux() -> None:
    linux = text_of("pyproject.toml").partition("[tool.cibuildwheel.linux]\n")[2].partition("\n\n")[0]
    assert 'repair-wheel-command = "auditwheel repair ' in linux
    assert re.findall(r'^manylinux-(\w+)-image = "manylinux_2_28"$', linux, re.M) == ["x86_64", "aarch64"]
    assert "! ls wheelhouse | grep -e '-linux_'" in text_of(".github/workflows/wheels.yml")
