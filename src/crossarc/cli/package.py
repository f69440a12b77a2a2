"""`crossarc package`: a model as a wheel, which pip installs and crossarc finds by its name.

A wheel is a zip file with a list of its files and their checksums (PEP 427, PEP 491); it is written with the standard
library alone, so that neither a network nor a build tool is needed. The same model gives the same bytes.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Force
from .output import fail, note

_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?")
_ONE_TIME = (1980, 1, 1, 0, 0, 0)  # the first that zip files know


def package(
    model: Annotated[str, typer.Argument(help="A model that crossarc train wrote.", metavar="MODEL")],
    name: Annotated[
        str | None, typer.Option("--name", help="What it is loaded by; by default as in the model, or as the file.")
    ] = None,
    version: Annotated[str, typer.Option("--version", help="The version of the distribution.")] = "1.0",
    licence: Annotated[
        str | None,
        typer.Option("--licence", help="A file with the licence; by default MODEL's .LICENSE.", metavar="FILE"),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The folder to write the wheel into, which is made.")
    ] = ".",
    force: Force = False,
) -> None:
    """Make a wheel of a model, which pip installs.

    crossarc parse NAME finds it then.

    The distribution is called crossarc-model-NAME, needs crossarc, and names its model by an entry point of the group
    crossarc_models. It has the licence of the model.

    Examples:

        crossarc package my.crossarc

        crossarc package my.crossarc --name la --version 1.2 --licence LICENSE -o dist
    """
    from ..files import check_outputs, open_output, read_whole
    from ..models.model_file import read_model_file
    from ..text.registry import SUFFIX, description_of, find

    path = Path(find(model))
    described = description_of(read_model_file(path))
    chosen = name or described["name"] or path.stem
    if not _NAME.fullmatch(chosen):
        raise typer.Exit(
            fail(f"crossarc package: --name is of small letters, digits and single underscores, not {chosen!r}")
        )
    if not _VERSION.fullmatch(version):
        raise typer.Exit(fail(f"crossarc package: --version is a number such as 1.2, not {version!r}"))
    beside = path.with_suffix(".LICENSE") if licence is None else Path(licence)
    text = read_whole(beside, 1 << 20) if licence is not None or beside.is_file() else b""
    with contextlib.suppress(OSError):  # which is said when the wheel cannot be written
        Path(output).mkdir(parents=True, exist_ok=True)
    wheel = Path(output) / f"crossarc_model_{chosen}-{version}-py3-none-any.whl"
    check_outputs([("wheel", str(wheel))], [model, licence], force=force)
    content = wheel_of(chosen, version, described, path.read_bytes(), text, SUFFIX)
    with open_output(wheel) as file:
        file.write(content)
    note(f"{wheel}: {len(content) / 1e6:.1f} MB; pip install it, and crossarc parse {chosen} finds it")


def wheel_of(
    name: str, version: str, described: dict[str, Any], model: bytes, licence: bytes, suffix: str = ".crossarc"
) -> bytes:
    """Return the bytes of a wheel with a model and its licence."""
    import io
    import zipfile

    package = f"crossarc_model_{name}"
    about = f"{package}-{version}.dist-info"
    files = {
        f"{package}/__init__.py": f'"""The model {name} for crossarc: crossarc.load({name!r})."""\n'.encode(),
        f"{package}/{name}{suffix}": model,
        f"{about}/METADATA": _metadata(name, version, described, bool(licence)).encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: crossarc\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": f"[crossarc_models]\n{name} = {package}\n".encode(),
    }
    if licence:
        files[f"{about}/licenses/LICENSE"] = licence
    rows = [f"{place},sha256={_digest(content)},{len(content)}" for place, content in files.items()]
    files[f"{about}/RECORD"] = "\n".join([*rows, f"{about}/RECORD,,\n"]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, content in files.items():
            entry = zipfile.ZipInfo(place, _ONE_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def _digest(content: bytes) -> str:
    import base64
    import hashlib

    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def _metadata(name: str, version: str, described: dict[str, Any], licence: bool) -> str:
    """Return the core metadata, without line ends that a model may have in its fields."""
    from .. import __version__
    from ..errors import clean

    fields = {
        "Metadata-Version": "2.4",
        "Name": f"crossarc-model-{name.replace('_', '-')}",
        "Version": version,
        "Summary": f"{described['language'] or 'A'} model for crossarc",
        "License": described["licence"] or "",
        "License-File": "LICENSE" if licence else "",
        "Requires-Dist": f"crossarc>={__version__}",
    }
    body = [f"{key}: {described[key]}" for key in ("domain", "source", "attribution", "command") if described[key]]
    return (
        "".join(f"{key}: {clean(value)}\n" for key, value in fields.items() if value)
        + "\n"
        + "\n".join(map(clean, body))
    )
