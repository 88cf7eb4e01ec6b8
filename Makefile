# Two commands matter: `make run` plays a tournament to its table, `make test` tests everything but the heavy tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test env web dev heavy fuzz bench lint clean

run: env
	$(BIN)/arena run tournaments/quickstart.toml

test: dev
	$(BIN)/python -m pytest

env: $(VENV)/.env

web: env
	$(PIP) install --no-build-isolation --editable '.[web]'

dev: $(VENV)/.dev

heavy: dev
	$(BIN)/python -m pytest -m heavy --timeout 7200

fuzz: dev
	$(BIN)/python -m pytest -m heavy --timeout 7200 tests/protocol

bench: dev
	$(BIN)/python -m pytest benchmarks --benchmark-enable --benchmark-columns=median,iqr,ops,rounds

lint: dev
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .
	$(BIN)/python -m mypy

clean:
	rm -rf $(VENV) runs .pytest_cache .mypy_cache .ruff_cache .hypothesis

# `ensurepip` is what Debian splits off; saying so beats the traceback that venv would print.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "castell-arena needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "Python's venv module is missing; on Debian and Ubuntu: apt-get install python3-venv"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.env: requirements.txt pyproject.toml bots/pyproject.toml | $(VENV)/bin/python
	$(PIP) install --require-hashes -r requirements.txt
	$(PIP) install --no-deps --no-build-isolation --editable . --editable bots
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.env
	$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@
