"""The conversation with a GUI, and the command line.

Reading order: main; loop with commands, console, debug_log and startup; session with options, followed_game, board_text and
counts; go with go_limits, search_thread, commentary and report; one_shot; command_line and its commands: bench, perft_command,
warmup, doctor, install, genfens, parameter_list, key_report.
"""
