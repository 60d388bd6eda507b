"""The conversation with a GUI, and the command line.

Reading order: main; loop with signals, input, commands, loader, output and debug_log; session with options, followed_game,
go_limits, report and commentary; knowledge with book, tablebase and root_ranking; one_shot; command_line and what it offers:
bench, perft_command, warmup, key_report.
"""
