"""A real Chromium for tests of the page: Debian's, or the one that CROSSARC_CHROMIUM names, driven by Playwright."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

#: Milliseconds; a machine that is busy is no failure.
_PATIENCE = 180_000


def chromium_path() -> str | None:
    """Where the browser is, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("CROSSARC_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Start the browser; without it or Playwright the test is skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium, or name one in CROSSARC_CHROMIUM")
    with playwright.sync_playwright() as driver:
        # Containers have no user namespaces for the sandbox; the pages are our own.
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


class Problems(list[str]):
    """What a page complained about: errors of scripts, and what its content policy forbade."""

    def watch(self, page: Any) -> None:
        """Listen to a page."""
        page.on("pageerror", lambda error: self.append(str(error)))
        page.on("console", lambda message: self.append(message.text) if message.type == "error" else None)


@contextlib.contextmanager
def opened(started: Any, address: str, expected: str | None = None, **options: Any) -> Iterator[Any]:
    """Open a page, and see to it that it complained about nothing but what is expected."""
    context = started.new_context(accept_downloads=True, **options)
    page = context.new_page()
    page.set_default_timeout(_PATIENCE)
    problems = Problems()
    problems.watch(page)
    page.goto(address)
    try:
        yield page
        assert [one for one in problems if expected is None or expected not in one] == []
    finally:
        context.close()
