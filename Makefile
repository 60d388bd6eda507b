# Builds one self-contained executable of Zobra, the way OpenBench builds engines: make EXE=name [EVALFILE=network]
# It carries sources and compiled kernels, and runs on the Python it was built with, which must have Zobra's dependencies.

EXE ?= zobra
PYTHON ?= python3
PACKAGES = engine tt search uci cli arena train api
export ZOBRA_KERNELS ?= native

.PHONY: all executable

# The executable is tried at once. It compiles what the build could not, and says what Python lacks.
all: executable
	"$(abspath $(EXE))" warmup

executable:
	@stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && mkdir "$$stage/zobra" && \
	cp -R $(PACKAGES) "$$stage/zobra/" && cp cli/launcher.py "$$stage/__main__.py" && \
	$(if $(EVALFILE),cp "$(EVALFILE)" "$$stage/zobra/engine/data/zobra.network" && )\
	find "$$stage" '(' -name __pycache__ -o -name compiled ')' -prune -exec rm -rf {} + && \
	{ said=$$(cd "$$stage" && $(PYTHON) -B -m zobra.engine.kernels.build 2>&1) || test $$? -ne 2 || \
	{ echo "$$said" >&2; exit 2; }; } && \
	$(PYTHON) -m zipapp "$$stage" -c -o "$(EXE)" -p "$$($(PYTHON) -c 'import sys; print(sys.executable)')"
