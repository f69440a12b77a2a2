# make demo [TEXT="…"] · make quick · make test · make check · make docs · make bench: each sets up what it needs in
# .venv and runs.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q
SOURCES := pyproject.toml CMakeLists.txt $(shell find src kernel -name '*.py' -o -name '*.cpp' -o -name '*.hpp') \
  $(wildcard src/crossarc/service/page/* src/crossarc/stepping/page/* src/crossarc/pretrained/*)
CXX_SOURCES = $(shell find kernel tests/kernel -name '*.cpp' -o -name '*.hpp')

# Tests run in as many processes as there are cores, each with one thread. A file stays in one process, so that what its
# tests share is trained once; steps whose tests share little hand over single tests.
PARALLEL ?= -n auto
TOGETHER = $(PARALLEL) $(if $(PARALLEL),--dist loadfile)
APART = $(PARALLEL) $(if $(PARALLEL),--dist worksteal)

# Tests with a step of their own in make check: markers of pyproject.toml.
STEPS = exhaustive examples experiments cluster
empty :=
ANY_STEP = $(subst $(empty) $(empty), or ,$(STEPS))
LEFT_OUT = not ($(ANY_STEP))

# How many mutated files the reader is fed under the sanitizers.
FUZZ ?= 200000

.PHONY: demo test quick $(STEPS) steps check docs bench bench-long reproduce models lint types kernel-test kernel-check torch-check page-check clean
.DELETE_ON_ERROR:

# make demo TEXT="…" parses what one types.
export TEXT
demo: .venv/installed
	$(BIN)/crossarc demo $(if $(TEXT),--text "$$TEXT")

# On the installed package: the tests never see src/.
test: .venv/installed-test
	$(BIN)/python -m pytest $(TOGETHER) -m "$(LEFT_OUT)"

# exhaustive: enumerations that take seconds each: all trees of eight words, a million random ones, all systems on all
# treebanks, thousands of damaged files. examples: the code blocks of the README and of docs/. experiments: those of the
# papers, small. cluster: corpora on processes of Dask.
$(STEPS): .venv/installed-test
	$(BIN)/python -m pytest $(APART) -m $@

# What takes less than a minute: no real treebanks, no commands, little training and enumeration.
quick: .venv/installed-test
	$(BIN)/python -m pytest $(TOGETHER) -m "not slow and not treebanks and $(LEFT_OUT)" --ignore tests/cli

# All of them in one run, so that no core waits at the end of each.
steps: .venv/installed-test
	$(BIN)/python -m pytest $(APART) -m "$(ANY_STEP)"

# The first three beside each other: what installs packages, mypy and the native tests are one process each, and the
# sanitized build takes the other cores.
check:
	@for step in "lint types kernel-test" test steps kernel-check; do \
	  began=$$(date +%s); $(MAKE) --no-print-directory -j$$(getconf _NPROCESSORS_ONLN) $$step || exit 1; \
	  echo "== make $$step took $$(( $$(date +%s) - began )) s"; \
	done

# The documentation site, in build/site. Its notebooks are run; a warning is an error.
docs: .venv/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# A script for each claim, and what takes hours.
BENCHMARKS = reading structure oracles encodings evaluation decoders parsing_speed transition_parsing growth
LONG_BENCHMARKS = transition_systems crossing_penalty

bench: SCRIPTS = $(BENCHMARKS)
bench-long: SCRIPTS = $(LONG_BENCHMARKS)
bench bench-long: .venv/installed-bench
	@failed=; for script in $(SCRIPTS); do \
	  echo "== benchmarks/$$script.py"; began=$$(date +%s); \
	  $(BIN)/python benchmarks/$$script.py || failed="$$failed $$script"; \
	  echo "== benchmarks/$$script.py took $$(( $$(date +%s) - began )) s"; \
	done; \
	if [ -n "$$failed" ]; then echo "a claim does not hold, or was not measured:$$failed"; exit 1; fi

# The models of pretrained/recipes: make models NAMES="en grc" ENCODERS=folder WORDS=folder TEXTS=folder DEVICE=cuda. Needs CROSSARC_TREEBANKS.
NAMES = en grc en-accurate
DEVICE = cpu
models: .venv/installed-torch
	$(BIN)/python pretrained/train.py --only $(NAMES) $(if $(ENCODERS),--encoders $(ENCODERS)) $(if $(WORDS),--words $(WORDS)) $(if $(TEXTS),--texts $(TEXTS)) --device $(DEVICE)

# The papers' tables, in docs/reproduction.md. Takes hours; what was computed already is kept in experiments/cache.
EXPERIMENTS = coverage lifts pseudo_projective two_planar undirected statements why root_and_features

reproduce: .venv/installed-svm
	@for script in $(EXPERIMENTS); do echo "== experiments/$$script.py"; $(BIN)/python -m experiments.$$script || exit 1; done

lint: .venv/installed-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CXX_SOURCES)

# mypy reads src/, where the types of the extension, written when it was built, have to lie.
types: .venv/installed-check
	cp .venv/lib/python3.*/site-packages/crossarc/_kernel.pyi src/crossarc/
	$(BIN)/mypy

# The kernel's native tests, with sanitizers, on the widest vector path of the processor and on the narrow one; those of
# products of bytes, which have the most paths, on all that it has.
kernel-test: build/sanitized/installed
	build/sanitizer/kernel_tests
	CROSSARC_VECTOR=narrow build/sanitizer/kernel_tests
	CROSSARC_VECTOR=avx512 build/sanitizer/kernel_tests bytes
	CROSSARC_VECTOR=avx2 build/sanitizer/kernel_tests bytes

# The tests of the kernel once more, on a build with address and undefined-behaviour sanitizers. Allocations remember few
# callers: those of Python are so many that a long run would spend most of its time on them.
SANITIZER_LIBRARIES = $(shell $(or $(CXX),c++) -print-file-name=libasan.so) $(shell $(or $(CXX),c++) -print-file-name=libstdc++.so)
kernel-check: build/sanitized/installed .venv/installed-test
	PYTHONPATH=build/sanitized LD_PRELOAD="$(SANITIZER_LIBRARIES)" ASAN_OPTIONS=detect_leaks=0:malloc_context_size=6 \
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 CROSSARC_FUZZ=$(FUZZ) CROSSARC_EXPECT_SANITIZERS=1 \
	$(BIN)/python -m pytest -m kernel -p no:cacheprovider $(APART)

# The tests that need torch, which takes gigabytes: make test skips them where it is not installed.
torch-check: .venv/installed-torch
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(TOGETHER) tests/models/test_torch.py tests/models/test_torch_transitions.py \
	  tests/models/test_new_head.py tests/models/test_torch_encoders.py tests/models/test_transformer.py tests/parsers/test_distributions.py \
	  tests/training/test_pretraining.py tests/text/test_word_network.py
	$(BIN)/python -m pytest tests/test_documentation.py -k encoders.md

# The page in a real browser (Debian's chromium, or that of CROSSARC_CHROMIUM), with axe-core from npm if that is there.
page-check: .venv/installed-page
	CROSSARC_AXE="$(wildcard $(CURDIR)/.venv/axe/node_modules/axe-core/axe.min.js)" $(BIN)/python -m pytest tests/service/test_page.py tests/service/test_annotate_page.py

.venv/tools:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 10), "crossarc needs Python 3.10 or newer: make PYTHON=…"'
	$(PYTHON) -m venv .venv
	$(PIP) "scikit-build-core>=0.10" "nanobind>=2.9" "typing-extensions>=4.4" cmake ninja
	touch $@

