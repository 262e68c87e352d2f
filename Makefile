# Two commands for a newcomer: make run, make test. Each sets up .venv by itself.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: run test slow fuzz kills lint format bench bench-training bench-images bench-kernels bench-oracle bench-store clean

run: $(VENV)/.ready  ## Figure 2(a) at quick scale
	$(BIN)/kernelgap run fig2a --scale quick

test: $(VENV)/.ready-dev lint  ## all checks but the slow ones
	$(BIN)/python -m pytest

slow: $(VENV)/.ready-dev  ## the checks that take longer
	$(BIN)/python -m pytest -m slow

fuzz: $(VENV)/.ready-dev  ## generated inputs: make fuzz N=10000 SEED=7
	$(BIN)/python -m fuzz --n $(or $(N),1000) $(if $(SEED),--seed $(SEED))

kills: $(VENV)/.ready-dev  ## runs of every kind, ended at random moments: make kills N=20 SEED=7
	$(BIN)/python -m fuzz.kills --n $(or $(N),100) $(if $(SEED),--seed $(SEED))

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: bench-training bench-images bench-kernels bench-oracle bench-store  ## speed beside PyTorch, neural-tangents, scikit-learn and the machine's peak

bench-training: $(VENV)/.ready .venv-torch/.ready
	$(BIN)/python benchmarks/training.py --torch-python .venv-torch/bin/python

bench-images: $(VENV)/.ready .venv-torch/.ready
	$(BIN)/python benchmarks/images.py --torch-python .venv-torch/bin/python

bench-kernels: $(VENV)/.ready .venv-neural-tangents/.ready
	$(BIN)/python benchmarks/kernels.py --peer-python .venv-neural-tangents/bin/python
	$(BIN)/python benchmarks/ridge.py

bench-oracle: $(VENV)/.ready
	$(BIN)/python benchmarks/oracle.py

bench-store: $(VENV)/.ready
	$(BIN)/python benchmarks/store.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "kernelgap needs Python 3.11 or newer: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Setting up $(VENV), about a minute the first time ..."
	$(PIP) --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(PIP) --editable ".[dev,cluster]"
	@touch $@

.venv-%/.ready: benchmarks/requirements-%.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip --disable-pip-version-check install --quiet --requirement $<
	@touch $@

clean:
	rm -rf $(VENV) .venv-torch .venv-neural-tangents .pytest_cache .mypy_cache .ruff_cache build dist
