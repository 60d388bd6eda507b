"""The conversation with a GUI.

Reading order: loop with commands and console; session with options, followed_game and board_text;
go with commentary.
"""
