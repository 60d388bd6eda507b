"""The conversation with a GUI, and the command line.

Reading order: main; loop with commands and console; session with options, followed_game, board_text
and bench; go with commentary; one_shot; command_line and its commands: perft_command, doctor,
install, genfens, key_report.
"""
