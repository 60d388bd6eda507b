"""`python -m zobra.uci` is the same as `zobra`."""

from zobra.uci.main import main

main()
