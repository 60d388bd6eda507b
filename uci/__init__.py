"""The conversation with a GUI, and the command line.

Reading order: main; loop with signals, input, commands, loader, output and debug_log; session with options, followed_game,
go_limits, board_text, report and commentary; knowledge with book, tablebase and root_ranking; what happens before the kernels
are compiled: compilation, cold_start, simple_search, simple_player; one_shot; command_line and what it offers: bench,
perft_command, warmup, doctor, parameter_list, key_report.
"""
