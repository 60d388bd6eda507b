"""The conversation with a GUI, and the command line. Reading order: main, loop, commands, options, session, report, bench."""
