# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
COVERED := exact model certifier repair sampling
# The tests start the program hundreds of times; without byte code each start compiles its sources anew.
export PYTHONDONTWRITEBYTECODE :=
.DEFAULT_GOAL := help
.PHONY: help demo test lint format coverage soak bench docs clean

help:  ## what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(READY): pyproject.toml
	@echo "installing what discreet needs into $(VENV): a minute or two, once"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(READY)

demo: $(READY)  ## a made-up clinic survey: three questions, planned, answered and charged
	@$(BIN)/discreet demo

lint: $(READY)  ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint  ## everything that decides whether a change lands
	$(BIN)/pytest -n auto

coverage: $(READY)  ## how much of the rooms that decide privacy their own tests run
	$(BIN)/coverage run -m pytest -q $(COVERED:%=tests/%)
	$(BIN)/coverage report

soak: $(READY)  ## the long campaigns: more examples, more draws
	DISCREET_SOAK=1 $(BIN)/pytest -n auto --timeout 0 -o faulthandler_timeout=0

format: $(READY)  ## let ruff tidy the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)  ## ratios against other tools, measured side by side in one run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m benchmarks

docs: $(READY)  ## the documentation as a site, in docs/_build/html
	$(BIN)/sphinx-build -q -W --keep-going -d docs/_build/trees -b html docs docs/_build/html
	@echo "read it: docs/_build/html/index.html"

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .venv-peers docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
