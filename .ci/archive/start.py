"""The program in the archive, which needs no installed Python."""

import multiprocessing

from zobra.cli.main import main

if __name__ == "__main__":
    multiprocessing.freeze_support()  # a worker process of a match is this program once more
    main()
