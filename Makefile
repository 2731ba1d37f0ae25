# Everything here works in a fresh clone, in a folder of any name: each target first sets up what it needs.
# Another interpreter or environment: make test PYTHON=/path/to/python3.12 VENV=.venv-3.12

.NOTPARALLEL:
.PHONY: help setup test quick sample wheel lint format demo bench bench-quick bench-weaviate load systemd torture faults servers conformance weaviate weaviate-server fuzz requirements clean

VENV = .venv
PYTHON =
PYTEST_ARGS =
# Minutes of processor time, with child processes, that `make test` may use; more of it fails. Raised only on purpose. The
# same tests took 27 to 34 on machines of one kind, by what else shares their caches.
BUDGET = 38
MEASURED = --processor-table 10 --processor-budget $(BUDGET)
# Some tests wait, the quick ones hardly ever. Each worker imports and collects for itself.
CORES = $(shell getconf _NPROCESSORS_ONLN)
WORKERS = $(shell expr $(CORES) + 2)
BENCH_ARGS =
LOAD_ARGS =
FUZZ_TIMES = 50
TORTURE_ARGS =
FAULTS_ARGS =
FOLDER =

# Bytecode is kept even where the caller's environment says otherwise: without it each of the thousands of processes that
# the tests start compiles memd anew.
unexport PYTHONDONTWRITEBYTECODE

# An environment holds absolute paths, so a moved checkout needs a new one: the stamps carry a sum of the path.
HERE := $(shell pwd -P | cksum | cut -d ' ' -f 1)
MADE = $(VENV)/.made-$(HERE)
RUNTIME = $(VENV)/.runtime-$(HERE)
DEV = $(VENV)/.dev-$(HERE)

# An environment whose interpreter does not start, or is another one than PYTHON, is made anew.
ORIGIN = -I -c 'import sys; print(sys.base_prefix, *sys.version_info[:3])' 2> /dev/null
MADE_WITH := $(shell "$(VENV)/bin/python" $(ORIGIN))
WANTED := $(if $(PYTHON),$(shell "$(PYTHON)" $(ORIGIN)),$(MADE_WITH))
ifneq ($(or $(MADE_WITH),none),$(WANTED))
.PHONY: $(MADE)
endif

PIP = -m pip --disable-pip-version-check --no-input
# -P keeps the checkout's own folders out of the import path: `memory` is `memd.memory` and nothing else.
PYTEST = "$(VENV)/bin/python" -P -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)
LINT = "$(VENV)/bin/ruff" check && "$(VENV)/bin/ruff" format --check && "$(VENV)/bin/basedpyright" --pythonpath "$(VENV)/bin/python"

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

setup: $(DEV) ## create .venv with everything that development needs
	@echo "$(VENV) is ready"

# The type checker uses one core for a minute, so it runs beside the tests. It is no `$(MAKE) lint`: `make -n` would run it.
test: $(DEV) ## check style and types, and run every test that is not long
	@$(info $(PYTEST) -m "not long" $(MEASURED)){ $(LINT); } > "$(VENV)/lint.log" 2>&1 & lint=$$!; \
	$(PYTEST) -m "not long" $(MEASURED); tests=$$?; \
	wait $$lint; style=$$?; cat "$(VENV)/lint.log"; \
	"$(VENV)/bin/python" -P -m memd.tests.left_out || tests=1; \
	test $$tests -eq 0 || echo "The tests failed: see above." >&2; \
	test $$style -eq 0 || echo "Style or types failed: see above." >&2; \
	test $$tests -eq 0 -a $$style -eq 0

quick: WORKERS = $(CORES)
quick: $(DEV) ## run the tests that are not slow, with a tenth of the random examples
	MEMD_PROFILE=quick $(PYTEST) -m "not slow"

sample: $(DEV) ## run a tenth of the tests: each module imported, each format read, each verb run, a test of each file
	$(PYTEST) -m "not long" --sample

wheel: $(DEV) ## build the wheel, install it and run some tests of whole commands against it
	$(PYTEST) -n 0 -m "not long" tests/test_wheel.py

lint: $(DEV) ## check style and types
	$(LINT)

format: $(DEV) ## sort imports and lay out the code
	"$(VENV)/bin/ruff" check --select I --fix
	"$(VENV)/bin/ruff" format

