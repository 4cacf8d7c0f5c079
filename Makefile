# From a fresh clone with python3 (>= 3.10), a C++ compiler and make: "make demo" or "make test".
PYTHON ?= python3
SANITIZE ?= OFF
SECONDS ?= 60
SEED ?= 1
ROUNDS ?= 0
SAMPLE ?= 25
PYTHONS ?= python3.10 python3.11 python3.12 python3.13

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check
TOOLS := scikit-build-core nanobind cmake ninja typing-extensions
CPP_FILES := $(shell find cpp bindings -name '*.?pp')
SOURCES := pyproject.toml CMakeLists.txt bindings/stubs.cmake $(shell find cpp bindings -name '*.?pp' -not -path '*/tests/*')
# cmake and ninja come from the environment, whatever the machine has.
IN_VENV := PATH="$(abspath $(VENV))/bin:$$PATH"

CPPTEST := build/cpptest$(if $(filter ON,$(SANITIZE)),-sanitized,$(if $(filter THREADS,$(SANITIZE)),-threads))
# TRW-S as the installation has compiled it; without one, the tests compile it themselves.
BUILT_TRWS = $(firstword $(shell ls -t $(abspath build)/cp3*/libhedgehop_trws.a 2> /dev/null))

# What each kind of installation adds to the library itself.
EXTRAS_core :=
EXTRAS_demo := [cli,segmentation,plot]
EXTRAS_dev := [dev,docs,cli,segmentation,learning,studio,plot,batch,parquet,io,program]
EXTRAS_docs := [docs,cli,segmentation,learning,studio,plot]

.PHONY: help demo test test-slow lint format bench fuzz hunt mutants docs pictures release-check wheels build cpptest clean
.DELETE_ON_ERROR:

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/.installed-demo ## Run the demo (installs the library with what the demo needs)
	@echo "demo: running hedgehop demo"
	@$(PY) -m hedgehop demo --force

# pytest goes last so that its verdict is the last line.
test: cpptest ## Run the C++ and the Python tests, without the slowest ones
	@echo "test: running the Python tests"
	@$(PY) -m pytest --numprocesses auto --dist worksteal --hypothesis-profile quick --quiet -m "not slow"

test-slow: $(VENV)/.installed-dev ## Run the slowest tests: the gallery, the documents, many sessions, killed batches
	@echo "test-slow: running the slow Python tests"
	@$(PY) -m pytest --numprocesses auto --dist worksteal --quiet -m slow tests

lint: $(VENV)/.installed-dev ## Check style and types
	@echo "lint: ruff, assertions, mypy, clang-format, tsc"
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) tests/project/lint_assertions.py
	@$(PY) -m mypy
	@$(VENV)/bin/clang-format --dry-run -Werror $(CPP_FILES)
	@if command -v tsc > /dev/null; then tsc -p src/hedgehop/studio/static/jsconfig.json; \
	  else echo "lint: no tsc here, so the page's scripts are not checked"; fi

format: $(VENV)/.installed-dev ## Fix style
	@echo "format: ruff, clang-format"
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .
	@$(VENV)/bin/clang-format -i $(CPP_FILES)

bench: $(VENV)/.installed-dev ## Run the benchmarks
	@echo "bench: running benchmarks/run.py"
	@$(PY) benchmarks/run.py

fuzz: $(VENV)/.installed-dev ## Feed damaged files to every reader for a minute (SECONDS=60)
	@$(PY) -c 'import atheris' 2> /dev/null || $(PIP) install atheris
	@echo "fuzz: running fuzz/files.py for $(SECONDS) seconds"
	@$(PY) fuzz/files.py -max_total_time=$(SECONDS) -max_len=4096 -seed=1

hunt: $(VENV)/.installed-dev ## Compare random lists with enumeration for a minute (SECONDS=60 SEED=1 ROUNDS=0 for all)
	@echo "hunt: running for $(SECONDS) seconds from seed $(SEED)"
	@$(PY) -m hunt --seconds $(SECONDS) --seed $(SEED) --rounds $(ROUNDS)

mutants: $(VENV)/.installed-dev ## Change the sources here and there; do the tests notice? (SAMPLE=25 SEED=1 PARTS=)
	@$(PY) -c 'import coverage, mutmut' 2> /dev/null || $(PIP) install coverage==7.17.3 mutmut==3.3.1
	@echo "mutants: trying $(SAMPLE) of every part"
	@$(PY) -m hunt.mutants $(PARTS) --sample $(SAMPLE) --seed $(SEED)

docs: $(VENV)/.installed-docs ## Build the documentation into build/docs
	@echo "docs: building build/docs"
	@$(PY) -m sphinx -W -b html docs build/docs

pictures: $(VENV)/.installed-dev ## Draw the pictures of README.md and docs again (needs Chromium); "make docs" runs the gallery
	@echo "pictures: drawing"
	@for name in flow theory draw studio studio_film; do $(PY) docs/pictures/$$name.py || exit 1; done

release-check: $(VENV)/.installed-dev ## Build sdist and wheel, look into them, try the wheel without a compiler
	@echo "release-check: building sdist and wheel"
	@$(IN_VENV) $(PY) release/check.py

wheels: $(VENV)/.installed-dev ## Build sdist and wheels with PYTHONS into dist, try them (ADDRESS: of the documentation, or none)
	@[ -n "$(ADDRESS)" ] || { echo "wheels: say where the links of the published page lead: ADDRESS=https://HOST/PATH or ADDRESS=none"; exit 2; }
	@echo "wheels: building with $(PYTHONS)"
	@$(PY) release/wheels.py $(ADDRESS) dist $(PYTHONS)

build: $(VENV)/.installed-core ## Build and install the library into .venv

cpptest: $(VENV)/.installed-dev ## Run the C++ tests (SANITIZE=ON: under ASan and UBSan; THREADS: ThreadSanitizer)
	@echo "cpptest: building and running the C++ tests"
	@$(IN_VENV) cmake -S . -B $(CPPTEST) -G Ninja -DHEDGEHOP_CPP_TESTS=ON -DHEDGEHOP_SANITIZE=$(filter ON,$(SANITIZE)) \
	  -DHEDGEHOP_SANITIZE_THREADS=$(filter THREADS,$(SANITIZE)) -DHEDGEHOP_BUILT_TRWS="$(BUILT_TRWS)" \
	  --log-level=WARNING > $(CPPTEST).log
	@$(IN_VENV) cmake --build $(CPPTEST) -- --quiet
	@$(IN_VENV) ctest --test-dir $(CPPTEST) --output-on-failure --parallel 2

clean: ## Remove the environment and everything built
	rm -rf $(VENV) build dist src/hedgehop/_core .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "hedgehop needs Python 3.10 or newer, but $(PYTHON) is $$($(PYTHON) --version 2>&1);" \
	         "run 'make PYTHON=/path/to/python3.10' or newer."; exit 1; }
	@echo "setup: creating $(VENV) with build tools"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip
	@$(PIP) install $(TOOLS)
	@touch $@

# The editable install compiles the core; ninja recompiles only what changed. The generated stubs are copied next
# to the sources, where mypy and editors look for them.
$(VENV)/.installed-%: $(SOURCES) $(VENV)/.tools
	@echo "build: compiling the C++ core and installing hedgehop$(EXTRAS_$*)"
	@$(IN_VENV) $(PIP) install --no-build-isolation --editable '.$(EXTRAS_$*)'
	@cp -r "$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/hedgehop/_core" src/hedgehop/
	@touch $@
