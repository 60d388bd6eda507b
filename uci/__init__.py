"""The conversation with a GUI, and the command line.

Reading order: main; loop with signals, input, commands, loader, output; session with options, followed_game, go_limits, report
and commentary; command_line and what it offers: bench, perft_command, warmup, key_report.
"""
