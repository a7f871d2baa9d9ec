# Every target does its own set-up: Python 3.11 or later, pip and make are all it takes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DUELBENCH := $(BIN)/duelbench
LOWEST := .venv-lowest
COMPILED := NUMBA_DISABLE_JIT=0

# The tests start hundreds of processes; none need compile the Python sources again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-thorough test-slow test-long test-slurm test-mutants test-lowest lint bench leaderboard docs gallery setup schema \
        record clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-21s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/installed  ## run configs/mslr5.yaml (one to two minutes) and draw its figure
	$(DUELBENCH) run configs/mslr5.yaml
	$(DUELBENCH) plot results/mslr5
	@echo "The figure: results/mslr5/mslr5.png (also .pdf; its numbers: .csv)"

test: $(VENV)/installed-for-tests  ## run the quick tests (two minutes, four the first time)
	$(BIN)/pytest -n 2
	$(BIN)/python -m tests.compiling
	$(COMPILED) $(BIN)/pytest -n 2 -m "compiled and not thorough and not slow" $$(grep -rl mark.compiled tests --include='test_*.py')

test-thorough: $(VENV)/installed-for-tests  ## compile all algorithms and run what takes longer (ten minutes)
	$(BIN)/python -m tests.compiling --all
	$(COMPILED) $(BIN)/pytest -n 2 --dist loadgroup -m thorough

test-slow: $(VENV)/installed-for-tests  ## run the tests that take minutes each
	$(COMPILED) $(BIN)/pytest -n 2 --dist loadgroup -m slow

test-long: $(VENV)/installed-for-tests  ## kill, flip, damage and fuzz for a quarter of an hour
	DUELBENCH_TRY=100 $(COMPILED) $(BIN)/pytest -n 2 --dist load -m "" tests/faults/test_fuzz.py tests/faults/test_kills.py \
	  tests/experiments/results/test_store.py tests/experiments/results/test_atomic.py tests/statistical/test_streams.py \
	  -k "hostile or random_instants or flipped or cut_short or writer or distinct"

test-slurm: $(VENV)/installed-for-tests  ## submit jobs to this machine's SLURM (five minutes; skips, and says so, where there is none)
	$(BIN)/pytest -n 0 -rs -m slurm tests/experiments/execution/test_slurm.py

MUTANTS := build/mutants

test-mutants: $(VENV)/installed-for-mutants  ## which faults the tests miss (minutes a file; FILE=duelbench/bandits/algorithms/rucb.py TESTS=rucb)
	rm -rf $(MUTANTS) && mkdir -p $(MUTANTS)
	git ls-files -z duelbench tests matrices configs pyproject.toml | xargs -0 cp --parents -t $(MUTANTS)
	$(if $(FILE),sed -i 's#^module-path.*#module-path = "$(FILE)"#' $(MUTANTS)/tests/cosmic-ray.toml)
	cd $(MUTANTS) && export PATH="$(abspath $(BIN)):$$PATH" NUMBA_DISABLE_JIT=1 PYTHONDONTWRITEBYTECODE=1 \
	  PYTEST_ADDOPTS="-k '$(if $(TESTS),$(TESTS) and )(literal or not thorough)'" && \
	  cosmic-ray init tests/cosmic-ray.toml session.sqlite && \
	  cr-filter-operators session.sqlite tests/cosmic-ray.toml && \
	  cosmic-ray exec tests/cosmic-ray.toml session.sqlite && \
	  cr-report --surviving-only --show-diff session.sqlite

test-lowest: $(LOWEST)/installed  ## run the quick tests with the lowest versions that pyproject.toml allows
	$(LOWEST)/bin/pytest -n 2
	$(COMPILED) $(LOWEST)/bin/pytest -n 2 -m "compiled and not thorough and not slow"

lint: $(VENV)/installed-for-lint  ## check style and types, those of other systems too
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin

bench: $(VENV)/installed  ## measure what rounds and decisions cost (minutes; SUITE=full; AGAINST=CHECKOUT, in turns)
	$(BIN)/python -m tests.benchmarks --suite $(or $(SUITE),quick) $(if $(AGAINST),--against $(AGAINST)) --output bench.json

LEADERBOARD_SPECS := $(wildcard configs/leaderboard/*.yaml)
LEADERBOARD_RESULTS := $(LEADERBOARD_SPECS:configs/leaderboard/%.yaml=results/leaderboard-%)

leaderboard: $(VENV)/installed  ## play the leaderboard (an hour; goes on where it was) and rank the results (a try: SCALE=quick)
ifneq ($(filter-out paper,$(SCALE)),)
	$(DUELBENCH) run $(LEADERBOARD_SPECS) --scale $(SCALE)
	$(DUELBENCH) leaderboard $(LEADERBOARD_RESULTS:%=%-$(SCALE)) --html results/leaderboard-$(SCALE).html
else
	$(DUELBENCH) run $(LEADERBOARD_SPECS)
	$(DUELBENCH) run $(LEADERBOARD_SPECS) --scale long
	$(DUELBENCH) leaderboard $(LEADERBOARD_RESULTS) $(LEADERBOARD_RESULTS:%=%-long) --html results/leaderboard.html --json \
	  > results/leaderboard.json
endif

docs: $(VENV)/installed-for-docs  ## build the documentation as a site, into site/; broken links are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "The site: site/index.html. Its search needs a server: $(BIN)/python -m http.server -d site"

gallery: $(VENV)/installed-for-docs  ## make the pictures of docs/gallery.md again, from the figures in results/
	$(BIN)/python docs/_site/thumbnails.py results

record: $(VENV)/installed-for-tests  ## record what a new algorithm needs: digests of its traces, the editors' schema, its page's head
	$(BIN)/python -m tests.golden.record
	$(BIN)/python docs/_site/heads.py

schema: $(VENV)/installed  ## write configs/spec.schema.json again
	$(DUELBENCH) schema > configs/spec.schema.json

setup: $(VENV)/installed-for-tests  ## make the virtual environment with everything the tests need

include configs/figures.mk

clean:  ## remove the virtual environment and all caches (results stay)
	rm -rf $(VENV) $(LOWEST) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# uv, on the PATH or from PyPI, installs in seconds what takes pip half a minute; pip does it where uv cannot. pip has
# --group since 25.1, and a new environment of Ubuntu 24.04 or Debian 12 has an older one.
install = uv=$$(command -v uv || echo $(1)/bin/uv); \
  "$$uv" pip install --quiet --python $(1)/bin/python $(2) || $(1)/bin/python -m pip install --quiet $(2)

$(VENV)/bin/python $(LOWEST)/bin/python:
	@$(PYTHON) -m venv $(@D)/..
	@$@ -m pip install --quiet "pip>=25.1"
	@command -v uv > /dev/null || $@ -m pip install --quiet uv || true

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing duelbench, NumPy, SciPy, Numba and Matplotlib into $(VENV), about 150 MB ..."
	@$(call install,$(VENV),--editable .)
	@touch $@

$(VENV)/installed-for-%: $(VENV)/installed
	@$(call install,$(VENV),$(GROUPS_FOR_$*))
	@touch $@

GROUPS_FOR_tests := --group test --group docs
GROUPS_FOR_lint := --group test --group lint
GROUPS_FOR_docs := --group docs
GROUPS_FOR_mutants := --group test --group mutants

$(LOWEST)/installed: pyproject.toml | $(LOWEST)/bin/python
	$(PYTHON) tests/lowest.py > $(LOWEST)/lowest.txt
	$(call install,$(LOWEST),--constraint $(LOWEST)/lowest.txt --editable . --group test --group docs)
	touch $@
