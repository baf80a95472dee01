# The one task file. Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= ../shared/data
BENCHES := house tagging boundaries typed chunks identifiers speed language frequencies training subwords detection ladders climbing wikidata risk linkage topical replacement restoring agreement utility meaning quality attacks tune planted copies markings leak leak_may leakers authors gate few scanning letters recognition thesis

.PHONY: demo test quick lint readme docs golden bench clean
.DEFAULT_GOAL := demo
# Measurements that run side by side would slow each other.
.NOTPARALLEL:

$(VENV)/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "embanon needs Python 3.11 or later: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Stamps of their own, so that a demo does not wait for the tools of a developer.
$(VENV)/demo.stamp: pyproject.toml $(VENV)/python.stamp
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/test.stamp: pyproject.toml $(VENV)/python.stamp
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/demo.stamp

$(VENV)/bench.stamp: pyproject.toml $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --editable '.[test,bench]'
	@touch $@

$(VENV)/docs.stamp: pyproject.toml $(VENV)/python.stamp
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

demo: $(VENV)/demo.stamp
	@mkdir -p build
	@$(BIN)/embanon demo -o build/embanon-demo

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n auto --dist loadfile

# Units and laws alone, without what starts processes or databases, or times large inputs.
quick: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not slow"

# Figures of eval/results and what the commands write, put into the README and docs/.
readme: $(VENV)/test.stamp
	$(BIN)/python -m eval.figures
	$(BIN)/python -m tests.test_docs

# The pages of docs/, with the reference of commands and settings, into build/docs; no network.
docs: $(VENV)/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# What comes out of all commands, kept to be compared: after a change that is meant, read what git says differs.
golden: $(VENV)/test.stamp
	$(BIN)/python -m tests.test_golden

bench: $(BENCHES:%=bench-%)

# make bench-speed runs one of them; what fails leaves the table that was there.
bench-%: $(VENV)/bench.stamp
	@mkdir -p eval/results
	$(BIN)/python -m eval.$* --data $(DATA) > eval/results/$*.part
	@mv eval/results/$*.part eval/results/$*.txt
	@cat eval/results/$*.txt

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find embanon eval tests -name __pycache__ -type d -exec rm -rf {} +
