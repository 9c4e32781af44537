# Each target sets up what it needs: a virtual environment in .venv with the pinned packages of constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet -c constraints.txt

# Tests start hundreds of processes, and without bytecode files each would compile all of the source again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help dist reproduce beyond studio test ready lint browser docs docs-results bench oracle rl torture server numbas clean

help:
	@echo "make reproduce   reproduce the paper's results and figures (out/reproduce)"
	@echo "make beyond      compare the planner with the paper's methods, nearly an hour (out/beyond)"
	@echo "make studio      play in the browser, with or instead of a method; stop with Ctrl-C (out/studio)"
	@echo "make test        run lint, types and all tests"
	@echo "make docs        build the documentation; warnings are errors (out/docs/index.html)"
	@echo "make docs-results  copy the results of make reproduce and make beyond to the documentation"
	@echo "make numbas      test the planner with the oldest and the newest numba"
	@echo "make bench       run all benchmarks (out/bench)"
	@echo "make oracle      compare with the probabilistic model checker stormpy"
	@echo "make rl          run the tests that need torch, Stable-Baselines3 and MiniGrid (large)"
	@echo "make torture     run the long tests of robustness, up to an hour"
	@echo "make server      test a study behind nginx and Caddy with https"
	@echo "make lint        run ruff and mypy only"
	@echo "make dist        build the packages to publish, and test them in an empty environment (out/dist)"
	@echo "make clean       remove the environment and everything that was built"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "askwise needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# An editable installation: it is repeated if the requirements change, but not if the source does.
$(VENV)/installed: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) -e .
	@touch $@

$(VENV)/installed-%: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) -e '.[$*]'
	@touch $@ $(VENV)/installed

reproduce: $(VENV)/installed
	$(BIN)/askwise reproduce

beyond: $(VENV)/installed
	$(BIN)/askwise study beyond

studio: $(VENV)/installed-studio
	$(BIN)/askwise studio

lint: $(VENV)/installed-test,docs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# The pages that askwise writes are tested in a real browser. If there is none, Debian's chromium is installed if
# possible; otherwise those tests are skipped and say so.
BROWSER := $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
browser:
ifeq ($(BROWSER),)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing Debian's chromium for the browser tests" && apt-get -qq update \
	  && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null \
	  || echo "chromium could not be installed: the browser tests will be skipped"; \
	else \
	  echo "chromium is missing and cannot be installed without root: the browser tests will be skipped"; \
	fi
endif

# Kernels are compiled once, in parallel with lint and types, and not by every test process.
KERNELS := kernels-planner kernels-methods kernels-applications
.PHONY: $(KERNELS)
$(KERNELS): kernels-%: $(VENV)/installed-test,docs
	$(BIN)/python -m tests.kernels $*

ready: lint browser $(KERNELS)

# Three processes keep two cores busy: some tests wait for a time limit, a server or a browser.
test: $(VENV)/installed-test,docs
	$(MAKE) -j3 ready
	$(BIN)/pytest -n 3 --dist worksteal

docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -d out/doctrees docs out/docs
	@echo "Written: out/docs/index.html"

# The pages "The paper, reproduced" and "Beyond the paper" show these results of finished runs.
PAGES := docs/reproduced
docs-results:
	@test -f out/reproduce/summary.csv || { echo "out/reproduce/summary.csv is missing: run make reproduce first"; exit 1; }
	mkdir -p $(PAGES)/figures
	cp out/reproduce/summary.csv out/reproduce/claims.csv $(PAGES)/
	rm -f $(PAGES)/figures/*.svg
	cp out/reproduce/figures/*.svg $(PAGES)/figures/
	@if test -f out/beyond/ratios.csv; then \
	  mkdir -p $(PAGES)/beyond/figures \
	  && cp out/beyond/summary.csv out/beyond/ratios.csv out/beyond/expected_summary.csv $(PAGES)/beyond/ \
	  && cp out/beyond/figures/costs.svg out/beyond/figures/parts.svg $(PAGES)/beyond/figures/; \
	else \
	  echo "out/beyond is missing: its results in the documentation are not changed"; \
	fi

bench: $(VENV)/installed-oracle $(VENV)/installed-bench
	$(BIN)/python -m benchmarks

# The packages to publish: a source package, and a wheel that is built from it. Its commands are tested in an environment
# without other packages.
DIST := out/dist
dist: $(VENV)/installed-test
	rm -rf $(DIST) && mkdir -p $(DIST)/source
	$(BIN)/python -m hatchling build -t sdist -d $(DIST)
	tar -xzf $(DIST)/askwise-*.tar.gz -C $(DIST)/source --strip-components 1
	$(PIP) wheel --quiet --no-deps --no-build-isolation -w $(DIST) $(DIST)/source
	$(PYTHON) -m venv $(DIST)/env
	$(DIST)/env/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt $(DIST)/askwise-*.whl
	cd $(DIST) && sh ../../tests/try_commands.sh env/bin
	INSTALLED_ASKWISE=$(CURDIR)/$(DIST)/env/bin/askwise $(BIN)/pytest -q tests/test_readme.py
	rm -rf $(DIST)/env $(DIST)/source
	@echo "Written: $$(ls $(DIST)/askwise-*)"

# The oldest numba that pyproject.toml allows and the newest, each in a separate environment.
numbas:
	for version in '0.61.*' '0.*'; do \
	  rm -rf out/numba && $(PYTHON) -m venv out/numba \
	  && out/numba/bin/python -m pip --disable-pip-version-check install --quiet -e '.[test]' "numba==$$version" \
	  && NUMBA_CACHE_DIR=out/numba/cache out/numba/bin/python -m pytest -q -n 2 tests/planning tests/test_compiled.py \
	  || exit 1; \
	done

oracle: $(VENV)/installed-test $(VENV)/installed-oracle
	$(BIN)/pytest tests/oracle

# Not part of make test, because torch is large.
rl: $(VENV)/installed-test $(VENV)/installed-rl
	$(BIN)/pytest tests/rl

# Not part of make test, because it takes up to an hour: tests what "What is safe, and what is not" promises.
torture: $(VENV)/installed-test
	timeout 3600 $(BIN)/pytest -n 2 tests/torture

# Debian's packages are unpacked, not installed, because an installed nginx would start a server.
SERVERS := out/servers
$(SERVERS)/usr/sbin/nginx:
	mkdir -p $(SERVERS) && cd $(SERVERS) && apt-get -qq download nginx caddy && for each in *.deb; do dpkg -x "$$each" .; done

server: $(VENV)/installed-test browser $(SERVERS)/usr/sbin/nginx
	PATH="$(CURDIR)/$(SERVERS)/usr/sbin:$(CURDIR)/$(SERVERS)/usr/bin:$$PATH" $(BIN)/pytest tests/torture/test_study_server.py

clean:
	rm -rf $(VENV) out docs/drawn .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +
