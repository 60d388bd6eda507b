#!/usr/bin/env bash
# Zobra on arm64, emulated: compile the portable kernels, then perft 4, bench and a search. Takes some ten minutes.
#     tests/tools/arm64.sh FOLDER     # for the Debian root and the packages, about 1 GB; used again by a later run
# Needs Debian or Ubuntu with qemu-user-static and mmdebstrap; nothing is run as root. The bench has to equal that of x86-64.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)

if [ ! -d "$folder/system" ]; then
    mmdebstrap --variant=extract --arch=arm64 --include=python3,libstdc++6 bookworm "$folder/system"
fi
platforms=$(printf -- '--platform manylinux_2_%s_aarch64 ' 28 27 17)
python3 -m pip install --quiet --upgrade --target "$folder/site" $platforms --platform manylinux2014_aarch64 \
    --python-version 3.11 --only-binary=:all: numba numpy scipy filelock platformdirs rich typer jinja2
python3 -m pip install --quiet --upgrade --target "$folder/site" --no-deps chess

rm -rf "$folder/sources" && mkdir -p "$folder/sources"
git clone --quiet "$root" "$folder/sources/zobra"
export PYTHONPATH="$folder/sources:$folder/site" PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1 HOME="$folder/home"
arm64() { (cd "$folder/sources" && qemu-aarch64-static -L "$folder/system" "$folder/system/usr/bin/python3.11" "$@"); }

ZOBRA_LEVEL=generic arm64 -m zobra.engine.kernels.build generic  # without the word it would start programs of arm64
arm64 -c 'import platform; from zobra.engine import kernels; print(platform.machine(), kernels.selected.describe())'
export ZOBRA_LEVEL=generic
arm64 -m zobra.cli perft 4
printf 'uci\nisready\nposition startpos moves e2e4\ngo nodes 20000\nquit\n' | arm64 -m zobra.cli | tail -n 1
arm64 -m zobra.cli bench | tail -n 1
