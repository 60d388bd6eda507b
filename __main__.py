"""`python -m zobra` is the same as `zobra`."""

from zobra.cli.main import main

main()