# Built outside pip's isolation, so that a second build compiles only what changed.
.venv/installed: .venv/tools $(SOURCES)
	$(PIP) --no-build-isolation .
	touch $@

.venv/installed-test: .venv/tools $(SOURCES)
	$(PIP) --no-build-isolation '.[test]'
	touch $@ .venv/installed

# What the package that is installed names as its extras: it is not built again for them.
.venv/installed-check: .venv/installed-test
	$(PIP) 'crossarc[lint]'
	touch $@

.venv/installed-docs: .venv/installed-test
	$(PIP) 'crossarc[docs]'
	touch $@

.venv/installed-torch: .venv/installed-test
	$(PIP) 'crossarc[torch]'
	touch $@

.venv/installed-page: .venv/installed-test
	$(PIP) 'crossarc[browser]'
	npm install --silent --no-fund --no-audit --prefix .venv/axe axe-core || echo "axe-core could not be installed"
	touch $@

# The learners of the papers.
.venv/installed-svm: .venv/installed
	$(PIP) 'crossarc[svm]'
	touch $@

.venv/installed-bench: .venv/installed
	$(PIP) 'crossarc[bench]'
	touch $@

# One build for both: the extension and, beside it, the native tests.
build/sanitized/installed: .venv/tools $(SOURCES) $(wildcard tests/kernel/*.?pp)
	$(PIP) --no-build-isolation --no-deps --upgrade --target build/sanitized \
	  -Cbuild-dir=build/sanitizer -Ccmake.define.CROSSARC_SANITIZE=ON -Ccmake.define.CROSSARC_TESTS=ON .
	touch $@

clean:
	rm -rf .venv build
