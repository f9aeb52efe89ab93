# Everything a checkout needs is made here, in .venv; python3 (3.11 or newer) is all that must be there.
# Another interpreter: make demo PYTHON=python3.12

PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test bench figures docs new-check new-op clean

help:
	@echo "make demo   check a shipped ruleset, play a short conversation, print what a model would get"
	@echo "make test   lint, types, tests"
	@echo "make bench  measure, and print the figures as one JSON document"
	@echo "make figures  write rulesets/README.md anew, from the recorded sessions in ../shared/data"
	@echo "make docs   write the generated pages of docs/ anew"
	@echo "make new-check NAME=…  write a new check with its fixtures"
	@echo "make new-op NAME=…  write a new operation with its scenario"
	@echo "make clean  remove .venv and every cache"

demo: .venv/installed
	$(BIN)/dcc check tutor
	$(BIN)/dcc compile tutor --table
	$(BIN)/dcc play --requests rulesets/scenarios/tutor/lesson.yaml

test: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

bench: .venv/installed-dev
	@$(BIN)/python -m bench

figures: .venv/installed-dev
	@$(BIN)/python -m bench.figures

docs: .venv/installed
	$(BIN)/python docs/build.py

new-check: .venv/installed
	$(BIN)/dcc new check $(NAME)

new-op: .venv/installed
	$(BIN)/dcc new op $(NAME) --into rulesets

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# A stamp is newer than pyproject.toml when what that asks for is installed.
.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/installed-dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ .venv/installed

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "dcc needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
