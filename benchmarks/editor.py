"""How long does the editor of `crossarc annotate` make people wait? In Chromium, with what the browser draws.

An edit, and *fix and re-parse*, of a sentence of 60 words with `en`: from the key to the frame with the new tree on the
screen (two animation frames behind the new drawing), by the clock of the page. The page has such a sentence read when
it is opened; what parsing again takes without that is measured by requests for sentences of 55 to 65 words that are
asked for once. Opening a file of 5,000 sentences: from the navigation to the tree of its first sentence, the file read
anew. The least and the median of 20 (openings: 5). `crossarc demo`: wall time, once, on the cores there are.

    python benchmarks/editor.py [--quick]

`--quick` takes 3 of each. Needs Chromium (or CROSSARC_CHROMIUM) and Playwright; `uptime` says whether others compute.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import crossarc as xa
from common import Claims, at_most, console, print_table, treebank_path

WORDS, SENTENCES = 60, 5000
CLAIMS = Claims(
    {
        "an edit on the screen, 60 words, ms": at_most(50),
        "fix and re-parse on the screen, 60 words, ms": at_most(100),
        "opening 5,000 sentences, ms": at_most(1000),
        "crossarc demo, s": at_most(20),
    }
)
#: Presses a key in the tree, and waits until another drawing is on the screen; milliseconds.
PRESS = """(key) => new Promise((resolve) => {
  const tree = document.querySelector(".editing"), start = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
  }).observe(tree.querySelector(".edited"), { childList: true });
  tree.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})"""
COMMAND = [sys.executable, "-c", "from crossarc.cli.main import main; main()"]


@contextmanager
def serving(file: Path) -> Iterator[int]:
    """Start `crossarc annotate` on a file; return its port."""
    with subprocess.Popen(
        [*COMMAND, "annotate", str(file), "-m", "en", "-p0"], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        try:
            yield int(re.findall(r":(\d+)/", server.stderr.readline())[0])
        finally:
            server.terminate()


def ask(port: int, path: str, data: dict[str, Any]) -> dict[str, Any]:
    """Post a request to the service."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", path, json.dumps(data), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    assert answer.status == 200, content
    answered: dict[str, Any] = json.loads(content)
    return answered


def saved(page: Any) -> None:
    page.wait_for_function("() => document.getElementById('status').textContent === 'saved'")
    page.evaluate("document.getElementById('status').textContent = ''")


def on_the_page(page: Any, runs: int) -> tuple[list[float], list[float]]:
    """Return the times of edits, and of parsing again around them, in the sentence that is open."""
    page.wait_for_selector(f".editing [data-word='{WORDS}']")
    page.click(".editing [data-word='20']")
    edits, again = [], []
    for _ in range(runs):
        edits.append(page.evaluate(PRESS, "r"))
        saved(page)
        again.append(page.evaluate(PRESS, "p"))
        saved(page)
        for _ in range(2):
            page.evaluate(PRESS, "u")
            saved(page)
    return edits, again


def openings(page: Any, address: str, file: Path, runs: int) -> list[float]:
    """Return how long the page of a file takes until its first tree is there."""
    times = []
    for _ in range(runs):
        file.touch()
        page.goto("about:blank")
        page.goto(address, wait_until="commit")
        page.wait_for_selector(".editing [data-word='1']")
        times.append(page.evaluate("new Promise((done) => requestAnimationFrame(() => done(performance.now())))"))
    return times


def unprepared(port: int, sentences: list[str], runs: int) -> list[float]:
    """Return how long parsing again takes for sentences that the network has not read."""
    times = []
    for text in sentences[:runs]:
        start = time.perf_counter()
        ask(port, "/reparse", {"data": text, "model": "en", "keep": [20], "file": "trees.conllu"})
        times.append(1000 * (time.perf_counter() - start))
    return times


def measure(runs: int) -> list[tuple[str, list[float]]]:
    """Return the times of everything that has a page, in milliseconds."""
    from playwright.sync_api import sync_playwright

    train = xa.read(treebank_path("en_ewt", "train.conllu.gz"), root="any")
    first = next(index for index in range(len(train)) if len(train[index]) == WORDS)
    lengths = {index: len(train[index]) for index in range(len(train)) if index != first}
    others = [train[index : index + 1].to_text() for index, words in lengths.items() if 55 <= words <= 65]
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "trees.conllu"
        xa.write(train[[first, *range(SENTENCES - 1)]], file)
        path = os.environ.get("CROSSARC_CHROMIUM") or shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        with serving(file) as port:
            rows.append(
                ("opening 5,000 sentences, ms", openings(page, f"http://127.0.0.1:{port}/", file, min(runs, 5)))
            )
            edits, again = on_the_page(page, runs)
            rows.append(("an edit on the screen, 60 words, ms", edits))
            rows.append(("fix and re-parse on the screen, 60 words, ms", again))
            rows.append(("fix and re-parse, not read before, answer in ms", unprepared(port, others, runs)))
        browser.close()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    load, cores = os.getloadavg()[0], os.cpu_count()
    rows = []
    for name, times in measure(3 if asked.quick else 20):
        rows.append([name, f"{min(times):.0f}", f"{statistics.median(times):.0f}", str(len(times))])
        if name in CLAIMS.claims:
            CLAIMS.measure(name, min(times))
    start = time.perf_counter()
    subprocess.run([*COMMAND, "demo"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    CLAIMS.measure("crossarc demo, s", time.perf_counter() - start)
    print_table(["time", "least", "median", "of"], rows)
    console.print(f"Others kept {load:.1f} of {cores} cores busy at the beginning.")
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
