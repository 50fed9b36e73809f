# Verbs of the project; each does its own set-up. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check fix docs bench pins clean

help: ## list the verbs
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

setup: $(VENV)/.run ## make the environment with all that `afere` needs

demo: setup ## a real verdict on two real local models, without a key
	$(BIN)/afere demo

test: $(VENV)/.dev ## run the tests
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup

check: $(VENV)/.dev ## lint, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports

fix: $(VENV)/.dev ## format and mend what the linter can
	$(BIN)/ruff format -q .
	$(BIN)/ruff check -q --fix .
	$(BIN)/ruff format -q .

docs: $(VENV)/.dev ## write the reference out of the code
	$(BIN)/python docs/reference.py

bench: $(VENV)/.dev ## measure speed beside what others cost
	$(BIN)/python bench/throughput.py

pins: ## renew the pinned requirements (needs uv)
	uv pip compile -q pyproject.toml --extra exams --extra local --extra report --group build --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -o requirements/run.txt
	uv pip compile -q pyproject.toml --extra all --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -o requirements/dev.txt

clean: ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
ifdef UV
	uv venv -q --seed --python $(PYTHON) $(VENV)
else
	$(PYTHON) -m venv $(VENV) || { echo "The venv module is missing: sudo apt install python3-venv"; exit 1; }
endif

$(VENV)/.run: requirements/run.txt pyproject.toml | $(BIN)/python
	$(call install,requirements/run.txt)
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(BIN)/python
	$(call install,requirements/dev.txt)
	@touch $@ $(VENV)/.run

ifdef UV
define install
	uv pip install -q --python $(BIN)/python --require-hashes -r $(1)
	uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
endef
else
define install
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $(1)
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
endef
endif
