"""The conversation with a GUI: a thin layer of text before `search/engine.py`.

Reading order: dispatcher with commands (parse) and console; info_printer with format; option_text;
board_text.
"""
