# Every chore is a verb here, the same for people and for CI. `make help` lists them.

PYTHON ?= python3
PYTEST_ARGS ?=
PORT ?= 8765

# All set-up lives in .venv; a stamp in it says a step is done, and its prerequisites when to redo it.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WEB := $(BIN)/python scripts/web.py

# Where a machine asks for no bytecode, each worker and each server of a test would compile all anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install demo test test-fast check lint format docs walk web web-built chromium bench chaos soak mutants lock clean

help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

install: $(READY) ## Set everything up in .venv (all other verbs do so by themselves)

demo: $(READY) web-built ## Start the product with its demo agent on http://127.0.0.1:8765 (PORT=…)
	$(BIN)/sayso demo --port $(PORT)

# Four on two cores: a test of a server or a browser waits for it at times. A file stays together,
# and they stay in their order: xdist would begin those of few tests last, which take the longest.
SIDE_BY_SIDE := -n 4 --dist loadfile --no-loadscope-reorder

# Each commit of a test waits for the disk. Where memory can hold what they write, they write there.
test: export TMPDIR := $(or $(TMPDIR),$(shell df -k --output=avail,target /dev/shm 2>/dev/null \
  | awk 'NR == 2 && $$1 > 8000000 { print $$2 }'),/tmp)
# The tests are compiled meanwhile, once: their workers would all do so at the same time.
test: $(READY) web-built chromium ## Everything CI runs: lint, types, layers, web, all suites
	@$(MAKE) --no-print-directory lint & lint=$$!; \
	$(BIN)/pytest --collect-only -qq >/dev/null & compiled=$$!; \
	$(MAKE) --no-print-directory web-checked; web=$$?; \
	wait $$compiled; wait $$lint && exit $$web
	$(BIN)/pytest $(SIDE_BY_SIDE) $(PYTEST_ARGS)

test-fast: $(READY) ## The suites that need no browser and kill nothing
	$(BIN)/pytest tests/unit $(wildcard tests/contract) $(PYTEST_ARGS)

lint: $(READY) ## Style, types and import directions
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(READY) ## Bring the code into its one style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(READY) ## Write the pages of docs/reference that are made from the code
	$(BIN)/python scripts/reference.py

walk: $(READY) ## Trace one answer through the code, and write its page (docs/explanation)
	$(BIN)/python scripts/walk.py

web: $(READY) ## Build the web console anew
	$(WEB) build --force

web-built: $(READY)
	$(WEB) build

.PHONY: web-checked
web-checked: web-built
	$(WEB) npm run types
	$(WEB) npm run test
	$(WEB) npm run size

chromium: $(READY)
	$(BIN)/python scripts/chromium.py

bench: $(READY) web-built ## Measure, beside the floor that the machine sets
	$(BIN)/python -m benchmarks

chaos: $(READY) web-built ## Only the suite that kills processes
	$(BIN)/pytest tests/chaos $(PYTEST_ARGS)

.PHONY: frameworks
frameworks: $(READY) ## Every adapter at length, all of examples/compat, and each alone at its oldest
	SAYSO_FRAMEWORKS=1 $(BIN)/pytest tests/contract tests/unit/adapters $(PYTEST_ARGS)
	$(BIN)/python scripts/compat.py --check
	$(BIN)/python scripts/frameworks_alone.py --oldest

.PHONY: mcp-apps
mcp-apps: $(READY) web-built chromium ## The reference servers of MCP Apps, from npm (236 MB), in Chromium over stdio and HTTP
	$(WEB) npm ci --ignore-scripts --prefix ../tests/mcp_apps
	$(BIN)/python scripts/mcp_apps.py tests/mcp_apps
	SAYSO_MCP_APPS=1 $(BIN)/pytest tests/browser/test_mcp_apps.py $(PYTEST_ARGS)

SOAK ?= 20

soak: $(READY) web-built ## Look for long: SOAK times as many examples, hostile talks and random deaths
	SAYSO_SOAK=$(SOAK) $(BIN)/pytest tests/oracles tests/chaos \
	  tests/unit/gate/test_hostile.py tests/unit/gate/test_hostile_frameworks.py \
	  tests/browser/test_reconnect_looks_identical.py $(PYTEST_ARGS)

mutants: $(READY) web-built ## Change each place of the files that decide, see a test fail: ten minutes (MUTANTS=n draws some)
	$(BIN)/python -m scripts.mutants

.PHONY: mutants-sample
mutants-sample: export MUTANTS ?= 500
mutants-sample: export MUTANTS_TABLE := tests/mutants/folders.toml
mutants-sample: $(READY) web-built ## The same for MUTANTS=500 places drawn from all of core, store and tools
	$(BIN)/python -m scripts.mutants

lock: $(BIN)/uv ## Pin the development requirements anew from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --group lca-oracle --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --upgrade --quiet \
	  --custom-compile-command "make lock" --output-file requirements/dev.txt

clean: ## Remove all that was made here
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist \
	  web/node_modules src/sayso/console/static
	find src tests scripts -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Sayso needs Python 3.11 or newer: make … PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/.packages: requirements/dev.txt $(BIN)/uv
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --require-hashes -r requirements/dev.txt
	touch $@

# The console is made by `web-built`, which says what it does; here it would build in silence.
$(READY): pyproject.toml $(VENV)/.packages
	VIRTUAL_ENV=$(VENV) SAYSO_SKIP_WEB=1 $(BIN)/uv pip install --quiet --no-deps --no-build-isolation -e .
	touch $@
