# Everything runs in .venv, which the targets create and refresh by themselves; the libraries that `make bench-peers` measures
# against are large, and have an environment of their own.

PYTHON ?= $(shell command -v python3.11 >/dev/null 2>&1 && python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers

# Compiled kernels are cached on disk. Numba looks only at the file of the kernel itself, not at the files it imports, and
# would serve a stale kernel after an edit in one of those; so the cache of every state of the sources has its own folder.
SOURCES := $(shell find src/recbayes -name '*.py' | LC_ALL=C sort)
CHECKSUM := $(word 1,$(shell cat $(SOURCES) | cksum))
export NUMBA_CACHE_DIR := $(CURDIR)/.cache/kernels/$(CHECKSUM)
# The peers' environment may have another numba, and two of them in one cache drive each other's kernels out.
bench-peers compare: export NUMBA_CACHE_DIR := $(CURDIR)/.cache/kernels/peers-$(CHECKSUM)

.DEFAULT_GOAL := help
.PHONY: help demo study test quick bench bench-peers compare docs lint format clean

help: ## say what the targets do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/installed ## find where the flow of the Nile changed: in words, as a picture and as a page
	$(BIN)/recbayes demo

study: $(VENV)/installed-dev ## run the paper's evaluation again, with all methods; STUDY=--quick for a glance
	$(BIN)/recbayes study synthetic $(STUDY)

test: $(VENV)/installed-dev lint ## check style and types, then run all tests
	$(BIN)/python -m pytest -n auto --dist loadfile

quick: $(VENV)/installed-dev ## run the tests that take seconds, for every day
	$(BIN)/python -m pytest -n auto --dist loadfile -m 'not slow'

bench: $(VENV)/installed-dev ## measure the speed of inference
	$(BIN)/python -m benchmarks

bench-peers: $(PEERS)/installed ## measure grammars, chains and change points against other libraries
	$(PEERS)/bin/python -m benchmarks.peers

compare: $(PEERS)/installed ## what other libraries do, how well and how fast, in one table; COMPARE='--part quality' for a part
	$(PEERS)/bin/python -m benchmarks.compare $(COMPARE)

docs: $(VENV)/installed-dev ## build the documentation as a site, in docs/_build/html
	@$(BIN)/recbayes warmup  # else the gallery shows what compiles, and how long that takes
	$(BIN)/python -m sphinx -M html docs docs/_build --fail-on-warning --keep-going --quiet
	@echo "docs/_build/html/index.html is the front page"

lint: $(VENV)/installed-dev ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/installed-dev ## put all files into the common format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the environments and all caches
	rm -rf $(VENV) $(PEERS) .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist docs/_build docs/pictures
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python $(PEERS)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "recbayes needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) --version 2>&1);" \
	    "name another with: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(@:/bin/python=)
	@echo '*' > $(@:/bin/python=)/.gitignore

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/installed

$(PEERS)/installed: pyproject.toml | $(PEERS)/bin/python
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[peers]'
	@touch $@
