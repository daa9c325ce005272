# One command each. Every target creates what it needs; nothing is installed outside .venv
# except by `services`.
PYTHON ?= python3
BIN := .venv/bin
# `make demo` needs one extra only, so that the first look is quick
DEMO_STAMP := .venv/.demo
DEV_STAMP := .venv/.dev
BENCH_STAMP := .venv/.bench

.PHONY: help demo test fast check fix bench services services-stop matrix clean

help:
	@echo "make demo      the main job on a shipped conversation (no key, no server)"
	@echo "make test      all tests"
	@echo "make fast      the tests that take under 30 seconds together"
	@echo "make check     format, lint, types, import contracts, generated code, tests"
	@echo "make fix       repair format and lint"
	@echo "make bench     benchmarks, side by side with what one would use instead;"
	@echo "               BENCH=--quick for two minutes, BENCH=--million for more than an hour"
	@echo "make matrix    the tests on the oldest and the newest supported dependencies"
	@echo "make services  start a private PostgreSQL for the tests; installs Debian's if there is none"
	@echo "make services-stop  stop it and remove what it wrote"

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "StrataGate needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv

$(DEMO_STAMP): pyproject.toml | .venv/bin/python
	@echo "installing StrataGate and the 'classic' extra into .venv ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[classic]'
	@touch $@

$(DEV_STAMP): pyproject.toml | .venv/bin/python
	@echo "installing StrataGate and its development tools into .venv (a few minutes once) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(DEMO_STAMP)

# a rival that cannot be installed is left out of the tables, with the reason
$(BENCH_STAMP): $(DEV_STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]' \
		&& touch $@ || echo "some of the 'bench' extra could not be installed; going on without it"

demo: $(DEMO_STAMP)
	$(BIN)/stratagate demo

test: $(DEV_STAMP)
	$(BIN)/python -m pytest -n 2

fast: $(DEV_STAMP)
	STRATAGATE_EXAMPLES=15 $(BIN)/python -m pytest -n 2 -m "not slow and not postgresql"

check: $(DEV_STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/generate_aio.py --check
	$(BIN)/python -m pytest

fix: $(DEV_STAMP)
	$(BIN)/python scripts/generate_aio.py
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks $(BENCH)

services:
	@sh scripts/services.sh start

services-stop:
	@sh scripts/services.sh stop

matrix:
	PYTHON="$(PYTHON)" sh scripts/matrix.sh

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
