# Every target sets up what it needs: .venv is made once and reused.
PYTHON ?= python3
BIN := .venv/bin
# Chromium of the system, if there is one: `make check` then opens the site in it.
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
# Locks name every package, so that nothing else is resolved.
LOCKED := --quiet --no-deps --require-hashes --requirement

.PHONY: install paper test check check-in-ci
.PHONY: check-whole check-notebooks check-tests check-site check-machines check-package check-clients
.PHONY: lab site pdf verify lint locks clean

install: .venv/installed

.venv/installed: requirements/main.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install $(LOCKED) requirements/main.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

.venv/installed-%: requirements/%.lock .venv/installed
	$(BIN)/python -m pip install $(LOCKED) $<
	touch $@

.venv/installed-browser: .venv/installed-site .venv/installed-lab

paper: install  ## every table and figure from the recorded trials, in build/paper/
	$(BIN)/mimlpaper run --recorded
	$(BIN)/mimlpaper verify --audit 5
	$(BIN)/python site/check.py build/paper --published build/paper

test: install  ## two minutes of tests
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal

# Many of the last tests wait, so they are done at once, after what does not wait.
check: .venv/installed-cluster  ## what takes longer
	$(MAKE) check-in-ci
	$(MAKE) check-tests
	$(MAKE) --jobs check-machines check-package $(if $(CHROMIUM),check-clients)

check-in-ci: install
	$(MAKE) check-whole
	$(MAKE) check-notebooks
	$(if $(CHROMIUM),$(MAKE) check-site)

check-whole: install  # commands, notebooks, and what is made of all records
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests/whole

check-notebooks: install  # all of them, on synthetic data
	$(BIN)/mimlpaper run --profile smoke --at-once 2 --jobs 1

check-tests: install  # changed code, wrong numbers, the bench and its guests
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests/check

check-site: .venv/installed-browser  # the notebooks' pages, in a browser
	$(BIN)/python site/build.py --profile smoke
	$(BIN)/python site/check.py build/smoke build/site-smoke
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests/browser/pages

check-machines: .venv/installed-cluster  # kills, interrupts, other processors, a cluster
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests/machines

check-package: install  # in empty environments
	$(BIN)/python tests/package/check_package.py

check-clients: .venv/installed-browser  # JupyterLab, and papermill without the command
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests/browser/clients

lab: .venv/installed-lab  ## the notebooks in JupyterLab, as working copies in build/lab
	$(BIN)/python -m mimlstudy.report.lab

site: .venv/installed-site  ## the executed notebooks and all results as pages, in build/site/
	$(BIN)/mimlpaper run --recorded
	$(BIN)/python site/build.py
	$(BIN)/python site/check.py build/paper build/site

pdf: .venv/installed-pdf  ## the executed notebooks as one PDF, build/mimlpaper.pdf
	$(BIN)/mimlpaper run --recorded
	$(BIN)/python site/pdf.py

verify: install  ## re-run a random sample of recorded trials, and compare
	$(BIN)/mimlpaper verify

lint: install  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

locks:  ## exact versions with hashes, within the ranges of pyproject.toml
	$(PYTHON) -m venv build/uv
	build/uv/bin/python -m pip install --quiet uv
	PATH=build/uv/bin:$$PATH build/uv/bin/python requirements/make_locks.py

clean:
	rm -rf .venv build
