"""One service for all tests of this folder that need no other; without the libraries of the extra they are skipped."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from ..support.service import Running, running, served_models


@pytest.fixture(scope="session")
def service() -> Iterator[Running]:
    for name in ("fastapi", "uvicorn", "python_multipart", "prometheus_client"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"the service needs {name}: pip install 'crossarc[serve]'")
    with running(served_models()) as one:
        yield one
