# Every target sets up what it needs: .venv is made once and reused.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: install paper site pdf lab quick smoke test test-cluster test-faults test-browser fuzz package audit lint verify \
	scorecard clean

install: .venv/installed

.venv/installed: requirements/main.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement requirements/main.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

.venv/installed-site: requirements/site.lock .venv/installed
	$(BIN)/python -m pip install --quiet --constraint requirements/main.lock --requirement $<
	touch $@

.venv/installed-lab: requirements/lab.lock .venv/installed
	$(BIN)/python -m pip install --quiet --constraint requirements/main.lock --requirement $<
	touch $@

.venv/installed-browser: requirements/browser.lock .venv/installed-site .venv/installed-lab
	$(BIN)/python -m pip install --quiet --constraint requirements/main.lock --requirement $<
	touch $@

.venv/installed-pdf: requirements/pdf.lock .venv/installed
	$(BIN)/python -m pip install --quiet --constraint requirements/main.lock --requirement $<
	touch $@

.venv/installed-cluster: requirements/cluster.lock .venv/installed
	$(BIN)/python -m pip install --quiet --constraint requirements/main.lock --requirement $<
	touch $@

paper: install  ## every table and figure from the recorded trials, into figures/ and build/paper/
	$(BIN)/mimlpaper run --recorded
	$(BIN)/mimlpaper scorecard
	$(BIN)/mimlpaper verify --audit 20
	$(BIN)/python site/check.py build/paper

site: .venv/installed-site  ## the executed notebooks and all results as pages, in build/site/
	$(BIN)/mimlpaper run --recorded
	$(BIN)/python site/build.py
	$(BIN)/python site/check.py build/paper build/site

pdf: .venv/installed-pdf  ## the executed notebooks as one PDF, build/mimlpaper.pdf
	$(BIN)/mimlpaper run --recorded
	$(BIN)/python site/pdf.py

lab: .venv/installed-lab  ## the notebooks in JupyterLab
	$(BIN)/jupyter lab --notebook-dir notebooks

quick: install  ## the first three splits of every experiment, on the original data
	$(BIN)/mimlpaper run --profile quick

smoke: install  ## every notebook on data that the library draws itself, without network
	$(BIN)/mimlpaper run --profile smoke

test: install
	$(BIN)/python -m pytest --numprocesses 2

test-cluster: .venv/installed-cluster  ## a Dask cluster on this machine, three times over
	for round in 1 2 3; do $(BIN)/python -m pytest tests/faults/test_cluster.py || exit 1; done

test-faults: .venv/installed-cluster  ## real faults against real runs; their table: build/faults.md
	$(BIN)/python -m pytest --numprocesses 2 tests/faults

fuzz: install  ## files damaged at random, read for so many minutes: make fuzz MINUTES=60
	MINUTES=$(or $(MINUTES),1) $(BIN)/python -m pytest --numprocesses 2 tests/check/test_damaged_files.py

test-browser: .venv/installed-browser  ## the site and the notebooks in Chromium, if there is one
	$(BIN)/mimlpaper run --profile smoke
	$(BIN)/python site/build.py --profile smoke
	$(BIN)/python site/check.py build/smoke build/site-smoke
	$(BIN)/python -m pytest tests/browser

package: install  ## sdist and wheel, used in empty environments by every Python that is here
	$(BIN)/python tests/package/check_package.py

audit:  ## known faults of the locked versions; needs the network
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet pip-audit==2.10.1
	build/audit/bin/pip-audit --strict --no-deps --disable-pip --requirement requirements/main.lock || \
	(echo "faults, or what could not be looked up, are listed above" && false)

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

verify: install  ## re-run recorded trials, drawn at random, and compare
	$(BIN)/mimlpaper verify

scorecard: install
	$(BIN)/mimlpaper scorecard

clean:
	rm -rf .venv build figures/smoke figures/quick data/results/smoke
