"""The command line of `zobra`.

Reading order: main; command_line and its commands: one_shot (UCI commands), perft_command, doctor,
install, genfens, key_report; launcher, the start of a self-contained executable.
"""