demo: $(RUNTIME) ## ingest a small export and ask it three questions
	@"$(VENV)/bin/memd" demo

bench: $(DEV) ## measure memd beside its peers, which are installed into .bench: an hour or two
	"$(VENV)/bin/python" bench/run.py $(BENCH_ARGS)

bench-quick: $(DEV) ## the same in small: whether it runs, no figures to quote
	"$(VENV)/bin/python" bench/run.py --quick $(BENCH_ARGS)

bench-weaviate: weaviate-server ## the index in a Weaviate server beside the embedded one and the bare client, at 10,000 and 100,000 messages
	"$(VENV)/bin/python" bench/weaviate_index.py $(BENCH_ARGS)

load: $(DEV) ## questions, documents and readers of progress for an hour; ends with 1 after an error or a leak
	"$(VENV)/bin/python" bench/load.py $(LOAD_ARGS)

systemd: $(DEV) ## install, start, kill and remove memd under a systemd of its own: a minute, needs root
	"$(VENV)/bin/python" -P -m memd.tests.systemd.checks

torture: $(DEV) ## run the long tests; kill, fill, damage and mislead memd, hundreds of times: two hours
	$(PYTEST) -m long --timeout 7200
	"$(VENV)/bin/python" -P -m memd.tests.torture $(TORTURE_ARGS)

faults: $(DEV) ## put forty small faults into a copy, one at a time: which test finds each? An hour
	"$(VENV)/bin/python" -P -m memd.tests.seeded_faults $(FAULTS_ARGS)

servers: ## fetch IMAP servers for the tests into .dovecot, .cyrus (Debian) and .greenmail (Maven); nothing is installed
	sh tests/connectors/live/imap/fetch_servers.sh .dovecot .cyrus .greenmail

conformance: ## fetch the conformance suite of the Model Context Protocol for the tests into .conformance (needs npm)
	mkdir -p .conformance && cp requirements/conformance/*.json .conformance/
	npm ci --prefix .conformance --no-audit --no-fund --loglevel error

weaviate-server: $(DEV) ## build the pinned Weaviate for the tests into the user's cache (needs Go): minutes the first time
	@"$(VENV)/bin/python" -P -m memd.tests.weaviate_server.install

weaviate: weaviate-server ## start that Weaviate on loopback, say how to connect, stop it with Ctrl-C; FOLDER keeps its data
	@"$(VENV)/bin/python" -P -m memd.tests.weaviate_server.serve $(if $(FOLDER),--folder "$(FOLDER)")

fuzz: $(DEV) ## run every property test with new random examples: FUZZ_TIMES as many as `make test`
	MEMD_PROFILE=long MEMD_FUZZ=$(FUZZ_TIMES) $(PYTEST) --timeout 7200 -m hypothesis

requirements: ## renew the pins in requirements/ (needs uv)
	cd requirements && sh compile.sh

clean: ## remove what make has made
	rm -rf .venv .venv-* .bench .dovecot .cyrus .greenmail .conformance .types build dist memd_daemon.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@python="$(PYTHON)"; python="$${python:-$$(.ci/pythons newest)}" && test -n "$$python" && \
	echo "making $(VENV) with $$python" && "$$python" -m venv --clear "$(VENV)"
	@touch $@

# The checkout itself is installed editable, so that `memd` is the code in this folder, whatever the folder's name.
$(RUNTIME): $(MADE) requirements/runtime.txt requirements/build.txt pyproject.toml
	@echo "installing the pinned packages that memd needs"
	@"$(VENV)/bin/python" $(PIP) install -q --require-hashes -r requirements/runtime.txt -r requirements/build.txt
	@"$(VENV)/bin/python" $(PIP) install -q --no-index --no-deps --no-build-isolation -e .
	@touch $@

# `.types/memd` leads back to the checkout: the type checker's way to resolve `memd`.
$(DEV): $(RUNTIME) requirements/dev.txt
	@echo "installing the pinned packages that development needs"
	@"$(VENV)/bin/python" $(PIP) install -q --require-hashes -r requirements/dev.txt
	@"$(VENV)/bin/python" $(PIP) install -q --no-index --no-deps --no-build-isolation -e packages/bge-small-en
	@mkdir -p .types && ln -sfn .. .types/memd
	@touch $@
