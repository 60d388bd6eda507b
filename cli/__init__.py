"""The command line of `zobra`.

Reading order: main and words; command_line, the list of all commands; one_shot and uci_commands
(UCI commands), and the other commands, each in a module of its own; launcher, the start of a
self-contained executable.
"""
