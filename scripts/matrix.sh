#!/bin/sh
# The tests on the oldest and on the newest supported dependencies, each in its own environment.
set -eu
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"

run() {
    name="$1"
    shift
    echo "== $name"
    "$python" -m venv ".venv-$name"
    ".venv-$name/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[dev]' "$@"
    ".venv-$name/bin/python" -m pytest
}

run newest --upgrade
run oldest -c scripts/oldest.txt
