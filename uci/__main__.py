"""`python -m zobra.uci` speaks UCI, and nothing else; `python -m zobra.cli` is the command line."""

import sys

from zobra.uci.console import require_streams
from zobra.uci.dispatcher import converse

require_streams("input", "output")
converse(tunable="--tunable" in sys.argv[1:])
