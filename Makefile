# Every target does its own set-up: Python 3.11 or later, pip and make are all it takes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DUELBENCH := $(BIN)/duelbench
LOWEST := .venv-lowest

# These load all compiled algorithms. What they hold in memory is given back before the other tests begin.
ALGORITHM_TESTS := tests/algorithms tests/conformance tests/golden

# The tests start hundreds of processes; none need compile the Python sources again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-all test-slow test-long test-lowest lint bench leaderboard docs gallery setup schema clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-21s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/installed  ## run configs/mslr5.yaml (one to two minutes) and draw its figure
	$(DUELBENCH) run configs/mslr5.yaml
	$(DUELBENCH) plot results/mslr5
	@echo "The figure: results/mslr5/mslr5.png (also .pdf; its numbers: .csv)"

test: $(VENV)/installed-for-tests  ## run the linters and the quick tests (about nine minutes)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tests.compiling
	$(BIN)/pytest -n 2 $(ALGORITHM_TESTS)
	$(BIN)/pytest -n 2 $(addprefix --ignore=,$(ALGORITHM_TESTS))

test-all: test  ## run the thorough tests after those (about twenty minutes together)
	$(BIN)/pytest -n 2 -m thorough

test-slow: $(VENV)/installed-for-tests  ## run the tests that take minutes each
	$(BIN)/pytest -n 2 -m slow

test-long: $(VENV)/installed-for-tests  ## kill, flip, damage and fuzz for a quarter of an hour
	$(BIN)/python -m tests.faults.long

test-lowest: $(LOWEST)/installed  ## run the tests with the lowest versions that pyproject.toml allows
	$(LOWEST)/bin/python -m tests.compiling
	$(LOWEST)/bin/pytest -n 2

lint: $(VENV)/installed-for-tests  ## check style and types only, those of other systems too
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin
	$(BIN)/mypy --platform win32

bench: $(VENV)/installed  ## measure what rounds and decisions cost, into bench.md and bench.json (minutes; all: SUITE=full)
	$(DUELBENCH) bench --suite $(or $(SUITE),quick) --force --output bench.md --output bench.json

LEADERBOARD := copeland condorcet order copeland-64 condorcet-64 order-64
PLAY_LEADERBOARD := $(DUELBENCH) run $(LEADERBOARD:%=configs/leaderboard/%.yaml)

leaderboard: $(VENV)/installed  ## play the leaderboard (an hour; goes on where it was), into results/leaderboard (a try: SCALE=quick)
ifneq ($(filter-out paper,$(SCALE)),)
	$(PLAY_LEADERBOARD) --scale $(SCALE)
	$(DUELBENCH) leaderboard build $(LEADERBOARD:%=results/leaderboard-%-$(SCALE)) -o results/leaderboard-$(SCALE)
else
	$(PLAY_LEADERBOARD)
	$(PLAY_LEADERBOARD) --scale long
	$(DUELBENCH) leaderboard build $(foreach name,$(LEADERBOARD),results/leaderboard-$(name) results/leaderboard-$(name)-long)
endif

docs: $(VENV)/installed-for-docs  ## build the documentation as a site, into site/; broken links are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "The site: site/index.html. Its search needs a server: $(BIN)/python -m http.server -d site"

gallery: $(VENV)/installed-for-docs  ## make the pictures of docs/gallery.md again, from the figures in results/
	$(BIN)/python docs/_site/thumbnails.py results

schema: $(VENV)/installed  ## write spec.schema.json again
	$(DUELBENCH) schema > spec.schema.json

setup: $(VENV)/installed-for-tests  ## make the virtual environment with everything the tests need

include configs/figures.mk

clean:  ## remove the virtual environment and all caches (results stay)
	rm -rf $(VENV) $(LOWEST) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Most of what is installed is never imported: Python compiles the rest when it is first imported, and keeps it.
unexport PYTHONDONTWRITEBYTECODE

$(VENV)/installed: pyproject.toml
	@echo "Installing duelbench, NumPy, SciPy, Numba and Matplotlib into $(VENV), about 150 MB ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --progress-bar off --no-compile --editable .
	@touch $@

$(VENV)/installed-for-tests: $(VENV)/installed
	$(BIN)/python -m pip install --quiet "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group test --group docs
	touch $@

$(VENV)/installed-for-docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

$(LOWEST)/installed: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet "pip>=25.1"
	$(PYTHON) tests/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --constraint $(LOWEST)/lowest.txt --editable . --group test
	touch $@
