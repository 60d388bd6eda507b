# Builds one self-contained executable of Zobra, the way OpenBench builds engines: make EXE=name
# It carries the sources and runs on the Python it was built with, which must have Zobra's dependencies.

EXE ?= zobra
PYTHON ?= python3
PACKAGES = engine tt search uci arena train

.PHONY: all executable warm

all: warm

executable:
	@stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && mkdir "$$stage/zobra" && \
	cp -R $(PACKAGES) "$$stage/zobra/" && cp uci/launcher.py "$$stage/__main__.py" && \
	find "$$stage" -name __pycache__ -prune -exec rm -rf {} + && \
	$(PYTHON) -m zipapp "$$stage" -c -o "$(EXE)" -p "$$($(PYTHON) -c 'import sys; print(sys.executable)')"

# compiles the kernels now, so that no bench or first game has to wait for them
warm: executable
	"$(abspath $(EXE))" warmup
