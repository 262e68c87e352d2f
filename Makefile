# Two commands for a newcomer: make run, make test. Each sets up .venv by itself.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: run dist test slow processors lint format bench bench-keep bench-training bench-images bench-kernels bench-oracle bench-curves bench-store bench-scaling bench-cluster bench-compilation clean docs pictures results matrix fuzz kills coverage

run: $(VENV)/.ready  ## Figure 2(a) at quick scale
	$(BIN)/kernelgap run fig2a --scale quick

test: $(VENV)/.ready-dev lint  ## all checks but the slow ones
	$(BIN)/python -m pytest

COVERAGE := .pytest_cache/coverage

coverage: $(VENV)/.ready-dev  ## branches that the quick checks take; runs, certificates and models need 90%
	rm -rf $(COVERAGE) && mkdir -p $(COVERAGE)
	$(BIN)/python -m pytest --cov --cov-report=json $(PYTEST)
	$(BIN)/python scripts/branches.py $(COVERAGE)/coverage.json $(FOLDERS)

slow: $(VENV)/.ready-dev  ## the checks that take longer
	$(BIN)/python -m pytest -m slow

# kernels of OpenBLAS : instructions that XLA, NumPy and compiled loops may use : threads : order of the tests
PROCESSORS := Haswell:AVX2:1:1 SkylakeX:AVX512:2:2 Zen:AVX2:2:3 Sandybridge:SSE4_2:1:1
AVX512 := X86_V4 AVX512_ICL AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL
AVX2   := X86_V3 AVX2 FMA3

processors: $(VENV)/.ready-dev  ## all checks but the slow ones, as on other processors and in other orders
	@mkdir -p .pytest_cache; for one in $(PROCESSORS); do \
	  set -- $$(echo $$one | tr : ' '); log=.pytest_cache/processor-$$1.log; \
	  case $$2 in \
	    AVX512) without=""; loops=native;; \
	    AVX2) without="$(AVX512)"; loops=x86-64-v3;; \
	    *) without="$(AVX2) $(AVX512)"; loops=x86-64;; esac; \
	  echo "OpenBLAS as on $$1, XLA and NumPy up to $$2, $$3 thread(s), order $$4:"; \
	  OPENBLAS_CORETYPE=$$1 XLA_FLAGS="--xla_cpu_max_isa=$$2 --xla_backend_optimization_level=0" \
	    NPY_DISABLE_CPU_FEATURES="$$without" KERNELGAP_NATIVE=$$loops KERNELGAP_TEST_THREADS=$$3 \
	    $(BIN)/python -m pytest --shuffle $$4 -q > $$log 2>&1 || failed="$$failed $$1"; \
	  grep -E '^(FAILED|ERROR) ' $$log; tail -n 1 $$log; \
	done; test -z "$$failed" || { echo "Failed as on:$$failed (see .pytest_cache/processor-*.log)"; exit 1; }

fuzz: $(VENV)/.ready-dev  ## generated inputs: make fuzz N=10000 SEED=7
	$(BIN)/python -m fuzz --n $(or $(N),1000) $(if $(SEED),--seed $(SEED))

kills: $(VENV)/.ready-dev  ## runs of every kind, ended at random moments: make kills N=20 SEED=7
	$(BIN)/python -m fuzz.kills --n $(or $(N),100) $(if $(SEED),--seed $(SEED))

# CELLS="3.13-newest oldest" chooses, PYTEST="-n 1 tests/kernels" goes to pytest, MATRIX_DIR is where environments are kept.
matrix:  ## the quick checks on each installed Python, with pinned, newest and oldest dependencies
	$(PYTHON) scripts/matrix.py $(CELLS) --pytest="$(PYTEST)"

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --cache-dir .pytest_cache/imports
	$(BIN)/mypy

dist: $(VENV)/.ready-dev  ## the wheel and the sdist, in dist/
	$(BIN)/python scripts/wheels.py

format: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.ready-dev  ## the site, in build/site: open index.html, no server needed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

pictures: $(VENV)/.ready  ## the pictures of README.md and docs/idea.md, from the kept results
	$(BIN)/python scripts/pictures.py

results: $(VENV)/.ready  ## the pages in docs/results, from the kept results
	$(BIN)/python scripts/results.py

bench: bench-training bench-images bench-kernels bench-oracle bench-curves bench-store  ## speed beside PyTorch, neural-tangents, scikit-learn and the machine's peak
	$(BIN)/python benchmarks/compare.py

bench-keep: $(VENV)/.ready  ## later results of make bench are compared with the present ones
	$(BIN)/python benchmarks/compare.py --keep

bench-training: $(VENV)/.ready .venv-torch/.ready
	$(BIN)/python benchmarks/training.py --torch-python .venv-torch/bin/python
	$(BIN)/python benchmarks/roofline.py

bench-images: $(VENV)/.ready .venv-torch/.ready
	$(BIN)/python benchmarks/images.py --torch-python .venv-torch/bin/python

bench-kernels: $(VENV)/.ready .venv-neural-tangents/.ready
	$(BIN)/python benchmarks/kernels.py --peer-python .venv-neural-tangents/bin/python
	$(BIN)/python benchmarks/ridge.py

bench-oracle: $(VENV)/.ready
	$(BIN)/python benchmarks/oracle.py

bench-curves: $(VENV)/.ready
	$(BIN)/python benchmarks/curves.py

bench-store: $(VENV)/.ready
	$(BIN)/python benchmarks/store.py

bench-scaling: $(VENV)/.ready-dev  ## how time and memory grow, with a chart in docs/pictures
	$(BIN)/python benchmarks/scaling.py

bench-cluster: $(VENV)/.ready-dev  ## a model of 100 workers, beside runs with 1 and 2
	$(BIN)/python benchmarks/cluster_model.py

bench-compilation: $(VENV)/.ready  ## how much of a cold run of fig2a is compilation
	$(BIN)/python benchmarks/compilation.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "kernelgap needs Python 3.11 or newer: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Setting up $(VENV), about a minute the first time ..."
	$(PIP) --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(PIP) --editable ".[dev,cluster,docs]"
	@touch $@

.venv-%/.ready: benchmarks/requirements-%.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip --disable-pip-version-check install --quiet --requirement $<
	@touch $@

clean:
	rm -rf $(VENV) .venv-matrix .venv-torch .venv-neural-tangents .pytest_cache .mypy_cache .ruff_cache build dist
